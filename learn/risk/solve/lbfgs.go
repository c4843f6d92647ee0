package solve

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/optimize"
)

// LBFGS builds up the curvature from the last gradients (Nocedal 1980), by
// gonum.
var LBFGS = Solver{
	Name:   "lbfgs",
	Cannot: smoothOnly,
	Solve:  lbfgsSolve,
}

func lbfgsSolve(ctx context.Context, t *Task, start Point, look Look) {
	s := newSmooth(t, plain{t}, start)
	at := func(x []float64) {
		if !same(s.x, x) {
			copy(s.x, x)
			s.at()
		}
	}
	problem := optimize.Problem{
		Func: func(x []float64) float64 { at(x); return s.value },
		Grad: func(g, x []float64) { at(x); copy(g, s.g) },
	}
	rec := &recorder{ctx: ctx, s: s, look: look, at: at}
	first := append([]float64(nil), s.x...)
	// Whatever ends it, the caller judges the points; the error says no more.
	end, _ := optimize.Minimize(problem, first, &optimize.Settings{GradientThreshold: 1e-300, Converger: optimize.NeverTerminate{}, Recorder: rec}, &optimize.LBFGS{Store: 10})
	if end == nil || rec.stopped || ctx.Err() != nil {
		return
	}
	if at(end.X); s.value < rec.value { // a last step, to a slope of nothing, is not recorded
		rec.show()
	}
}

type recorder struct {
	ctx     context.Context
	s       *smooth
	look    Look
	at      func(x []float64)
	started bool
	epoch   int
	value   float64 // where it was shown last
	stopped bool
}

func (r *recorder) Init() error { return nil }

// Record shows every major step.
func (r *recorder) Record(loc *optimize.Location, op optimize.Operation, _ *optimize.Stats) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if op != optimize.MajorIteration {
		return nil
	}
	r.at(loc.X)
	if !r.started { // the first is the start
		r.started, r.value = true, r.s.value
		return nil
	}
	if r.show(); r.stopped {
		return errStop
	}
	return nil
}

var errStop = errors.New("stopped")

func (r *recorder) show() {
	r.s.watch()
	r.epoch++
	r.value = r.s.value
	r.stopped = r.look(Progress{Point: r.s.point(), Epoch: r.epoch, Updates: 1, Near: true})
}

func same(a, b []float64) bool {
	for j := range a {
		if a[j] != b[j] {
			return false
		}
	}
	return true
}
