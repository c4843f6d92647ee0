// Package halfspace is linear classification from the first perceptron to
// production. A linear classifier cuts space into two half-spaces; halfspace
// learns that cut, tells how good it is and shows how it was found.
//
// This package is the vocabulary: a Learner makes a Model from a data.Set in a
// Run, watched by Hooks; Fit is the one way in. The learners themselves are in
// package learn and below it.
package halfspace
