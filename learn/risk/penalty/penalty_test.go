package penalty

import (
	"math"
	"math/rand/v2"
	"testing"
)

var all = []Penalty{Ridge, Lasso, Elastic(0.5), Elastic(0.01), {L2: 3}, {L1: 0.2, L2: 7}}

func vector(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for j := range v {
		v[j] = 4*r.Float64() - 2
	}
	return v
}

func dot(a, b []float64) float64 {
	s := 0.0
	for j := range a {
		s += a[j] * b[j]
	}
	return s
}

// soft are the weights at which w·v exceeds the penalty by most.
func soft(p Penalty, v []float64) []float64 {
	w := make([]float64, len(v))
	for j, u := range v {
		w[j] = math.Copysign(max(0, math.Abs(u)-p.L1), u) / p.L2
	}
	return w
}

// R(w) + R*(v) is never below w·v, and the same where w is the best for v.
func TestFenchel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, p := range all {
		for range 1000 {
			w, v := vector(r, 5), vector(r, 5)
			if p.L2 == 0 { // the conjugate is finite only there
				for j := range v {
					v[j] *= p.L1 / 2
				}
			}
			if left := p.Value(w) + p.Conj(v) - dot(w, v); !(left >= -1e-13) {
				t.Fatalf("%+v: %v at w = %v, v = %v", p, left, w, v)
			}
			if p.L2 == 0 {
				continue
			}
			w = soft(p, v)
			if left := p.Value(w) + p.Conj(v) - dot(w, v); math.Abs(left) > 1e-12 {
				t.Fatalf("%+v: %v at the best w of v = %v", p, left, v)
			}
		}
	}
}

// Without L2 the conjugate is 0 up to L1 and infinite beyond; without either,
// beyond 0.
func TestInfinite(t *testing.T) {
	for _, c := range []struct {
		p    Penalty
		v    []float64
		want float64
	}{
		{Lasso, []float64{1, -1, 0.5}, 0},
		{Lasso, []float64{0, math.Nextafter(1, 2)}, math.Inf(1)},
		{Lasso, []float64{-1.5}, math.Inf(1)},
		{None, []float64{0, 0}, 0},
		{None, []float64{0, 1e-300}, math.Inf(1)},
		{Ridge, []float64{3, 4}, 12.5},
		{Elastic(0.5), []float64{1.5, -0.25}, 1}, // (1.5 − 0.5)²/(2·0.5)
	} {
		if got := c.p.Conj(c.v); got != c.want {
			t.Errorf("%+v: conjugate %v at %v, want %v", c.p, got, c.v, c.want)
		}
	}
}

func TestValue(t *testing.T) {
	for _, c := range []struct {
		p    Penalty
		w    []float64
		want float64
	}{
		{Ridge, []float64{3, -4}, 12.5},
		{Lasso, []float64{3, -4}, 7},
		{Elastic(0.25), []float64{3, -4}, 0.25*7 + 0.75*12.5},
		{None, []float64{3, -4}, 0},
		{Lasso, []float64{1e200}, 1e200}, // whose square is infinite
		{None, []float64{1e200}, 0},
		{Ridge, nil, 0},
	} {
		if got := c.p.Value(c.w); got != c.want {
			t.Errorf("%+v: %v at %v, want %v", c.p, got, c.w, c.want)
		}
	}
}
