package sample

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/vec"
)

// Generators. The same parameters give the same set for ever: the random
// numbers are those of PCG, and no product is fused with a sum.

const maxValues = 100_000_000 // of a generated set

func examples(n float64) Param {
	return Param{Name: "n", Doc: "number of examples", Default: n, Min: 2, Max: 10_000_000, Whole: true}
}

var (
	dimension = Param{Name: "d", Doc: "number of features", Default: 2, Min: 1, Max: 100_000, Whole: true}
	seed      = Param{Name: "seed", Doc: "of the random numbers", Default: 1, Max: 1 << 53, Whole: true}
)

// maker puts the values of example i into x, which has one for every feature,
// and returns its class.
type maker func(i int, x []float64) (class string)

// generated is a set made by a maker. Features that spec does not know are
// left out.
func generated(start func(a Args, d int, r *rand.Rand) maker) open {
	return func(ctx context.Context, a Args, spec *format.Spec) (*data.Set, error) {
		n, d := int(a["n"]), 2
		if v, ok := a["d"]; ok {
			d = int(v)
		}
		if n*d > maxValues {
			return nil, &data.InputError{What: fmt.Sprintf("n=%d times d=%d is more than %d values", n, d, maxValues), Do: "make one of them smaller"}
		}
		if spec.Features == nil {
			spec.Features = data.NewFeatures()
			if spec.Hash > 0 {
				spec.Features = data.HashedFeatures(spec.Hash)
			}
		}
		next := start(a, d, rand.New(rand.NewPCG(uint64(a["seed"]), 0x68616c66_73706163)))
		b := data.NewBuilder(spec.Features)
		x := make([]float64, d)
		var row vec.Buffer
		for i := range n {
			if i%1024 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			class := next(i, x)
			row.Reset()
			for j, v := range x {
				if at, ok := spec.Features.Numbered(uint32(j)); ok {
					row.Add(at, v)
				}
			}
			b.Add(row.Row(), []byte(class), 1)
		}
		return b.Set(data.Input{}), nil
	}
}

var separable = Sample{
	Name:    "separable",
	Doc:     "points of the cube [-1,1]^d, half of them on either side of a random plane, none nearer than the margin",
	Source:  "generator",
	Licence: computed,
	Params: []Param{
		examples(200), dimension,
		{Name: "margin", Doc: "least distance from the plane", Default: 0.1, Max: 1},
		seed,
	},
	Open: generated(func(a Args, d int, r *rand.Rand) maker { return newPlane(d, r).maker(a["margin"], r) }),
}

// plane is w·x + bias = 0 with ‖w‖ = 1, near the middle of the cube.
type plane struct {
	w    []float64
	bias float64
}

func newPlane(d int, r *rand.Rand) *plane {
	p := &plane{w: make([]float64, d)}
	for j := range p.w {
		p.w[j] = r.NormFloat64()
	}
	length := vec.Norm(p.w)
	for j := range p.w {
		p.w[j] /= length
	}
	p.bias = (r.Float64() - 0.5) / 2
	return p
}

func (p *plane) distance(x []float64) float64 {
	return vec.Dot(p.w, vec.Row{Val: x}) + p.bias
}

// maker draws a point until it is on its side with the margin. If luck fails,
// it moves the last one there, out of the cube if need be.
func (p *plane) maker(margin float64, r *rand.Rand) maker {
	const tries = 64
	margin *= 1 + 1e-9 // rounding must not eat it up
	return func(i int, x []float64) string {
		y, class := 1.0, "1"
		if i%2 == 1 {
			y, class = -1, "-1"
		}
		for range tries {
			for j := range x {
				x[j] = 2*r.Float64() - 1
			}
			if at := y * p.distance(x); at > 0 && at >= margin {
				return class
			}
		}
		for {
			missing := margin - y*p.distance(x)
			if missing < 0 {
				return class
			}
			vec.Axpy(x, y*(missing+1e-9), vec.Row{Val: p.w})
		}
	}
}

var gauss = Sample{
	Name:    "gauss",
	Doc:     "two round Gaussian clouds of deviation 1 that overlap",
	Source:  "generator",
	Licence: computed,
	Params: []Param{
		examples(200), dimension,
		{Name: "distance", Doc: "between the middles", Default: 2, Max: 1000},
		seed,
	},
	Open: generated(func(a Args, d int, r *rand.Rand) maker {
		middle := a["distance"] / 2 / math.Sqrt(float64(d)) // on the diagonal: every feature tells as much
		return func(i int, x []float64) string {
			at, class := middle, "1"
			if i%2 == 1 {
				at, class = -middle, "-1"
			}
			for j := range x {
				x[j] = at + r.NormFloat64()
			}
			return class
		}
	}),
}

var xorCloud = Sample{
	Name:    "xor-cloud",
	Doc:     "four clouds around the corners of XOR",
	Source:  "generator",
	Licence: computed,
	Params: []Param{
		examples(200),
		{Name: "noise", Doc: "deviation of a cloud", Default: 0.15, Max: 10},
		seed,
	},
	Open: generated(func(a Args, _ int, r *rand.Rand) maker {
		return func(i int, x []float64) string {
			x1, x2 := i&1, i>>1&1
			x[0] = float64(x1) + float64(a["noise"]*r.NormFloat64())
			x[1] = float64(x2) + float64(a["noise"]*r.NormFloat64())
			return string('0' + rune(x1^x2))
		}
	}),
}

var rings = Sample{
	Name:    "rings",
	Doc:     "a ring of radius 1 inside one of radius 2: no line separates them, their squares do",
	Source:  "generator",
	Licence: computed,
	Params: []Param{
		examples(200),
		{Name: "noise", Doc: "deviation of the radius", Default: 0.1, Max: 10},
		seed,
	},
	Open: generated(func(a Args, _ int, r *rand.Rand) maker {
		return func(i int, x []float64) string {
			radius, class := 1.0, "inner"
			if i%2 == 1 {
				radius, class = 2, "outer"
			}
			direction(x, r)
			radius += float64(a["noise"] * r.NormFloat64())
			x[0] *= radius
			x[1] *= radius
			return class
		}
	}),
}

// direction makes x a point of the unit circle: one of the disc, stretched.
// (Sine and cosine may differ in the last bit from processor to processor.)
func direction(x []float64, r *rand.Rand) {
	for {
		u, v := 2*r.Float64()-1, 2*r.Float64()-1
		if q := float64(u*u) + float64(v*v); q > 1e-6 && q < 1 {
			length := math.Sqrt(q)
			x[0], x[1] = u/length, v/length
			return
		}
	}
}
