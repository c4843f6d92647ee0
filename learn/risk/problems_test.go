package risk

import (
	"math/rand/v2"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/learn/risk/loss"
	"github.com/halfspace-ml/halfspace/learn/risk/solve"
	"github.com/halfspace-ml/halfspace/vec"
)

// problem is a small set of two classes with what is hard about it for a name.
type problem struct {
	name string
	set  *data.Set
}

// draw makes n examples of d features around two centres that far apart; shape
// may change them.
func draw(seed uint64, n, d int, apart, positive float64, shape func(r *rand.Rand, i int, x []float64) float64) *data.Set {
	r := rand.New(rand.NewPCG(seed, 7))
	b := data.NewBuilder(nil)
	b.Declare("+", "-")
	for i := range n {
		label, centre := "-", -apart/2
		if float64(i) < positive*float64(n) {
			label, centre = "+", apart/2
		}
		x := make([]float64, d)
		for j := range x {
			x[j] = centre + r.NormFloat64()
		}
		weight := 1.0
		if shape != nil {
			weight = shape(r, i, x)
		}
		b.Add(vec.Dense(x...), []byte(label), weight)
	}
	return b.Set(data.Input{})
}

func problems() []problem {
	return []problem{
		{"separable", draw(1, 20, 3, 8, 0.5, nil)},
		{"noisy", draw(2, 40, 3, 0.8, 0.5, nil)},
		{"imbalanced", draw(3, 40, 3, 1, 0.05, nil)},
		{"rows twice", draw(4, 30, 2, 1, 0.5, func(r *rand.Rand, i int, x []float64) float64 {
			x[0], x[1] = float64(i%5), float64(i%3) // few different ones, in both classes
			return 1
		})},
		{"a column twice", draw(5, 30, 4, 1, 0.5, func(_ *rand.Rand, _ int, x []float64) float64 {
			x[3] = x[0]
			return 1
		})},
		{"rows of zeros", draw(6, 30, 3, 1, 0.5, func(_ *rand.Rand, i int, x []float64) float64 {
			if i%4 == 0 {
				clear(x)
			}
			return 1
		})},
		{"wide", draw(7, 8, 20, 0.5, 0.5, nil)},
		{"weighted", draw(8, 30, 3, 1, 0.5, func(r *rand.Rand, _ int, _ []float64) float64 { return 3 * r.Float64() })},
	}
}

// shape of a task beside its data: what is asked.
type ask struct {
	loss    loss.Loss
	penalty string
	bias    solve.Bias
	c, tol  float64
}

var biases = []solve.Bias{solve.Without, solve.Free, solve.Penalised}

// task is the task that a learner with these parameters would set.
func (a ask) task(s *data.Set) *solve.Task {
	o := Options{C: a.c, Penalty: a.penalty, Ratio: 0.3, Bias: "free", Tol: a.tol}
	if a.bias == solve.Penalised {
		o.Bias = "penalised"
	}
	return o.task(&halfspace.Run{Set: s, NoBias: a.bias == solve.Without, Seed: 1}, a.loss)
}
