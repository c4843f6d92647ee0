package closed

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// within is the inverse of the within-class scatter in two halves,
// S_w⁻¹ = back·white, or of what takes its place when S_w is singular. Both
// are in the units of the moments.
type within interface {
	white(v []float64) []float64 // makes the scatter a unit sphere
	back(u []float64) []float64
}

// scatter is a factor of S_w with what is known about it.
type scatter struct {
	r      blas64.General // S_w = rᵀr
	full   []float64      // lengths of the columns with the differences of the class means
	factor *pivoted
}

func (m *moments) scatter() *scatter {
	s := &scatter{r: part(m.r, m.classes, m.classes, max(0, m.rows-m.classes), m.features)}
	for j := range m.features {
		s.full = append(s.full, length(m.r, m.classes+j))
	}
	s.factor = pivot(s.r, s.full)
	return s
}

// constant reports whether feature j has one value only.
func (s *scatter) constant(j int) bool { return s.full[j] == 0 }

// singular reports whether S_w has no inverse. A feature that never changes
// makes no difference to anything and does not count.
func (s *scatter) singular() bool {
	varying := 0
	for j := range s.full {
		if !s.constant(j) {
			varying++
		}
	}
	return s.factor.rank < varying
}

// white solves Rᵀu = v.
func (f *pivoted) white(v []float64) []float64 {
	u := make([]float64, f.rank)
	for c := range u {
		k := f.pivot[c]
		u[c] = math.Ldexp(v[f.keep[k]], -f.exp[k])
	}
	f.triangularSolve(blas.Trans, u)
	return u
}

// back solves Rv = u.
func (f *pivoted) back(u []float64) []float64 {
	u = append([]float64(nil), u...)
	f.triangularSolve(blas.NoTrans, u)
	v := make([]float64, f.columns)
	for c, x := range u {
		k := f.pivot[c]
		v[f.keep[k]] = math.Ldexp(x, -f.exp[k])
	}
	return v
}

func (f *pivoted) triangularSolve(t blas.Transpose, u []float64) {
	if len(u) > 0 {
		lapack64.Trtrs(t, f.triangular(), blas64.General{Rows: len(u), Cols: 1, Stride: 1, Data: u})
	}
}

// pseudo is the pseudo-inverse of S_w in units in which every feature has the
// same spread within the classes, so that units of measurement do not matter.
type pseudo struct {
	columns int
	keep    []int
	spread  []float64
	values  []float64 // singular values of the factor
	v       mat.Dense
}

func (s *scatter) pseudo() *pseudo {
	p := &pseudo{columns: s.r.Cols, keep: s.factor.keep}
	if s.factor.rank == 0 {
		p.keep = nil
		return p
	}
	f := s.factor
	a := mat.NewDense(f.rank, len(p.keep), nil) // the rows below are noise
	for _, j := range p.keep {
		p.spread = append(p.spread, length(s.r, j))
	}
	for c, k := range f.pivot {
		for i := range min(f.rank, c+1) {
			a.Set(i, k, math.Ldexp(f.at(i, c), f.exp[k])/p.spread[k])
		}
	}
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		p.keep = nil // no direction; the caller refuses
		return p
	}
	svd.VTo(&p.v)
	p.values = svd.Values(nil)
	return p
}

func (p *pseudo) white(v []float64) []float64 {
	u := p.coordinates(v)
	for c := range u {
		u[c] /= p.values[c]
	}
	return u
}

// coordinates are those of v in the directions in which the classes vary.
func (p *pseudo) coordinates(v []float64) []float64 {
	u := make([]float64, len(p.values))
	for c := range u {
		for k, j := range p.keep {
			u[c] += float64(p.v.At(k, c) * (v[j] / p.spread[k]))
		}
	}
	return u
}

func (p *pseudo) back(u []float64) []float64 {
	v := make([]float64, p.columns)
	for k, j := range p.keep {
		for c, x := range u {
			v[j] += float64(p.v.At(k, c) * (x / p.values[c]))
		}
		v[j] /= p.spread[k]
	}
	return v
}

// misses reports whether v has a part in directions in which the classes do not
// vary, and whether that is all of it.
func (p *pseudo) misses(v, full []float64) (some, all bool) {
	kept := make([]bool, p.columns)
	size := 0.0
	for k, j := range p.keep {
		kept[j] = true
		size = math.Hypot(size, v[j]/p.spread[k])
	}
	for j, x := range v {
		if !kept[j] && x != 0 && math.Abs(x) > noise(p.columns)*full[j] {
			some = true
		}
	}
	inside := 0.0
	for _, x := range p.coordinates(v) {
		inside = math.Hypot(inside, x)
	}
	const visible = 1e-7 // the root of rounding: the parts are at right angles
	outside := math.Sqrt(max(0, (size-inside)*(size+inside)))
	some = some || outside > visible*size
	return some, some && inside <= visible*size
}

// shrunk is a factor of (1−γ)·S_w + γ·diag(S_t), where S_t is the scatter of
// all examples: it has an inverse as long as every feature varies at all.
func (s *scatter) shrunk(gamma float64) *pivoted {
	d, rows := s.r.Cols, s.r.Rows
	a := matrix(rows+d, d)
	for j := range d {
		for i := range rows {
			a.Data[i*d+j] = math.Sqrt(1-gamma) * s.r.Data[i*s.r.Stride+j]
		}
		a.Data[(rows+j)*d+j] = math.Sqrt(gamma) * s.full[j]
	}
	triangle(a)
	a.Rows = d
	return pivot(a, s.full)
}
