package risk

import (
	"math"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/learn/risk/penalty"
	"github.com/halfspace-ml/halfspace/learn/risk/solve"
)

// Certificate bounds the least value of an objective from both sides. Primal is
// the value at the weights; no weights at all give less than Dual (weak
// duality), up to rounding. Solvers have no part in it.
type Certificate struct {
	Primal  float64
	Dual    float64
	HasDual bool      // false without a penalty: there is no bound to be had
	Alpha   []float64 // the feasible multipliers that give Dual
	Slope   float64   // ‖∇‖ of a smooth objective, else 0
}

// Gap is the most that the weights could be improved by.
func (c *Certificate) Gap() float64 { return c.Primal - c.Dual }

// RelativeGap is the gap as a share of the objective.
func (c *Certificate) RelativeGap() float64 {
	if g := c.Gap(); g <= 0 || c.Primal == 0 {
		return 0
	} else {
		return g / math.Abs(c.Primal)
	}
}

// report is the certificate as a report keeps it.
func (c *Certificate) report() *halfspace.Objective {
	o := &halfspace.Objective{Primal: c.Primal}
	if c.HasDual {
		gap, relative := max(0, c.Gap()), c.RelativeGap()
		o.Dual, o.Gap, o.RelativeGap = &c.Dual, &gap, &relative
	}
	return o
}

// Certify works out the certificate of a point, from the data and the point
// alone. Multipliers that are missing are made from the margins, and those that
// break a constraint are mended, so that the bound is honest for any point.
func Certify(t *solve.Task, pt solve.Point) Certificate {
	m := make([]float64, t.Set.Len())
	t.Margins(m, pt.W, pt.Bias)
	c := Certificate{Primal: t.Value(pt, m), Alpha: feasible(t, pt.Alpha, m)}
	if t.Bias == solve.Free {
		balance(t, c.Alpha)
	}
	v := make([]float64, t.Set.Dim())
	bias := t.Combine(v, func(i int) float64 { return c.Alpha[i] * t.Y[i] })
	if t.Loss.Smooth() {
		c.Slope = slope(t, pt, m)
	}
	if t.Bias == solve.Penalised {
		v = append(v, bias)
	}
	switch p := t.Penalty; {
	case p.L2 == 0 && p.L1 == 0:
		return c
	case p.L2 == 0:
		shrink(c.Alpha, v, p.L1)
	}
	c.HasDual = true
	c.Dual = -t.Penalty.Conj(v) - t.Total(func(i int) float64 { return t.C[i] * t.Loss.Conj(c.Alpha[i]/t.C[i]) })
	if !(c.Dual >= 0) { // multipliers of zero are better
		clear(c.Alpha)
		c.Dual = 0
	}
	return c
}

// feasible is α within its domain; nil α is what the margins say.
func feasible(t *solve.Task, alpha, m []float64) []float64 {
	low, high := t.Loss.Domain()
	out := make([]float64, len(m))
	for i := range out {
		a := -t.Loss.Slope(m[i])
		if alpha != nil {
			a = alpha[i] / t.C[i]
		}
		if math.IsNaN(a) || math.IsInf(a, 0) { // 0 is always in the domain
			a = 0
		}
		out[i] = t.C[i] * min(max(a, low), high)
	}
	return out
}

// balance makes Σ α·y zero, as a free bias demands, by making the heavier side
// lighter. What is strictly between its bounds is moved first: there the bound
// hardly notices.
func balance(t *solve.Task, alpha []float64) {
	low, high := t.Loss.Domain()
	var side [2]float64 // Σ of positive and of negative α·y
	var free [2]float64
	at := func(i int) int {
		if alpha[i]*t.Y[i] > 0 {
			return 0
		}
		return 1
	}
	inside := func(i int) bool {
		return alpha[i] > low*t.C[i] && alpha[i] < high*t.C[i]
	}
	for i, a := range alpha {
		side[at(i)] += math.Abs(a)
		if inside(i) {
			free[at(i)] += math.Abs(a)
		}
	}
	heavy := 0
	if side[1] > side[0] {
		heavy = 1
	}
	over := side[heavy] - side[1-heavy]
	if over == 0 {
		return
	}
	some := free[heavy] >= 2*over
	factor := side[1-heavy] / side[heavy]
	if some {
		factor = 1 - over/free[heavy]
	}
	for i := range alpha {
		if at(i) == heavy && (!some || inside(i)) {
			alpha[i] *= factor
		}
	}
}

// shrink brings v = Σ α·y·x to |v| ≤ most, as the dual of an L1 penalty
// demands; zero is always in the domain.
func shrink(alpha, v []float64, most float64) {
	largest := 0.0
	for _, u := range v {
		largest = max(largest, math.Abs(u))
	}
	if largest <= most {
		return
	}
	factor := most / largest * (1 - 0x1p-50)
	for i := range alpha {
		alpha[i] *= factor
	}
	for j := range v {
		v[j] *= factor
	}
}

// slope is the length of the gradient; with an L1 penalty, of its least
// subgradient.
func slope(t *solve.Task, pt solve.Point, m []float64) float64 {
	g := make([]float64, t.Set.Dim())
	sum := t.Combine(g, func(i int) float64 { return t.C[i] * t.Y[i] * t.Loss.Slope(m[i]) })
	for j := range g {
		g[j] = least(g[j], pt.W[j], t.Penalty)
	}
	s := 0.0
	for _, v := range g {
		s += float64(v * v)
	}
	switch t.Bias {
	case solve.Penalised:
		sum = least(sum, pt.Bias, t.Penalty)
		fallthrough
	case solve.Free:
		s += float64(sum * sum)
	}
	return math.Sqrt(s)
}

func least(g, w float64, p penalty.Penalty) float64 {
	return penalty.Kink(g+float64(p.L2*w), w, p.L1)
}
