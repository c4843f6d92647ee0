package line

import (
	"math"
	"testing"
)

// The slope at the step is at most a tenth of that at 0, near and far; where
// nothing falls, or too little to count, the step is 0.
func TestSearch(t *testing.T) {
	for _, at := range []float64{1e-6, 0.3, 1, 7, 1000} {
		parabola := func(x float64) float64 { return x - at }
		if step := Search(parabola, 0); math.Abs(parabola(step)) > 0.1*at {
			t.Errorf("least at %v: step %v", at, step)
		}
	}
	kink := func(x float64) float64 { // jumps over zero at 0.3
		if x < 0.3 {
			return -1
		}
		return 5
	}
	if step := Search(kink, 0); math.Abs(step-0.3) > 1e-15 {
		t.Errorf("a kink at 0.3: step %v", step)
	}
	for name, slope := range map[string]func(float64) float64{
		"rises": func(float64) float64 { return 1 }, "flat": func(float64) float64 { return 0 },
		"not a number": func(float64) float64 { return math.NaN() }, "too little": func(x float64) float64 { return x - 1e-20 },
	} {
		if step := Search(slope, 1e-16); step != 0 {
			t.Errorf("%s: step %v", name, step)
		}
	}
}
