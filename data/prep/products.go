package prep

import (
	"fmt"
	"math"
	"sort"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// Products appends all products of two features, xᵢ·xⱼ with i ≤ j: a
// hyperplane in the new space is a quadric in the old one, and XOR or a ring
// becomes separable. Of a sparse row only stored values are multiplied.
//
// The pair (i, j) of n features has the number n + i·n - i(i-1)/2 + (j-i).
// Cost: a row of k values becomes one of k + k(k+1)/2.
type Products struct {
	In int `json:"in"`
}

var productsKind = Kind{
	Name:  "products",
	Doc:   "append all products of two features, squares among them",
	Parse: func(string) (Map, error) { return &Products{}, nil },
	blank: func() saved { return &Products{} },
}

// Fit implements Map. It refuses features whose products would overflow.
func (m *Products) Fit(s *data.Set) error {
	m.In = s.Dim()
	if err := m.check(); err != nil {
		return err
	}
	limit := math.Sqrt(math.MaxFloat64)
	values := 0
	for i := range s.Len() {
		x := s.Row(i)
		for k := range x.Len() {
			if j, v := x.At(k); math.Abs(v) > limit {
				return fmt.Errorf("row %d has %s = %v, whose square is too large for a number; put standardise before products", s.Number(i), s.Features().Name(j), v)
			}
		}
		if values += m.entries(x.Len()); values > data.MaxFeatures {
			return fmt.Errorf("the products of the first %d rows alone are more than %d values; use fewer features, or hash before products", i+1, data.MaxFeatures)
		}
	}
	return nil
}

// Apply implements Map. A product too large for a number is cut to the largest.
func (m *Products) Apply(dst *vec.Buffer, x vec.Row) {
	x = x.Trim(m.In)
	dst.AddRow(x, 0)
	for a := range x.Len() {
		i, u := x.At(a)
		first := m.pair(i, i)
		for b := a; b < x.Len(); b++ {
			j, v := x.At(b)
			dst.Add(uint32(first+j-i), finite(u*v))
		}
	}
}

// pair is the number of the product of features i ≤ j.
func (m *Products) pair(i, j int) int { return m.In + i*m.In - i*(i-1)/2 + (j - i) }

// factors is the pair of a product, given its number.
func (m *Products) factors(number int) (i, j int) {
	i = sort.Search(m.In, func(i int) bool { return m.pair(i, i) > number }) - 1
	return i, i + number - m.pair(i, i)
}

// Features implements Map. Names are a*b and a^2.
func (m *Products) Features(in *data.Features) *data.Features {
	return appended(in, m.In, m.In*(m.In+1)/2, func(k int) string {
		i, j := m.factors(m.In + k)
		if i == j {
			return in.Name(i) + "^2"
		}
		return in.Name(i) + "*" + in.Name(j)
	})
}

func (m *Products) kind() string        { return productsKind.Name }
func (m *Products) dims() (in, out int) { return m.In, m.In + m.In*(m.In+1)/2 }
func (m *Products) entries(n int) int   { return n + n*(n+1)/2 }

func (m *Products) check() error {
	if err := checkIn(m.In); err != nil {
		return err
	}
	if _, out := m.dims(); out > data.MaxFeatures {
		return fmt.Errorf("the products of %d features are more than %d; use fewer features, or hash before products", m.In, data.MaxFeatures)
	}
	return nil
}

// finite is v, or the largest number of its sign if v is infinite.
func finite(v float64) float64 { return max(-math.MaxFloat64, min(math.MaxFloat64, v)) }
