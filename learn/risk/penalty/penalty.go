// Package penalty is what keeps weights short: L1·‖w‖₁ + ½·L2·‖w‖², of which
// lasso, ridge, elastic net and none are cases.
package penalty

import "math"

// Penalty has the two coefficients.
type Penalty struct{ L1, L2 float64 }

// The usual ones by name; Elastic needs a share.
var (
	Ridge = Penalty{L2: 1}
	Lasso = Penalty{L1: 1}
	None  = Penalty{}
)

// Elastic is share·‖w‖₁ + (1 − share)·½‖w‖².
func Elastic(share float64) Penalty { return Penalty{share, 1 - share} }

// Value is the penalty of the weights.
func (p Penalty) Value(w []float64) float64 {
	one, two := 0.0, 0.0
	for _, v := range w {
		one += math.Abs(v)
		two += float64(v * v)
	}
	return p.of(one, two)
}

// of avoids 0·∞.
func (p Penalty) of(one, two float64) float64 {
	s := 0.0
	if p.L1 > 0 {
		s += p.L1 * one
	}
	if p.L2 > 0 {
		s += p.L2 / 2 * two
	}
	return s
}

// Conj is the conjugate at v: the most that w·v can exceed the penalty of w.
// Infinite, without L2, where v is beyond L1.
func (p Penalty) Conj(v []float64) float64 {
	s := 0.0
	for _, u := range v {
		over := math.Abs(u) - p.L1
		if over <= 0 {
			continue
		}
		if p.L2 == 0 {
			return math.Inf(1)
		}
		s += float64(over * over)
	}
	if s == 0 {
		return 0
	}
	return s / (2 * p.L2)
}

// Kink is the slope g beside the kink of l1·|w|: of all slopes that there are,
// the least in size.
func Kink(g, w, l1 float64) float64 {
	switch {
	case w > 0:
		return g + l1
	case w < 0:
		return g - l1
	}
	return math.Copysign(max(0, math.Abs(g)-l1), g)
}
