// Package batch holds learners that look at all examples before each step, as
// the documents write them.
package batch

import (
	"context"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/learn/online"
)

// Perceptron is gradient descent on the perceptron cost
//
//	L(w) = (1/n) Σ max(0, −y·w·x)    ∇L = −(1/n) Σ_wrong y·x    w ← w − η·∇L
//
// or, with Sum, on the same without 1/n. It stops, before a step, when the
// share E of wrong examples is below the limit: on E and never on L, which is
// zero at w = 0 too. Of weighted examples n is the weight of all.
//
// Source: document 000 (mean), documents 001 and 004 (sum, steps ρ_t). Cost:
// one look at all examples a step, shared by the workers. Its trace shows, for
// each iteration, every z, then E, L, ∇L and the new w.
type Perceptron struct {
	online.Options
	Sum bool
}

// Name is the learner's name.
func (*Perceptron) Name() string { return "perceptron-batch" }

// Params is the table of parameters.
func (p *Perceptron) Params() []halfspace.Param {
	return append(p.Table("1000", "look at all examples and one step"),
		halfspace.Flag(&p.Sum, "sum", "sum over the wrong examples (documents 001 and 004) instead of the mean over all (000)"))
}

// Fit takes steps until (almost) nothing is wrong.
func (p *Perceptron) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	if err := halfspace.Complete(p.Params()); err != nil {
		return nil, err
	}
	d := &descent{opt: p.Options, cost: perceptronCost, mean: !p.Sum}
	d.reached = func() bool { return d.errors == 0 }
	return d.fit(ctx, run)
}

// perceptronCost is −y·z of a wrong example, by Kesler's construct with more
// than two classes.
func perceptronCost(scores []float64, class int, y float64, v halfspace.Visit) float64 {
	clear(scores)
	if !v.Mistake {
		return 0
	}
	if len(scores) == 1 {
		scores[0] = -y
	} else {
		scores[class], scores[v.Rival] = -1, 1
	}
	return -float64(y * v.Score)
}
