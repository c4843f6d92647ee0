package proof

import (
	"context"
	"math"
	"slices"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/learn/risk/margin"
	"github.com/halfspace-ml/halfspace/vec"
)

// Bound is Novikoff's: how many mistakes a perceptron can make at most on a
// separable set, in any order, over any number of loops.
//
// Among the vectors x̃ = (x, 1) of length up to R, all of which some direction
// u puts on their side at a distance of at least γ, each mistake moves the
// weights by at least η·γ along u, and adds at most η²·R² to their squared
// length. So after k mistakes from the start w₀
//
//	w₀·u + k·η·γ ≤ ‖w‖ ≤ √(‖w₀‖² + k·η²·R²),
//
// and k is at most R²/γ² from a zero start. With a rate η₀ of its own the bias
// is a feature of value √(η₀/η).
//
// A step that sums up m ≤ n mistakes adds at most η²·m²·R² ≤ n·η²·m·R²: as if R
// were √n times as long.
//
// Source: Novikoff, On convergence proofs on perceptrons, 1962; the start as in
// documents 000 and 004. With more than two classes, x̃ are Kesler's vectors.
type Bound struct {
	Radius   float64 `json:"radius"`   // R, the bias's feature included
	Margin   float64 `json:"margin"`   // γ
	Mistakes float64 `json:"mistakes"` // no more than that

	u     []float64
	start []float64
	rate  float64
	batch float64
}

// Steps say how a perceptron starts and steps. The zero value: from zero.
type Steps struct {
	Start          *halfspace.Weights // nil: zero
	Rate, RateBias float64            // constant; 0: 1, and as Rate
	Batch          int                // mistakes that one step may sum up; 0: 1
	NoBias         bool
}

// MistakeBound is the bound for a set as the learner sees it, after all maps;
// nil if no separating direction was found. When ctx ends the error is
// ctx.Err().
func MistakeBound(ctx context.Context, s *data.Set, steps Steps, workers int) (*Bound, error) {
	b := &Bound{rate: steps.Rate}
	if b.rate == 0 {
		b.rate = 1
	}
	bias := 1.0
	switch {
	case steps.NoBias:
		bias = 0
	case steps.RateBias > 0:
		bias = math.Sqrt(steps.RateBias / b.rate)
	}
	q := &question{raw: s, set: withBias(s, bias), opt: Options{NoBias: true}}
	classes, err := present(s)
	if err != nil {
		return nil, err
	}
	vectors := q.set.Pick(q.examples(classes...))
	if len(s.Classes()) > 2 {
		if list := q.list(classes); q.affordable(classes) {
			vectors = q.construct(list)
		} else {
			return nil, nil
		}
	}
	found, err := margin.Solve(ctx, vectors, margin.Options{NoBias: true, Workers: workers})
	if err != nil || found.Verdict != margin.Separable {
		return nil, err
	}
	b.Radius, b.Margin = radius(vectors), found.Margin/2
	b.batch = max(1, float64(steps.Batch))
	b.u = found.W
	length := vec.Norm(b.u)
	for j := range b.u {
		b.u[j] /= length
	}
	b.from(steps.Start, bias, q.set.Dim(), len(b.u))
	b.Mistakes = b.at(b.rate)
	return b, nil
}

// PlaneBound is the bound from a zero start by a plane at hand, which is not the
// least unless the plane is the best for it.
func PlaneBound(r *Result, noBias bool) *Bound {
	b := &Bound{Radius: r.Radius}
	all := append(slices.Clone(r.W), r.Bias)
	if !noBias {
		b.Radius = math.Hypot(r.Radius, 1)
	}
	b.Margin = r.Margin * vec.Norm(r.W) / vec.Norm(all)
	b.Mistakes = b.Radius / b.Margin * (b.Radius / b.Margin)
	return b
}

// withBias is s with a feature of that value after the others; 0: without.
func withBias(s *data.Set, value float64) *data.Set {
	if value == 0 {
		return s
	}
	dim := s.Dim()
	f := data.DerivedFeatures(dim+1, func(int) string { return "" })
	return s.Map(f, func(dst *vec.Buffer, x vec.Row) {
		dst.AddRow(x, 0)
		dst.Add(uint32(dim), value)
	})
}

// from lays out the start weights as u is.
func (b *Bound) from(w *halfspace.Weights, bias float64, block, dim int) {
	b.start = make([]float64, dim)
	if w == nil {
		return
	}
	for k, v := range w.W {
		at := b.start[k*block:]
		copy(at, v)
		if bias > 0 {
			at[len(v)] = w.Bias[k] / bias
		}
	}
}

// at is the bound at another rate.
func (b *Bound) at(rate float64) float64 {
	a := vec.Dot(b.start, vec.Row{Val: b.u}) / rate
	c := vec.Norm(b.start) / rate
	r2, g := b.batch*b.Radius*b.Radius, b.Margin
	p := r2 - 2*a*g
	return max(0, (p+math.Sqrt(p*p+4*g*g*max(0, c*c-a*a)))/(2*g*g))
}

// BestRate is a rate among 10ⁿ times that of the run at which the bound is
// least, and the bound there. Without a start all are alike.
func (b *Bound) BestRate() (rate, mistakes float64) {
	rate, mistakes = b.rate, b.Mistakes
	for n := -6; n <= 6; n++ {
		r := b.rate * math.Pow(10, float64(n))
		if m := b.at(r); m < mistakes*(1-1e-9) {
			rate, mistakes = r, m
		}
	}
	return rate, mistakes
}

// Rate is the rate that the bound is for.
func (b *Bound) Rate() float64 { return b.rate }
