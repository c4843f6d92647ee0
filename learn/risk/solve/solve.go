// Package solve has the solvers of regularised risk:
//
//	minimise  R(w) + Σ Cᵢ·ℓ(yᵢ·(w·xᵢ + b))
//
// A solver only proposes points. Whether one is good enough is decided by who
// called it, from a certificate that the solver has no part in.
package solve

import (
	"context"
	"fmt"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/learn/risk/loss"
	"github.com/halfspace-ml/halfspace/learn/risk/penalty"
	"github.com/halfspace-ml/halfspace/vec"
)

// Bias says what becomes of b.
type Bias int

// The penalty leaves a free bias alone and counts a penalised one as the weight
// of a feature that is always 1.
const (
	Without Bias = iota
	Free
	Penalised
)

// Task is what is to be minimised, and the circumstances.
type Task struct {
	Set     *data.Set
	Y       []float64 // by example: ±1
	C       []float64 // by example: what its loss counts
	Loss    loss.Loss
	Penalty penalty.Penalty
	Bias    Bias
	Tol     float64 // the relative gap asked for: a hint when to look
	Seed    uint64
	Workers int
	Visit   func(Visit) // nil: nobody watches
}

// Visit is one example met by a solver. W is borrowed, as it was before.
type Visit struct {
	Index int
	Z     float64 // its score
	Tau   float64 // the step along x: the weights become w + τ·x
	Pull  float64 // the bias becomes b + τ·pull
	W     []float64
	Bias  float64
	Later bool // the step is taken with those of all others
}

// Point is a solution so far. Alpha, the dual variables, may be nil.
type Point struct {
	W     []float64
	Bias  float64
	Alpha []float64
}

// Progress is what a solver shows after each loop; Point is borrowed.
type Progress struct {
	Point
	Epoch   int // loops done
	Updates int // in this loop
	Near    bool
	Left    float64 // dual: the relative gap as it was met on the way
}

// Look sees the progress after each loop and says whether to stop. Near means
// that the point may be within Tol and is worth judging.
type Look func(Progress) (stop bool)

// Solver minimises.
type Solver struct {
	Name string
	// Cannot says in words why it cannot do the task; empty: it can.
	Cannot func(t *Task) string
	// Cold tells that it begins at multipliers and makes no use of weights.
	Cold bool
	// Solve goes on from start, which it takes over, until look says stop, or it
	// can get no further, or ctx ends.
	Solve func(ctx context.Context, t *Task, start Point, look Look)
}

// All is the list of solvers.
var All = []Solver{Dual, Multipliers, Newton, LBFGS, Coordinate}

// Named is the solver of that name.
func Named(name string) (Solver, error) {
	for _, s := range All {
		if s.Name == name {
			return s, nil
		}
	}
	return Solver{}, fmt.Errorf("no solver %q", name)
}

// Margins fills m with yᵢ·(w·xᵢ + b).
func (t *Task) Margins(m, w []float64, b float64) {
	block.Each(t.Set.Len(), t.Workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			m[i] = t.Y[i] * (vec.Dot(w, t.Set.Row(i)) + b)
		}
	})
}

// Total is Σ of f over the examples, added by blocks.
func (t *Task) Total(f func(i int) float64) float64 {
	parts := make([]float64, block.Count(t.Set.Len()))
	block.Each(t.Set.Len(), t.Workers, func(b, lo, hi int) {
		s := 0.0
		for i := lo; i < hi; i++ {
			s += f(i)
		}
		parts[b] = s
	})
	total := 0.0
	for _, p := range parts {
		total += p
	}
	return total
}

// Combine makes v = Σ f(i)·xᵢ and returns Σ f(i), which belongs to the bias.
func (t *Task) Combine(v []float64, f func(i int) float64) (sum float64) {
	parts := make([][]float64, lanes(len(v)))
	sums := make([]float64, len(parts))
	n := block.Lanes(t.Set.Len(), len(parts), t.Workers, func(lane, lo, hi int) {
		parts[lane] = make([]float64, len(v))
		for i := lo; i < hi; i++ {
			if c := f(i); c != 0 {
				vec.Axpy(parts[lane], c, t.Set.Row(i))
				sums[lane] += c
			}
		}
	})
	clear(v)
	for lane := range n {
		for j, u := range parts[lane] {
			v[j] += u
		}
		sum += sums[lane]
	}
	return sum
}

// lanes is how many sums of that size fit into memory with ease.
func lanes(size int) int { return max(1, min(8, 1<<25/max(1, size))) }

// Value is the objective where the margins are m.
func (t *Task) Value(pt Point, m []float64) float64 {
	v := t.Penalty.Value(pt.W)
	if t.Bias == Penalised {
		v += t.Penalty.Value([]float64{pt.Bias})
	}
	return v + t.Total(func(i int) float64 { return t.C[i] * t.Loss.Value(m[i]) })
}

// visits shows every example at a point with margins m, and what it adds to the
// downhill direction by the slope of its cost.
func (t *Task) visits(pt Point, m []float64, slope func(i int) float64) {
	if t.Visit == nil {
		return
	}
	pull := 0.0
	if t.Bias != Without {
		pull = 1
	}
	for i, v := range m {
		t.Visit(Visit{Index: i, Z: t.Y[i] * v, Tau: -t.Y[i] * slope(i), Pull: pull, W: pt.W, Bias: pt.Bias, Later: true})
	}
}
