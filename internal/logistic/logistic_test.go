package logistic

import (
	"math"
	"testing"
)

// Losses and slopes far from 0 keep their digits: e^−40 = 4.248e-18.
func TestFarOut(t *testing.T) {
	tail := math.Exp(-40)
	for _, c := range []struct {
		name        string
		scores      []float64
		class       int
		loss, slope float64 // slope of the class's own score, or of the one
	}{
		{"right", []float64{40}, 0, tail, -tail},
		{"wrong", []float64{-40}, 0, 40, -1},
		{"right, negative class", []float64{-40}, 1, tail, tail},
		{"beyond e^709", []float64{-1000}, 0, 1000, -1},
		{"a margin of 1e5", []float64{1e5}, 0, 0, 0},
		{"a margin of -1e5", []float64{1e5}, 1, 1e5, 1},
		{"softmax, right", []float64{40, 0}, 0, tail, -tail},
		{"softmax, wrong", []float64{0, 1000, 0}, 0, 1000, -1},
		{"softmax, even", []float64{5, 5, 5, 5}, 2, math.Log(4), -0.75},
	} {
		s := append([]float64(nil), c.scores...)
		loss := Slope(s, c.class)
		slope := s[0]
		if len(s) > 1 {
			slope = s[c.class]
		}
		if math.Abs(loss-c.loss) > 1e-15*c.loss || math.Abs(slope-c.slope) > 1e-15*math.Abs(c.slope) {
			t.Errorf("%s: loss %v and slope %v, want %v and %v", c.name, loss, slope, c.loss, c.slope)
		}
	}
}
