package solve

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/halfspace-ml/halfspace/learn/risk/penalty"
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
// (conjugate gradients in between). Cost: with few features, H once a loop and
// its size a sweep; with many, a pass over the values a sweep, and a copy of
// them by column, 12 bytes each. A trace shows every example and its pull, as
// for newton.
var Coordinate = Solver{
	Name: "coordinate",
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
		if ctx.Err() != nil || look(Progress{Point: c.answer(), Epoch: epoch, Updates: 1, Near: true}) || !moved {
			return
		}
	}
}

type coordinate struct {
	*Task
	rand  *rand.Rand
	x     []float64 // weights, then the bias if there is one
	m     []float64 // margins at x
	pull  []float64 // C·ℓ′ by example
	bow   []float64 // C·ℓ″ by example
	g     []float64 // slope of losses and L2 by weight
	value float64   // objective at x
	alpha []float64 // multipliers: the slopes that the model foresees at w

	worst float64 // how far the slopes are from those of the least value
	last  float64 // as the loop before had it
	best  float64 // least so far
	still int     // loops that did not make it less
	damp  float64 // curvature added to every loss: it holds margins whose own is still to come

	most []float64 // by column: Σ C·x², 0 if it is empty
	work []uint32  // the weights that may move
	some []uint32  // those of them that are not zero
	bend curvature
	h    []float64 // curvature of the model by weight
	w    []float64 // where the model has its least value, so far
	dir  []float64 // w − x
	dm   []float64 // change of the margins along dir

	patience int // most steps of conjugate gradients
	haste    int // as it is while signs still change
	cg       struct{ r, p, q, to, old []float64 }
}

func newCoordinate(t *Task, start Point) *coordinate {
	n, dim := t.Set.Len(), t.Set.Dim()
	c := &coordinate{Task: t, rand: rand.New(rand.NewPCG(t.Seed, 0x636f6f7264)), best: math.Inf(1)}
	d := dim
	if t.Bias != Without {
		d++
	}
	for _, v := range []*[]float64{&c.x, &c.g, &c.most, &c.h, &c.w, &c.dir, &c.cg.r, &c.cg.p, &c.cg.q, &c.cg.to, &c.cg.old} {
		*v = make([]float64, d)
	}
	for _, v := range []*[]float64{&c.m, &c.pull, &c.bow, &c.alpha, &c.dm} {
		*v = make([]float64, n)
	}
	if d <= FewFeatures {
		c.bend, c.haste = newGram(t, d), 1000
	} else {
		c.bend, c.haste = newBentColumns(t, d), 100
	}
	c.patience = c.haste
	for i := range n {
		for j, v := range t.Set.Row(i).All() {
			c.most[j] += float64(t.C[i] * float64(v*v))
		}
		if t.Bias != Without {
			c.most[dim] += t.C[i]
		}
	}
	copy(c.x[:dim], start.W)
	for j, most := range c.most[:dim] {
		if most == 0 {
			c.x[j] = 0
		}
	}
	if t.Bias != Without {
		c.x[dim] = start.Bias
	}
	c.at()
	return c
}

// firm is the share of the curvature a column could have that is always added:
// columns that make up each other have a direction without any, in which the L1
// penalty alone decides.
const firm = 1e-12

// slack is the least damping that is felt.
const slack = 1e-2

func (c *coordinate) point() Point { return c.split(c.x) }

// answer is the point with its multipliers.
func (c *coordinate) answer() Point {
	pt := c.point()
	pt.Alpha = c.alpha
	return pt
}

func (c *coordinate) split(x []float64) Point {
	n := c.Set.Dim()
	pt := Point{W: x[:n:n]}
	if c.Bias != Without {
		pt.Bias = x[n]
	}
	return pt
}

// l1 and l2 are the penalty of weight j.
func (c *coordinate) l1(j int) float64 {
	if c.Bias == Free && j == c.Set.Dim() {
		return 0
	}
	return c.Penalty.L1
}

func (c *coordinate) l2(j int) float64 {
	if c.Bias == Free && j == c.Set.Dim() {
		return 0
	}
	return c.Penalty.L2
}

// rest is the curvature of the model besides that of the losses.
func (c *coordinate) rest(j int) float64 { return c.l2(j) + float64(firm*c.most[j]) }

// watch shows every example and what it adds to the downhill direction.
func (c *coordinate) watch() { c.visits(c.point(), c.m, func(i int) float64 { return c.pull[i] }) }

// at works out margins, value, slopes and curvatures at x.
func (c *coordinate) at() {
	pt := c.point()
	c.Margins(c.m, pt.W, pt.Bias)
	c.value = c.Value(pt, c.m)
	for i, m := range c.m {
		c.pull[i], c.bow[i] = c.C[i]*c.Loss.Slope(m), c.C[i]*(c.Loss.Curve(m)+c.damp)
	}
	dim := c.Set.Dim()
	sum := c.Combine(c.g[:dim], func(i int) float64 { return c.Y[i] * c.pull[i] })
	if c.Bias != Without {
		c.g[dim] = sum
	}
	c.worst = 0
	for j, x := range c.x {
		c.g[j] += float64(c.l2(j) * x)
		c.worst = max(c.worst, math.Abs(penalty.Kink(c.g[j], x, c.l1(j))))
	}
}

// step moves x; false means that rounding allows no more.
func (c *coordinate) step(ctx context.Context) bool {
	for {
		c.model()
		c.descend(ctx)
		if ctx.Err() != nil {
			return false
		}
		moves := c.aim()
		if t := c.search(); moves && t > 0 {
			c.move(t)
			return c.gains()
		}
		if !moves || c.damp > 1e4 {
			return false
		}
		c.damp = max(slack, 10*c.damp)
		c.at()
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

// aim takes the step from x to w for the direction; false if there is none.
func (c *coordinate) aim() bool {
	moves := false
	for j, x := range c.x {
		c.dir[j] = c.w[j] - x
		moves = moves || c.dir[j] != 0
	}
	pt := c.split(c.dir)
	c.Margins(c.dm, pt.W, pt.Bias)
	for i, d := range c.dm {
		c.alpha[i] = -c.pull[i] - float64(c.bow[i]*d)
	}
	return moves
}

// search is how far to go from x to w: all the way if the objective still falls
// there or has only just begun to rise, else where it does. 0: nowhere.
func (c *coordinate) search() float64 {
	fall := 0.0
	for j, x := range c.x {
		d := c.dir[j]
		kink := math.Abs(d)
		if x != 0 {
			kink = math.Copysign(d, x*d)
		}
		fall += float64(c.g[j]*d) + float64(c.l1(j)*kink)
	}
	if math.Abs(fall) <= 1e-13*c.value { // below what values can tell: trust the model
		return 1
	}
	if !(fall < 0) {
		return 0
	}
	low, high, t := 0.0, 1.0, 1.0
	for range 60 {
		s := c.slopeAlong(t)
		switch {
		case s <= 0 && (s >= 0.1*fall || t == 1), s > 0 && s <= -0.1*fall && c.valueAlong(t) <= c.value*(1+1e-14):
			return t
		case s > 0:
			high = t
		default:
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
		v := c.along(j, t)
		kink := -math.Abs(d)
		if v != 0 {
			kink = math.Copysign(d, v*d)
		}
		s += float64(c.l2(j)*v*d) + float64(c.l1(j)*kink)
	}
	return s
}

// valueAlong is the objective at x + t·dir.
func (c *coordinate) valueAlong(t float64) float64 {
	v := c.Total(func(i int) float64 { return c.C[i] * c.Loss.Value(c.m[i]+float64(t*c.dm[i])) })
	for j := range c.x {
		w := c.along(j, t)
		v += float64(c.l1(j)*math.Abs(w)) + float64(c.l2(j)/2*w*w)
	}
	return v
}

// along is weight j of x + t·dir: of w exactly at the end.
func (c *coordinate) along(j int, t float64) float64 {
	if t == 1 {
		return c.w[j]
	}
	return c.x[j] + float64(t*c.dir[j])
}

// move goes to x + t·dir, and damps the more the less of the way was good.
func (c *coordinate) move(t float64) {
	for j := range c.x {
		c.x[j] = c.along(j, t)
	}
	if t == 1 {
		c.damp /= 4
	} else {
		c.damp = min(1, max(slack, 10*c.damp))
	}
	c.at()
}
