package risk

import (
	"context"
	"math"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/learn/risk/solve"
)

// outcome is what came of a minimisation.
type outcome struct {
	point     solve.Point
	cert      Certificate
	epochs    int
	updates   int
	reached   bool // the gap asked for
	separated bool // no penalty, and a plane without errors: there is no least value
}

// minimise lets the solver go until the certificate says that it is enough.
func minimise(ctx context.Context, t *solve.Task, s solve.Solver, start solve.Point, epochs int, pass func(halfspace.Pass)) outcome {
	var out outcome
	certified := -1
	var last solve.Point
	first := math.NaN()
	judge := func() {
		pt := last
		if t.Bias == solve.Free && pt.Alpha != nil {
			pt.Bias = bestBias(t, pt)
		}
		c := Certify(t, pt)
		certified = out.epochs
		if out.point.W == nil || c.HasDual && c.RelativeGap() <= out.cert.RelativeGap() || !c.HasDual {
			out.cert = c
			out.point = solve.Point{W: append([]float64(nil), pt.W...), Bias: pt.Bias, Alpha: append([]float64(nil), pt.Alpha...)}
		}
		out.reached = out.cert.HasDual && out.cert.RelativeGap() <= t.Tol || !c.HasDual && c.Slope <= t.Tol/100*first
	}
	if t.Penalty.L1 == 0 && t.Penalty.L2 == 0 {
		zero := solve.Point{W: make([]float64, t.Set.Dim())}
		c := Certify(t, zero)
		first = c.Slope
	}
	s.Solve(ctx, t, start, func(p solve.Progress) bool {
		last = p.Point
		out.epochs = p.Epoch
		out.updates += p.Updates
		if p.Near || p.Epoch >= epochs {
			judge()
			out.separated = separated(t, last)
		}
		done := out.reached || out.separated || p.Epoch >= epochs
		if pass != nil {
			m := make([]float64, t.Set.Len())
			t.Margins(m, p.W, p.Bias)
			wrong := 0
			for _, v := range m {
				if !(v > 0) {
					wrong++
				}
			}
			pass(halfspace.Pass{
				Epoch: p.Epoch - 1, Epochs: epochs, Examples: t.Set.Len(), Updates: p.Updates, Mistakes: wrong,
				Loss: t.Value(p.Point, m), HasLoss: true,
				W: &halfspace.Weights{W: [][]float64{p.W}, Bias: []float64{p.Bias}}, Done: done, After: true,
			})
		}
		return done
	})
	if last.W == nil { // ended before the first loop
		last = start
		if last.W == nil {
			last.W = make([]float64, t.Set.Dim())
		}
	}
	if certified != out.epochs || out.point.W == nil {
		judge()
	}
	return out
}

// separated reports whether an objective without a penalty has no least value,
// since longer weights in the same direction always give less.
func separated(t *solve.Task, pt solve.Point) bool {
	if t.Penalty.L1 > 0 || t.Penalty.L2 > 0 || t.Loss.Slope(1e3) == 0 && t.Loss.Name() != "logistic" {
		return false
	}
	m := make([]float64, t.Set.Len())
	t.Margins(m, pt.W, pt.Bias)
	for _, v := range m {
		if !(v > 0) {
			return false
		}
	}
	return true
}

// bestBias is the bias with the least loss for the weights: where the slope
// Σ C·y·ℓ′ changes its sign.
func bestBias(t *solve.Task, pt solve.Point) float64 {
	z := make([]float64, t.Set.Len())
	t.Margins(z, pt.W, 0)
	slope := func(b float64) float64 {
		return t.Total(func(i int) float64 { return t.C[i] * t.Y[i] * t.Loss.Slope(z[i]+float64(t.Y[i]*b)) })
	}
	low, high := pt.Bias, pt.Bias
	for step := 1e-3 * (1 + math.Abs(pt.Bias)); slope(low) > 0; step *= 4 {
		if low -= step; math.IsInf(low, 0) {
			return pt.Bias
		}
	}
	for step := 1e-3 * (1 + math.Abs(pt.Bias)); slope(high) < 0; step *= 4 {
		if high += step; math.IsInf(high, 0) {
			return pt.Bias
		}
	}
	for range 100 {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			break
		}
		switch s := slope(mid); {
		case s > 0:
			high = mid
		case s < 0:
			low = mid
		default:
			return mid
		}
	}
	return low + (high-low)/2
}
