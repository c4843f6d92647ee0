package online

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
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

// enough is how many wrong examples end a look at them. The first one is then
// known, the pocket is not beaten, and the stop error is not met.
func enough(pick string, best *pocket, stop float64) int {
	if pick != "first" {
		return math.MaxInt
	}
	bound := int(stop) + 1
	if best != nil {
		bound = max(bound, best.errors)
	}
	return bound
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
		found, err := e.scan(ctx, run.Set, run.Workers, enough(pick, best, opt.StopError*float64(n)))
		if err != nil {
			return finish(err)
		}
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

// scan looks for wrong examples. It ends after the block with the bound-th of
// them, and tells of the blocks up to that one only, so that nothing depends
// on which worker was quick. When ctx ends first it returns ctx.Err().
func (e *engine) scan(ctx context.Context, s *data.Set, workers, bound int) (found, error) {
	n := s.Len()
	type part struct {
		first, worst int
		least        float64
	}
	parts := make([]part, block.Count(n))
	tally := newPrefix(len(parts), bound)
	block.Each(n, workers, func(b, lo, hi int) {
		if tally.enough.Load() || ctx.Err() != nil {
			return
		}
		p := part{first: -1, worst: -1}
		count := 0
		for i := lo; i < hi; i++ {
			class := s.Class(i)
			y, z, rival := e.w.Judge(s.Row(i), class, e.opt.Tie)
			m := y * e.opt.Tie.Settle(y, z, class, rival)
			if m >= 0 {
				continue
			}
			count++
			if p.first < 0 {
				p.first = i
			}
			if p.worst < 0 || m < p.least {
				p.worst, p.least = i, m
			}
		}
		parts[b] = p
		tally.end(b, count)
	})
	f := found{errors: tally.total, counts: tally.counts, complete: tally.next == len(parts), first: -1, worst: -1}
	if !f.complete && !tally.enough.Load() {
		return f, ctx.Err()
	}
	least := 0.0
	for _, p := range parts[:tally.next] {
		if f.first < 0 {
			f.first = p.first
		}
		if p.worst >= 0 && (f.worst < 0 || p.least < least) {
			f.worst, least = p.worst, p.least
		}
	}
	return f, nil
}

// prefix counts over blocks that end in any order, until those without a gap
// from the first on hold enough.
type prefix struct {
	enough atomic.Bool

	mu     sync.Mutex
	bound  int
	counts []int // by block; -1: not ended
	next   int   // the first block not counted
	total  int   // of the blocks before next
}

func newPrefix(blocks, bound int) *prefix {
	return &prefix{bound: bound, counts: slices.Repeat([]int{-1}, blocks)}
}

// end notes the count of a block.
func (p *prefix) end(b, count int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[b] = count
	for p.total < p.bound && p.next < len(p.counts) && p.counts[p.next] >= 0 {
		p.total += p.counts[p.next]
		p.next++
	}
	if p.total >= p.bound {
		p.enough.Store(true)
	}
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
