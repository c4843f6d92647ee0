package learntest

import (
	"sync"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// Torture is a set of examples on which arithmetic or a careless algorithm
// breaks. A learner gives finite weights and the right count of errors, or
// refuses in words.
type Torture struct {
	Name string
	Set  func() *data.Set
	// Same says that the set is Plain after a change of units, of the origin,
	// or with columns that add nothing: what does not depend on these, as least
	// squares, gives every example the score it has in Plain.
	Same bool
}

// Tortures are all of them, the first being Plain.
var Tortures = []Torture{
	{"plain", Plain, true},
	{"contradictory pairs", func() *data.Set { return Two(plain[0], plain[0]) }, false},
	{"one class", func() *data.Set { return Two(plain[0], nil) }, false},
	{"a zero column", func() *data.Set { return bent(func(x, y float64) []float64 { return []float64{x, 0, y} }) }, true},
	{"a constant column", func() *data.Set { return bent(func(x, y float64) []float64 { return []float64{x, 0.1, y} }) }, true},
	{"a duplicated column", func() *data.Set { return bent(func(x, y float64) []float64 { return []float64{x, x, y} }) }, true},
	{"x3 = x1 + x2", func() *data.Set {
		return bent(func(x, y float64) []float64 { return []float64{x / 3, y / 7, x/3 + y/7} })
	}, true},
	{"fewer examples than features", func() *data.Set {
		return Two([][]float64{{1, 0, 2, 0, 3}, {2, 1, 0, 1, 3}}, [][]float64{{0, 1, -1, 4, 1}, {-1, 0, 2, 1, 1}})
	}, false},
	{"one example a class", func() *data.Set { return Two([][]float64{{2, 1}}, [][]float64{{0, 3}}) }, false},
	{"1e155", func() *data.Set { return inUnits(1e155, 1e155) }, true},
	{"1e-170", func() *data.Set { return inUnits(1e-170, 1e-170) }, true},
	{"1e155 beside 1e-170", func() *data.Set { return inUnits(1e155, 1e-170) }, true},
	{"1e12 beside 1e-12", func() *data.Set { return inUnits(1e12, 1e-12) }, true},
	{"1e308", func() *data.Set { return inUnits(0x1p1021, 0x1p1021) }, true},
	{"denormals", func() *data.Set { return inUnits(0x1p-1073, 0x1p-1073) }, false},
	{"an offset of 2^30", func() *data.Set { return bent(func(x, y float64) []float64 { return []float64{x + 1<<30, y} }) }, true},
	{"margins of 1e5", func() *data.Set { return bent(func(x, y float64) []float64 { return []float64{(x - 1.5) * 1e5, y} }) }, true},
	{"1 : 1000000", imbalanced, false},
}

// plain are six points that a plane separates; most tortures are made from them.
var plain = [2][][]float64{
	{{2, 1}, {3, 3}, {4, 1.5}},
	{{0, 0.5}, {1, 2}, {-1, 1}},
}

// Plain is a set that is no torture, to compare with.
func Plain() *data.Set { return inUnits(1, 1) }

// bent is plain with every point rewritten.
func bent(f func(x, y float64) []float64) *data.Set {
	var out [2][][]float64
	for c, points := range plain {
		for _, p := range points {
			out[c] = append(out[c], f(p[0], p[1]))
		}
	}
	return Two(out[0], out[1])
}

func inUnits(a, b float64) *data.Set {
	return bent(func(x, y float64) []float64 { return []float64{x * a, y * b} })
}

// imbalanced has the one of its class far from a grid of all others.
var imbalanced = sync.OnceValue(func() *data.Set {
	many := make([][]float64, 1_000_000)
	for i := range many {
		many[i] = []float64{float64(i%7) - 3, float64(i%11) - 5}
	}
	return Two([][]float64{{50, 1}}, many)
})

// Two is a set of two classes, a (+) and b (−), dense.
func Two(a, b [][]float64) *data.Set {
	bd := data.NewBuilder(nil)
	bd.Declare("a", "b")
	for _, x := range a {
		bd.Add(vec.Dense(x...), []byte("a"), 1)
	}
	for _, x := range b {
		bd.Add(vec.Dense(x...), []byte("b"), 1)
	}
	return bd.Set(data.Input{Format: "libsvm"})
}
