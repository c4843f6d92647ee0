package online

import (
	"context"
	"math"

	"github.com/halfspace-ml/halfspace"
)

// Margin is the perceptron that also corrects examples which are right, but
// not by enough: w ← w + η·y·x whenever y·z ≤ b.
//
// Source: Duda, Hart and Stork, Pattern Classification (2nd ed.), 5.6, fixed
// increment with margin; Krauth and Mézard (1987). Cost as the perceptron's.
// Its trace shows an update also after examples that are not "wrong".
type Margin struct {
	Options
	Margin float64
}

// Name is the learner's name.
func (*Margin) Name() string { return "margin" }

// Params is the table of parameters.
func (p *Margin) Params() []halfspace.Param {
	return append(p.Options.Params(), halfspace.Float(&p.Margin, "margin", "1", 0, math.Inf(1), "update whenever y·z is not above this"))
}

// Step is y when the example is not right by the margin.
func (p *Margin) Step(y, z, _ float64) float64 {
	if y*z <= p.Margin {
		return y
	}
	return 0
}

func (*Margin) ignoresLength() {}

// Fit loops over the examples.
func (p *Margin) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	return fit(ctx, run, p, p, &p.Options, nil)
}

// Start begins a stream.
func (p *Margin) Start(m *halfspace.Model) (halfspace.Online, error) {
	return stream(m, p, p, &p.Options, nil)
}
