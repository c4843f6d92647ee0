// Package learn is the one list of learners. The command line, the lab, the
// server and the conformance suite read it; adding a learner is its own file
// and one line here.
package learn

import (
	"fmt"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/internal/near"
	"github.com/halfspace-ml/halfspace/learn/batch"
	"github.com/halfspace-ml/halfspace/learn/closed"
	"github.com/halfspace-ml/halfspace/learn/network"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/learn/risk"
	"github.com/halfspace-ml/halfspace/learn/risk/margin"
)

// Entry is one learner.
type Entry struct {
	Name   string
	Doc    string // one line
	Source string // where it comes from
	New    func() halfspace.Learner
}

// All is the list.
var All = []Entry{
	{"perceptron", "on a mistake, add the example: w ← w + η·y·x", "Rosenblatt 1957; Pattern recognition systems, laboratory 10; Wortman Vaughan, DS3 2015", func() halfspace.Learner { return new(online.Perceptron) }},
	{"perceptron-batch", "gradient descent on the perceptron cost over all examples", "Pattern recognition systems, laboratory 10 (mean); Grzegorzek, Linear Classifiers, and Gales, 4F10 handout 7 (sum)", func() halfspace.Learner { return new(batch.Perceptron) }},
	{"logistic-gd", "gradient ascent on the likelihood of logistic regression, at a rate of your choice", "Gales, 4F10 handout 7 (logistic regression)", func() halfspace.Learner { return new(batch.Logistic) }},
	{"pla", "pick a misclassified point and add it, until there is none", "CS 470/570 Deep Learning, module 2, Perceptron Learning Algorithm", func() halfspace.Learner { return new(online.PLA) }},
	{"pocket", "PLA that keeps the weights with the fewest errors", "Gallant 1990; CS 470/570 Deep Learning, module 2", func() halfspace.Learner { return new(online.Pocket) }},
	{"averaged", "perceptron whose answer is the mean of its weights over time", "Freund and Schapire 1999", func() halfspace.Learner { return new(online.Averaged) }},
	{"voted", "perceptron whose weights over time vote, by how long they lasted", "Freund and Schapire 1999", func() halfspace.Learner { return new(online.Voted) }},
	{"margin", "perceptron that corrects whatever is not right by a margin", "Duda, Hart and Stork, 5.6", func() halfspace.Learner { return new(online.Margin) }},
	{"passive-aggressive", "the smallest change that gives each example a margin of 1", "Crammer and others 2006", func() halfspace.Learner { return new(online.PassiveAggressive) }},
	{"least-squares", "the plane with the least sum of squared differences from ±1", "Grzegorzek, Linear Classifiers (sum of error squares)", func() halfspace.Learner { return new(closed.LeastSquares) }},
	{"ridge", "least squares that prefers short weights: + λ‖w‖²", "Grzegorzek, Linear Classifiers (singular XᵀX); Hoerl and Kennard 1970", func() halfspace.Learner { return new(closed.Ridge) }},
	{"fisher", "the direction S_w⁻¹(μ1 − μ2) that holds the class means apart", "Fisher 1936; Gales, 4F10 handout 7", func() halfspace.Learner { return new(closed.Fisher) }},
	{"svm", "the widest soft margin: ½‖w‖² + C·Σ max(0, 1 − y·z)", "Cortes and Vapnik 1995; Grzegorzek, Linear Classifiers", func() halfspace.Learner { return new(risk.SVM) }},
	{"svm-hard", "the plane with the widest margin between classes that a plane can separate", "Vapnik 1963; Grzegorzek, Linear Classifiers (maximal margin); Gales, 4F10 handout 7", func() halfspace.Learner { return new(margin.Hard) }},
	{"logistic", "logistic regression with a penalty: ½‖w‖² + C·Σ ln(1 + e^−y·z)", "Gales, 4F10 handout 7; Cox 1958", func() halfspace.Learner { return new(risk.Logistic) }},
	{"risk", "any loss with any penalty, by any solver that can", "Vapnik 1992; Fan and others 2008", func() halfspace.Learner { return new(risk.Risk) }},
	{"network", "a hidden layer of units, trained by error back-propagation", "Rumelhart, Hinton and Williams 1986; Gales, 4F10 handout 7 (XOR)", func() halfspace.Learner { return new(network.BackPropagation) }},
}

// New makes the learner of that name with default parameters.
func New(name string) (halfspace.Learner, error) {
	for _, e := range All {
		if e.Name == name {
			return e.New(), nil
		}
	}
	return nil, fmt.Errorf("no learner %q; %s", name, near.Advice(name, "learners", Names()))
}

// Names are the names of all learners.
func Names() []string {
	var names []string
	for _, e := range All {
		names = append(names, e.Name)
	}
	return names
}
