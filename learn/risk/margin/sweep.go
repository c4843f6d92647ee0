package margin

import (
	"context"
	"fmt"
	"github.com/halfspace-ml/halfspace/internal/block"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/halfspace-ml/halfspace/vec"
)

// sweep is a first phase for data with so many features that an active set may
// grow to thousands of rows: coordinate descent on the dual
//
//	min ½‖Σ λ·y·x‖² − Σ λ   λ ≥ 0, Σ λ·y = 0
//
// one row at a time. The second condition is kept by the method of multipliers,
// whose multiplier is the bias. Where no plane separates, λ grows without end.
//
// Once the rows are apart, leaps on all multipliers above zero speed it up.
//
// Source: Hsieh and others, A dual coordinate descent method for large-scale
// linear SVM, 2008 (with its shrinking); Hestenes 1969 (multipliers).
type sweep struct {
	*points
	bias   bool
	lambda []float64
	w      []float64
	nu     float64 // the multiplier
	sum    float64 // Σ λ·y
	unit   float64 // weight of sum²: small beside the rows, which it would bind together
	order  []uint32
	limit  float64 // rows that are right by more than this above 1 may rest
	most   float64 // the largest slope of this round
	leapt  []int   // the rows of the last leap
	steps  int     // of its conjugate gradients: more as the rows stay the same
}

func newSweep(p *points, bias bool) *sweep {
	s := &sweep{points: p, bias: bias, lambda: make([]float64, len(p.rows)), w: make([]float64, p.dim), limit: math.Inf(1)}
	for _, n := range p.norm {
		s.unit += float64(n*n) / float64(len(p.norm)) / 1000
	}
	s.wake()
	return s
}

// wake takes all rows up again.
func (s *sweep) wake() {
	s.order = s.order[:0]
	for i := range s.lambda {
		s.order = append(s.order, uint32(i))
	}
	s.limit = math.Inf(1)
}

// round visits the rows once, in an order drawn from r.
func (s *sweep) round(r *rand.Rand) {
	r.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
	s.most = 0
	kept := s.order[:0]
	for _, i := range s.order {
		if s.visit(int(i)) {
			kept = append(kept, i)
		}
	}
	s.order = kept
	s.limit = s.most
	if s.bias {
		s.nu += float64(s.unit * s.sum)
	}
}

// visit moves one multiplier to its best value; false: the row may rest.
func (s *sweep) visit(i int) bool {
	x, y := s.rows[i], s.y[i]
	z := vec.Dot(s.w, x)
	square := float64(s.norm[i] * s.norm[i])
	if s.bias {
		z += s.nu + float64(s.unit*s.sum)
		square += s.unit
	}
	slope := float64(y*z) - 1
	if s.lambda[i] == 0 && slope > 0 {
		return slope <= s.limit
	}
	s.most = max(s.most, math.Abs(slope))
	if square == 0 {
		return true
	}
	to := max(0, s.lambda[i]-slope/square)
	step := (to - s.lambda[i]) * y
	s.lambda[i] = to
	vec.Axpy(s.w, step, x)
	s.sum += step
	return true
}

// value is what the rounds minimise.
func (s *sweep) value() float64 {
	total := 0.0
	for _, l := range s.lambda {
		total += l
	}
	v := vec.SquaredNorm(vec.Row{Val: s.w})/2 - total
	if s.bias {
		v += float64(s.sum * (s.nu + float64(s.unit*s.sum)/2))
	}
	return v
}

// leap solves for all multipliers above zero at once, by conjugate gradients,
// and goes there as far as that is an improvement.
func (s *sweep) leap(workers int) {
	f := newFace(s, workers)
	s.steps = min(2*s.steps, leapMost)
	if !slices.Equal(f.rows, s.leapt) {
		s.steps = leapSteps
	}
	s.leapt = f.rows
	step := f.newton(s.steps)
	before, old := s.value(), slices.Clone(s.lambda)
	for a := 1.0; a > 0.1; a /= 2 {
		for k, i := range f.rows {
			s.lambda[i] = max(0, old[i]+float64(a*step[k]))
		}
		s.restore()
		if s.value() < before {
			return
		}
		copy(s.lambda, old)
		s.restore()
	}
}

// restore makes w and sum from the multipliers.
func (s *sweep) restore() {
	clear(s.w)
	s.sum = 0
	for i, l := range s.lambda {
		if l > 0 {
			vec.Axpy(s.w, l*s.y[i], s.rows[i])
			s.sum += l * s.y[i]
		}
	}
}

// face is the rows whose multipliers are above zero.
type face struct {
	*sweep
	rows    []int
	scale   []float64 // 1/√ of the diagonal
	v       []float64 // scratch
	workers int
}

func newFace(s *sweep, workers int) *face {
	f := &face{sweep: s, v: make([]float64, s.dim), workers: workers}
	for i, l := range s.lambda {
		if l > 0 {
			f.rows = append(f.rows, i)
			square := float64(s.norm[i] * s.norm[i])
			if s.bias {
				square += s.unit
			}
			f.scale = append(f.scale, 1/math.Sqrt(square))
		}
	}
	return f
}

// times is the matrix of second derivatives, scaled, times p.
func (f *face) times(out, p []float64) {
	clear(f.v)
	sum := 0.0
	for k, i := range f.rows {
		c := p[k] * f.scale[k] * f.y[i]
		vec.Axpy(f.v, c, f.sweep.rows[i])
		sum += c
	}
	f.slopes(out, f.v, sum*f.unit, 0)
}

// slopes is scale·(y·(w·x + b) − one) of every row.
func (f *face) slopes(out, w []float64, b, one float64) {
	if !f.bias {
		b = 0
	}
	block.Each(len(f.rows), f.workers, func(_, lo, hi int) {
		for k := lo; k < hi; k++ {
			i := f.rows[k]
			out[k] = f.scale[k] * (float64(f.y[i]*(vec.Dot(w, f.sweep.rows[i])+b)) - one)
		}
	})
}

// newton is the step to the least value that these rows can give. With a bias
// it moves the multiplier of the sum, too, to where that step makes the sum zero.
func (f *face) newton(steps int) []float64 {
	r := make([]float64, len(f.rows))
	f.slopes(r, f.w, f.nu+float64(f.unit*f.sum), 1)
	step := f.solve(r, steps)
	if !f.bias {
		return step
	}
	for k, i := range f.rows {
		r[k] = f.scale[k] * f.y[i]
	}
	turn := f.solve(r, steps)
	sum, slope := f.sum, 0.0
	for k, i := range f.rows {
		sum += f.y[i] * step[k]
		slope += f.y[i] * turn[k]
	}
	if slope < 0 {
		move := -sum / slope
		f.nu += move
		vec.Axpy(step, move, vec.Row{Val: turn})
	}
	return step
}

// solve is the step that takes the slopes g away, by conjugate gradients.
func (f *face) solve(g []float64, steps int) []float64 {
	n := len(f.rows)
	x, r, p, q := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	vec.Axpy(r, -1, vec.Row{Val: g})
	copy(p, r)
	rr := vec.SquaredNorm(vec.Row{Val: r})
	for first := rr; steps > 0 && rr > leapGain*first; steps-- {
		f.times(q, p)
		a := rr / vec.Dot(p, vec.Row{Val: q})
		vec.Axpy(x, a, vec.Row{Val: p})
		vec.Axpy(r, -a, vec.Row{Val: q})
		next := vec.SquaredNorm(vec.Row{Val: r})
		for k := range p {
			p[k] = r[k] + float64(next/rr*p[k])
		}
		rr = next
	}
	for k := range x {
		x[k] *= f.scale[k]
	}
	return x
}

const (
	leapSteps   = 100   // of conjugate gradients, at first
	leapMost    = 800   // and at most
	leapGain    = 1e-12 // of the squared residual: solved
	sweepRounds = 500   // at most
	sweepCheck  = 20    // rounds between two looks at how far it is
	sweepGap    = 1e-5  // of the squared distance: near enough
	sweepRows   = 1500  // the largest active set that is made exact afterwards
)

// approach sweeps until the margin is known to sweepGap or no more rounds are
// left, and leaves the weights and the point in v.
func (v *solver) approach(ctx context.Context) error {
	s := newSweep(v.points, v.groups == 2)
	r := rand.New(rand.NewPCG(1, 0x5eee9))
	for n := 1; n <= sweepRounds; n++ {
		s.round(r)
		if n%sweepCheck != 0 && n != sweepRounds && ctx.Err() == nil && s.most > 1e-9 {
			continue
		}
		v.adopt(s)
		d := vec.Norm(v.p)
		v.look(d)
		v.number++
		done := v.gap(d) <= sweepGap*d*d
		if err := v.watch(ctx, d, done && len(v.active.rows) > sweepRows); err != nil || done {
			return err
		}
		if v.number == v.opt.Iterations {
			v.stop(fmt.Sprintf("%d rounds were not enough", v.number))
			return nil
		}
		s.wake()
		if v.reach() > 0 {
			s.leap(v.opt.Workers)
		}
	}
	return nil
}

// adopt takes the multipliers over as weights, each group's sum being 1.
func (v *solver) adopt(s *sweep) {
	var sum [2]float64
	for i, l := range s.lambda {
		sum[v.group(i)] += l
	}
	v.active.rows, v.u = v.active.rows[:0], v.u[:0]
	clear(v.p)
	for i, l := range s.lambda {
		if l > 0 {
			u := l / sum[v.group(i)]
			v.active.rows = append(v.active.rows, i)
			v.u = append(v.u, u)
			vec.Axpy(v.p, u*v.y[i], v.points.rows[i])
		}
	}
}

// settle makes the active set from what the sweeps have left: their rows, if
// there are not too many, or where they could not separate, the usual start.
// False: the plane found is the answer.
func (v *solver) settle() bool {
	if v.stopped {
		return false
	}
	rows, u := slices.Clone(v.active.rows), slices.Clone(v.u)
	if v.reach() > 0 && len(rows) > sweepRows {
		v.end = fmt.Sprintf("%d rows carry the plane, more than the %d for which it can be made exact", len(rows), sweepRows)
		return false
	}
	v.active.rows, v.u = nil, nil
	if v.reach() <= 0 {
		v.start()
		return true
	}
	for k, i := range rows {
		if v.add(i) {
			v.u[len(v.u)-1] = u[k]
		}
	}
	sum := v.sums(v.u)
	for k, i := range v.active.rows {
		v.u[k] /= sum[v.group(i)]
	}
	v.descend()
	return true
}
