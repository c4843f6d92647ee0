// Package online holds the learners that look at one example at a time and
// change the weights only if they must. Each is one scalar rule; visiting,
// rates, ties, Kesler's construct for many classes, averaging, voting,
// streaming and tracing exist once, in the engine around the rule.
package online

import (
	"context"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/vec"
)

// Rule is a mistake-driven learner in one formula: given the class y (±1), the
// score z and the squared length q of the example (1 for the bias included),
// it returns τ, to add τ·x to the weights; 0 leaves them. A score on the
// boundary has already been moved to one side by the tie rule.
type Rule interface {
	Step(y, z, q float64) float64
}

// lengthless is a rule that does not look at q, so that it need not be
// computed.
type lengthless interface{ ignoresLength() }

// engine is the state of one training.
type engine struct {
	opt        Options
	rule       Rule
	w          *halfspace.Weights
	bias       bool
	withLength bool
	rate       float64 // of this loop
	rateBias   float64
	visits     int
	average    *halfspace.Weights // Σ (visits before it)·step; nil: no averaging
	votes      *ballot            // nil: no voting
}

func newEngine(opt Options, rule Rule, w *halfspace.Weights, bias bool) *engine {
	_, without := rule.(lengthless)
	e := &engine{opt: opt, rule: rule, w: w, bias: bias, withLength: !without}
	e.begin(1)
	return e
}

// begin sets the rates for loop t, from 1.
func (e *engine) begin(t int) { e.rate, e.rateBias = e.opt.Rates(t, e.bias) }

// visit judges one example. It changes nothing.
func (e *engine) visit(x vec.Row, class int) halfspace.Visit {
	y, score, rival := e.w.Judge(x, class, e.opt.Tie)
	z := e.opt.Tie.Settle(y, score, class, rival)
	q := 0.0
	if e.withLength {
		q = e.squaredLength(x)
	}
	return halfspace.Visit{Score: score, Tau: e.rule.Step(y, z, q), Rival: rival, Mistake: y*z < 0}
}

// squaredLength is ‖x̃‖²; Kesler's vector holds x̃ twice.
func (e *engine) squaredLength(x vec.Row) float64 {
	q := vec.SquaredNorm(x)
	if e.bias {
		q++
	}
	if len(e.w.W) > 1 {
		q *= 2
	}
	return q
}

// learn makes the step of a visit, if there is one.
func (e *engine) learn(x vec.Row, class int, v halfspace.Visit, weight float64) {
	if e.votes != nil {
		e.votes.visited(e.w, v.Tau != 0)
	}
	if v.Tau != 0 {
		tau := v.Tau * weight
		step, biasStep := e.rate*tau, e.rateBias*tau
		e.w.Add(x, class, v.Rival, step, biasStep)
		if e.average != nil {
			t := float64(e.visits)
			e.average.Add(x, class, v.Rival, t*step, t*biasStep)
		}
	}
	e.visits++
}

// pass visits the examples of s once, in the given order (nil: as they stand).
func (e *engine) pass(ctx context.Context, s *data.Set, order []uint32, epoch int, hook func(*halfspace.Step)) (updates, mistakes int, err error) {
	n := s.Len()
	for lo := 0; lo < n; lo += block.Size {
		if err := ctx.Err(); err != nil {
			return updates, mistakes, err
		}
		for i := lo; i < min(lo+block.Size, n); i++ {
			at := i
			if order != nil {
				at = int(order[i])
			}
			x, class := s.Row(at), s.Class(at)
			v := e.visit(x, class)
			if hook != nil {
				e.report(hook, s, at, epoch, v)
			}
			if v.Tau != 0 {
				updates++
			}
			if v.Mistake {
				mistakes++
			}
			e.learn(x, class, v, s.Weight(at))
		}
	}
	return updates, mistakes, nil
}

func (e *engine) report(hook func(*halfspace.Step), s *data.Set, at, epoch int, v halfspace.Visit) {
	y := 1.0
	if len(e.w.W) == 1 && s.Class(at) == 1 {
		y = -1
	}
	hook(&halfspace.Step{
		Visit: v, Epoch: epoch, Index: at, Class: s.Class(at), Y: y, X: s.Row(at),
		Rate: e.rate * s.Weight(at), RateBias: e.rateBias * s.Weight(at), W: e.w,
	})
}

// fit loops over the set until a loop changes (almost) nothing.
func (e *engine) fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	var rep halfspace.Report
	var order []uint32
	if e.opt.Shuffle {
		order = make([]uint32, run.Set.Len())
		for i := range order {
			order[i] = uint32(i)
		}
	}
	for !rep.Converged && rep.Epochs < e.opt.Epochs {
		// Each order is a shuffle of the last one: orders of their own would be
		// those of the next seed, a loop later.
		data.Permute(order, run.Seed+uint64(rep.Epochs))
		e.begin(rep.Epochs + 1)
		updates, mistakes, err := e.pass(ctx, run.Set, order, rep.Epochs, run.Hooks.Step)
		rep.Updates += updates
		rep.Mistakes += mistakes
		if err != nil {
			return e.model(rep), err
		}
		if !e.w.Finite() {
			break // Fit says so
		}
		rep.Converged = updates == 0 && mistakes == 0 || float64(updates)/float64(run.Set.Len()) < e.opt.StopError
		if run.Hooks.Pass != nil {
			run.Hooks.Pass(&halfspace.Pass{
				Epoch: rep.Epochs, Epochs: e.opt.Epochs, Examples: run.Set.Len(), Updates: updates, Mistakes: mistakes,
				Rate: e.rate, W: e.w, Done: rep.Converged || rep.Epochs+1 == e.opt.Epochs,
			})
		}
		rep.Epochs++
	}
	return e.model(rep), nil
}

// model is what has been learned so far.
func (e *engine) model(rep halfspace.Report) *halfspace.Model {
	m := &halfspace.Model{Weights: e.w.Clone(), Tie: e.opt.Tie, Report: rep}
	if e.average != nil && e.visits > 0 {
		m.State = &halfspace.State{Visits: e.visits, Weights: e.w.Clone(), Sum: e.average.Clone()}
		e.mean(m.Weights)
	}
	if e.votes != nil {
		m.Voters = e.votes.voters(e.w)
		if w := e.votes.warning(); w != "" {
			m.Report.Warnings = append(m.Report.Warnings, w)
		}
	}
	return m
}

// mean turns the latest weights into the mean over all visits: w − u/T.
func (e *engine) mean(w *halfspace.Weights) {
	t := float64(e.visits)
	for k := range w.W {
		for j, u := range e.average.W[k] {
			w.W[k][j] -= u / t
		}
		w.Bias[k] -= e.average.Bias[k] / t
	}
}

// resume takes over what the model m knows beside its latest weights.
func (e *engine) resume(m *halfspace.Model) {
	if e.average != nil && m.State != nil {
		e.visits, e.average = m.State.Visits, m.State.Sum.Clone()
	}
	if e.votes != nil && len(m.Voters) > 0 {
		last := len(m.Voters) - 1
		e.votes.survived = m.Voters[last].Votes
		for _, v := range m.Voters[:last] {
			e.votes.kept = append(e.votes.kept, halfspace.Voter{Votes: v.Votes, Weights: v.Weights.Clone()})
		}
	}
}

// start is the weights a run begins with.
func start(run *halfspace.Run) *halfspace.Weights {
	if run.Init != nil {
		return run.Init.Clone()
	}
	return halfspace.NewWeights(len(run.Set.Classes()), run.Set.Dim())
}
