package margin

import (
	"math"
	"slices"

	"github.com/halfspace-ml/halfspace/vec"
)

// active is the active set: rows whose columns a = (y·x, σ·e) are linearly
// independent (e is the unit vector of the row's group), their weights u, each
// group's sum being 1, and the point p = Σ u·y·x.
type active struct {
	*points
	groups int     // 2 with a bias: each class has its own sum; else 1
	sigma  float64 // as large as the points
	rows   []int
	u      []float64
	p      []float64
	qr     factor // of the columns

	column vector // scratch
}

// vector is a column, or a combination of columns.
type vector struct {
	x []float64
	e [2]float64
}

// plus adds f·w.
func (v *vector) plus(f float64, w *vector) {
	vec.Axpy(v.x, f, vec.Row{Val: w.x})
	v.e[0] += float64(f * w.e[0])
	v.e[1] += float64(f * w.e[1])
}

func (v *vector) dot(w *vector) float64 {
	return vec.Dot(v.x, vec.Row{Val: w.x}) + float64(v.e[0]*w.e[0]) + float64(v.e[1]*w.e[1])
}

func (v *vector) clear() {
	clear(v.x)
	v.e = [2]float64{}
}

func (v *vector) norm() float64 {
	return math.Sqrt(v.dot(v))
}

// roomForQ is the most numbers that Q may have, 128 MB of them.
const roomForQ = 1 << 24

func newActive(p *points, bias bool) *active {
	a := &active{points: p, groups: 1, sigma: 1, p: make([]float64, p.dim)}
	if bias {
		a.groups = 2
	}
	if p.radius > 0 {
		_, e := math.Frexp(p.radius)
		a.sigma = math.Ldexp(1, e)
	}
	a.column.x = make([]float64, p.dim)
	a.qr.keepQ = p.dim*min(p.dim+2, len(p.rows)) <= roomForQ
	return a
}

// group is the sum that a row belongs to.
func (a *active) group(i int) int {
	if a.groups == 2 && a.y[i] < 0 {
		return 1
	}
	return 0
}

// plus adds the combination of columns with coefficients f·c to v.
func (a *active) plus(v *vector, f float64, c []float64) {
	for k, i := range a.rows {
		vec.Axpy(v.x, f*c[k]*a.y[i], a.points.rows[i])
		v.e[a.group(i)] += float64(f * c[k] * a.sigma)
	}
}

// project is Qᵀ·v: the part of v along the columns.
func (a *active) project(v *vector) []float64 {
	out := make([]float64, len(a.rows))
	if a.qr.keepQ {
		for k, q := range a.qr.q {
			out[k] = q.dot(v)
		}
		return out
	}
	for k, i := range a.rows {
		out[k] = float64(a.y[i]*vec.Dot(v.x, a.points.rows[i])) + float64(a.sigma*v.e[a.group(i)])
	}
	a.qr.forward(out)
	return out
}

// fit is the coefficients of the columns whose combination is nearest to v.
func (a *active) fit(v *vector) []float64 {
	out := a.project(v)
	a.qr.back(out)
	return out
}

// reject takes from v its part along the columns, and returns that part.
func (a *active) reject(v *vector) []float64 {
	part := a.project(v)
	if a.qr.keepQ {
		for k, q := range a.qr.q {
			v.plus(-part[k], q)
		}
		return part
	}
	c := slices.Clone(part)
	a.qr.back(c)
	a.plus(v, -1, c)
	return part
}

// independent is the share of a column that others must not explain for it to
// count as new.
func (a *active) independent() float64 {
	if a.qr.keepQ {
		return 1e-13
	}
	return 1e-10
}

// add takes row i in with weight zero, unless its column depends on the others.
func (a *active) add(i int) bool {
	v := &a.column
	v.clear()
	vec.Axpy(v.x, a.y[i], a.points.rows[i])
	v.e[a.group(i)] = a.sigma
	r := make([]float64, len(a.rows))
	for range 2 { // the second time corrects the first
		vec.Axpy(r, 1, vec.Row{Val: a.reject(v)})
	}
	rho := v.norm()
	if !(rho > a.independent()*math.Hypot(a.norm[i], a.sigma)) {
		return false
	}
	a.qr.add(r, v, rho)
	a.rows = append(a.rows, i)
	a.u = append(a.u, 0)
	return true
}

func (a *active) remove(k int) {
	a.qr.remove(k)
	a.rows = append(a.rows[:k], a.rows[k+1:]...)
	a.u = append(a.u[:k], a.u[k+1:]...)
}

// affine is the weights, of any sign, with each group's sum 1 and the least
// ‖Σ u·y·x‖.
func (a *active) affine() []float64 {
	v := &a.column
	t := make([][]float64, a.groups) // moves a group's sum and keeps the point stationary
	for g := range t {
		v.clear()
		v.e[g] = a.sigma
		t[g] = a.fit(v)
	}
	w := make([]float64, len(a.rows))
	a.toSums(w, t)
	for range 2 { // corrections
		v.clear()
		a.plus(v, 1, w)
		a.level(v)
		vec.Axpy(w, -1, vec.Row{Val: a.fit(v)})
		a.toSums(w, t)
	}
	return w
}

// level gives the point v.x the sums at which, if it is stationary, it is
// orthogonal to all columns.
func (a *active) level(v *vector) {
	var sum, n [2]float64
	for _, i := range a.rows {
		sum[a.group(i)] += a.y[i] * vec.Dot(v.x, a.points.rows[i])
		n[a.group(i)]++
	}
	for g := range a.groups {
		v.e[g] = -sum[g] / n[g] / a.sigma
	}
}

// sums is Σ w of each group.
func (a *active) sums(w []float64) (s [2]float64) {
	for m, i := range a.rows {
		s[a.group(i)] += w[m]
	}
	return s
}

// toSums adds multiples of t to w so that each group's sum is 1.
func (a *active) toSums(w []float64, t [][]float64) {
	s := a.sums(w)
	m0 := a.sums(t[0])
	if a.groups == 1 {
		vec.Axpy(w, (1-s[0])/m0[0], vec.Row{Val: t[0]})
		return
	}
	m1 := a.sums(t[1])
	b0, b1 := 1-s[0], 1-s[1]
	det := float64(m0[0]*m1[1]) - float64(m0[1]*m1[0])
	vec.Axpy(w, (float64(b0*m1[1])-float64(b1*m1[0]))/det, vec.Row{Val: t[0]})
	vec.Axpy(w, (float64(m0[0]*b1)-float64(m0[1]*b0))/det, vec.Row{Val: t[1]})
}

// descend moves to the nearest point of the hull that has no row of the set
// too many: towards the affine minimiser, dropping the rows met on the way.
func (a *active) descend() {
	for {
		w := a.affine()
		step, out := 1.0, -1
		for k, v := range w {
			if v > 0 {
				continue
			}
			if s := a.u[k] / (a.u[k] - v); out < 0 || s < step {
				step, out = s, k
			}
			if a.u[k] == 0 && v == 0 {
				step, out = 0, k
			}
		}
		if out < 0 {
			copy(a.u, w)
			break
		}
		for k, v := range w {
			a.u[k] += float64(step * (v - a.u[k]))
		}
		a.remove(out)
	}
	a.locate()
}

// locate makes p from the weights. They are rounded, and beside the size of the
// points p may be tiny: what rounding did lies along the columns, so the sum is
// made in doubled precision and its part along the columns taken off. The sums,
// too, are rounded: the columns' multiples that restore them are found with it.
func (a *active) locate() {
	v := vector{x: a.p}
	a.doubled(&v)
	a.reject(&v)
	a.reject(&v)
	var h [2]vector
	for g := range a.groups {
		h[g].x = make([]float64, a.dim)
		h[g].e[g] = 1
		a.reject(&h[g])
		a.reject(&h[g])
	}
	if a.groups == 1 {
		v.plus(v.e[0]/(1-h[0].e[0]), &h[0])
	} else {
		m00, m01, m10, m11 := 1-h[0].e[0], -h[1].e[0], -h[0].e[1], 1-h[1].e[1]
		det := float64(m00*m11) - float64(m01*m10)
		b0 := (float64(v.e[0]*m11) - float64(v.e[1]*m01)) / det
		b1 := (float64(v.e[1]*m00) - float64(v.e[0]*m10)) / det
		v.plus(b0, &h[0])
		v.plus(b1, &h[1])
	}
}

// doubled is Σ u·y·x, and σ·(Σ u − 1) of each group, rounded once.
func (a *active) doubled(v *vector) {
	clear(v.x)
	d := sum{v.x, make([]float64, a.dim)}
	var low [2]float64
	total := [2]float64{-1, -1}
	for k, i := range a.rows {
		d.add(a.u[k]*a.y[i], a.points.rows[i])
		g := a.group(i)
		s, e := twoSum(total[g], a.u[k])
		total[g] = s
		low[g] += e
	}
	d.round()
	for g := range a.groups {
		v.e[g] = a.sigma * (total[g] + low[g])
	}
}

// sum is a sum of rows in doubled precision: high + low.
type sum struct{ high, low []float64 }

// add adds f·x.
func (s *sum) add(f float64, x vec.Row) {
	for k := range x.Len() {
		j, v := x.At(k)
		t := f * v
		h, e := twoSum(s.high[j], t)
		s.high[j] = h
		s.low[j] += e + math.FMA(f, v, -t)
	}
}

// round puts the sum into high.
func (s *sum) round() {
	for j, v := range s.low {
		s.high[j] += v
	}
}

// twoSum is a + b and what its rounding lost (Knuth).
func twoSum(a, b float64) (s, lost float64) {
	s = a + b
	back := s - a
	return s, (a - (s - back)) + (b - back)
}
