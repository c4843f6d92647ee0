// Package calibrate makes probabilities of the scores of models that have none
// of their own: it fits curves on the scores of examples that a model was not
// trained on. The curves themselves belong to the model.
package calibrate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/block"
)

// Kinds are the curves that can be fitted.
var Kinds = []string{string(halfspace.LinkPlatt), string(halfspace.LinkIsotonic)}

// Curves fits a calibration of a kind to the margins that a model gives
// (halfspace.Scorer.Margins) beside the true classes of the examples: one curve
// for two classes, else one a class. A nil weight is all ones.
func Curves(kind halfspace.Link, margins [][]float64, class []int, weight []float64) (*halfspace.Calibration, error) {
	if len(margins) == 0 || len(margins) != len(class) {
		return nil, fmt.Errorf("%d scores of %d examples cannot be calibrated", len(margins), len(class))
	}
	c := &halfspace.Calibration{Kind: kind}
	positive := make([]bool, len(margins))
	for k, z := range columns(margins) {
		for i := range class {
			positive[i] = class[i] == k
		}
		v, err := curve(kind, z, positive, weight)
		if err != nil {
			return nil, err
		}
		c.Curves = append(c.Curves, v)
	}
	return c, nil
}

// columns is what each curve sees.
func columns(margins [][]float64) [][]float64 {
	z := make([][]float64, len(margins[0]))
	for k := range z {
		z[k] = make([]float64, len(margins))
		for i, m := range margins {
			z[k][i] = m[k]
		}
	}
	return z
}

func curve(kind halfspace.Link, z []float64, positive []bool, weight []float64) (v halfspace.Curve, err error) {
	switch kind {
	case halfspace.LinkPlatt:
		v.A, v.B, err = Platt(z, positive, weight)
	case halfspace.LinkIsotonic:
		v.X, v.Y, err = Isotonic(z, positive, weight)
	default:
		err = fmt.Errorf("no curve %q can be fitted; there are %q", kind, Kinds)
	}
	return v, err
}

// Start makes the training of a part of the data as that of all of it is made;
// fold counts from 0.
type Start func(fold int, part *data.Set) (halfspace.Learner, halfspace.Run, error)

// ErrFew says that a class has too few examples to leave some out.
var ErrFew = errors.New("too few examples to calibrate")

// CrossFit calibrates what start trains: every example is scored by a model of
// the other folds, and the curves are fitted on all of these scores. The
// examples weigh what they weigh in s, whatever the training does. Folds are
// fixed by seed.
func CrossFit(ctx context.Context, kind halfspace.Link, s *data.Set, folds int, seed uint64, start Start) (*halfspace.Calibration, error) {
	s = s.Weighty().Labelled()
	counts, _ := s.Counts()
	for c, n := range counts {
		if n == 1 {
			return nil, fmt.Errorf("%w: class %q has one example, and each class needs two or more, for some are left out in turn", ErrFew, s.Classes()[c])
		}
	}
	if folds < 2 {
		return nil, fmt.Errorf("%d folds leave nothing to train on; use 2 or more", folds)
	}
	var margins [][]float64
	var class []int
	var weight []float64
	for f, part := range s.Folds(folds, seed) {
		if part.Test.Len() == 0 {
			continue
		}
		l, run, err := start(f, part.Train)
		if err != nil {
			return nil, err
		}
		m, err := halfspace.Fit(ctx, l, run)
		if err != nil {
			return nil, fmt.Errorf("fold %d of %d: %w", f+1, folds, err)
		}
		margins = append(margins, seen(m, part.Test, run.Workers)...)
		for i := range part.Test.Len() {
			class = append(class, part.Test.Class(i))
			weight = append(weight, part.Test.Weight(i))
		}
	}
	c, err := Curves(kind, margins, class, weight)
	if c != nil {
		c.Folds = folds
	}
	return c, err
}

// seen is what the curves see of every example.
func seen(m *halfspace.Model, s *data.Set, workers int) [][]float64 {
	out := make([][]float64, s.Len())
	block.Each(s.Len(), workers, func(_, lo, hi int) {
		scorer := m.Scorer()
		var flat []float64
		for i := lo; i < hi; i++ {
			z := scorer.Margins(scorer.Scores(s.Row(i)))
			if flat == nil {
				flat = make([]float64, 0, len(z)*(hi-lo))
			}
			flat = append(flat, z...)
			out[i] = flat[len(flat)-len(z):]
		}
	})
	return out
}

// check refuses what no curve can be fitted to.
func check(scores []float64, positive []bool, weight []float64) error {
	if len(positive) != len(scores) || weight != nil && len(weight) != len(scores) {
		return fmt.Errorf("%d scores, %d classes and %d weights do not pair", len(scores), len(positive), len(weight))
	}
	total := 0.0
	for i, s := range scores {
		w := 1.0
		if weight != nil {
			w = weight[i]
		}
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return errors.New("a score is not finite, so that nothing can be calibrated; scale the features (--scale)")
		}
		if !(w >= 0) || math.IsInf(w, 0) {
			return fmt.Errorf("a weight is %v; weights must be finite and not negative", w)
		}
		total += w
	}
	if !(total > 0) || math.IsInf(total, 0) {
		return fmt.Errorf("the examples weigh %v in all, so that nothing can be calibrated", total)
	}
	return nil
}
