package prep

import (
	"errors"
	"fmt"
	"math"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// leastScale is the smallest spread that is divided by: weights folded over a
// smaller one would overflow.
const leastScale = 0x1p-900

// Standardise brings every feature to mean 0 and variance 1,
//
//	x ← (x - mean) / scale,
//
// where the scale is the root of the mean squared deviation (divided by n, not
// n-1). A feature that is constant is only centred. Weighted examples count by
// their weight.
//
// Centring fills in the zeros of sparse rows. Where less than half of the
// values are stored, or NoCentre asks for it because the learner has no bias
// to make up for the shift, features keep their zeros and are divided by their
// root mean square.
//
// Cost: three passes over the stored values: range, mean, deviations from it
// with the rounding of the mean corrected (the corrected two-pass algorithm of
// Chan, Golub and LeVeque, 1983), each feature in its own power of two. So
// columns of 1e300 stand beside columns of 1e-200, and a large offset costs no
// digits.
type Standardise struct {
	NoCentre bool      `json:"no_centre,omitempty"` // asked for
	Centred  bool      `json:"centred"`             // done
	In       int       `json:"in"`
	Mean     []float64 `json:"mean,omitempty"` // if centred
	Scale    []float64 `json:"scale"`
}

var standardiseKind = Kind{
	Name:  "standardise",
	Arg:   "no-centre",
	Doc:   "bring every feature to mean 0 and variance 1; sparse data, or with no-centre, only to mean square 1",
	Parse: parseStandardise,
	blank: func() saved { return &Standardise{} },
}

func parseStandardise(arg string) (Map, error) {
	switch arg {
	case "", "no-centre":
		return &Standardise{NoCentre: arg != ""}, nil
	}
	return nil, fmt.Errorf("standardise: the argument may be no-centre, found %q", arg)
}

// Fit implements Map.
func (m *Standardise) Fit(s *data.Set) error {
	c := newColumns(s)
	if !(c.total > 0) || math.IsInf(c.total, 0) {
		return errors.New("standardise needs examples with a positive weight to take the mean of")
	}
	m.In = s.Dim()
	m.Centred = !m.NoCentre && !mostlyZero(s)
	m.Mean = nil
	if m.Centred {
		m.Mean = c.means(s)
		m.Scale = c.deviations(s, m.Mean)
	} else {
		m.Scale = c.rootMeanSquares(s)
	}
	return m.check()
}

// mostlyZero reports whether fewer than half of the values are stored. It asks
// the rows and not how they are stored, so that equal sets are mapped equally.
func mostlyZero(s *data.Set) bool {
	return float64(s.Nonzeros()) < float64(s.Len())*float64(s.Dim())/2
}

// columns is what the first pass finds of every feature.
type columns struct {
	total   float64   // weight of all examples
	stored  []float64 // weight of the examples that store the feature
	lo, hi  []float64 // range, zeros included
	unit    []float64 // power of two near the largest magnitude
	inverse []float64 // 1/unit, exact
}

func newColumns(s *data.Set) *columns {
	n := s.Dim()
	c := &columns{stored: make([]float64, n), lo: make([]float64, n), hi: make([]float64, n), unit: make([]float64, n), inverse: make([]float64, n)}
	count := make([]int, n)
	for i := range s.Len() {
		x, weight := s.Row(i), s.Weight(i)
		c.total += weight
		for k := range x.Len() {
			j, v := x.At(k)
			if count[j] == 0 {
				c.lo[j], c.hi[j] = v, v
			}
			count[j]++
			c.stored[j] += weight
			c.lo[j], c.hi[j] = min(c.lo[j], v), max(c.hi[j], v)
		}
	}
	for j := range n {
		if count[j] < s.Len() { // some are zero
			c.lo[j], c.hi[j] = min(c.lo[j], 0), max(c.hi[j], 0)
		}
		_, e := math.Frexp(max(-c.lo[j], c.hi[j]))
		e = max(-1000, min(1000, e))
		c.unit[j], c.inverse[j] = math.Ldexp(1, e), math.Ldexp(1, -e)
	}
	return c
}

// constant reports whether feature j has one value only.
func (c *columns) constant(j int) bool { return c.lo[j] == c.hi[j] }

// means is the mean of every feature in its unit, to a few roundings.
func (c *columns) means(s *data.Set) []float64 {
	mean := make([]float64, len(c.lo))
	for i := range s.Len() {
		x, weight := s.Row(i), s.Weight(i)
		for k := range x.Len() {
			j, v := x.At(k)
			mean[j] += float64(weight * float64(v*c.inverse[j]))
		}
	}
	for j := range mean {
		mean[j] /= c.total
	}
	return mean
}

// deviations is the root mean squared deviation of every feature from its
// mean. It corrects the mean and takes it out of the unit.
func (c *columns) deviations(s *data.Set, mean []float64) []float64 {
	sum, squares := make([]float64, len(mean)), make([]float64, len(mean))
	for i := range s.Len() {
		x, weight := s.Row(i), s.Weight(i)
		for k := range x.Len() {
			j, v := x.At(k)
			d := float64(v*c.inverse[j]) - mean[j]
			sum[j] += float64(weight * d)
			squares[j] += float64(weight * float64(d*d))
		}
	}
	scale := squares
	for j := range mean {
		absent := max(0, c.total-c.stored[j]) // examples at 0, so at -mean from the mean
		sum[j] -= float64(absent * mean[j])
		squares[j] += float64(absent * float64(mean[j]*mean[j]))

		shift := sum[j] / c.total
		variance := squares[j]/c.total - float64(shift*shift)
		scale[j] = usable(math.Sqrt(max(0, variance)) * c.unit[j])
		mean[j] = finite((mean[j] + shift) * c.unit[j])
		if c.constant(j) {
			mean[j], scale[j] = c.lo[j], 1
		}
	}
	return scale
}

// rootMeanSquares is that of every feature about 0.
func (c *columns) rootMeanSquares(s *data.Set) []float64 {
	squares := make([]float64, len(c.lo))
	for i := range s.Len() {
		x, weight := s.Row(i), s.Weight(i)
		for k := range x.Len() {
			j, v := x.At(k)
			r := float64(v * c.inverse[j])
			squares[j] += float64(weight * float64(r*r))
		}
	}
	for j := range squares {
		squares[j] = usable(math.Sqrt(squares[j]/c.total) * c.unit[j])
	}
	return squares
}

// usable is the scale, or 1 if there is nothing to divide by.
func usable(scale float64) float64 {
	if scale < leastScale {
		return 1
	}
	return finite(scale)
}

// Apply implements Map. A value too large for a number is cut to the largest.
func (m *Standardise) Apply(dst *vec.Buffer, x vec.Row) {
	x = x.Trim(m.In)
	if !m.Centred {
		for k := range x.Len() {
			j, v := x.At(k)
			dst.Add(uint32(j), finite(v/m.Scale[j]))
		}
		return
	}
	k := 0
	for j, mean := range m.Mean {
		v := 0.0
		if k < x.Len() {
			if at, value := x.At(k); at == j {
				v = value
				k++
			}
		}
		dst.Add(uint32(j), finite(finite(v-mean)/m.Scale[j]))
	}
}

// Features implements Map: the names stay.
func (m *Standardise) Features(in *data.Features) *data.Features {
	if in.Len() == m.In {
		return in
	}
	return data.DerivedFeatures(m.In, in.Name)
}

// Fold implements Folder: w·(x-mean)/scale + b = (w/scale)·x + (b - Σ w·mean/scale).
// The bias may be nil if the map is not centred. Weights beyond In stay.
func (m *Standardise) Fold(w []float64, bias *float64) {
	for j := range min(len(w), m.In) {
		w[j] /= m.Scale[j]
		if m.Centred {
			*bias -= float64(w[j] * m.Mean[j])
		}
	}
}

func (m *Standardise) kind() string        { return standardiseKind.Name }
func (m *Standardise) dims() (in, out int) { return m.In, m.In }

func (m *Standardise) entries(n int) int {
	if m.Centred {
		return m.In
	}
	return n
}

func (m *Standardise) check() error {
	if err := checkIn(m.In); err != nil {
		return err
	}
	means := 0
	if m.Centred {
		means = m.In
	}
	switch {
	case len(m.Scale) != m.In:
		return fmt.Errorf("%d scales for %d features", len(m.Scale), m.In)
	case len(m.Mean) != means:
		return fmt.Errorf("%d means where %d are needed", len(m.Mean), means)
	case m.Centred && m.NoCentre:
		return errors.New("centred although no_centre is set")
	case !vec.Finite(m.Mean):
		return errors.New("a mean is not finite")
	}
	for j, v := range m.Scale {
		if !(v >= leastScale) || math.IsInf(v, 0) {
			return fmt.Errorf("scale %d is %v; it must be a positive finite number", j+1, v)
		}
	}
	return nil
}
