// Package margin finds the plane with the widest margin between two classes,
// or the point where their convex hulls meet: one problem with two outcomes,
//
//	min ‖Σ u·y·x‖   u ≥ 0, Σ u = 1 in either class    (the nearest points of the hulls)
//	min ‖Σ u·y·x‖   u ≥ 0, Σ u = 1                    (without a bias)
//
// At a distance D = ‖p‖ > 0 the plane of the hard-margin support vector machine
// is w = 2p/D² with multipliers λ = 2u/D² (without a bias 1 in place of 2). At
// distance zero the weights u of at most d + 2 rows (d + 1 without a bias) prove
// that no plane separates the classes.
//
// Method: Wolfe's nearest point algorithm, with the two sums kept apart, as an
// active-set method on rows with an updated triangular factor. Each iteration
// looks at all rows once, takes in those that are most in the way and drops
// those that are no longer needed. Sources: Wolfe, Finding the nearest point in
// a polytope, 1976; Björck 1987 (see factor).
//
// Cost: an iteration is one pass over the rows and O(k²) for k active rows.
package margin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/vec"
)

// Verdict is what was found out.
type Verdict string

// Verdicts.
const (
	Separable    Verdict = "separable"     // W and Bias separate, rounding considered
	NotSeparable Verdict = "not separable" // the hulls meet, proven in exact arithmetic
	Undecided    Verdict = "undecided"     // Reason says why
)

// Result is the answer with what proves it.
type Result struct {
	Verdict Verdict
	Reason  string // of Undecided, and of a plane that is not Exact
	Exact   bool   // the plane is the widest there is, to rounding
	Stopped bool   // before it could tell: by Iterations, Progress or the context

	W      []float64 // in the data's units, so that the nearest examples have y·z = 1
	Bias   float64
	Margin float64 // 2/‖w‖: the width between the classes
	Bound  float64 // no plane has a wider margin

	Rows        []int      // positions in the set
	Multipliers []float64  // Separable: λ, with w = Σ λ·y·x. Else: u, with Σ u·y·x = 0, or nearly
	Combination []*big.Int // NotSeparable: whole numbers in the place of u, exact

	Distance   float64 // ‖Σ u·y·x‖, of the combination
	Iterations int
}

// Options say how to solve; the zero value is good.
type Options struct {
	NoBias     bool
	Workers    int
	Iterations int                   // at most; 0: as many as it takes
	Progress   func(*Iteration) bool // false: stop
}

// Iteration is one look at all rows. The slices are borrowed.
type Iteration struct {
	Number   int       // from 0
	W        []float64 // direction of the plane, in the data's units
	Bias     float64
	Distance float64 // between the points found so far
	Wrong    int     // rows that are not on their side
	Active   int
	Done     bool
}

// Solve finds the widest margin or the meeting point of the two classes of s.
// Examples of weight zero are not there; other weights change nothing. When ctx
// ends the result is what was found so far, with ctx.Err().
func Solve(ctx context.Context, s *data.Set, opt Options) (*Result, error) {
	if len(s.Classes()) != 2 {
		return nil, fmt.Errorf("a margin is between two classes, and there are %d", len(s.Classes()))
	}
	v := newSolver(s, opt)
	for c, n := range v.counts() {
		if n == 0 && (!opt.NoBias || len(v.points.rows) == 0) {
			return nil, fmt.Errorf("no example of class %q", s.Classes()[c])
		}
	}
	err := v.run(ctx)
	return v.result(), err
}

// solver is one solution in the making.
type solver struct {
	active
	set     *data.Set
	opt     Options
	z       []float64  // p·x of every row
	low     [2]float64 // the least y·(p·x) of each group
	worst   []int      // rows most in the way, the worst first
	wrong   int
	number  int
	stalled int
	end     string // why it ended where it should not
	stopped bool
}

func newSolver(s *data.Set, opt Options) *solver {
	p := newPoints(s, !opt.NoBias)
	return &solver{active: *newActive(p, !opt.NoBias), set: s, opt: opt, z: make([]float64, len(p.rows))}
}

func (v *solver) counts() (n [2]int) {
	for _, y := range v.y {
		if y > 0 {
			n[0]++
		} else {
			n[1]++
		}
	}
	return n
}

const eps = 0x1p-52

// rounding is what may be wrong in p·x.
func (v *solver) rounding(d float64) float64 { return 32 * eps * d * v.radius }

// touching is the distance that counts as zero until exact arithmetic has
// looked at it.
func (v *solver) touching() float64 { return 1e-13 * v.radius }

func (v *solver) run(ctx context.Context) error {
	if a, b, ok := v.twins(); ok {
		v.pair(a, b)
	} else if v.qr.keepQ {
		v.start()
	} else if err := v.approach(ctx); err != nil || !v.settle() {
		return err
	}
	best := math.Inf(1)
	for {
		d := vec.Norm(v.p)
		v.look(d)
		done := v.gap(d) <= v.rounding(d) || d <= v.touching()
		if !(d < best) && !done {
			if v.stalled++; v.stalled > 3 {
				v.end = "rounding keeps the nearest points of the classes from being found"
				done = true
			}
		}
		best = min(best, d)
		if v.opt.Iterations > 0 && v.number+1 >= v.opt.Iterations && !done {
			v.stop(fmt.Sprintf("%d rounds were not enough", v.opt.Iterations))
			done = true
		}
		if !done && !v.qr.keepQ && len(v.active.rows) > sweepRows {
			v.end = fmt.Sprintf("more than %d rows are needed to tell", sweepRows)
			done = true
		}
		if !done && !v.takeIn() {
			v.end = "the rows still in the way depend on those already used, to rounding"
			done = true
		}
		v.number++
		if err := v.watch(ctx, d, done); err != nil || done {
			return err
		}
		v.descend()
	}
}

// errStopped says that the caller's progress function wants no more.
var errStopped = errors.New("stopped")

func (v *solver) watch(ctx context.Context, d float64, done bool) error {
	if v.opt.Progress != nil {
		w, b := v.plane()
		if !v.opt.Progress(&Iteration{Number: v.number - 1, W: w, Bias: b, Distance: math.Ldexp(d, v.exp), Wrong: v.wrong, Active: len(v.active.rows), Done: done}) && !done {
			v.stop("it was stopped")
			return errStopped
		}
	}
	if err := ctx.Err(); err != nil && !done {
		v.stop("it was interrupted")
		return err
	}
	return nil
}

func (v *solver) stop(why string) { v.end, v.stopped = why, true }

// start takes the rows of each group that lie furthest towards the other class,
// seen along the line between the means.
func (v *solver) start() {
	n := v.counts()
	clear(v.p)
	for i, x := range v.points.rows {
		k := 0
		if v.y[i] < 0 {
			k = 1
		}
		vec.Axpy(v.p, v.y[i]/float64(n[k]), x)
	}
	v.scores()
	for g := range v.groups {
		first := -1
		for i := range v.z {
			if v.group(i) == g && (first < 0 || v.y[i]*v.z[i] < v.y[first]*v.z[first]) {
				first = i
			}
		}
		v.add(first)
		v.u[g] = 1
	}
	v.locate()
}

// pair starts with two rows that are the same, and ends there.
func (v *solver) pair(a, b int) {
	v.active.rows, v.u = []int{a, b}, []float64{1, 1}
	switch {
	case v.groups == 1 && v.norm[a] == 0:
		v.active.rows, v.u = []int{a}, []float64{1}
	case v.groups == 1:
		v.u = []float64{0.5, 0.5}
	}
}

// scores makes z.
func (v *solver) scores() {
	block.Each(len(v.z), v.opt.Workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			v.z[i] = vec.Dot(v.p, v.points.rows[i])
		}
	})
}

// look judges all rows by p, of length d.
func (v *solver) look(d float64) {
	v.scores()
	v.low = [2]float64{math.Inf(1), math.Inf(1)}
	for i, z := range v.z {
		g := v.group(i)
		v.low[g] = min(v.low[g], v.y[i]*z)
	}
	v.wrong = 0
	b := v.offset()
	for i, z := range v.z {
		if !(v.y[i]*(z+b) > 0) {
			v.wrong++
		}
	}
	v.rank(d)
}

// offset is the bias that puts the plane midway between the classes.
func (v *solver) offset() float64 {
	if v.groups == 1 {
		return 0
	}
	return (v.low[1] - v.low[0]) / 2
}

// reach is how far the classes are apart along p, times ‖p‖.
func (v *solver) reach() float64 {
	if v.groups == 1 {
		return v.low[0]
	}
	return v.low[0] + v.low[1]
}

// gap is how much more than that the points found are apart: zero at the
// solution.
func (v *solver) gap(d float64) float64 { return d*d - v.reach() }

// rank lists the rows that are most in the way: nearer to the other class,
// along p, than the active ones.
func (v *solver) rank(d float64) {
	var level [2]float64 // of the active rows
	for k, i := range v.active.rows {
		level[v.group(i)] += float64(v.u[k] * v.y[i] * v.z[i])
	}
	v.worst = v.worst[:0]
	most := 0.0
	short := func(i int) float64 { return level[v.group(i)] - v.y[i]*v.z[i] }
	for i := range v.z {
		most = max(most, short(i))
	}
	least := max(most/2, v.rounding(d)/4)
	for i := range v.z {
		if short(i) >= least {
			v.worst = append(v.worst, i)
		}
	}
	slices.SortStableFunc(v.worst, func(i, j int) int { return cmp.Compare(short(j), short(i)) })
}

// takeIn makes some of the worst rows active: more at once as the set grows.
func (v *solver) takeIn() bool {
	some := 1 + len(v.active.rows)/8
	taken := 0
	for _, i := range v.worst {
		if taken == some {
			break
		}
		if !slices.Contains(v.active.rows, i) && v.add(i) {
			taken++
		}
	}
	return taken > 0
}

// plane is p and the offset in the data's units.
func (v *solver) plane() (w []float64, b float64) {
	w = make([]float64, v.dim)
	b = v.offset()
	for j, x := range v.p {
		w[j] = math.Ldexp(x, -v.exp)
		b -= float64(w[j] * v.shift[j])
	}
	return w, b
}

// result tells what the last look has shown.
func (v *solver) result() *Result {
	r := &Result{Iterations: v.number, Stopped: v.stopped}
	for _, i := range v.active.rows {
		r.Rows = append(r.Rows, v.pos[i])
	}
	d := vec.Norm(v.p)
	r.Distance = math.Ldexp(d, v.exp)
	r.Multipliers = slices.Clone(v.u)
	sides := float64(v.groups)
	reach := v.reach()
	r.W, r.Bias = v.plane()
	if reach > float64(v.stored+16)*2*eps*d*v.radius {
		v.separable(r, d, reach, sides)
	} else {
		v.meeting(r, d)
	}
	r.sort()
	return r
}

// separable completes the result for two classes that are apart.
func (v *solver) separable(r *Result, d, reach, sides float64) {
	r.Verdict = Separable
	f := sides / reach
	for j := range r.W {
		r.W[j] *= f
	}
	r.Bias *= f
	for k := range r.Multipliers {
		r.Multipliers[k] = math.Ldexp(r.Multipliers[k]*(sides/d/d), -2*v.exp)
	}
	r.Margin = math.Ldexp(2/sides*(reach/d), v.exp)
	r.Bound = math.Ldexp(2/sides*d, v.exp)
	r.Exact = v.gap(d) <= max(v.rounding(d), 1e-10*d*d)
	r.Reason = v.end
}

// sort puts the rows in the order of the set.
func (r *Result) sort() {
	order := make([]int, len(r.Rows))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(r.Rows[a], r.Rows[b]) })
	r.Rows, r.Multipliers = picked(r.Rows, order), picked(r.Multipliers, order)
	if r.Combination != nil {
		r.Combination = picked(r.Combination, order)
	}
}

func picked[T any](from []T, order []int) []T {
	to := make([]T, len(order))
	for k, i := range order {
		to[k] = from[i]
	}
	return to
}
