package online

import (
	"context"

	"github.com/halfspace-ml/halfspace"
)

// Perceptron is Rosenblatt's rule: on a mistake, w ← w + η·y·x.
//
// Source: documents 000 and 003; Rosenblatt, The Perceptron (1957). Cost: one
// score a visit, one addition a mistake. On strictly separable data it makes
// at most R²/γ² mistakes (Novikoff 1962); otherwise it never settles. Its
// trace shows w, x, y, z, and the update after each "wrong".
type Perceptron struct{ Options }

// Name is the learner's name.
func (*Perceptron) Name() string { return "perceptron" }

// Step is y when the example is on the wrong side.
func (*Perceptron) Step(y, z, _ float64) float64 {
	if y*z < 0 {
		return y
	}
	return 0
}

func (*Perceptron) ignoresLength() {}

// Fit loops over the examples.
func (p *Perceptron) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	return fit(ctx, run, p, p, &p.Options, nil)
}

// Start begins a stream.
func (p *Perceptron) Start(m *halfspace.Model) (halfspace.Online, error) {
	return stream(m, p, p, &p.Options, nil)
}

// parametric is what the two ways in need of a learner.
type parametric interface{ Params() []halfspace.Param }

// fit completes the parameters and runs the engine; keep may set up averaging
// or voting.
func fit(ctx context.Context, run *halfspace.Run, l parametric, rule Rule, opt *Options, keep func(*engine)) (*halfspace.Model, error) {
	if err := halfspace.Complete(l.Params()); err != nil {
		return nil, err
	}
	e := newEngine(*opt, rule, start(run), !run.NoBias)
	if keep != nil {
		keep(e)
	}
	return e.fit(ctx, run)
}

// stream is fit for one example at a time, going on from a model.
func stream(m *halfspace.Model, l parametric, rule Rule, opt *Options, keep func(*engine)) (halfspace.Online, error) {
	if err := halfspace.Complete(l.Params()); err != nil {
		return nil, err
	}
	w := m.Weights
	if m.State != nil {
		w = m.State.Weights
	}
	e := newEngine(*opt, rule, w.Clone(), m.Report.Bias)
	if keep != nil {
		keep(e)
	}
	e.resume(m)
	return &Stream{e: e}, nil
}
