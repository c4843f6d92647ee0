package prep

import (
	"math"
	"reflect"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// Scores 2·1 − 1·3 + 1 = 0 and 1·1 + 1·3 − 6 = −2, and those of the empty row.
func TestLayer(t *testing.T) {
	for _, c := range []struct {
		activation  Activation
		full, empty []float64
	}{
		{Sigmoid, []float64{0.5, 1 / (1 + math.Exp(2))}, []float64{1 / (1 + math.Exp(-1)), 1 / (1 + math.Exp(6))}},
		{Tanh, []float64{0, math.Tanh(-2)}, []float64{math.Tanh(1), math.Tanh(-6)}},
		{ReLU, []float64{0, 0}, []float64{1, 0}},
		{Step, []float64{1, 0}, []float64{1, 0}}, // a score of 0 fires
	} {
		l := &Layer{Activation: c.activation, In: 2, W: [][]float64{{2, -1}, {1, 1}}, Bias: []float64{1, -6}}
		if err := l.Fit(set([]float64{1, 3})); err != nil {
			t.Fatal(err)
		}
		for _, r := range []struct {
			x    vec.Row
			want []float64
		}{
			{vec.Dense(1, 3), c.full},
			{vec.Dense(1, 3, 99), c.full}, // a feature beyond those of the layer
			{vec.Row{}, c.empty},
		} {
			got := make([]float64, 2)
			l.Outputs(got, r.x)
			if !reflect.DeepEqual(got, r.want) {
				t.Errorf("%s of %v: %v, want %v", c.activation, r.x, got, r.want)
			}
			y := Pipeline{l}.Row(r.x)
			if err := y.Check(); err != nil {
				t.Error(err)
			}
			for k, v := range y.All() {
				if v != r.want[k] {
					t.Errorf("%s maps %v to %v, want %v", c.activation, r.x, y, r.want)
				}
			}
		}
	}
}

// A score too large for a number is the largest, and infinities of both signs
// on the way to it cancel as they should.
func TestLayerOverflow(t *testing.T) {
	l := &Layer{Activation: ReLU, In: 2, W: [][]float64{{1e300, 1}, {1e300, -1e300}, {2e300, -1e300}}, Bias: []float64{0, 0, 1}}
	got := make([]float64, 3)
	l.Outputs(got, vec.Dense(1e300, 1e300))
	if want := []float64{math.MaxFloat64, 0, math.MaxFloat64}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Slopes against central differences.
func TestSlope(t *testing.T) {
	for _, name := range Activations {
		a := Activation(name)
		for _, z := range []float64{-3, -0.5, 0.25, 2} {
			const eps = 1e-6
			want := (a.Value(z+eps) - a.Value(z-eps)) / (2 * eps)
			if got := a.Slope(a.Value(z)); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: slope %v at %v, want %v", a, got, z, want)
			}
		}
	}
	if got := ReLU.Slope(0); got != 0 {
		t.Errorf("slope of ReLU at 0 is %v, want 0", got)
	}
}

func TestLayerRefuses(t *testing.T) {
	if err := NewLayer(Tanh, 3, 2).Fit(noise(3, 2, 1)); err == nil || err.Error() != "hidden units for 3 features, found 2" {
		t.Errorf("got %v", err)
	}
	l := NewLayer(Tanh, 2, 2)
	l.W[1][0] = math.NaN()
	if err := l.Fit(noise(3, 2, 1)); err == nil || err.Error() != "unit 2 has a weight that is not finite" {
		t.Errorf("got %v", err)
	}
	if _, err := Parse("hidden"); err == nil || err.Error() != "the feature map hidden is made by a learner, not asked for; leave it out" {
		t.Errorf("got %v", err)
	}
	if got := NewLayer(Tanh, 2, 3).Features(data.NewFeatures("a", "b")).Names(); !reflect.DeepEqual(got, []string{"h1", "h2", "h3"}) {
		t.Errorf("features %v", got)
	}
}
