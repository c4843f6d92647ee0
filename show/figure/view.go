package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// view is two directions in the space of the features on which examples are
// seen, at (across·x, along·x) less a shift; and back: the example that a point
// (x, y) stands for is origin + x·u + y·v.
type view struct {
	across, along []float64
	shift         Point
	origin, u, v  []float64
	x, y          axis
	note          string // which directions, if there could be others
	flat          bool   // one feature: y is only for looking
	alike         bool   // lengths on both axes are of one kind
	set           *data.Set
}

// newView finds the plane: the features of the set if there are one or two, the
// two that are named, or the first two discriminants.
func newView(s *data.Set, names []string) (*view, error) {
	v := &view{set: s, alike: true}
	switch {
	case s.Dim() == 0:
		return nil, misuse("no feature to draw on: every example of the set is empty")
	case len(names) > 0:
		a, b, err := named(s, names)
		if err != nil {
			return nil, err
		}
		v.onFeatures(a, b)
	case s.Dim() == 1:
		v.onLine()
	case s.Dim() == 2:
		v.onFeatures(0, 1)
	default:
		if err := v.onDiscriminants(); err != nil {
			return nil, err
		}
	}
	v.range2()
	return v, nil
}

// named is the numbers of two features.
func named(s *data.Set, names []string) (a, b int, err error) {
	if len(names) != 2 {
		return 0, 0, misuse("--features names %d; name two, with a comma between", len(names))
	}
	var at [2]int
	for i, n := range names {
		if at[i], err = feature(s.Features(), n, s.Dim()); err != nil {
			return 0, 0, err
		}
	}
	if at[0] == at[1] {
		return 0, 0, misuse("--features names %s twice; name two of them", names[0])
	}
	return at[0], at[1], nil
}

// onLine draws one feature from left to right, the classes above each other.
func (v *view) onLine() {
	v.flat, v.alike = true, false
	v.origin, v.u, v.v = []float64{0}, []float64{1}, []float64{0}
	v.across, v.along = v.u, v.v
	v.x.label = v.set.Features().Name(0)
	v.y.names = v.set.Classes()
}

// onFeatures draws two features, the others at their mean.
func (v *view) onFeatures(a, b int) {
	dim := v.set.Dim()
	v.u, v.v = make([]float64, dim), make([]float64, dim)
	v.u[a], v.v[b] = 1, 1
	v.across, v.along = v.u, v.v
	v.origin = means(v.set)
	v.origin[a], v.origin[b] = 0, 0
	v.x.label, v.y.label = v.set.Features().Name(a), v.set.Features().Name(b)
	if dim > 2 {
		v.note = fmt.Sprintf("Drawn on %s and %s; the other %s at the mean.", v.x.label, v.y.label, count(dim-2, "feature"))
	}
	if v.set.Input().Format == "bmp" {
		v.y.down = true
		v.x.label, v.y.label = "x1 = column", "x2 = row"
	}
}

// maxDiscriminant is the most features whose scatter matrix is factorised.
const maxDiscriminant = 1000

// onDiscriminants draws the two directions along which the classes differ most
// in relation to the spread W within them (Fisher), uncorrelated and with spread
// 1. Of two classes there is one such direction; the second is then the widest.
// A point stands for the example to be expected there, μ + W·(x·a + y·b).
func (v *view) onDiscriminants() error {
	dim := v.set.Dim()
	if dim > maxDiscriminant {
		return misuse("%d features are too many to find a plane for; name two with --features", dim)
	}
	few := thinned(v.set, 4000)
	v.origin = means(few)
	within, between := scatter(few, v.origin)
	var ok bool
	if v.across, v.along, ok = discriminants(within, between); !ok {
		return misuse("no plane can be found on which the classes of %d features differ; name two with --features", dim)
	}
	v.x.label, v.y.label = "first discriminant", "second discriminant"
	what := "the first two discriminants"
	if len(v.set.Classes()) == 2 {
		v.along = widest(within, between, v.across)
		v.x.label, v.y.label = "discriminant", "widest direction beside it"
		what = "the discriminant and the widest direction beside it"
	}
	v.u, v.v = times(within, v.across), times(within, v.along)
	v.shift = Point{dot(v.across, v.origin), dot(v.along, v.origin)}
	v.note = fmt.Sprintf("Drawn on %s of %d features", what, dim)
	if few != v.set {
		v.note += fmt.Sprintf(", found from %d examples", few.Len())
	}
	v.note += "; --features A,B draws on two of them."
	return nil
}

// thinned is about most examples of a set, evenly picked; the set if it has no
// more.
func thinned(s *data.Set, most int) *data.Set {
	if s.Len() <= most {
		return s
	}
	picked := make([]uint32, most)
	for i := range picked {
		picked[i] = uint32(i * s.Len() / most)
	}
	return s.Pick(picked)
}

// means is the mean of every feature.
func means(s *data.Set) []float64 {
	sum := make([]float64, s.Dim())
	for i := range s.Len() {
		vec.Axpy(sum, 1, s.Row(i))
	}
	for j := range sum {
		sum[j] /= float64(max(1, s.Len()))
	}
	return sum
}

// scatter is the spread within and between the classes, around centre, divided
// by the number of examples. Features that hardly vary within are given a little
// spread, so that they are not all that counts.
func scatter(s *data.Set, centre []float64) (within, between *mat.SymDense) {
	d, n := s.Dim(), float64(s.Len())
	within, between = mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
	mean := make([][]float64, len(s.Classes())+1)
	counts := make([]float64, len(mean))
	for c := range mean {
		mean[c] = make([]float64, d)
	}
	for i := range s.Len() {
		c := s.Class(i) + 1
		vec.Axpy(mean[c], 1, s.Row(i))
		counts[c]++
	}
	x := make([]float64, d)
	for c, m := range mean {
		if counts[c] == 0 {
			continue
		}
		for j := range m {
			m[j] /= counts[c]
			x[j] = m[j] - centre[j]
		}
		between.SymRankOne(between, counts[c]/n, mat.NewVecDense(d, x))
	}
	for i := range s.Len() {
		for j, m := range mean[s.Class(i)+1] {
			x[j] = -m
		}
		vec.Axpy(x, 1, s.Row(i))
		within.SymRankOne(within, 1/n, mat.NewVecDense(d, x))
	}
	more := 0.05*middleSpread(within) + 1e-300
	for j := range d {
		within.SetSym(j, j, within.At(j, j)+more)
	}
	return within, between
}

// middleSpread is the median of the features' spread, of those that vary.
func middleSpread(within *mat.SymDense) float64 {
	d, _ := within.Dims()
	var spread []float64
	for j := range d {
		if v := within.At(j, j); v > 0 {
			spread = append(spread, v)
		}
	}
	if len(spread) == 0 {
		return 1
	}
	slices.Sort(spread)
	return spread[len(spread)/2]
}

// discriminants are the two leading solutions of B·a = λ·W·a, with aᵀW·a = 1 and
// uncorrelated. With W = L·Lᵀ they are those of the symmetric L⁻¹B·L⁻ᵀ, turned
// back by L⁻ᵀ.
func discriminants(within, between *mat.SymDense) (a, b []float64, ok bool) {
	d, _ := within.Dims()
	var chol mat.Cholesky
	if !chol.Factorize(within) {
		return nil, nil, false
	}
	var l mat.TriDense
	chol.LTo(&l)
	var half, whole mat.Dense
	if half.Solve(&l, between) != nil || whole.Solve(&l, half.T()) != nil {
		return nil, nil, false
	}
	vectors, ok := eigenvectors(symmetric(&whole))
	if !ok {
		return nil, nil, false
	}
	var first, second mat.VecDense
	if first.SolveVec(l.T(), vectors.ColView(d-1)) != nil || second.SolveVec(l.T(), vectors.ColView(d-2)) != nil {
		return nil, nil, false
	}
	return upright(first.RawVector().Data), upright(second.RawVector().Data), true
}

// widest is the direction of the largest spread, each feature in its own unit,
// made uncorrelated with a.
func widest(within, between *mat.SymDense, a []float64) []float64 {
	d, _ := within.Dims()
	var total mat.SymDense
	total.AddSym(within, between)
	units := make([]float64, d)
	for j := range units {
		units[j] = math.Sqrt(total.At(j, j))
	}
	correlation := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			correlation.SetSym(i, j, total.At(i, j)/(units[i]*units[j]))
		}
	}
	b := make([]float64, d)
	b[0] = 1
	if vectors, ok := eigenvectors(correlation); ok {
		for j := range b {
			b[j] = vectors.At(j, d-1) / units[j]
		}
	}
	common := dot(b, times(within, a))
	for j := range b {
		b[j] -= common * a[j]
	}
	norm := math.Sqrt(dot(b, times(within, b)))
	for j := range b {
		b[j] /= norm
	}
	return upright(b)
}

// eigenvectors of a symmetric matrix, the last the leading one.
func eigenvectors(m *mat.SymDense) (*mat.Dense, bool) {
	var eigen mat.EigenSym
	if !eigen.Factorize(m, true) {
		return nil, false
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	return &vectors, true
}

func symmetric(m *mat.Dense) *mat.SymDense {
	d, _ := m.Dims()
	s := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			s.SetSym(i, j, (m.At(i, j)+m.At(j, i))/2)
		}
	}
	return s
}

// upright gives a direction the sign with which its heaviest entry is above
// zero, so that the picture does not depend on how it was found.
func upright(a []float64) []float64 {
	heaviest := 0
	for j := range a {
		if math.Abs(a[j]) > math.Abs(a[heaviest])*(1+1e-9) {
			heaviest = j
		}
	}
	if a[heaviest] < 0 {
		for j := range a {
			a[j] = -a[j]
		}
	}
	return a
}

// times is m·a.
func times(m *mat.SymDense, a []float64) []float64 {
	out := mat.NewVecDense(len(a), nil)
	out.MulVec(m, mat.NewVecDense(len(a), a))
	return out.RawVector().Data
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for j := range a {
		sum += float64(a[j] * b[j])
	}
	return sum
}

// place is where a row of class c is seen.
func (v *view) place(x vec.Row, class int) Point {
	if v.flat {
		return Point{vec.Dot(v.across, x), float64(max(class, 0))}
	}
	return Point{vec.Dot(v.across, x) - v.shift.X, vec.Dot(v.along, x) - v.shift.Y}
}

// lift is the row that a point of the plane stands for, in x.
func (v *view) lift(p Point, x []float64) vec.Row {
	for j := range x {
		x[j] = v.origin[j] + p.X*v.u[j]
		if !v.flat {
			x[j] += p.Y * v.v[j]
		}
	}
	return vec.Dense(x...)
}

// range2 sets the ends of both axes around the examples.
func (v *view) range2() {
	xs, ys := make([]float64, v.set.Len()), make([]float64, v.set.Len())
	for i := range xs {
		p := v.place(v.set.Row(i), v.set.Class(i))
		xs[i], ys[i] = p.X, p.Y
	}
	v.x.low, v.x.high = core(xs, 0.08)
	v.y.low, v.y.high = core(ys, 0.08)
	if v.flat {
		v.y.low, v.y.high = -0.6, float64(len(v.set.Classes()))-0.4
	}
	outside := 0
	for i := range xs {
		if xs[i] < v.x.low || xs[i] > v.x.high || ys[i] < v.y.low || ys[i] > v.y.high {
			outside++
		}
	}
	if outside > 0 {
		v.note = strings.TrimSpace(fmt.Sprintf("%s %s far off and not shown.", v.note, are(outside, "example")))
	}
	ratio := (v.x.high - v.x.low) / (v.y.high - v.y.low)
	if ratio > 4 || ratio < 0.25 { // to scale, one axis would be next to nothing
		v.alike = false
	}
}

// showOrigin makes room for the origin, unless the examples would become small.
func (v *view) showOrigin() {
	reach := func(a axis) (low, high float64, far bool) {
		room := 0.04 * (a.high - a.low)
		low, high = min(a.low, -room), max(a.high, room)
		return low, high, high-low > 2*(a.high-a.low)
	}
	xl, xh, far := reach(v.x)
	yl, yh, farther := reach(v.y)
	if !far && !farther {
		v.x.low, v.x.high, v.y.low, v.y.high = xl, xh, yl, yh
	}
}

// half is the half-plane in which one linear score is at least 0.
func (v *view) half(w []float64, bias float64) half {
	h := half{c: bias}
	for j := range min(len(w), len(v.u)) {
		h.a += float64(w[j] * v.u[j])
		h.b += float64(w[j] * v.v[j])
		h.c += float64(w[j] * v.origin[j])
	}
	return h
}
