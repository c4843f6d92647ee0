package risk

import (
	"context"
	"math"
	"slices"

	"github.com/halfspace-ml/halfspace/learn/risk/loss"
	"github.com/halfspace-ml/halfspace/learn/risk/penalty"
	"github.com/halfspace-ml/halfspace/learn/risk/solve"
	"github.com/halfspace-ml/halfspace/vec"
)

// outcome is what came of a minimisation.
type outcome struct {
	point     solve.Point
	cert      Certificate
	epochs    int
	updates   int
	reached   bool // the gap asked for
	separated bool // there is no least value: longer weights always give less
}

// minimise lets the solver go until the certificate says that it is enough, and
// keeps the point with the best one. watch sees every loop; it may be nil.
func minimise(ctx context.Context, t *solve.Task, s solve.Solver, start solve.Point, epochs int, watch func(p solve.Progress, done bool)) outcome {
	var out outcome
	enough := flatness(t)
	judged := -1
	var last solve.Point
	judge := func() {
		judged = out.epochs
		c := Certify(t, last)
		if out.point.W == nil || !c.HasDual || c.Gap() <= out.cert.Gap() || math.IsNaN(out.cert.Gap()) {
			out.cert, out.point = c, solve.Point{W: slices.Clone(last.W), Bias: last.Bias, Alpha: c.Alpha}
		}
		out.separated = endless(t, last)
		if c.HasDual {
			out.reached = out.cert.RelativeGap() <= t.Tol
		} else {
			out.reached = c.Slope <= enough && !out.separated
		}
	}
	look := func(p solve.Progress) bool {
		last, out.epochs = p.Point, p.Epoch
		out.updates += p.Updates
		if p.Near || p.Epoch >= epochs {
			judge()
		}
		done := out.reached || out.separated || p.Epoch >= epochs
		if watch != nil {
			watch(p, done)
		}
		return done
	}
	if t.Set.Dim() > 0 || t.Bias != solve.Without { // else there is nothing to solve for
		s.Solve(ctx, t, start, look)
	}
	if last.W == nil { // ended before the first loop, or there was none
		last = start
	}
	if last.W == nil {
		last.W = make([]float64, t.Set.Dim())
	}
	if judged != out.epochs || out.point.W == nil {
		judge()
	}
	if !out.reached && last.Alpha != nil && t.Loss.Smooth() { // those of the margins may be better
		last.Alpha = nil
		judge()
	}
	return out
}

// flatness is, where no gap can be had, the length of a gradient that is small
// enough: a share of that at zero weights, or where that is already flat, of the
// longest it could be there.
func flatness(t *solve.Task) float64 {
	if t.Penalty != penalty.None {
		return 0
	}
	c := Certify(t, solve.Point{W: make([]float64, t.Set.Dim())})
	longest := t.Total(func(i int) float64 {
		return t.C[i] * math.Abs(t.Loss.Slope(0)) * math.Sqrt(1+vec.SquaredNorm(t.Set.Row(i)))
	})
	return max(t.Tol/100*c.Slope, 1e-9*longest)
}

// endless reports whether the objective has no least value: a logistic loss
// without a penalty, and a plane with no example on the wrong side; some may be
// on it, but for rounding of their own score.
func endless(t *solve.Task, pt solve.Point) bool {
	if t.Penalty != penalty.None || t.Loss != (loss.Logistic{}) {
		return false
	}
	m := make([]float64, t.Set.Len())
	t.Margins(m, pt.W, pt.Bias)
	for i, v := range m {
		if v >= 0 {
			continue
		}
		size := math.Abs(pt.Bias)
		for j, x := range t.Set.Row(i).All() {
			size += math.Abs(float64(pt.W[j] * x))
		}
		if !(v >= -1e-9*size) {
			return false
		}
	}
	return slices.Max(m) > 0
}
