package risk

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfspace-ml/halfspace/learn/risk/loss"
	"github.com/halfspace-ml/halfspace/learn/risk/solve"
)

// leastValue is that of a task, to 1e-11, from whichever solver is best at it.
func leastValue(t *testing.T, name string, task *solve.Task) (least float64, ok bool) {
	exact := *task
	exact.Tol = 1e-11
	for _, s := range able(&exact) {
		out := minimise(context.Background(), &exact, s, solve.Point{}, 3000, nil)
		if out.separated {
			return 0, false
		}
		if out.reached || out.cert.RelativeGap() < 1e-10 {
			return out.cert.Primal, true
		}
	}
	t.Errorf("%s: no solver came near", name)
	return 0, false
}

// anyPoint is random weights and multipliers, of any size.
func anyPoint(r *rand.Rand, task *solve.Task) solve.Point {
	size := math.Pow(10, 8*r.Float64()-4)
	pt := solve.Point{W: make([]float64, task.Set.Dim())}
	for j := range pt.W {
		pt.W[j] = size * r.NormFloat64()
	}
	if task.Bias != solve.Without {
		pt.Bias = size * r.NormFloat64()
	}
	if r.IntN(4) == 0 {
		return pt
	}
	absurd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 0}
	pt.Alpha = make([]float64, task.Set.Len())
	for i := range pt.Alpha {
		pt.Alpha[i] = task.C[i] * (5*r.Float64() - 1)
		if r.IntN(20) == 0 {
			pt.Alpha[i] = absurd[r.IntN(len(absurd))]
		}
	}
	return pt
}

// The least value is between the two bounds of any point, whatever weights and
// multipliers it has, and the multipliers of the bound keep their constraints.
func TestBoundsHold(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, p := range problems() {
		for _, a := range asks(0.1, 10) {
			task := a.task(p.set)
			if a.penalty == "none" || len(able(task)) == 0 {
				continue
			}
			name := p.name + ": " + a.String()
			least, ok := leastValue(t, name, task)
			if !ok {
				continue
			}
			for range 30 {
				pt := anyPoint(r, task)
				c := Certify(task, pt)
				// Σ α·y is zero but for rounding, which the bias multiplies.
				size := 0.0
				for _, a := range c.Alpha {
					size += math.Abs(a)
				}
				rounding := 1e-13*size + 1e-10*least
				if !c.HasDual || !(c.Dual <= least+rounding) || !(c.Primal >= least-rounding) || !(c.Gap() >= -rounding) {
					t.Fatalf("%s: [%v, %v] for the least value %v", name, c.Dual, c.Primal, least)
				}
				constraints(t, name, task, &c)
			}
		}
	}
}

func constraints(t *testing.T, name string, task *solve.Task, c *Certificate) {
	t.Helper()
	low, high := task.Loss.Domain()
	sum, size := 0.0, 0.0
	for i, a := range c.Alpha {
		if a /= task.C[i]; !(a >= low && a <= high) {
			t.Fatalf("%s: α/C = %v, outside %v to %v", name, a, low, high)
		}
		sum += c.Alpha[i] * task.Y[i]
		size += math.Abs(c.Alpha[i])
	}
	if task.Bias == solve.Free && math.Abs(sum) > 1e-14*size {
		t.Fatalf("%s: Σ α·y = %v beside Σ |α| = %v", name, sum, size)
	}
	if task.Penalty.L2 > 0 {
		return
	}
	v := make([]float64, task.Set.Dim())
	bias := task.Combine(v, func(i int) float64 { return c.Alpha[i] * task.Y[i] })
	if task.Bias == solve.Penalised {
		v = append(v, bias)
	}
	for j, u := range v {
		if math.Abs(u) > task.Penalty.L1*(1+1e-13)+1e-14*size {
			t.Fatalf("%s: |v| = %v in weight %d, more than %v", name, math.Abs(u), j, task.Penalty.L1)
		}
	}
}

// At the least value the two bounds meet: multipliers made from the margins of a
// smooth loss are those of the optimum.
func TestBoundsMeet(t *testing.T) {
	for _, p := range problems() {
		for _, a := range asks(1) {
			task := a.task(p.set)
			if a.penalty != "l2" || !a.loss.Smooth() {
				continue
			}
			task.Tol = 1e-13
			out := minimise(context.Background(), task, solve.Newton, solve.Point{}, 100, nil)
			c := Certify(task, solve.Point{W: out.point.W, Bias: out.point.Bias})
			if c.RelativeGap() > 1e-12 {
				t.Errorf("%s: %s: gap %v at the least value", p.name, a, c.RelativeGap())
			}
		}
	}
}

// balance takes from the heavier side only, first from what is between the
// bounds.
func TestBalance(t *testing.T) {
	task := ask{loss: loss.Hinge{}, penalty: "l2", bias: solve.Free, c: 1}.task(draw(1, 6, 1, 1, 0.5, nil)) // + + + − − −
	for _, c := range []struct{ alpha, want []float64 }{
		{[]float64{1, 0.5, 0.5, 1, 0.5, 0.25}, []float64{1, 0.375, 0.375, 1, 0.5, 0.25}}, // 0.25 too much, taken from the free ones
		{[]float64{1, 1, 0, 1, 0, 0}, []float64{0.5, 0.5, 0, 1, 0, 0}},                   // none is free: all
		{[]float64{0, 0, 0, 1, 0.5, 0}, []float64{0, 0, 0, 0, 0, 0}},                     // nothing to set against it
		{[]float64{1, 0, 0, 0.5, 0.5, 0}, []float64{1, 0, 0, 0.5, 0.5, 0}},
	} {
		balance(task, c.alpha)
		for i := range c.alpha {
			if math.Abs(c.alpha[i]-c.want[i]) > 1e-15 {
				t.Errorf("%v, want %v", c.alpha, c.want)
				break
			}
		}
	}
}

// shrink brings the largest down to the bound and keeps the proportions.
func TestShrink(t *testing.T) {
	alpha, v := []float64{1, 2, -4}, []float64{3, -6, 0}
	shrink(alpha, v, 2)
	if math.Abs(v[1]) > 2 || math.Abs(v[1]) < 2*(1-1e-14) || math.Abs(alpha[2]/alpha[0]+4) > 1e-14 || math.Abs(alpha[0]-1.0/3) > 1e-14 {
		t.Errorf("α %v, v %v", alpha, v)
	}
	shrink(alpha, v, 5)
	if math.Abs(v[1]) > 2 || math.Abs(v[1]) < 2*(1-1e-14) {
		t.Errorf("what is within was changed: %v", v)
	}
}

// The gap is a share of the objective, and not below zero for rounding.
func TestRelativeGap(t *testing.T) {
	for _, c := range []struct{ primal, dual, want float64 }{
		{10, 9, 0.1}, {10, 10, 0}, {10, 10.0000001, 0}, {0, -1, 0}, {2, -2, 2},
	} {
		if got := (&Certificate{Primal: c.primal, Dual: c.dual}).RelativeGap(); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("from %v to %v: %v, want %v", c.dual, c.primal, got, c.want)
		}
	}
}
