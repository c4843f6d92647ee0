package solve

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/halfspace-ml/halfspace/learn/risk/loss"
	"github.com/halfspace-ml/halfspace/vec"
)

// Dual is dual coordinate descent: one example's multiplier α at a time is made
// the best it can be, and w = Σ α·y·x kept in step.
//
//	minimise  ½‖w‖² + Σ Cᵢ·ℓ*(−αᵢ/Cᵢ)
//
// Source: Hsieh and others 2008 (hinge, squared hinge, shrinking); Yu, Huang
// and Lin 2011 (logistic). Here every visit adds to an estimate of the duality gap, so that
// the end is seen without a pass of its own. A free bias is the multiplier of
// the constraint Σ α·y = 0 and is found as such, by the method of multipliers.
var Dual = Solver{
	Name:   "dual",
	Cannot: dualCannot,
	Cold:   true,
	Solve:  dualSolve,
}

func dualCannot(t *Task) string {
	switch {
	case t.Penalty.L1 > 0:
		return "the dual of an L1 penalty does not split by examples; use --solver coordinate"
	case t.Penalty.L2 == 0 && t.Loss.Smooth():
		return "without a penalty there is no dual to go by; use --solver newton"
	case t.Penalty.L2 == 0:
		return "without a penalty there is no dual to go by; use --penalty l2"
	}
	return ""
}

type dual struct {
	*Task
	w, alpha []float64
	b        float64

	l2        float64   // w = Σ α·y·x / l2
	norm      []float64 // ‖x‖²/l2 + what the bias adds
	low, high float64   // of α/C
	lift      float64
	bend      float64
	quadratic bool

	pull   float64 // of the bias: how far a unit of Σ α·y moves it
	centre float64 // a free bias as it was before this loop

	active []uint32
	bound  struct{ low, high float64 } // steepest slopes of the loop before: beyond them a bounded α sleeps
}

func dualSolve(ctx context.Context, t *Task, start Point, look Look) {
	d := newDual(t, start)
	r := rand.New(rand.NewPCG(t.Seed, 0x6475616c))
	for epoch := 1; ; epoch++ {
		updates, gap := d.loop(ctx, r)
		if ctx.Err() != nil {
			return
		}
		asleep := len(d.active) < t.Set.Len()
		left := gap / math.Abs(d.dualValue()+gap)
		near := left <= t.Tol
		pt := Point{d.w, d.b, d.alpha}
		if near && t.Bias == Free {
			pt.Bias = t.bestBias(pt)
		}
		if look(Progress{Point: pt, Epoch: epoch, Updates: updates, Near: near, Left: left}) {
			return
		}
		if asleep && (near || updates == 0) {
			d.wake()
		} else if updates == 0 && (t.Bias != Free || d.centre == d.b) {
			return // nothing moves any more
		}
		d.recentre()
	}
}

func newDual(t *Task, start Point) *dual {
	n := t.Set.Len()
	d := &dual{Task: t, l2: t.Penalty.L2, norm: make([]float64, n), active: make([]uint32, n)}
	d.low, d.high = t.Loss.Domain()
	if q, ok := t.Loss.(loss.Quadratic); ok {
		d.lift, d.bend = q.Dual()
		d.quadratic = true
	}
	total := 0.0
	for i := range n {
		d.norm[i] = vec.SquaredNorm(t.Set.Row(i)) / d.l2
		total += d.norm[i]
		d.active[i] = uint32(i)
	}
	switch t.Bias {
	case Penalised:
		d.pull = 1 / d.l2
	case Free:
		share := 1.0
		if t.Set.Dim() >= FewFeatures { // sparse rows have little in common but the bias: a strong pull makes each wait for all others
			share = 0.01
		}
		if d.pull = share * total / float64(n); d.pull == 0 {
			d.pull = 1
		}
		d.centre = start.Bias
	}
	for i := range d.norm {
		d.norm[i] += d.pull
	}
	d.w, d.alpha = make([]float64, t.Set.Dim()), make([]float64, n)
	for i, a := range start.Alpha {
		d.alpha[i] = min(max(a, d.low*t.C[i]), d.high*t.C[i])
	}
	sum := t.Combine(d.w, func(i int) float64 { return d.alpha[i] * t.Y[i] / d.l2 })
	d.b = d.centre + d.pull*d.l2*sum
	d.wake()
	return d
}

// wake makes every example active again.
func (d *dual) wake() {
	d.active = d.active[:cap(d.active)]
	for i := range d.active {
		d.active[i] = uint32(i)
	}
	d.bound.low, d.bound.high = math.Inf(1), math.Inf(-1)
}

// recentre takes the bias that Σ α·y ≠ 0 asks for as the new multiplier.
func (d *dual) recentre() {
	if d.Bias != Free {
		return
	}
	sum := 0.0
	for i, a := range d.alpha {
		sum += float64(a * d.Y[i])
	}
	d.centre += d.pull * sum
	d.b = d.centre + d.pull*sum
}

// loop visits all active examples in a random order and returns how many
// multipliers moved and the estimated gap.
func (d *dual) loop(ctx context.Context, r *rand.Rand) (updates int, gap float64) {
	r.Shuffle(len(d.active), func(a, b int) { d.active[a], d.active[b] = d.active[b], d.active[a] })
	steep := d.bound
	d.bound.low, d.bound.high = math.Inf(-1), math.Inf(1)
	asleep := false
	for k, i := range d.active {
		if k%1024 == 0 && ctx.Err() != nil {
			return updates, gap
		}
		moved, rest, sleep := d.visit(int(i), steep.low, steep.high)
		if moved {
			updates++
		}
		gap += rest
		if sleep {
			d.active[k] = math.MaxUint32
			asleep = true
		}
	}
	if asleep {
		kept := d.active[:0]
		for _, i := range d.active {
			if i != math.MaxUint32 {
				kept = append(kept, i)
			}
		}
		d.active = kept
	}
	if d.bound.low <= 0 {
		d.bound.low = math.Inf(1)
	}
	if d.bound.high >= 0 {
		d.bound.high = math.Inf(-1)
	}
	return updates, gap
}

// visit makes α of one example the best it can be. rest is what the example
// adds to the gap; sleep tells that its α will hardly leave its bound.
func (d *dual) visit(i int, steepLow, steepHigh float64) (moved bool, rest float64, sleep bool) {
	x := d.Set.Row(i)
	y, c, a := d.Y[i], d.C[i], d.alpha[i]
	z := vec.Dot(d.w, x) + d.b
	m := y * z
	rest = float64(c*(d.Loss.Value(m)+d.Loss.Conj(a/c))) + float64(a*m)
	var to float64
	if d.quadratic {
		slope := m - d.lift + 2*d.bend*a/c
		low, high := d.low*c, d.high*c
		projected := slope
		switch {
		case a == low && slope >= 0:
			if slope > steepLow {
				return false, rest, true
			}
			projected = 0
		case a == high && slope <= 0:
			if slope < steepHigh {
				return false, rest, true
			}
			projected = 0
		}
		d.bound.low, d.bound.high = max(d.bound.low, projected), min(d.bound.high, projected)
		to = a
		if projected != 0 {
			if h := d.norm[i] + 2*d.bend/c; h > 0 {
				to = min(max(a-slope/h, low), high)
			} else { // an empty row: α goes to the end it is drawn to
				to = low
				if slope < 0 {
					to = high
				}
			}
		}
	} else {
		to = logisticStep(a, c, m, d.norm[i])
	}
	if d.Visit != nil {
		d.Visit(Visit{Index: i, Z: z, Tau: (to - a) * y / d.l2, Pull: d.pull * d.l2, W: d.w, Bias: d.b})
	}
	if to == a {
		return false, rest, false
	}
	step := (to - a) * y
	d.alpha[i] = to
	vec.Axpy(d.w, step/d.l2, x)
	d.b += float64(step * d.pull)
	return true, rest, false
}

// logisticStep is the α in [0, c] at which m + q·(α − a) + ln(α/(c − α)) = 0.
// With α = c·σ(u) the function rises in u by 1 at least, and near neither end
// is anything lost.
func logisticStep(a, c, m, q float64) float64 {
	low, high := -m-float64(q*(c-a)), -m+float64(q*a)
	u := min(max(math.Log(a/(c-a)), low), high)
	for range 100 {
		s := loss.Sigmoid(u)
		f := m + float64(q*(float64(c*s)-a)) + u
		if f > 0 {
			high = u
		} else {
			low = u
		}
		next := u - f/(1+float64(q*c*s*(1-s)))
		if !(next > low && next < high) {
			next = low + (high-low)/2
		}
		if math.Abs(next-u) <= 1e-14*(1+math.Abs(u)) || next == low || next == high {
			u = next
			break
		}
		u = next
	}
	return c * loss.Sigmoid(u)
}

// dualValue is −½‖w‖² − Σ C·ℓ*(−α/C), with the constraint's part left out.
func (d *dual) dualValue() float64 {
	v := -d.l2 / 2 * vec.SquaredNorm(vec.Row{Val: d.w})
	if d.Bias == Penalised {
		v -= d.l2 / 2 * d.b * d.b
	}
	for i, a := range d.alpha {
		v -= float64(d.C[i] * d.Loss.Conj(a/d.C[i]))
	}
	return v
}

// bestBias is the bias with the least loss for the weights: where the slope
// Σ C·y·ℓ′ changes its sign.
func (t *Task) bestBias(pt Point) float64 {
	z := make([]float64, t.Set.Len())
	t.Margins(z, pt.W, 0)
	slope := func(b float64) float64 {
		return t.Total(func(i int) float64 { return t.C[i] * t.Y[i] * t.Loss.Slope(z[i]+float64(t.Y[i]*b)) })
	}
	low, high := pt.Bias, pt.Bias
	for step := 1e-3 * (1 + math.Abs(pt.Bias)); slope(low) > 0; step *= 4 {
		if low -= step; math.IsInf(low, 0) {
			return pt.Bias
		}
	}
	for step := 1e-3 * (1 + math.Abs(pt.Bias)); slope(high) < 0; step *= 4 {
		if high += step; math.IsInf(high, 0) {
			return pt.Bias
		}
	}
	for range 100 {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			break
		}
		switch s := slope(mid); {
		case s > 0:
			high = mid
		case s < 0:
			low = mid
		default:
			return mid
		}
	}
	return low + (high-low)/2
}
