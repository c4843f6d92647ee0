package closed

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/vec"
)

// LeastSquares is the plane with the least sum of error squares
//
//	J(w) = Σ (y − w·x − w0)²    y = ±1    (XᵀX)·ŵ = Xᵀy
//
// With more than two classes there is one plane a class, +1 for its examples
// and −1 for all others, and the largest score decides.
//
// Source: document 001 (mean square error, sum of error squares, normal
// equations). XᵀX is never formed: R of a QR factorisation takes its place.
// With pivoting it tells the rank; when features depend on each other the answer
// is the one of least norm and a warning says so. It does not minimise errors:
// far points on the right side pull the plane too, and separable data may be
// missed.
//
// Cost: O(n·d²), O(d²) memory. It has one pass and no steps to trace.
type LeastSquares struct{}

// Name is the learner's name.
func (*LeastSquares) Name() string { return "least-squares" }

// Params is the table of parameters: none.
func (*LeastSquares) Params() []halfspace.Param { return nil }

// Direct says that it is a formula.
func (*LeastSquares) Direct() {}

// Fit solves.
func (l *LeastSquares) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	return regress(ctx, l.Name(), 0, run)
}

// regress is least squares with the penalty λ‖w‖².
func regress(ctx context.Context, name string, lambda float64, run *halfspace.Run) (*halfspace.Model, error) {
	if err := affordable(name, run); err != nil {
		return nil, err
	}
	m, err := gather(ctx, run, !run.NoBias)
	if err != nil {
		return nothing(run), err
	}
	s := m.system(lambda, !run.NoBias)
	w := s.solve(m)
	loss := objective(w, lambda, run)
	warnings := s.warnings(lambda)
	if lambda > 0 {
		warnings = append(warnings, m.wiped(loss, lambda, run)...)
	}
	watch(run, halfspace.Pass{W: w, Loss: loss, HasLoss: true})
	out := model(w, warnings, run)
	out.Report.Objective = &halfspace.Objective{Primal: loss}
	return out, nil
}

// objective is J at w, from the examples and not from the factor.
func objective(w *halfspace.Weights, lambda float64, run *halfspace.Run) (sum float64) {
	s := run.Set
	parts := make([]float64, block.Count(s.Len()))
	block.Each(s.Len(), run.Workers, func(b, lo, hi int) {
		for i := lo; i < hi; i++ {
			for k := range w.W {
				y := -1.0
				if k == s.Class(i) {
					y = 1
				}
				d := y - w.Score(k, s.Row(i))
				parts[b] += float64(s.Weight(i) * float64(d*d))
			}
		}
	})
	for _, p := range parts {
		sum += p
	}
	for _, v := range w.W {
		if lambda > 0 { // else ∞·0 is possible
			sum += float64(lambda * vec.SquaredNorm(vec.Row{Val: v}))
		}
	}
	return sum
}

// bare is J of the best bias alone, or of nothing: w = 0.
func (m *moments) bare(bias bool) (sum float64) {
	total := m.total()
	for k, own := range m.weight {
		switch {
		case m.classes == 2 && k == 1: // one target for both
		case bias:
			sum += 4 * own * ((total - own) / total)
		default:
			sum += total
		}
	}
	return sum
}

// wiped warns when the penalty leaves next to nothing of what the features
// explain.
func (m *moments) wiped(loss, lambda float64, run *halfspace.Run) []string {
	bare := m.bare(!run.NoBias)
	got := max(0, bare-loss)
	if got > 1e-3*bare {
		return nil
	}
	could := bare - objective(m.system(0, !run.NoBias).solve(m), 0, run)
	if !(could > 1e-9*bare) || got > 1e-3*could {
		return nil
	}
	return []string{fmt.Sprintf("lambda %g wipes out the weights: they explain %.1g of what the features could; use a smaller --lambda, or --scale", lambda, got/could)}
}

// system is the triangular form of [ 1 | X | Y ], made from the moments, whose
// columns give all of these.
type system struct {
	bias     int // 1, or 0 without the column of ones
	features int
	targets  int
	a        blas64.General
	exp      []int          // the columns of X were multiplied by 2^-exp
	unit     []int          // w_j = v_j·2^-unit for the solution v of the system
	rest     blas64.General // [ X | Y ] without what the bias explains, with the penalty
	factor   *pivoted       // of X in rest
}

func (m *moments) system(lambda float64, bias bool) *system {
	p, d := m.rows, m.features
	s := &system{features: d, targets: m.classes, exp: make([]int, d), unit: make([]int, d)}
	if bias {
		s.bias = 1
	}
	if m.classes == 2 {
		s.targets = 1
	}
	s.a = matrix(p, s.bias+d+s.targets)
	for i := range p {
		m.combine(s, s.a.Data[i*s.a.Stride:(i+1)*s.a.Stride], m.r.Data[i*m.r.Stride:(i+1)*m.r.Stride])
	}
	root := math.Sqrt(lambda)
	full := s.equilibrate(root, m)
	size := make([]float64, s.targets)
	for t := range size {
		size[t] = length(s.a, s.bias+d+t)
	}
	triangle(s.a)
	s.quieten(size)
	s.rest = part(s.a, s.bias, s.bias, p-s.bias, d+s.targets)
	if lambda > 0 {
		s.penalise(root)
	}
	s.factor = pivot(part(s.rest, 0, 0, min(d, s.rest.Rows), d), full)
	return s
}

// combine makes a row of the system from one of the moments.
func (m *moments) combine(s *system, to, from []float64) {
	for k, v := range from[:m.classes] {
		if s.bias == 1 {
			to[0] += v
		}
		y := to[s.bias+s.features:]
		if s.targets == 1 {
			y[0] += float64(1-2*k) * v // +1 for class 0, −1 for class 1
			continue
		}
		for t := range y {
			if t == k {
				y[t] += v
			} else {
				y[t] -= v
			}
		}
	}
	copy(to[s.bias:], from[m.classes:])
}

// equilibrate brings the columns of X, and the penalty that will stand with
// them, near 1 and returns their lengths, infinite for a column of zeros: the
// penalty must not make it count.
func (s *system) equilibrate(root float64, m *moments) (full []float64) {
	full = make([]float64, s.features)
	for j := range full {
		size := length(s.a, s.bias+j)
		e := exponent(size)
		if root > 0 {
			e = max(e, exponent(root)-m.columns.unit[j])
		}
		full[j] = math.Ldexp(size, -e)
		if size == 0 {
			full[j] = math.Inf(1)
		}
		for i := range s.a.Rows {
			at := i*s.a.Stride + s.bias + j
			s.a.Data[at] = math.Ldexp(s.a.Data[at], -e)
		}
		s.exp[j], s.unit[j] = e, e+m.columns.unit[j]
	}
	return full
}

// quieten makes zero what the bias, or the features, explain of Y if it is
// rounding only: else noise would decide where there is nothing to go by.
func (s *system) quieten(size []float64) {
	for t, full := range size {
		col := s.bias + s.features + t
		small := noise(s.a.Cols) * full
		if s.bias == 1 && math.Abs(s.a.Data[col]) <= small {
			s.a.Data[col] = 0
		}
		y := part(s.a, s.bias, col, min(s.features, s.a.Rows-s.bias), 1)
		if length(y, 0) > small {
			continue
		}
		for i := range y.Rows {
			y.Data[i*y.Stride] = 0
		}
	}
}

// penalise adds √λ·I to X in rest: above it, since what is large must come
// first for the small to keep its digits.
func (s *system) penalise(root float64) {
	d := s.features
	b := matrix(d+s.rest.Rows, s.rest.Cols)
	for j := range d {
		b.Data[j*b.Stride+j] = math.Ldexp(root, -s.unit[j])
	}
	for i := range s.rest.Rows {
		copy(b.Data[(d+i)*b.Stride:(d+i+1)*b.Stride], s.rest.Data[i*s.rest.Stride:])
	}
	triangle(b)
	s.rest = b
}

// solve gives the weights of every target.
func (s *system) solve(m *moments) *halfspace.Weights {
	w := halfspace.NewWeights(m.classes, m.features)
	for t := range s.targets {
		at := func(i int) float64 { return s.rest.Data[i*s.rest.Stride+s.features+t] }
		c := make([]float64, min(s.features, s.rest.Rows))
		for i := range c {
			c[i] = at(i)
		}
		v := s.factor.solve(c, s.unit)
		for j := range v {
			w.W[t][j] = math.Ldexp(v[j], -s.unit[j])
		}
		if s.bias == 1 {
			w.Bias[t] = s.intercept(v, s.a.Data[s.bias+s.features+t], m)
		}
	}
	return w
}

// intercept is the bias in the data's own units.
func (s *system) intercept(v []float64, c0 float64, m *moments) float64 {
	for j := range v {
		c0 -= float64(s.a.Data[s.bias+j] * v[j])
	}
	b := c0 / s.a.Data[0]
	for j := range v {
		b -= math.Ldexp(v[j], -s.exp[j]) * m.shift[j]
	}
	return b
}

// warnings say what the rank means.
func (s *system) warnings(lambda float64) []string {
	f := s.factor
	zero := s.features - len(f.keep)
	why := "zero"
	if s.bias == 1 {
		why = "constant"
	}
	switch {
	case lambda > 0 && !f.full():
		return []string{fmt.Sprintf("lambda is too small beside the features to be seen: rank %d of %d, and the weights are the shortest of many that fit equally well; use a larger --lambda, or --scale", f.rank, s.features)}
	case lambda > 0:
		return nil
	case f.full() && zero > 0:
		return []string{fmt.Sprintf("rank %d of %d: %s %s, so the weight there is 0; nothing is lost", f.rank, s.features, plural(zero, "feature"), isOrAre(zero)+" "+why)}
	case !f.full() && zero > 0:
		return []string{fmt.Sprintf("rank %d of %d: %s %s, and others depend on each other (or there are too few examples), so many weights fit equally well; these are the shortest; --learner ridge makes a choice that is steady", f.rank, s.features, plural(zero, "feature"), isOrAre(zero)+" "+why)}
	case !f.full():
		return []string{fmt.Sprintf("rank %d of %d: features depend on each other (or there are too few examples), so many weights fit equally well; these are the shortest; --learner ridge makes a choice that is steady", f.rank, s.features)}
	}
	return nil
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// part is a view of a corner of a.
func part(a blas64.General, row, col, rows, cols int) blas64.General {
	if rows == 0 || cols == 0 {
		return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols)}
	}
	return blas64.General{Rows: rows, Cols: cols, Stride: a.Stride, Data: a.Data[row*a.Stride+col:]}
}
