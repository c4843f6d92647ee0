package loss

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// kinks are the margins at which some loss has a corner or a jump of ℓ″.
var kinks = []float64{-1, 0, 1}

func nearKink(m float64) bool {
	return slices.ContainsFunc(kinks, func(k float64) bool { return math.Abs(m-k) < 1e-3 })
}

// Slope is the derivative of Value, Curve that of Slope: by central differences,
// away from the corners.
func TestDerivatives(t *testing.T) {
	const h = 1e-5
	r := rand.New(rand.NewPCG(1, 1))
	for _, l := range All {
		for range 1000 {
			m := 12*r.Float64() - 6
			if nearKink(m) {
				continue
			}
			slope := (l.Value(m+h) - l.Value(m-h)) / (2 * h)
			if math.Abs(slope-l.Slope(m)) > 1e-8*(1+math.Abs(slope)) {
				t.Errorf("%s: slope at %v is %v, by differences %v", l.Name(), m, l.Slope(m), slope)
			}
			curve := (l.Slope(m+h) - l.Slope(m-h)) / (2 * h)
			if math.Abs(curve-l.Curve(m)) > 1e-8 {
				t.Errorf("%s: curve at %v is %v, by differences %v", l.Name(), m, l.Curve(m), curve)
			}
		}
	}
}

// At a corner, Slope is one of the subgradients, and Curve is that of the right
// side, as its comment says.
func TestCorners(t *testing.T) {
	const h = 1e-6
	for _, l := range All {
		for _, k := range kinks {
			left, right := l.Slope(k-h), l.Slope(k+h)
			if s := l.Slope(k); s < left || s > right {
				t.Errorf("%s: slope %v at %v, but %v before and %v after", l.Name(), s, k, left, right)
			}
			if want := l.Curve(k + h); math.Abs(l.Curve(k)-want) > 1e-5 {
				t.Errorf("%s: curve %v at %v, but %v after", l.Name(), l.Curve(k), k, want)
			}
			if l.Smooth() && right-left > 5*h {
				t.Errorf("%s is smooth, but its slope jumps from %v to %v at %v", l.Name(), left, right, k)
			}
		}
	}
	for _, name := range []string{"hinge", "perceptron"} {
		if Named(name).Smooth() {
			t.Errorf("%s has a corner", name)
		}
	}
}

// inDomain draws a dual variable, now and then an end of the domain.
func inDomain(r *rand.Rand, l Loss) float64 {
	low, high := l.Domain()
	low, high = max(low, -20), min(high, 20)
	switch r.IntN(10) {
	case 0:
		return low
	case 1:
		return high
	}
	return low + (high-low)*r.Float64()
}

// Fenchel–Young: ℓ(m) + ℓ*(−a) + a·m is never below zero, and zero where a is
// −ℓ′(m).
func TestFenchelYoung(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, l := range All {
		least := math.Inf(1)
		for range 10000 {
			m, a := 20*r.Float64()-10, inDomain(r, l)
			sum := l.Value(m) + l.Conj(a) + a*m
			size := 1 + l.Value(m) + math.Abs(l.Conj(a)) + math.Abs(a*m)
			if !(sum >= -1e-14*size) {
				t.Fatalf("%s: %v at m = %v, a = %v", l.Name(), sum, m, a)
			}
			least = min(least, sum)
			a = -l.Slope(m)
			if sum := l.Value(m) + l.Conj(a) + a*m; math.Abs(sum) > 1e-13*size {
				t.Fatalf("%s: %v where a = −ℓ′(m), m = %v", l.Name(), sum, m)
			}
		}
		if least > 1 {
			t.Errorf("%s: the inequality was never near: %v", l.Name(), least)
		}
	}
}

// The conjugate is infinite outside the domain, finite on it; zero is in it.
func TestDomain(t *testing.T) {
	for _, l := range All {
		low, high := l.Domain()
		if !(low <= 0 && high >= 0) || math.IsInf(l.Conj(0), 0) {
			t.Errorf("%s: domain from %v to %v, conjugate %v at 0", l.Name(), low, high, l.Conj(0))
		}
		for _, end := range []float64{low, high} {
			if math.IsInf(end, 0) {
				continue
			}
			if v := l.Conj(end); math.IsInf(v, 0) || math.IsNaN(v) {
				t.Errorf("%s: conjugate %v at %v", l.Name(), v, end)
			}
			outwards := math.Inf(1)
			if end == low {
				outwards = math.Inf(-1)
			}
			if v := l.Conj(math.Nextafter(end, outwards)); !math.IsInf(v, 1) {
				t.Errorf("%s: conjugate %v just outside %v", l.Name(), v, end)
			}
		}
	}
}

// No margin gives NaN; only a value that is beyond numbers is infinite.
func TestExtremeMargins(t *testing.T) {
	for _, l := range All {
		for _, m := range []float64{0, 1, -1, 1e-308, -1e-308, 36, -36, 745, -745, 1e5, -1e5, 1e150, -1e150, 1e308, -1e308} {
			v, s, c := l.Value(m), l.Slope(m), l.Curve(m)
			if math.IsNaN(v) || v < 0 || math.IsNaN(s) || math.IsNaN(c) || c < 0 {
				t.Errorf("%s at %v: value %v, slope %v, curve %v", l.Name(), m, v, s, c)
			}
			most := math.MaxFloat64
			switch l.Name() {
			case "squared", "squared-hinge":
				most = 1e154
			case "modified-huber":
				most /= 4
			}
			if math.IsInf(v, 0) && math.Abs(m) <= most {
				t.Errorf("%s at %v is infinite", l.Name(), m)
			}
			low, high := l.Domain()
			if a := -s; a < low || a > high {
				t.Errorf("%s: −slope %v at %v is outside its domain", l.Name(), a, m)
			}
		}
	}
}

// Known values: of the logistic loss where the naive formula overflows or loses
// all digits, of the others by hand.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		name    string
		m, want float64
	}{
		{name: "logistic", m: 0, want: math.Ln2},
		{name: "logistic", m: -1e5, want: 1e5},
		{name: "logistic", m: 50, want: math.Exp(-50)}, // e^−50 − e^−100/2 to 16 digits
		{name: "logistic", m: 1e5, want: 0},
		{name: "hinge", m: 0.25, want: 0.75},
		{name: "squared-hinge", m: -2, want: 9},
		{name: "squared", m: 3, want: 4},
		{name: "modified-huber", m: -1, want: 4},
		{name: "modified-huber", m: -5, want: 20},
		{name: "modified-huber", m: 0.5, want: 0.25},
		{name: "perceptron", m: -3, want: 3},
		{name: "perceptron", m: 3, want: 0},
	} {
		if got := Named(c.name).Value(c.m); math.Abs(got-c.want) > 1e-15*c.want {
			t.Errorf("%s at %v: %v, want %v", c.name, c.m, got, c.want)
		}
	}
}

// A quadratic loss has the conjugate that it says.
func TestDual(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, l := range All {
		q, ok := l.(Quadratic)
		if !ok {
			continue
		}
		lift, bend := q.Dual()
		for range 100 {
			a := inDomain(r, l)
			if want := bend*a*a - lift*a; math.Abs(l.Conj(a)-want) > 1e-13*(1+math.Abs(want)) {
				t.Errorf("%s: conjugate %v at %v, but −%v·a + %v·a² is %v", l.Name(), l.Conj(a), a, lift, bend, want)
			}
		}
	}
}

func TestNamed(t *testing.T) {
	for _, name := range Names() {
		if Named(name).Name() != name {
			t.Errorf("%q is the loss %q", name, Named(name).Name())
		}
	}
	if Named("nonsense") != nil {
		t.Error("there is a loss of that name")
	}
}
