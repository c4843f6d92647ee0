package joint

import (
	"context"
	"fmt"
	"math"

	"github.com/halfspace-ml/halfspace"
)

// progress is what a solver shows after each step; all of it is borrowed.
type progress struct {
	x []float64
	z []float64 // scores at x
	s []float64 // C·(q − e_y) by example and class: a dual point
}

// solver goes on from x, which it takes over, until look says stop, or it can
// get no further, or ctx ends.
type solver func(ctx context.Context, p *problem, x []float64, look func(progress) (stop bool))

// fit lets the solver go until the certificate says that it is enough.
func (o *Options) fit(ctx context.Context, run *halfspace.Run, l loss, solve solver) (*halfspace.Model, error) {
	p := o.problem(run, l)
	if err := Measurable(p.set, p.c); err != nil {
		return nil, err
	}
	f := &fitting{problem: p, opt: o, run: run, best: certificate{primal: math.Inf(1), dual: math.Inf(-1)}}
	if run.Hooks.Step != nil {
		p.watch = f.steps
	}
	start, unused := p.point(run.Init), false
	if run.Init != nil {
		v := certify(p, start, nil).primal
		if unused = math.IsNaN(v) || math.IsInf(v, 0); unused {
			start = p.point(nil)
		}
	}
	if p.size() > 0 { // else there is nothing to solve for
		solve(ctx, p, append([]float64(nil), start...), f.look)
	}
	if f.x == nil { // ended before the first step
		f.judge(start, nil)
	}
	rep := halfspace.Report{
		Epochs: f.epochs, Updates: f.epochs, Converged: f.reached(), Objective: f.best.report(), Supports: f.best.supports,
	}
	if !rep.Converged && ctx.Err() == nil {
		rep.Warnings = []string{f.advice()}
	}
	if unused && ctx.Err() == nil {
		rep.Warnings = append(rep.Warnings, "the start weights were not used: there the objective is beyond what numbers can hold")
	}
	return &halfspace.Model{Weights: p.weights(f.x), Tie: o.Tie, Report: rep}, ctx.Err()
}

// fitting is a fit under way.
type fitting struct {
	*problem
	opt    *Options
	run    *halfspace.Run
	epochs int
	x      []float64   // with the least objective seen
	best   certificate // its value, and the best bound seen: each holds by itself
}

func (f *fitting) reached() bool { return f.best.relative() <= f.tol }

// judge certifies a point and keeps what is better than before.
func (f *fitting) judge(x, s []float64) certificate {
	c := certify(f.problem, x, s)
	if f.x == nil || c.primal < f.best.primal {
		f.x = append(f.x[:0], x...)
		f.best.primal = c.primal
	}
	if c.dual > f.best.dual {
		f.best.dual, f.best.supports = c.dual, c.supports
	}
	return c
}

// look judges a step, shows it to the hook, and says whether it was the last.
func (f *fitting) look(pr progress) (stop bool) {
	f.epochs++
	c := f.judge(pr.x, pr.s)
	stop = f.reached() || f.epochs >= f.opt.Epochs
	if f.run.Hooks.Pass != nil {
		w := f.weights(pr.x)
		f.run.Hooks.Pass(&halfspace.Pass{
			Epoch: f.epochs - 1, Epochs: f.opt.Epochs, Examples: f.set.Len(), Updates: 1, Mistakes: f.mistakes(pr.z),
			Loss: c.primal, HasLoss: true, Rate: 1, W: w, Done: stop, After: true,
		})
	}
	return stop
}

// visit is what is to be seen in one example with scores z.
func (f *fitting) visit(i int, z []float64) (y float64, v halfspace.Visit) {
	if f.classes == 2 {
		z = []float64{z[0] - z[1]}
	}
	class, tie := f.set.Class(i), f.opt.Tie
	y, score, rival := tie.Judge(z, class)
	return y, halfspace.Visit{Score: score, Rival: rival, Mistake: y*tie.Settle(y, score, class, rival) < 0}
}

func (f *fitting) mistakes(z []float64) int {
	return int(f.total(func(i int, _ []float64) float64 {
		if _, v := f.visit(i, f.row(z, i)); v.Mistake {
			return 1
		}
		return 0
	}))
}

// steps shows every example, and what it adds to the downhill direction, before
// a step.
func (f *fitting) steps(z, s, x []float64) {
	w, rateBias := f.weights(x), 1.0
	if f.bias == without {
		rateBias = 0
	}
	buf := make([]float64, f.classes)
	for i := range f.set.Len() {
		y, v := f.visit(i, f.row(z, i))
		class := f.set.Class(i)
		v.Tau = y * (0 - f.row(s, i)[class]) // never −0 for y = 1
		if f.classes == 2 {
			v.Tau *= 2 // w_0 − w_1 moves by both
		}
		copy(buf, f.row(z, i))
		f.run.Hooks.Step(&halfspace.Step{
			Visit: v, Epoch: f.epochs, Index: i, Class: class, Y: y, X: f.set.Row(i), Rate: 1, RateBias: rateBias, W: w, Deferred: true,
			Loss: f.loss.slope(buf, class), HasLoss: true,
		})
	}
}

// advice says how far from the least value the answer may be and what to do.
func (f *fitting) advice() string {
	how := "it can get no nearer, since the rounding of the scores stands in the way; use --scale, a smaller --c or a larger --tol"
	if f.epochs >= f.opt.Epochs {
		how = "use more steps (--epochs N), --scale, a smaller --c or a larger --tol"
	}
	return fmt.Sprintf("not at the least value: the objective may be %.1g of itself above it, and --tol is %g; %s", f.best.relative(), f.tol, how)
}
