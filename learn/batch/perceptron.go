// Package batch holds learners that look at all examples before each step, as
// the documents write them.
package batch

import (
	"context"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/learn/online"
)

// Perceptron is gradient descent on the perceptron cost
//
//	L(w) = (1/n) Σ max(0, −y·w·x)    ∇L = −(1/n) Σ_wrong y·x    w ← w − η·∇L
//
// or, with Sum, on the same without 1/n. It stops, before a step, when the
// share E of wrong examples is below the limit: on E and never on L, which is
// zero at w = 0 too.
//
// Source: document 000 (mean), documents 001 and 004 (sum, steps ρ_t). Cost:
// one look at all examples a step; scores are shared by the workers, the
// gradient is summed in file order. Its trace shows, for each iteration, every
// z, then E, L, ∇L and the new w.
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
	w := halfspace.NewWeights(len(run.Set.Classes()), run.Set.Dim())
	if run.Init != nil {
		w = run.Init.Clone()
	}
	var rep halfspace.Report
	model := func() *halfspace.Model { return &halfspace.Model{Weights: w, Tie: p.Tie, Report: rep} }
	d := newDescent(run.Set, w)
	for rep.Epochs < p.Epochs {
		d.look(ctx, w, p.Tie, run.Workers)
		if err := ctx.Err(); err != nil {
			return model(), err
		}
		rate, rateBias := p.Rates(rep.Epochs+1, !run.NoBias)
		d.watch(run, w, rep.Epochs, rate, rateBias)
		errs := d.sum(p.Sum)
		rep.Mistakes += errs
		rep.Converged = errs == 0 || float64(errs)/float64(run.Set.Len()) < p.StopError
		if run.Hooks.Pass != nil {
			gradient := d.gradient
			if rep.Converged {
				gradient = nil
			}
			run.Hooks.Pass(&halfspace.Pass{
				Epoch: rep.Epochs, Epochs: p.Epochs, Examples: run.Set.Len(), Updates: errs, Mistakes: errs,
				Loss: d.loss, HasLoss: true, Gradient: gradient, Rate: rate, W: w, Done: rep.Converged || rep.Epochs+1 == p.Epochs,
			})
		}
		rep.Epochs++
		if rep.Converged {
			break
		}
		d.step(w, rate, rateBias)
		rep.Updates++
		if !w.Finite() {
			break // halfspace.Fit says so
		}
	}
	return model(), nil
}

// descent is the working memory of one training.
type descent struct {
	set      *data.Set
	visits   []halfspace.Visit
	y        []float64
	gradient *halfspace.Weights
	loss     float64
}

func newDescent(s *data.Set, w *halfspace.Weights) *descent {
	return &descent{set: s, visits: make([]halfspace.Visit, s.Len()), y: make([]float64, s.Len()), gradient: w.Clone()}
}

// look judges all examples, unless ctx ends.
func (d *descent) look(ctx context.Context, w *halfspace.Weights, tie halfspace.Tie, workers int) {
	block.Each(d.set.Len(), workers, func(_, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		for i := lo; i < hi; i++ {
			class := d.set.Class(i)
			y, z, rival := w.Judge(d.set.Row(i), class, tie)
			v := halfspace.Visit{Score: z, Rival: rival}
			if y*tie.Settle(y, z, class, rival) < 0 {
				v.Mistake = true
				v.Tau = y
			}
			d.visits[i], d.y[i] = v, y
		}
	})
}

func (d *descent) watch(run *halfspace.Run, w *halfspace.Weights, epoch int, rate, rateBias float64) {
	if run.Hooks.Step == nil {
		return
	}
	for i, v := range d.visits {
		run.Hooks.Step(&halfspace.Step{
			Visit: v, Epoch: epoch, Index: i, Class: d.set.Class(i), Y: d.y[i], X: d.set.Row(i), Rate: rate, RateBias: rateBias, W: w, Deferred: true,
		})
	}
}

// sum makes the loss and its gradient and returns the number of errors.
func (d *descent) sum(plain bool) (errors int) {
	d.gradient.Each(func(v []float64) { clear(v) })
	d.loss = 0
	for i, v := range d.visits {
		if !v.Mistake {
			continue
		}
		errors++
		weight := d.set.Weight(i)
		d.loss -= float64(weight * float64(d.y[i]*v.Score))
		d.gradient.Add(d.set.Row(i), d.set.Class(i), v.Rival, -weight*v.Tau, -weight*v.Tau)
	}
	if plain {
		return errors
	}
	n := float64(d.set.Len())
	d.loss /= n
	d.gradient.Each(func(v []float64) {
		for j := range v {
			v[j] /= n
		}
	})
	return errors
}

// step is w ← w − η·∇L.
func (d *descent) step(w *halfspace.Weights, rate, rateBias float64) {
	for k, g := range d.gradient.W {
		for j, v := range g {
			w.W[k][j] -= float64(rate * v)
		}
		w.Bias[k] -= float64(rateBias * d.gradient.Bias[k])
	}
}
