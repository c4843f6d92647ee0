package online

import (
	"context"

	"github.com/halfspace-ml/halfspace"
)

// Averaged is the perceptron whose answer is the mean of the weights after
// every visit, so that weights which lasted count for more.
//
// Source: Freund and Schapire, Large margin classification using the
// perceptron algorithm (1999). Cost: two additions a mistake: beside w it
// keeps u = Σ t·η·y·x over the mistakes, t visits having gone before, and
// w̄ = w − u/T. Its trace shows the perceptron inside; the model is the mean.
type Averaged struct{ Perceptron }

// Name is the learner's name.
func (*Averaged) Name() string { return "averaged" }

func averaging(e *engine) {
	e.average = e.w.Clone()
	e.average.Each(func(v []float64) { clear(v) })
}

// Fit loops over the examples.
func (p *Averaged) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	return fit(ctx, run, p, p, &p.Options, averaging)
}

// Start begins a stream.
func (p *Averaged) Start(m *halfspace.Model) (halfspace.Online, error) {
	return stream(m, p, p, &p.Options, averaging)
}
