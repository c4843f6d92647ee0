package solve

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/halfspace-ml/halfspace/vec"
)

// Coordinate is proximal coordinate descent, for penalties that make weights
// zero:
//
//	minimise  L1·‖w‖₁ + ½·L2·‖w‖² + Σ Cᵢ·ℓ(mᵢ)
//
// Around the weights x the losses are taken for a parabola, with slopes g and
// curvatures H. One weight at a time is made the best it can be:
//
//	w ← soft(H·w − G, L1)/H    soft(v, t) = sign(v)·max(0, |v| − t)
//
// G and H being slope and curvature of the parabola there. Where weights hang
// together that is slow, so that between such sweeps conjugate gradients solve
// for all weights that are not zero at once, up to the first that changes its
// sign. Then the step from x to w is searched for the least objective. A free
// bias is a weight without a penalty.
//
// Source: Yuan, Ho and Lin 2012 (newGLMNET); Solntsev, Nocedal and Byrd 2015
// (conjugate gradients in between). Cost: a pass over the values a sweep, and a
// copy of them by column, 12 bytes each. A trace shows every example and its
// pull, as for newton.
var Coordinate = Solver{
	Name: "coordinate",
	Doc:  "one weight at a time, for penalties that make weights zero",
	Cannot: func(t *Task) string {
		switch {
		case !t.Loss.Smooth() && t.Penalty.L1 > 0:
			return "the " + t.Loss.Name() + " loss has a kink, and so has an L1 penalty: that is one too many; use --loss squared-hinge or --penalty l2"
		case !t.Loss.Smooth():
			return "the " + t.Loss.Name() + " loss has a kink, and it needs slopes that change gradually; use --loss squared-hinge, or --solver dual"
		case t.Penalty.L1 == 0 && t.Penalty.L2 == 0:
			return "without a penalty nothing holds weights that hang together; use --solver newton"
		}
		return ""
	},
	Solve: coordinateSolve,
}

func coordinateSolve(ctx context.Context, t *Task, start Point, look Look) {
	c := newCoordinate(t, start)
	for epoch := 1; ; epoch++ {
		c.watch()
		moved := c.step(ctx)
		if ctx.Err() != nil || look(Progress{Point: c.point(), Epoch: epoch, Updates: 1, Near: true}) || !moved {
			return
		}
	}
}

type coordinate struct {
	*Task
	cols *columns
	rand *rand.Rand
	x    []float64 // weights, then the bias if there is one
	m    []float64 // margins at x
	pull []float64 // C·ℓ′ by example
	bow  []float64 // C·ℓ″ by example
	g    []float64 // slope of losses and L2 by weight

	worst, first float64 // how far from the least value the slopes are; at the start
	best         float64 // least of worst so far
	still        int     // loops that did not make it less
	damp         float64 // curvature added, as a share of the most a column could have

	most []float64 // Σ C·x² by column
	work []uint32  // the weights that may move
	w    []float64 // where the model has its least value, so far
	h    []float64 // curvature of the model by weight
	u    []float64 // bow · change of the margin from x to w
	dir  []float64 // w − x
	dm   []float64 // change of the margins along dir
	cg   struct{ r, p, to, q, u []float64 }
}

func newCoordinate(t *Task, start Point) *coordinate {
	n := t.Set.Len()
	c := &coordinate{Task: t, cols: newColumns(t), rand: rand.New(rand.NewPCG(t.Seed, 0x636f6f7264)), best: math.Inf(1), damp: leastDamp}
	d := c.cols.len()
	for _, v := range []*[]float64{&c.x, &c.g, &c.most, &c.w, &c.h, &c.dir, &c.cg.r, &c.cg.p, &c.cg.to} {
		*v = make([]float64, d)
	}
	for _, v := range []*[]float64{&c.m, &c.pull, &c.bow, &c.u, &c.dm, &c.cg.q, &c.cg.u} {
		*v = make([]float64, n)
	}
	c.cols.each(t.Workers, func(j int) { c.most[j] = c.cols.bent(j, t.C) })
	copy(c.x[:t.Set.Dim()], start.W)
	for j := range c.x {
		if c.most[j] == 0 { // an empty column says nothing
			c.x[j] = 0
		}
	}
	if t.Bias != Without {
		c.x[d-1] = start.Bias
	}
	c.at()
	c.first = c.worst
	return c
}

// leastDamp is the share of curvature that is always added: it makes one answer
// of many.
const leastDamp = 1e-12

func (c *coordinate) point() Point {
	n := c.Set.Dim()
	pt := Point{W: c.x[:n:n]}
	if c.Bias != Without {
		pt.Bias = c.x[n]
	}
	return pt
}

func (c *coordinate) penalised(j int) bool { return c.Bias != Free || j < c.Set.Dim() }

// l1 and l2 are the penalty of weight j.
func (c *coordinate) l1(j int) float64 {
	if c.penalised(j) {
		return c.Penalty.L1
	}
	return 0
}

func (c *coordinate) l2(j int) float64 {
	if c.penalised(j) {
		return c.Penalty.L2
	}
	return 0
}

// watch shows every example and what it adds to the downhill direction.
func (c *coordinate) watch() {
	if c.Visit == nil {
		return
	}
	pt := c.point()
	for i, m := range c.m {
		c.Visit(Visit{Index: i, Z: c.Y[i] * m, Tau: -c.Y[i] * c.pull[i], W: pt.W, Bias: pt.Bias, Later: true})
	}
}

// at works out margins, slopes and curvatures at x.
func (c *coordinate) at() {
	pt := c.point()
	c.Margins(c.m, pt.W, pt.Bias)
	for i, m := range c.m {
		c.pull[i], c.bow[i] = c.C[i]*c.Loss.Slope(m), c.C[i]*c.Loss.Curve(m)
	}
	c.cols.each(c.Workers, func(j int) {
		c.g[j] = vec.Dot(c.pull, c.cols.at(j)) + float64(c.l2(j)*c.x[j])
	})
	c.worst = 0
	for j, x := range c.x {
		c.worst = max(c.worst, math.Abs(steepest(c.g[j], x, c.l1(j))))
	}
}

// steepest is the least slope, in size, that g and the kink of l1·|w| leave.
func steepest(g, w, l1 float64) float64 {
	if w != 0 {
		return g + float64(sign(w)*l1)
	}
	return math.Copysign(max(0, math.Abs(g)-l1), g)
}

// step moves x; false means that rounding allows no more.
func (c *coordinate) step(ctx context.Context) bool {
	for {
		c.model()
		c.descend(ctx)
		if ctx.Err() != nil {
			return false
		}
		t := c.search()
		if t > 0 {
			c.move(t)
			return c.gains()
		}
		if c.damp *= 1e4; !c.moves() || c.damp > 1e4 {
			return false
		}
	}
}

// gains reports whether the slopes still get nearer to where they should be.
func (c *coordinate) gains() bool {
	c.still++
	if c.worst < 0.7*c.best {
		c.best, c.still = c.worst, 0
	}
	return c.worst > 0 && c.still < 50
}

func (c *coordinate) moves() bool {
	for _, v := range c.dir {
		if v != 0 {
			return true
		}
	}
	return false
}

// model prepares the parabola at x, for the weights that may move: those that
// are not zero, and those that would not stay so.
func (c *coordinate) model() {
	c.work = c.work[:0]
	for j, x := range c.x {
		if c.most[j] > 0 && (x != 0 || math.Abs(c.g[j]) > 0.9*c.l1(j)) {
			c.work = append(c.work, uint32(j))
		}
	}
	copy(c.w, c.x)
	clear(c.u)
	for _, j := range c.work {
		c.h[j] = c.cols.bent(int(j), c.bow) + c.l2(int(j)) + c.extra(int(j))
	}
}

func (c *coordinate) extra(j int) float64 { return c.damp * c.most[j] }

// slopeAt is the slope of the model, but for the L1 penalty, in weight j.
func (c *coordinate) slopeAt(j int) float64 {
	return c.g[j] + vec.Dot(c.u, c.cols.at(j)) + float64((c.l2(j)+c.extra(j))*(c.w[j]-c.x[j]))
}

// descend goes to the least value of the model, the nearer to the end the more
// exactly.
func (c *coordinate) descend(ctx context.Context) {
	enough := c.worst * max(1e-3, min(0.1, c.worst/c.first))
	var support []uint32
	for range 1000 {
		if c.sweep(c.work) <= enough || ctx.Err() != nil {
			return
		}
		support = support[:0]
		for _, j := range c.work {
			if c.w[j] != 0 || c.l1(int(j)) == 0 {
				support = append(support, j)
			}
		}
		left := 0.0
		for range 5 {
			if left = c.sweep(support); left <= enough {
				break
			}
		}
		if left > enough {
			c.conjugate(ctx, support, enough)
		}
	}
}

// sweep makes each of the weights the best it can be and returns how far the
// worst was from it.
func (c *coordinate) sweep(some []uint32) float64 {
	c.rand.Shuffle(len(some), func(a, b int) { some[a], some[b] = some[b], some[a] })
	worst := 0.0
	for _, j := range some {
		worst = max(worst, c.visit(int(j)))
	}
	return worst
}

func (c *coordinate) visit(j int) float64 {
	slope, w, h, l1 := c.slopeAt(j), c.w[j], c.h[j], c.l1(j)
	if v := float64(h*w) - slope; v > l1 {
		c.w[j] = (v - l1) / h
	} else if v < -l1 {
		c.w[j] = (v + l1) / h
	} else {
		c.w[j] = 0
	}
	if d := c.w[j] - w; d != 0 {
		c.cols.addBent(c.u, d, j, c.bow)
	}
	return math.Abs(steepest(slope, w, l1))
}

// conjugate goes on from w in all weights of the support at once, with their
// signs as they are, and stops at the first that would change.
func (c *coordinate) conjugate(ctx context.Context, support []uint32, enough float64) {
	r, p, to := c.cg.r, c.cg.p, c.cg.to
	clear(c.cg.u)
	rz := 0.0
	for _, j := range support {
		r[j] = -steepest(c.slopeAt(int(j)), c.w[j], c.l1(int(j)))
		p[j], to[j] = r[j]/c.h[j], 0
		rz += float64(r[j] * p[j])
	}
	for range min(100, 2*len(support)) {
		if ctx.Err() != nil {
			return
		}
		clear(c.cg.q)
		for _, j := range support {
			vec.Axpy(c.cg.q, p[j], c.cols.at(int(j)))
		}
		php := 0.0
		for i, v := range c.cg.q {
			php += float64(c.bow[i] * v * v)
			c.cg.q[i] = c.bow[i] * v
		}
		for _, j := range support {
			php += float64((c.l2(int(j)) + c.extra(int(j))) * p[j] * p[j])
		}
		if !(php > 0) {
			break
		}
		step := rz / php
		vec.Axpy(c.cg.u, step, vec.Row{Val: c.cg.q})
		next, worst := 0.0, 0.0
		for _, j := range support {
			to[j] += float64(step * p[j])
			r[j] -= float64(step * (vec.Dot(c.cg.q, c.cols.at(int(j))) + float64((c.l2(int(j))+c.extra(int(j)))*p[j])))
			next += float64(r[j] * r[j] / c.h[j])
			worst = max(worst, math.Abs(r[j]))
		}
		if worst <= enough/2 {
			break
		}
		beta := next / rz
		rz = next
		for _, j := range support {
			p[j] = r[j]/c.h[j] + float64(beta*p[j])
		}
	}
	c.along(support, to)
}

// along moves the model's w by d as far as the signs allow.
func (c *coordinate) along(support []uint32, d []float64) {
	most := 1.0
	for _, j := range support {
		if c.l1(int(j)) > 0 && c.w[j]*(c.w[j]+d[j]) < 0 {
			most = min(most, -c.w[j]/d[j])
		}
	}
	for _, j := range support {
		from := c.w[j]
		c.w[j] += float64(most * d[j])
		if c.l1(int(j)) > 0 && from*c.w[j] < 0 {
			c.w[j] = 0
		}
	}
	vec.Axpy(c.u, most, vec.Row{Val: c.cg.u})
}

// search is how far to go from x to w: all the way if the objective still falls
// there or has only just begun to rise, else where it does. 0: nowhere.
func (c *coordinate) search() float64 {
	fall, size := 0.0, 0.0
	for j, x := range c.x {
		d := c.w[j] - x
		c.dir[j] = d
		kink := math.Abs(d)
		if x != 0 {
			kink = sign(x) * d
		}
		fall += float64(c.g[j]*d) + float64(c.l1(j)*kink)
		size += math.Abs(float64(c.g[j] * d))
	}
	if !c.moves() {
		return 0
	}
	dim := c.Set.Dim()
	bias := 0.0
	if c.Bias != Without {
		bias = c.dir[dim]
	}
	c.Margins(c.dm, c.dir[:dim], bias)
	value := c.Value(c.point(), c.m)
	if math.Abs(fall) <= 1e-13*value { // below what values can tell: trust the model
		return 1
	}
	if !(fall < 0) {
		return 0
	}
	low, high := 0.0, 1.0
	t := 1.0
	for range 60 {
		s := c.slopeAlong(t)
		if math.Abs(s) <= -0.1*fall || t == 1 && s <= 0 {
			return t
		}
		if s > 0 {
			high = t
		} else {
			low = t
		}
		t = low + (high-low)/2
	}
	return low
}

// slopeAlong is the slope of the objective at x + t·dir, from the left.
func (c *coordinate) slopeAlong(t float64) float64 {
	s := c.Total(func(i int) float64 {
		return c.C[i] * c.Loss.Slope(c.m[i]+float64(t*c.dm[i])) * c.dm[i]
	})
	for j, d := range c.dir {
		if d == 0 {
			continue
		}
		v := c.x[j] + float64(t*d)
		if t == 1 {
			v = c.w[j]
		}
		kink := -math.Abs(d)
		if v != 0 {
			kink = sign(v) * d
		}
		s += float64(c.l2(j)*v*d) + float64(c.l1(j)*kink)
	}
	return s
}

// move goes to x + t·dir, and damps the more the less of the way was good.
func (c *coordinate) move(t float64) {
	if t == 1 {
		copy(c.x, c.w)
		c.damp = max(leastDamp, c.damp/10)
	} else {
		for j, d := range c.dir {
			c.x[j] += float64(t * d)
		}
		if t < 0.1 {
			c.damp *= 10
		}
	}
	c.at()
}
