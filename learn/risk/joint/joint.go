// Package joint minimises losses that see the scores of all classes at once,
//
//	½·Σ ‖w_k‖² + C·Σ weight·ℓ(W·x + b, y)
//
// with a vector w_k and a bias b_k for each of K classes: the multinomial
// (softmax) logistic regression and the SVM of Crammer and Singer. Like all of
// regularised risk it is solved to a certificate: the report tells how far from
// the least possible value the answer is at most.
//
// With two classes a model has the one vector w = w_0 − w_1. Since the best
// w_1 is −w_0, the objective is half that of the two-class loss at 2C, softmax
// of the logistic loss and Crammer–Singer of the hinge.
package joint

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/vec"
)

// Options say what is minimised, and how far.
type Options struct {
	C         float64
	Penalised bool    // the penalty counts the biases; else they are free
	Tol       float64 // stop when the gap is at most this share of the objective
	Epochs    int     // at most this many steps over all examples
	Tie       halfspace.Tie
}

// Softmax fits multinomial logistic regression,
//
//	ℓ(z, y) = −ln softmax_y(z) = ln Σ e^(z_k − z_y)
//
// by Newton's method. It goes on from the run's start weights.
func Softmax(ctx context.Context, run *halfspace.Run, o Options) (*halfspace.Model, error) {
	m, err := o.fit(ctx, run, softmax{}, newtonSolve)
	if m != nil {
		m.Report.Supports = 0 // every example is one
	}
	return m, err
}

// CrammerSinger fits the SVM of Crammer and Singer (2001),
//
//	ℓ(z, y) = max(0, 1 − (z_y − z_k) over k ≠ y)
//
// by Newton's method on a rounded loss (see multipliersSolve).
func CrammerSinger(ctx context.Context, run *halfspace.Run, o Options) (*halfspace.Model, error) {
	return o.fit(ctx, run, crammerSinger{}, multipliersSolve)
}

// loss is a convex function of the scores of one example. It is the most that
// q·z − z_y + bonus(q) can be, over shares q of the classes: q ≥ 0, Σq = 1.
// Wherever q is meant, s = q − e_y is written, which keeps the digits of
// 1 − q_y; α = −C·s are the multipliers of the dual.
type loss interface {
	// slope turns scores into s, a (sub)gradient, and returns the loss.
	slope(z []float64, class int) float64
	bonus(s []float64, class int) float64
}

// bias says what becomes of the b_k.
type bias int

const (
	without bias = iota
	free
	penalised
)

// problem is what is minimised. Points are vectors that hold w_k, then b_k if
// there is one, class by class.
type problem struct {
	set     *data.Set
	classes int
	c       []float64 // by example: what its loss counts
	loss    loss
	bias    bias
	stride  int // numbers a class
	tol     float64
	workers int
	parts   [][]float64             // of combine
	watch   func(z, s, x []float64) // before each step; nil: nobody does
}

func (o *Options) problem(run *halfspace.Run, l loss) *problem {
	s := run.Set
	p := &problem{set: s, classes: len(s.Classes()), c: make([]float64, s.Len()), loss: l, stride: s.Dim(), tol: o.Tol, workers: run.Workers}
	for i := range p.c {
		p.c[i] = o.C * s.Weight(i)
	}
	switch {
	case run.NoBias:
	case o.Penalised:
		p.bias = penalised
	default:
		p.bias = free
	}
	if p.bias != without {
		p.stride++
	}
	return p
}

func (p *problem) size() int { return p.classes * p.stride }

// of is the weights and the bias of class k.
func (p *problem) of(x []float64, k int) (w []float64, b float64) {
	x = x[k*p.stride : (k+1)*p.stride]
	if p.bias == without {
		return x, 0
	}
	return x[:p.stride-1], x[p.stride-1]
}

// rigid reports whether the penalty counts coordinate j.
func (p *problem) rigid(j int) bool { return p.bias != free || j%p.stride != p.stride-1 }

// row is the part of an array by example and class that is example i's.
func (p *problem) row(z []float64, i int) []float64 { return z[i*p.classes : (i+1)*p.classes] }

// scores fills z with those of all examples.
func (p *problem) scores(z, x []float64) {
	p.each(func(i int) {
		row, zi := p.set.Row(i), p.row(z, i)
		for k := range zi {
			w, b := p.of(x, k)
			zi[k] = vec.Dot(w, row) + b
		}
	})
}

// each calls do for every example.
func (p *problem) each(do func(i int)) {
	block.Each(p.set.Len(), p.workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			do(i)
		}
	})
}

// total is Σ f over the examples, added by blocks; buf has room for the scores
// of one example.
func (p *problem) total(f func(i int, buf []float64) float64) float64 {
	parts := make([]float64, block.Count(p.set.Len()))
	block.Each(p.set.Len(), p.workers, func(b, lo, hi int) {
		buf := make([]float64, p.classes)
		s := 0.0
		for i := lo; i < hi; i++ {
			s += f(i, buf)
		}
		parts[b] = s
	})
	sum := 0.0
	for _, v := range parts {
		sum += v
	}
	return sum
}

// combine makes v = Σ a ⊗ x̃ of n examples, lane by lane: of fills in a, one
// number a class, and returns the row.
func (p *problem) combine(v []float64, n int, of func(t int, a []float64) vec.Row) {
	if p.parts == nil {
		p.parts = make([][]float64, max(1, min(8, 1<<25/max(1, p.size()), block.Count(p.set.Len()))))
		for lane := range p.parts {
			p.parts[lane] = make([]float64, p.size())
		}
	}
	count := block.Lanes(n, len(p.parts), p.workers, func(lane, lo, hi int) {
		sum, a := p.parts[lane], make([]float64, p.classes)
		clear(sum)
		for t := lo; t < hi; t++ {
			x := of(t, a)
			for k, u := range a {
				if u != 0 {
					p.add(sum, k, u, x)
				}
			}
		}
	})
	copy(v, p.parts[0])
	for _, part := range p.parts[1:count] {
		vec.Axpy(v, 1, vec.Row{Val: part})
	}
}

// add is v_k ← v_k + u·x̃.
func (p *problem) add(v []float64, k int, u float64, x vec.Row) {
	v = v[k*p.stride : (k+1)*p.stride]
	vec.Axpy(v, u, x)
	if p.bias != without {
		v[p.stride-1] += u
	}
}

// penalty is ½‖x‖² of what the penalty counts.
func (p *problem) penalty(x []float64) float64 {
	sum := 0.0
	for j, v := range x {
		if p.rigid(j) {
			sum += float64(v * v)
		}
	}
	return sum / 2
}

// centre takes the mean from free biases, which changes nothing but their size.
func (p *problem) centre(x []float64) {
	if p.bias != free {
		return
	}
	mean := 0.0
	for k := range p.classes {
		mean += x[(k+1)*p.stride-1] / float64(p.classes)
	}
	for k := range p.classes {
		x[(k+1)*p.stride-1] -= mean
	}
}

// weights is a point as a model keeps it.
func (p *problem) weights(x []float64) *halfspace.Weights {
	w := halfspace.NewWeights(p.classes, p.set.Dim())
	for k := range w.W {
		v, b := p.of(x, k)
		copy(w.W[k], v)
		w.Bias[k] = b
	}
	if p.classes == 2 {
		v, b := p.of(x, 1)
		vec.Axpy(w.W[0], -1, vec.Row{Val: v})
		w.Bias[0] -= b
	}
	return w
}

// point is the start weights, which may be nil, as a point.
func (p *problem) point(w *halfspace.Weights) []float64 {
	x := make([]float64, p.size())
	if w == nil {
		return x
	}
	for k := range p.classes {
		from, share := k, 1.0
		if p.classes == 2 {
			from, share = 0, 0.5-float64(k)
		}
		v, _ := p.of(x, k)
		vec.Axpy(v, share, vec.Row{Val: w.W[from]})
		if p.bias != without {
			x[(k+1)*p.stride-1] = share * w.Bias[from]
		}
	}
	p.centre(x)
	return x
}

// Measurable returns an error if the lengths of the rows are beyond numbers.
func Measurable(s *data.Set, c []float64) error {
	largest, some := 0.0, false
	for i := range s.Len() {
		x := s.Row(i)
		q := vec.SquaredNorm(x)
		switch {
		case math.IsInf(q, 0):
			return fmt.Errorf("row %d is so long that its square is beyond what numbers can hold; scale the features (--scale)", s.Number(i))
		case !(q*c[i] <= math.MaxFloat64):
			return fmt.Errorf("row %d: C times the square of its length is beyond what numbers can hold; use a smaller --c, or scale the features (--scale)", s.Number(i))
		}
		largest = max(largest, q)
		some = some || x.Len() > 0
	}
	if some && largest < 1e-290 {
		return errors.New("the features are so small that their squares vanish; scale them (--scale)")
	}
	return nil
}
