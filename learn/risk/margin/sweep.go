package margin

import (
	"context"
	"fmt"
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
// Source: Hsieh and others, A dual coordinate descent method for large-scale
// linear SVM, 2008 (with its shrinking); Hestenes 1969 (multipliers).
type sweep struct {
	*points
	bias   bool
	lambda []float64
	w      []float64
	nu     float64 // the multiplier
	sum    float64 // Σ λ·y
	unit   float64 // weight of sum², as large as the rows'
	order  []uint32
	limit  float64 // rows that are right by more than this above 1 may rest
	most   float64 // the largest slope of this round
}

func newSweep(p *points, bias bool) *sweep {
	s := &sweep{points: p, bias: bias, lambda: make([]float64, len(p.rows)), w: make([]float64, p.dim), limit: math.Inf(1)}
	for _, n := range p.norm {
		s.unit += float64(n*n) / float64(len(p.norm))
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

const (
	sweepRounds = 1000 // at most
	sweepCheck  = 20   // rounds between two looks at how far it is
	sweepGap    = 1e-4 // of the squared distance: near enough
	sweepRows   = 1500 // the largest active set that is made exact afterwards
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
		if err := v.watch(ctx, d, false); err != nil || done {
			return err
		}
		s.wake()
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
