package solve

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/internal/line"
	"github.com/halfspace-ml/halfspace/vec"
)

// Newton goes along −H⁻¹g to the least value on that line, for smooth losses.
// The direction comes from a Cholesky factor while the features are few, and
// from conjugate gradients, scaled by the diagonal of H, when they are many.
// The margins of the direction are kept, so that the search along it needs no
// look at the rows.
//
// Source: Keerthi and DeCoste 2005; Galli and Lin 2021 (line search in place of
// a trust region). Where ℓ″ jumps, H is a generalised Hessian.
var Newton = Solver{
	Name:   "newton",
	Cannot: smoothOnly,
	Solve:  newtonSolve,
}

func smoothOnly(t *Task) string {
	switch {
	case !t.Loss.Smooth():
		return "the " + t.Loss.Name() + " loss has a kink, and it needs slopes that change gradually; use --solver multipliers or --solver dual"
	case t.Penalty.L1 > 0:
		return "an L1 penalty has a kink at zero, and it needs slopes that change gradually; use --solver coordinate"
	}
	return ""
}

func newtonSolve(ctx context.Context, t *Task, start Point, look Look) {
	s := newSmooth(t, plain{t}, start)
	for epoch := 1; ; epoch++ {
		s.watch()
		moved := s.newtonStep(ctx)
		if ctx.Err() != nil || look(Progress{Point: s.point(), Epoch: epoch, Updates: once(moved), Near: true}) || !moved {
			return
		}
	}
}

func once(moved bool) int {
	if moved {
		return 1
	}
	return 0
}

// cost is what the margin of an example costs, with its first and second
// derivative.
type cost interface {
	of(i int, m float64) float64
	slope(i int, m float64) float64
	curve(i int, m float64) float64
}

// plain is the task's own loss.
type plain struct{ *Task }

func (p plain) of(i int, m float64) float64    { return p.C[i] * p.Loss.Value(m) }
func (p plain) slope(i int, m float64) float64 { return p.C[i] * p.Loss.Slope(m) }
func (p plain) curve(i int, m float64) float64 { return p.C[i] * p.Loss.Curve(m) }

// smooth is ½·L2·‖w‖² plus the costs, at a point.
type smooth struct {
	*Task
	cost
	x     []float64 // weights, then the bias if there is one
	m     []float64 // margins at x
	g     []float64
	value float64
	first float64 // ‖g‖ at the start
	least float64 // curvature that a free bias is taken to have at least
	extra float64 // added to reach it
	fine  bool    // go on below what values can tell, while slopes can

	bent []uint32  // examples with curvature, which is all that H sees
	bow  []float64 // their curvatures
	dir  []float64
	dm   []float64 // change of the margins along dir
}

func newSmooth(t *Task, c cost, start Point) *smooth {
	d, n := t.Set.Dim(), t.Set.Len()
	if t.Bias != Without {
		d++
	}
	s := &smooth{Task: t, cost: c, x: make([]float64, d), m: make([]float64, n), g: make([]float64, d), dir: make([]float64, d), dm: make([]float64, n)}
	copy(s.x[:t.Set.Dim()], start.W)
	if t.Bias != Without {
		s.x[d-1] = start.Bias
	}
	s.at()
	s.first = vec.Norm(s.g)
	return s
}

// point is x as weights and bias.
func (s *smooth) point() Point { return s.split(s.x) }

func (s *smooth) split(x []float64) Point {
	n := s.Set.Dim()
	pt := Point{W: x[:n:n]}
	if s.Bias != Without {
		pt.Bias = x[n]
	}
	return pt
}

// at works out margins, value and gradient at x.
func (s *smooth) at() {
	pt := s.point()
	s.Margins(s.m, pt.W, pt.Bias)
	s.slopes()
}

// slopes is value and gradient where the margins are s.m.
func (s *smooth) slopes() {
	n := s.Set.Dim()
	sum := s.Combine(s.g[:n], func(i int) float64 { return s.Y[i] * s.slope(i, s.m[i]) })
	if s.Bias != Without {
		s.g[n] = sum
	}
	s.value = s.Total(func(i int) float64 { return s.of(i, s.m[i]) })
	for j, v := range s.x {
		l := s.weightOf(j)
		s.g[j] += float64(l * v)
		s.value += float64(l / 2 * v * v)
	}
}

// weightOf is the penalty's curvature in coordinate j.
func (s *smooth) weightOf(j int) float64 {
	if j == s.Set.Dim() && s.Bias == Free {
		return 0
	}
	return s.Penalty.L2
}

// bowOf is what H has in coordinate j besides the examples' part.
func (s *smooth) bowOf(j int) float64 {
	if j == s.Set.Dim() && s.Bias == Free {
		return s.extra
	}
	return s.Penalty.L2
}

// watch shows every example and what it adds to the downhill direction.
func (s *smooth) watch() {
	s.visits(s.point(), s.m, func(i int) float64 { return s.slope(i, s.m[i]) })
}

// newtonStep moves x; false means that rounding allows no further descent.
func (s *smooth) newtonStep(ctx context.Context) bool {
	s.bend()
	if !s.cholesky() {
		s.conjugate(ctx)
	}
	if ctx.Err() != nil {
		return false
	}
	pt := s.split(s.dir)
	s.Margins(s.dm, pt.W, pt.Bias)
	step := s.search()
	if step == 0 {
		return false
	}
	for j, v := range s.dir {
		s.x[j] += float64(step * v)
	}
	s.at() // margins anew: a sum of many steps would drift
	return true
}

// bend finds the examples that have curvature.
func (s *smooth) bend() {
	s.bent, s.bow = s.bent[:0], s.bow[:0]
	total := 0.0
	for i, m := range s.m {
		if c := s.curve(i, m); c > 0 {
			s.bent, s.bow = append(s.bent, uint32(i)), append(s.bow, c)
			total += c
		}
	}
	s.extra = max(0, s.least-total)
}

// search is the step along dir to about the least value; 0 if it falls nowhere.
func (s *smooth) search() float64 {
	var xd, dd float64 // the penalty along dir is a parabola
	for j, v := range s.dir {
		xd += float64(s.weightOf(j) * s.x[j] * v)
		dd += float64(s.weightOf(j) * v * v)
	}
	slope := func(t float64) float64 {
		return xd + float64(t*dd) + s.Total(func(i int) float64 { return float64(s.slope(i, s.m[i]+float64(t*s.dm[i])) * s.dm[i]) })
	}
	least := 1e-16 * math.Abs(s.value)
	if s.fine {
		least = 1e-15 * (math.Abs(xd) + s.Total(func(i int) float64 { return math.Abs(s.slope(i, s.m[i]) * s.dm[i]) }))
	}
	return line.Search(slope, least)
}

// FewFeatures is how many a Hessian may have to be written down.
const FewFeatures = 1024

// cholesky solves H·dir = −g by a factor; false if there are too many features
// or H is not positive definite. H is scaled to a diagonal of ones, so that
// features of very different size do no harm.
func (s *smooth) cholesky() bool {
	d := len(s.x)
	if d > FewFeatures {
		return false
	}
	h := s.hessian()
	scale := make([]float64, d)
	for j := range scale {
		if scale[j] = 1; h[j*d+j] > 0 {
			scale[j] = 1 / math.Sqrt(h[j*d+j])
		}
	}
	g := make([]float64, d)
	for j, v := range s.g {
		g[j] = -v * scale[j]
		for k := j; k < d; k++ {
			h[j*d+k] *= scale[j] * scale[k]
		}
	}
	var f mat.Cholesky
	if !f.Factorize(mat.NewSymDense(d, h)) || f.Cond() > 1e15 {
		return false
	}
	if f.SolveVecTo(mat.NewVecDense(d, s.dir), mat.NewVecDense(d, g)) != nil {
		return false
	}
	for j := range s.dir {
		s.dir[j] *= scale[j]
	}
	return vec.Finite(s.dir)
}

// lanesOf adds up size numbers over the bent examples.
func (s *smooth) lanesOf(size int, add func(sum []float64, x vec.Row, k int)) []float64 {
	parts := make([][]float64, lanes(size))
	count := block.Lanes(len(s.bent), len(parts), s.Workers, func(lane, lo, hi int) {
		parts[lane] = make([]float64, size)
		for k := lo; k < hi; k++ {
			add(parts[lane], s.Set.Row(int(s.bent[k])), k)
		}
	})
	for _, p := range parts[1:count] {
		for j, v := range p {
			parts[0][j] += v
		}
	}
	return parts[0]
}

// hessian is Σ curve·x̃·x̃ᵀ plus the penalty's; its upper half is filled in.
func (s *smooth) hessian() []float64 {
	d, n := len(s.x), s.Set.Dim()
	h := s.lanesOf(d*d, func(h []float64, x vec.Row, k int) {
		vec.AddOuter(h, d, s.bow[k], x)
		if s.Bias == Without {
			return
		}
		for a := range x.Len() {
			j, u := x.At(a)
			h[j*d+n] += float64(s.bow[k] * u)
		}
		h[n*d+n] += s.bow[k]
	})
	for j := range d {
		h[j*d+j] += s.bowOf(j)
	}
	return h
}

// conjugate solves H·dir = −g by conjugate gradients, the nearer to the end the
// more exactly.
func (s *smooth) conjugate(ctx context.Context) {
	d := len(s.x)
	scale := s.diagonal()
	r, p, hp := make([]float64, d), make([]float64, d), make([]float64, d)
	clear(s.dir)
	rz := 0.0
	for j, g := range s.g {
		r[j] = -g
		p[j] = -g * scale[j]
		rz += float64(r[j] * p[j])
	}
	share := min(0.1, math.Sqrt(vec.Norm(s.g)/s.first))
	enough := rz * share * share
	for range 2 * d {
		if rz <= enough || ctx.Err() != nil {
			return
		}
		s.product(hp, p)
		php, size := dot(p, hp), 0.0
		for j, v := range p {
			size += float64(v * v / scale[j])
		}
		if !(php > 1e-20*size) { // flat: no curvature to go by
			if dot(s.dir, s.dir) == 0 {
				copy(s.dir, p)
			}
			return
		}
		step := rz / php
		next := 0.0
		for j := range s.dir {
			s.dir[j] += float64(step * p[j])
			r[j] -= float64(step * hp[j])
			next += float64(r[j] * r[j] * scale[j])
		}
		beta := next / rz
		rz = next
		for j := range p {
			p[j] = float64(r[j]*scale[j]) + float64(beta*p[j])
		}
	}
}

// product is H·p.
func (s *smooth) product(hp, p []float64) {
	pt := s.split(p)
	n := s.Set.Dim()
	sum := s.lanesOf(len(p), func(sum []float64, x vec.Row, k int) {
		c := s.bow[k] * (vec.Dot(pt.W, x) + pt.Bias)
		vec.Axpy(sum[:n], c, x)
		if s.Bias != Without {
			sum[n] += c
		}
	})
	for j := range hp {
		hp[j] = sum[j] + float64(s.bowOf(j)*p[j])
	}
}

// diagonal is 1 over that of H.
func (s *smooth) diagonal() []float64 {
	n := s.Set.Dim()
	sum := s.lanesOf(len(s.x), func(h []float64, x vec.Row, k int) {
		c := s.bow[k]
		for a := range x.Len() {
			j, v := x.At(a)
			h[j] += float64(c * v * v)
		}
		if s.Bias != Without {
			h[n] += c
		}
	})
	for j := range sum {
		if sum[j] += s.bowOf(j); sum[j] > 0 {
			sum[j] = 1 / sum[j]
		} else {
			sum[j] = 1
		}
	}
	return sum
}

func dot(a, b []float64) float64 { return vec.Dot(a, vec.Row{Val: b}) }
