package batch

import (
	"context"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/vec"
)

// cost is a criterion as a function of the scores of one example, which it
// replaces by its derivatives. y and v are how the example was judged.
type cost func(scores []float64, class int, y float64, v halfspace.Visit) (loss float64)

// descent is gradient descent over all examples, w ← w − η·∇L with
// L = Σ weight·cost, as a sum or as a mean. It is the one loop of this package.
type descent struct {
	opt     online.Options
	cost    cost
	mean    bool
	tell    bool        // hooks see the loss of each example
	reached func() bool // after a look and before the step: this is the end

	run      *halfspace.Run
	w        *halfspace.Weights
	weight   float64 // of all examples
	lanes    []lane
	sights   []sight            // of all examples, for the hook; nil without one
	gradient *halfspace.Weights // at w, as are the next two
	loss     float64
	errors   int
	rep      halfspace.Report
}

// lane is what one run of examples adds up to.
type lane struct {
	gradient *halfspace.Weights
	scores   []float64
	loss     float64
	errors   int
}

// sight is what was seen of one example.
type sight struct {
	visit   halfspace.Visit
	y, loss float64
}

// Lanes share the work, and each has a gradient: so few that the gradients take
// 256 MiB at most, and never by the number of workers.
const (
	mostLanes       = 16
	mostLaneWeights = 1 << 25
)

func (d *descent) begin(run *halfspace.Run) {
	s := run.Set
	d.run = run
	d.w = halfspace.NewWeights(len(s.Classes()), s.Dim())
	if run.Init != nil {
		d.w = run.Init.Clone()
	}
	vectors := len(d.w.W)
	d.lanes = make([]lane, max(1, min(mostLanes, mostLaneWeights/(vectors*(s.Dim()+1)), block.Count(s.Len()))))
	for i := range d.lanes {
		d.lanes[i] = lane{gradient: halfspace.NewWeights(len(s.Classes()), s.Dim()), scores: make([]float64, vectors)}
	}
	d.gradient = d.lanes[0].gradient
	for i := range s.Len() {
		d.weight += s.Weight(i)
	}
	if run.Hooks.Step != nil {
		d.sights = make([]sight, s.Len())
	}
}

// fit takes steps until the end is reached, or the share of errors is below
// the limit.
func (d *descent) fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	d.begin(run)
	rep := &d.rep
	for rep.Epochs < d.opt.Epochs {
		if err := d.look(ctx); err != nil {
			return d.model(), err
		}
		rate, rateBias := d.opt.Rates(rep.Epochs+1, !run.NoBias)
		d.watch(rate, rateBias)
		rep.Mistakes += d.errors
		rep.Converged = d.done()
		d.pass(rate)
		rep.Epochs++
		if rep.Converged {
			break
		}
		d.step(rate, rateBias)
		rep.Updates++
		if !d.w.Finite() {
			break // halfspace.Fit says so
		}
	}
	return d.model(), nil
}

// done reports whether the latest look was the last.
func (d *descent) done() bool {
	return d.reached() || float64(d.errors)/float64(d.run.Set.Len()) < d.opt.StopError
}

func (d *descent) model() *halfspace.Model {
	return &halfspace.Model{Weights: d.w, Tie: d.opt.Tie, Report: d.rep}
}

// look judges all examples and makes the loss and its gradient, unless ctx ends.
func (d *descent) look(ctx context.Context) error {
	block.Lanes(d.run.Set.Len(), len(d.lanes), d.run.Workers, func(at, lo, hi int) {
		l := &d.lanes[at]
		l.gradient.Each(func(v []float64) { clear(v) })
		l.loss, l.errors = 0, 0
		for ; lo < hi && ctx.Err() == nil; lo += block.Size {
			d.see(l, lo, min(hi, lo+block.Size))
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	d.sum()
	return nil
}

// see adds the examples lo … hi-1 to a lane.
func (d *descent) see(l *lane, lo, hi int) {
	s, tie := d.run.Set, d.opt.Tie
	for i := lo; i < hi; i++ {
		x, class, weight := s.Row(i), s.Class(i), s.Weight(i)
		for k := range l.scores {
			l.scores[k] = d.w.Score(k, x)
		}
		y, z, rival := tie.Judge(l.scores, class)
		v := halfspace.Visit{Score: z, Rival: rival, Mistake: y*tie.Settle(y, z, class, rival) < 0}
		loss := d.cost(l.scores, class, y, v)
		l.loss += float64(weight * loss)
		if v.Mistake {
			l.errors++
		}
		if d.sights != nil {
			own := 0
			if len(l.scores) > 1 {
				own = class
			}
			v.Tau = 0 - l.scores[own] // never −0
			d.sights[i] = sight{v, y, loss}
		}
		for k, slope := range l.scores {
			if slope != 0 {
				vec.Axpy(l.gradient.W[k], weight*slope, x)
				l.gradient.Bias[k] += float64(weight * slope)
			}
		}
	}
}

// sum adds up the lanes, in order.
func (d *descent) sum() {
	d.loss, d.errors = d.lanes[0].loss, d.lanes[0].errors
	for _, l := range d.lanes[1:] {
		d.loss += l.loss
		d.errors += l.errors
		for k, v := range l.gradient.W {
			vec.Axpy(d.gradient.W[k], 1, vec.Row{Val: v})
			d.gradient.Bias[k] += l.gradient.Bias[k]
		}
	}
	if d.run.NoBias {
		clear(d.gradient.Bias)
	}
	if !d.mean {
		return
	}
	d.loss /= d.weight
	d.gradient.Each(func(v []float64) {
		for j := range v {
			v[j] /= d.weight
		}
	})
}

// watch shows the examples to the hook.
func (d *descent) watch(rate, rateBias float64) {
	s := d.run.Set
	for i, seen := range d.sights {
		d.run.Hooks.Step(&halfspace.Step{
			Visit: seen.visit, Epoch: d.rep.Epochs, Index: i, Class: s.Class(i), Y: seen.y, X: s.Row(i), Rate: rate, RateBias: rateBias, W: d.w, Deferred: true,
			Loss: seen.loss, HasLoss: d.tell,
		})
	}
}

// pass shows the look to the hook.
func (d *descent) pass(rate float64) {
	if d.run.Hooks.Pass == nil {
		return
	}
	p := halfspace.Pass{
		Epoch: d.rep.Epochs, Epochs: d.opt.Epochs, Examples: d.run.Set.Len(), Updates: d.errors, Mistakes: d.errors,
		Loss: d.loss, HasLoss: true, Gradient: d.gradient, Rate: rate, W: d.w, Done: d.rep.Converged || d.rep.Epochs+1 == d.opt.Epochs,
	}
	if d.rep.Converged {
		p.Gradient = nil
	}
	d.run.Hooks.Pass(&p)
}

// step is w ← w − η·∇L.
func (d *descent) step(rate, rateBias float64) {
	for k, g := range d.gradient.W {
		for j, v := range g {
			d.w.W[k][j] -= float64(rate * v)
		}
		d.w.Bias[k] -= float64(rateBias * d.gradient.Bias[k])
	}
}
