package margin

import (
	"math"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// moderate is the exponent up to which squares and their sums are safe.
const moderate = 200

// points is the examples as the solver sees them: (x − shift)·2^-exp.
//
// With a bias a shift changes nothing but the rounding: features that are far
// from zero everywhere are moved to the middle of their range. One that is zero
// somewhere is as wide as it is far away, and its rows stay sparse.
type points struct {
	rows   []vec.Row
	y      []float64 // +1 for class 0, −1 for class 1
	pos    []int     // positions in the set
	norm   []float64 // ‖x‖
	radius float64   // the largest of them
	dim    int
	stored int // entries of the longest row
	exp    int
	shift  []float64 // in the data's own units
}

// newPoints reads the examples of weight above zero.
func newPoints(s *data.Set, centre bool) *points {
	p := &points{dim: s.Dim(), shift: make([]float64, s.Dim())}
	for i := range s.Len() {
		if s.Weight(i) == 0 {
			continue
		}
		p.rows = append(p.rows, s.Row(i))
		p.pos = append(p.pos, i)
		p.y = append(p.y, float64(1-2*s.Class(i)))
	}
	if centre {
		p.centre()
	}
	p.scale()
	p.norm = make([]float64, len(p.rows))
	for i, x := range p.rows {
		p.norm[i] = math.Sqrt(vec.SquaredNorm(x))
		p.radius = max(p.radius, p.norm[i])
		p.stored = max(p.stored, x.Len())
	}
	return p
}

// centre finds the shift and applies it.
func (p *points) centre() {
	lo, hi := make([]float64, p.dim), make([]float64, p.dim)
	count := make([]int, p.dim)
	for _, x := range p.rows {
		for k := range x.Len() {
			j, v := x.At(k)
			if count[j] == 0 {
				lo[j], hi[j] = v, v
			}
			count[j]++
			lo[j], hi[j] = min(lo[j], v), max(hi[j], v)
		}
	}
	moved := false
	for j, n := range count {
		if n == len(p.rows) {
			p.shift[j] = lo[j]/2 + hi[j]/2
			moved = true
		}
	}
	if moved {
		p.rewrite(func(j int, v float64) float64 { return v - p.shift[j] })
	}
}

// scale brings numbers whose squares would be out of range near 1.
func (p *points) scale() {
	largest := 0.0
	for _, x := range p.rows {
		for k := range x.Len() {
			_, v := x.At(k)
			largest = max(largest, math.Abs(v))
		}
	}
	if _, e := math.Frexp(largest); e > moderate || e < -moderate {
		p.exp = e
		p.rewrite(func(_ int, v float64) float64 { return math.Ldexp(v, -e) })
	}
}

// rewrite replaces every value; the shape of the rows stays.
func (p *points) rewrite(value func(j int, v float64) float64) {
	for i, x := range p.rows {
		val := make([]float64, x.Len())
		for k := range val {
			j, v := x.At(k)
			val[k] = value(j, v)
		}
		p.rows[i] = vec.Row{Idx: x.Idx, Val: val}
	}
}
