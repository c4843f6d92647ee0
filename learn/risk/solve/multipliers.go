package solve

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/halfspace-ml/halfspace/vec"
)

// Multipliers is the method of multipliers for losses with a kink: each α is
// drawn to its last value, which rounds the kink off over a width of C/σ,
//
//	e(m) = max over a in [0, C] of  a·(1 − m) − (a − α)²/2σ
//
// Newton's method minimises the rounded objective, whose curvature sits in the
// few examples near the kink; then α becomes the a that was found, and σ grows.
// It needs tens of steps where coordinate descent needs many thousands of
// loops: many examples, strong C, a free bias.
//
// Source: Rockafellar 1976 (proximal points and multipliers); Li, Sun and Toh
// 2018 (semismooth Newton inside).
var Multipliers = Solver{
	Name: "multipliers",
	Cannot: func(t *Task) string {
		if _, ok := corner(t); !ok {
			return "it is for losses with one corner (hinge, perceptron); use --solver newton"
		}
		if t.Penalty.L1 > 0 {
			return "an L1 penalty and a loss with a kink are too much for one method; use --loss squared-hinge or --penalty l2"
		}
		if t.Penalty.L2 == 0 {
			return "a loss with a kink needs a penalty; use --penalty l2"
		}
		return ""
	},
	Cold:  true,
	Solve: multipliersSolve,
}

// corner is where the kink of a loss max(0, corner − m) is.
func corner(t *Task) (float64, bool) {
	q, ok := t.Loss.(interface{ Dual() (lift, bend float64) })
	if !ok {
		return 0, false
	}
	lift, bend := q.Dual()
	_, high := t.Loss.Domain()
	return lift, bend == 0 && high == 1
}

// rounded is the loss with its kink rounded off.
type rounded struct {
	*Task
	corner float64
	sigma  float64
	alpha  []float64
}

// multiplier is the a of the best value.
func (r *rounded) multiplier(i int, m float64) float64 {
	return min(max(r.alpha[i]+float64(r.sigma*(r.corner-m)), 0), r.C[i])
}

func (r *rounded) of(i int, m float64) float64 {
	a := r.multiplier(i, m)
	d := a - r.alpha[i]
	return float64(a*(r.corner-m)) - float64(d*d)/(2*r.sigma)
}

func (r *rounded) slope(i int, m float64) float64 { return -r.multiplier(i, m) }

func (r *rounded) curve(i int, m float64) float64 {
	if a := r.multiplier(i, m); a > 0 && a < r.C[i] {
		return r.sigma
	}
	return 0
}

// apart is how far the multipliers are from fitting the margins: their part of
// the duality gap.
func (r *rounded) apart(m []float64) float64 {
	return r.Total(func(i int) float64 {
		return r.C[i]*r.Loss.Value(m[i]) - float64(r.multiplier(i, m[i])*(r.corner-m[i]))
	})
}

func multipliersSolve(ctx context.Context, t *Task, start Point, look Look) {
	n := t.Set.Len()
	r := &rounded{Task: t, alpha: make([]float64, n)}
	r.corner, _ = corner(t)
	r.sigma = firstSigma(t)
	start = r.warm(ctx, start)
	s := newSmooth(t, r, start)
	for _, c := range t.C {
		s.least += 0.01 * c
	}
	wide := slices.Max(t.C)
	s.fine = true
	a := make([]float64, n)
	stuck, best := 0, math.Inf(1)
	steps := 0 // since α last changed
	for epoch := 1; ; epoch++ {
		s.watch()
		steps++
		moved := s.newtonStep(ctx)
		if ctx.Err() != nil {
			return
		}
		for i, m := range s.m {
			a[i] = r.multiplier(i, m)
		}
		pt := s.point()
		pt.Alpha = a
		if look(Progress{Point: pt, Epoch: epoch, Updates: once(moved), Near: true}) {
			return
		}
		left, apart := dot(s.g, s.g)/2, r.apart(s.m)
		if moved && left > 0.3*apart && left > 1e-17*math.Abs(s.value) {
			continue
		}
		switch gap := left + apart; { // about the duality gap
		case gap < 0.9*best:
			best, stuck = gap, 0
		case r.sigma >= wide: // before, a margin that is short by 1 does not move α far
			stuck++
		}
		if stuck > 20 || r.sigma > math.MaxFloat64/16 {
			return
		}
		copy(r.alpha, a)
		if steps <= 4 { // else it is hard enough as it is
			r.sigma *= 3
		}
		steps = 0
		s.slopes()
		s.first = max(s.first, vec.Norm(s.g))
	}
}

// firstSigma lets a margin that is short by 1 move α as far as a step of
// coordinate descent would: with a larger σ the first systems are hard to
// solve, with a smaller one there are more of them.
func firstSigma(t *Task) float64 {
	largest, size := 0.0, 0.0
	for i, c := range t.C {
		largest = max(largest, c)
		size += vec.SquaredNorm(t.Set.Row(i)) / t.Penalty.L2
	}
	return min(largest, float64(len(t.C))/size)
}

// warm begins with loops of coordinate descent, which are cheap and good far
// from the end.
func (r *rounded) warm(ctx context.Context, start Point) Point {
	quiet := *r.Task
	quiet.Visit = nil
	d := newDual(&quiet, start)
	order := rand.New(rand.NewPCG(r.Seed, 0x6475616c))
	for range 20 {
		d.loop(ctx, order)
		d.recentre()
	}
	copy(r.alpha, d.alpha)
	return Point{W: d.w, Bias: d.b}
}
