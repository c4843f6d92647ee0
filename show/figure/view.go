package figure

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// view is a plane in the space of the features on which examples are seen: the
// point (x, y) of it is origin + x·u + y·v.
type view struct {
	origin, u, v []float64
	x, y         axis
	note         string // which plane, if there could be others
	flat         bool   // one feature: y is only for looking
	axes         [2]int // the features of x and y; -1 if it is none
	alike        bool   // lengths on both axes are of one kind
	set          *data.Set
	centre       []float64 // what is taken off before looking along u and v
}

// newView finds the plane: the features of the set if there are one or two, the
// two that are named, or the first two discriminants.
func newView(s *data.Set, names []string) (*view, error) {
	v := &view{set: s, alike: true}
	switch {
	case s.Dim() == 0:
		return nil, fmt.Errorf("no feature to draw on: every example is empty")
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
		return 0, 0, &Misuse{fmt.Sprintf("--features names %d; name two, with a comma between", len(names))}
	}
	var at [2]int
	for i, n := range names {
		if at[i], err = feature(s.Features(), n, s.Dim()); err != nil {
			return 0, 0, err
		}
	}
	if at[0] == at[1] {
		return 0, 0, &Misuse{fmt.Sprintf("--features names %s twice; name two of them", names[0])}
	}
	return at[0], at[1], nil
}

// onLine draws one feature from left to right, the classes above each other.
func (v *view) onLine() {
	v.flat, v.alike = true, false
	v.origin, v.u, v.v = []float64{0}, []float64{1}, []float64{0}
	v.axes = [2]int{0, -1}
	v.x.label = v.set.Features().Name(0)
	v.y.names = v.set.Classes()
}

// onFeatures draws two features, the others at their mean.
func (v *view) onFeatures(a, b int) {
	dim := v.set.Dim()
	v.u, v.v = make([]float64, dim), make([]float64, dim)
	v.u[a], v.v[b] = 1, 1
	v.origin = means(v.set)
	v.origin[a], v.origin[b] = 0, 0
	v.axes = [2]int{a, b}
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

// onDiscriminants draws the plane through the mean on which the classes differ
// most in relation to their spread (Fisher; of two classes there is one such
// direction, and the second is that of the largest spread across it).
func (v *view) onDiscriminants() error {
	dim := v.set.Dim()
	if dim > maxDiscriminant {
		return &Misuse{fmt.Sprintf("%d features are too many to find a plane for; name two with --features", dim)}
	}
	v.centre = means(v.set)
	v.origin = v.centre
	within, between := scatter(v.set, v.centre)
	u := leading(within, between, nil)
	w := leading(within, between, u)
	if len(v.set.Classes()) == 2 {
		w = widest(within, between, u)
	}
	v.u, v.v = u, w
	v.axes = [2]int{-1, -1}
	v.x.label, v.y.label = "first discriminant", "second discriminant"
	v.note = fmt.Sprintf("Drawn on the plane of the first two discriminants of %d features, through their mean.", dim)
	if len(v.set.Classes()) == 2 {
		v.y.label = "widest direction across it"
		v.note = fmt.Sprintf("Drawn on the plane of the discriminant of %d features and the widest direction across it, through the mean.", dim)
	}
	v.note += " --features A,B draws on two of them."
	return nil
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

// scatter is the scatter within and between the classes, around centre.
func scatter(s *data.Set, centre []float64) (within, between *mat.SymDense) {
	d := s.Dim()
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
	for c, m := range mean {
		if counts[c] == 0 {
			continue
		}
		for j := range m {
			m[j] /= counts[c]
		}
		diff := make([]float64, d)
		for j := range diff {
			diff[j] = m[j] - centre[j]
		}
		between.SymRankOne(between, counts[c], mat.NewVecDense(d, diff))
	}
	x := make([]float64, d)
	for i := range s.Len() {
		for j, m := range mean[s.Class(i)+1] {
			x[j] = -m
		}
		vec.Axpy(x, 1, s.Row(i))
		within.SymRankOne(within, 1, mat.NewVecDense(d, x))
	}
	return within, between
}

// leading is the direction, at right angles to the unit vector u if given, along
// which between is largest in relation to within; of length 1.
func leading(within, between *mat.SymDense, u []float64) []float64 {
	d, _ := within.Dims()
	trace := 0.0
	for j := range d {
		trace += within.At(j, j)
	}
	ridged := mat.NewSymDense(d, nil)
	ridged.CopySym(within)
	for j := range d { // a direction without spread must not be all that counts
		ridged.SetSym(j, j, ridged.At(j, j)+1e-6*trace/float64(d)+1e-300)
	}
	b := mat.DenseCopyOf(between)
	if u != nil {
		b = across(b, u)
	}
	var chol mat.Cholesky
	if !chol.Factorize(ridged) {
		return unit(d, u)
	}
	// L⁻¹ B L⁻ᵀ is symmetric and has the same leading direction, turned by Lᵀ.
	var l mat.TriDense
	chol.LTo(&l)
	var half, whole mat.Dense
	if half.Solve(&l, b) != nil || whole.Solve(&l, half.T()) != nil {
		return unit(d, u)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(symmetric(&whole), true) {
		return unit(d, u)
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	var w mat.VecDense
	if w.SolveVec(l.T(), vectors.ColView(d-1)) != nil {
		return unit(d, u)
	}
	return upright(w.RawVector().Data, u, d)
}

// widest is the direction of the largest spread at right angles to u.
func widest(within, between *mat.SymDense, u []float64) []float64 {
	d, _ := within.Dims()
	var total mat.SymDense
	total.AddSym(within, between)
	var eigen mat.EigenSym
	if !eigen.Factorize(symmetric(across(mat.DenseCopyOf(&total), u)), true) {
		return unit(d, u)
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	return upright(mat.Col(nil, d-1, &vectors), u, d)
}

// across is P·m·P, with P the projection along u.
func across(m *mat.Dense, u []float64) *mat.Dense {
	d := len(u)
	p := mat.NewDense(d, d, nil)
	p.Outer(-1, mat.NewVecDense(d, u), mat.NewVecDense(d, u))
	for j := range d {
		p.Set(j, j, p.At(j, j)+1)
	}
	var out mat.Dense
	out.Mul(p, m)
	out.Mul(&out, p)
	return &out
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

// upright is w at right angles to u, of length 1, with its heaviest entry above
// zero, so that the picture does not depend on a sign.
func upright(w, u []float64, d int) []float64 {
	if u != nil {
		along := dot(w, u)
		for j := range w {
			w[j] -= along * u[j]
		}
	}
	norm, heaviest := math.Sqrt(dot(w, w)), 0
	for j := range w {
		if math.Abs(w[j]) > math.Abs(w[heaviest])*(1+1e-9) {
			heaviest = j
		}
	}
	if !(norm > 1e-12) || math.IsInf(norm, 0) {
		return unit(d, u)
	}
	if w[heaviest] < 0 {
		norm = -norm
	}
	for j := range w {
		w[j] /= norm
	}
	return w
}

// unit is some direction at right angles to u.
func unit(d int, u []float64) []float64 {
	w := make([]float64, d)
	best := 0
	for j := range u {
		if math.Abs(u[j]) < math.Abs(u[best]) {
			best = j
		}
	}
	w[best] = 1
	if u == nil {
		return w
	}
	return upright(w, u, d)
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
		return Point{vec.Dot(v.u, x), float64(max(class, 0))}
	}
	p := Point{vec.Dot(v.u, x), vec.Dot(v.v, x)}
	if v.centre != nil {
		p.X -= dot(v.u, v.centre)
		p.Y -= dot(v.v, v.centre)
	}
	return p
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
	v.x.low, v.x.high = span(xs, 0.08)
	v.y.low, v.y.high = span(ys, 0.08)
	if v.flat {
		v.y.low, v.y.high = -0.6, float64(len(v.set.Classes()))-0.4
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
