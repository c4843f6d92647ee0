package online

import (
	"context"
	"math"
	"math/rand/v2"
	"sync/atomic"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/block"
)

// PLA is the perceptron learning algorithm: pick a misclassified point,
// w ← w + η·y·x, until none is left.
//
// Source: document 002. An iteration is one pick and one update; Epochs bounds
// them. Pick says which point: the first in file order, a random one, or the
// worst (the least y·z). Cost: up to one look at all examples an iteration,
// shared by the workers. Its trace shows the point picked in each iteration.
type PLA struct {
	Options
	Pick string
}

// Picks are the ways to choose a misclassified point.
var Picks = []string{"first", "random", "worst"}

// Name is the learner's name.
func (*PLA) Name() string { return "pla" }

// Params is the table of parameters.
func (p *PLA) Params() []halfspace.Param { return pickParams(&p.Options, &p.Pick, Picks) }

func pickParams(o *Options, pick *string, order []string) []halfspace.Param {
	return append(o.Table("1000", "pick and one update"),
		halfspace.Word(pick, "pick", order, "which misclassified example to learn from"))
}

// Fit picks and updates until nothing is wrong.
func (p *PLA) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	if err := halfspace.Complete(p.Params()); err != nil {
		return nil, err
	}
	return fitPicking(ctx, run, p.Options, p.Pick, nil)
}

// Pocket is the perceptron learning algorithm for data that no line separates:
// after every update it counts the errors on all examples and keeps, in its
// pocket, the weights with the fewest. The first of equals stays.
//
// Source: document 002; Gallant, Perceptron-based learning algorithms (1990).
// Cost: the one look at the examples that picks the next point also counts the
// errors, so that the count is free; and with pick = first, where the pick
// needs only the first examples, the look ends as soon as so many are wrong
// that the pocket cannot be beaten. Both give exactly what counting in full
// after every update gives.
type Pocket struct {
	Options
	Pick string
}

// Name is the learner's name.
func (*Pocket) Name() string { return "pocket" }

// Params is the table of parameters.
func (p *Pocket) Params() []halfspace.Param {
	return pickParams(&p.Options, &p.Pick, []string{"random", "first", "worst"})
}

// Fit picks and updates, and returns the best weights seen.
func (p *Pocket) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	if err := halfspace.Complete(p.Params()); err != nil {
		return nil, err
	}
	return fitPicking(ctx, run, p.Options, p.Pick, &pocket{errors: math.MaxInt})
}

// pocket is the best so far.
type pocket struct {
	w      *halfspace.Weights
	errors int
}

func fitPicking(ctx context.Context, run *halfspace.Run, opt Options, pick string, best *pocket) (*halfspace.Model, error) {
	e := newEngine(opt, &Perceptron{}, start(run), !run.NoBias)
	random := rand.New(rand.NewPCG(run.Seed, 0x91c4))
	var rep halfspace.Report
	finish := func(err error) (*halfspace.Model, error) {
		if best != nil && best.w != nil {
			e.w = best.w
		}
		return e.model(rep), err
	}
	n := run.Set.Len()
	for {
		bound := math.MaxInt
		switch {
		case pick == "first" && best != nil:
			bound = best.errors
		case pick == "first":
			bound = 1
		}
		found := e.scan(run.Set, run.Workers, bound)
		if best != nil && found.errors < best.errors {
			best.errors, best.w = found.errors, e.w.Clone()
		}
		rep.Converged = found.errors == 0 || found.complete && float64(found.errors)/float64(n) < opt.StopError
		if run.Hooks.Pass != nil && (rep.Epochs > 0 || rep.Converged) {
			run.Hooks.Pass(&halfspace.Pass{
				Epoch: max(rep.Epochs-1, 0), Epochs: opt.Epochs, Examples: n, Updates: min(rep.Updates, 1), Mistakes: found.errors,
				Rate: e.rate, W: e.w, Done: rep.Converged || rep.Epochs == opt.Epochs, After: true,
			})
		}
		if rep.Converged || rep.Epochs == opt.Epochs || !e.w.Finite() {
			return finish(nil)
		}
		if err := ctx.Err(); err != nil {
			return finish(err)
		}
		at := found.pick(e, run.Set, pick, random)
		e.begin(rep.Epochs + 1)
		x, class := run.Set.Row(at), run.Set.Class(at)
		v := e.visit(x, class)
		if run.Hooks.Step != nil {
			e.report(run.Hooks.Step, run.Set, at, rep.Epochs, v)
		}
		e.learn(x, class, v, run.Set.Weight(at))
		rep.Epochs++
		rep.Updates++
		rep.Mistakes++
	}
}

// found is what one look at the examples tells.
type found struct {
	errors   int
	complete bool  // every example was looked at
	counts   []int // wrong examples in each block
	first    int   // the first wrong example
	worst    int   // the one with the least y·z
}

// scan looks for wrong examples. It may stop once bound of them are found; the
// first is then still right, because blocks are begun in order and finished.
func (e *engine) scan(s *data.Set, workers, bound int) found {
	n := s.Len()
	type part struct {
		first, worst int
		least        float64
	}
	parts := make([]part, block.Count(n))
	f := found{counts: make([]int, len(parts)), complete: true, first: -1, worst: -1}
	var total atomic.Int64
	var skipped atomic.Bool
	block.Each(n, workers, func(b, lo, hi int) {
		p := part{first: -1, worst: -1}
		if total.Load() >= int64(bound) {
			skipped.Store(true)
			parts[b] = p
			return
		}
		for i := lo; i < hi; i++ {
			class := s.Class(i)
			y, z, rival := e.w.Judge(s.Row(i), class, e.opt.Tie)
			m := y * e.opt.Tie.Settle(y, z, class, rival)
			if m >= 0 {
				continue
			}
			f.counts[b]++
			if p.first < 0 {
				p.first = i
			}
			if p.worst < 0 || m < p.least {
				p.worst, p.least = i, m
			}
		}
		total.Add(int64(f.counts[b]))
		parts[b] = p
	})
	least := 0.0
	for b, p := range parts {
		f.errors += f.counts[b]
		if f.first < 0 {
			f.first = p.first
		}
		if p.worst >= 0 && (f.worst < 0 || p.least < least) {
			f.worst, least = p.worst, p.least
		}
	}
	f.complete = !skipped.Load()
	return f
}

// pick chooses among the wrong examples.
func (f *found) pick(e *engine, s *data.Set, how string, random *rand.Rand) int {
	switch how {
	case "first":
		return f.first
	case "worst":
		return f.worst
	}
	k := random.IntN(f.errors)
	b := 0
	for k >= f.counts[b] {
		k -= f.counts[b]
		b++
	}
	for i := b * block.Size; ; i++ {
		if e.visit(s.Row(i), s.Class(i)).Mistake {
			if k == 0 {
				return i
			}
			k--
		}
	}
}
