package closed

import (
	"context"
	"math"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/block"
)

// mostUnit keeps powers of two, and their inverses, within range.
const mostUnit = 1000

// columns is where every feature lies: examples are factorised as
// x·2^-unit − shift. The units are exact, and the shift, near the mean, need
// not be: the columns beside the features make up for what it misses.
type columns struct {
	unit    []int
	inverse []float64 // 2^-unit
	shift   []float64 // centre·2^-unit
}

// spread is what one lane sees of the features.
type spread struct {
	total  float64   // weight of all examples
	rows   int       // examples
	stored []float64 // weight of the examples that store the feature
	count  []int     // examples that store it
	lo, hi []float64 // of what is stored
	mean   []float64 // of what is stored
}

func newSpread(d int) *spread {
	return &spread{stored: make([]float64, d), count: make([]int, d), lo: make([]float64, d), hi: make([]float64, d), mean: make([]float64, d)}
}

// see takes in the rows lo … hi-1.
func (c *spread) see(s *data.Set, lo, hi int) {
	for i := lo; i < hi; i++ {
		x, weight := s.Row(i), s.Weight(i)
		c.total += weight
		c.rows++
		for k := range x.Len() {
			j, v := x.At(k)
			c.put(j, v, v, v, weight, 1)
		}
	}
}

// put adds examples of a feature with the given range and mean.
func (c *spread) put(j int, lo, hi, mean, weight float64, count int) {
	if count == 0 {
		return
	}
	if c.count[j] == 0 {
		c.lo[j], c.hi[j] = lo, hi
	}
	c.count[j] += count
	c.stored[j] += weight
	c.lo[j], c.hi[j] = min(c.lo[j], lo), max(c.hi[j], hi)
	c.mean[j] += float64((mean - c.mean[j]) * (weight / c.stored[j]))
}

func (c *spread) merge(o *spread) {
	c.total += o.total
	c.rows += o.rows
	for j := range o.lo {
		c.put(j, o.lo[j], o.hi[j], o.mean[j], o.stored[j], o.count[j])
	}
}

// newColumns looks at all rows once. Without centring the shift is zero.
func newColumns(ctx context.Context, s *data.Set, centre bool, workers int) (*columns, error) {
	const most = 8
	parts := make([]*spread, most)
	n := block.Lanes(s.Len(), most, workers, func(lane, lo, hi int) {
		parts[lane] = newSpread(s.Dim())
		for ; lo < hi && ctx.Err() == nil; lo += block.Size {
			parts[lane].see(s, lo, min(hi, lo+block.Size))
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, p := range parts[1:n] {
		parts[0].merge(p)
	}
	return parts[0].columns(centre), nil
}

func (c *spread) columns(centre bool) *columns {
	d := len(c.lo)
	out := &columns{unit: make([]int, d), inverse: make([]float64, d), shift: make([]float64, d)}
	for j := range d {
		lo, hi, mean := c.lo[j], c.hi[j], c.mean[j]*(c.stored[j]/c.total)
		if c.count[j] < c.rows { // some are zero
			lo, hi = min(lo, 0), max(hi, 0)
		}
		if lo == hi || !(mean > lo) || !(mean < hi) { // constant, or a mean that rounding or overflow moved out
			mean = lo
		}
		out.unit[j] = max(-mostUnit, min(mostUnit, exponent(max(-lo, hi))))
		out.inverse[j] = math.Ldexp(1, -out.unit[j])
		if centre {
			out.shift[j] = mean * out.inverse[j]
		}
	}
	return out
}

// exponent is e of v = f·2^e with f in [½, 1); 0 for 0.
func exponent(v float64) int {
	_, e := math.Frexp(v)
	return e
}
