package joint

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/internal/line"
	"github.com/halfspace-ml/halfspace/vec"
)

// cost is what the scores of an example cost, weight included, as a smooth
// function.
type cost interface {
	// slope turns scores into derivatives and returns the cost.
	slope(i int, z []float64) float64
	// curve is the curvature where the derivatives are s: h·(diag u − u·uᵀ)
	// with Σu = 1.
	curve(i int, u, s []float64) (h float64)
}

// newton is Newton's method on ½‖x‖² plus the costs, with an exact line search.
// Few weights: a factor of the matrix H of second derivatives. Many: conjugate
// gradients, with products H·p that cost two looks at the examples that have
// curvature. Each step makes the scores anew and costs two looks more.
type newton struct {
	*problem
	cost
	x     []float64
	z     []float64 // scores at x, by example and class
	s     []float64 // derivatives of the costs by them
	g     []float64
	value float64
	first float64 // ‖g‖ at the start
	least float64 // curvature that a free bias is taken to have at least

	u    []float64 // curvatures
	h    []float64
	bent []uint32  // examples with curvature, which is all that H sees
	even float64   // free biases: H gets it along (1, …, 1), where nothing else is
	prop []float64 // and this in each, where there is too little to go by

	dir []float64
	dz  []float64 // change of the scores along dir
}

// newNewton starts at x; least is a share of what counts.
func newNewton(p *problem, c cost, x []float64, least float64) *newton {
	d, n := p.size(), p.set.Len()
	nk := n * p.classes
	w := &newton{
		problem: p, cost: c, x: x, z: make([]float64, nk), s: make([]float64, nk), g: make([]float64, d),
		u: make([]float64, nk), h: make([]float64, n), dir: make([]float64, d), dz: make([]float64, nk), prop: make([]float64, p.classes),
	}
	for _, v := range p.c {
		w.least += float64(least * v)
	}
	w.at()
	w.first = norm(w.g)
	return w
}

// newtonSolve minimises a loss that is smooth.
func newtonSolve(ctx context.Context, p *problem, x []float64, look func(progress) bool) {
	n := newNewton(p, plain{p}, x, 1e-12)
	for {
		moved := n.step(ctx)
		if ctx.Err() != nil || look(n.progress()) || !moved {
			return
		}
	}
}

func (n *newton) progress() progress { return progress{x: n.x, z: n.z, s: n.s} }

// at works out scores, value and gradient at x.
func (n *newton) at() {
	n.scores(n.z, n.x)
	n.slopes()
}

// slopes is value and gradient where the scores are n.z.
func (n *newton) slopes() {
	copy(n.s, n.z)
	n.value = n.penalty(n.x) + n.total(func(i int, _ []float64) float64 { return n.slope(i, n.row(n.s, i)) })
	n.combine(n.g, n.set.Len(), func(i int, a []float64) vec.Row {
		copy(a, n.row(n.s, i))
		return n.set.Row(i)
	})
	for j, v := range n.x {
		if n.rigid(j) {
			n.g[j] += v
		}
	}
}

// step moves x; false means that rounding allows no further descent.
func (n *newton) step(ctx context.Context) bool {
	if n.watch != nil {
		n.watch(n.z, n.s, n.x)
	}
	n.bend()
	if !n.cholesky() {
		n.conjugate(ctx)
	}
	if ctx.Err() != nil {
		return false
	}
	n.scores(n.dz, n.dir)
	t := n.search()
	if t == 0 {
		return false
	}
	for j, v := range n.dir {
		n.x[j] += float64(t * v)
	}
	n.centre(n.x)
	n.at() // scores anew: a sum of many steps would drift
	return true
}

// bend finds the examples that have curvature.
func (n *newton) bend() {
	n.each(func(i int) { n.h[i] = n.curve(i, n.row(n.u, i), n.row(n.s, i)) })
	n.bent = n.bent[:0]
	for i, h := range n.h {
		if h > 0 {
			n.bent = append(n.bent, uint32(i))
		}
	}
	if n.bias == free {
		n.settle()
	}
}

// settle gives free biases a curvature of the given least, and H one along
// (1, …, 1).
func (n *newton) settle() {
	clear(n.prop)
	for _, i := range n.bent {
		for k, u := range n.row(n.u, int(i)) {
			n.prop[k] += float64(n.h[i] * u * (1 - u))
		}
	}
	n.even = 0
	for k, v := range n.prop {
		n.prop[k] = max(0, n.least-v)
		n.even += max(n.least, v) / float64(n.classes*n.classes)
	}
}

// search is the step along dir to about the least value; 0 if it falls nowhere.
func (n *newton) search() float64 {
	var xd, dd float64 // the penalty along dir is a parabola
	for j, v := range n.dir {
		if n.rigid(j) {
			xd += float64(n.x[j] * v)
			dd += float64(v * v)
		}
	}
	slope := func(t float64) float64 {
		return xd + float64(t*dd) + n.total(func(i int, buf []float64) float64 {
			z, dz := n.row(n.z, i), n.row(n.dz, i)
			for k, v := range z {
				buf[k] = v + float64(t*dz[k])
			}
			n.slope(i, buf)
			return dot(buf, dz)
		})
	}
	return line.Search(slope, 1e-16*math.Abs(n.value))
}

// product is H·v.
func (n *newton) product(hv, v []float64) {
	n.combine(hv, len(n.bent), func(t int, a []float64) vec.Row {
		i := int(n.bent[t])
		x, u := n.set.Row(i), n.row(n.u, i)
		mean := 0.0
		for k, share := range u {
			if a[k] = 0; share != 0 {
				w, b := n.of(v, k)
				a[k] = vec.Dot(w, x) + b
				mean += float64(share * a[k])
			}
		}
		for k, share := range u {
			a[k] = n.h[i] * share * (a[k] - mean)
		}
		return x
	})
	for j, t := range v {
		if n.rigid(j) {
			hv[j] += t
		}
	}
	if n.bias == free {
		sum := 0.0
		for k := range n.classes {
			sum += v[(k+1)*n.stride-1]
		}
		for k := range n.classes {
			j := (k+1)*n.stride - 1
			hv[j] += float64(n.even*sum) + float64(n.prop[k]*v[j])
		}
	}
}

// own is what H has at coordinate j of its diagonal besides the examples' part.
func (n *newton) own(j int) float64 {
	if n.rigid(j) {
		return 1
	}
	return n.even + n.prop[j/n.stride]
}

// diagonal is that of H.
func (n *newton) diagonal() []float64 {
	d := make([]float64, n.size())
	for _, i := range n.bent {
		x, u := n.set.Row(int(i)), n.row(n.u, int(i))
		for k, share := range u {
			if share == 0 {
				continue
			}
			c := n.h[i] * share * (1 - share)
			dk := d[k*n.stride : (k+1)*n.stride]
			for a := range x.Len() {
				j, v := x.At(a)
				dk[j] += float64(c * v * v)
			}
			if n.bias != without {
				dk[n.stride-1] += c
			}
		}
	}
	for j := range d {
		if d[j] += n.own(j); !(d[j] > 0) {
			d[j] = 1
		}
	}
	return d
}

// conjugate solves H·dir = −g by conjugate gradients, the nearer to the end the
// more exactly.
func (n *newton) conjugate(ctx context.Context) {
	d := n.size()
	ease := n.eased()
	r, y, p, hp := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	clear(n.dir)
	for j, g := range n.g {
		r[j] = -g
	}
	ease(p, r)
	ry := dot(r, p)
	share := min(0.1, math.Sqrt(norm(n.g)/n.first))
	enough := ry * share * share
	for range 2 * d {
		if ry <= enough || ctx.Err() != nil {
			return
		}
		n.product(hp, p)
		php := dot(p, hp)
		if !(php > 0) { // flat: no curvature to go by
			if dot(n.dir, n.dir) == 0 {
				copy(n.dir, p)
			}
			return
		}
		step := ry / php
		for j := range n.dir {
			n.dir[j] += float64(step * p[j])
			r[j] -= float64(step * hp[j])
		}
		ease(y, r)
		next := dot(r, y)
		beta := next / ry
		ry = next
		for j := range p {
			p[j] = y[j] + float64(beta*p[j])
		}
	}
}

// eased is a rough inverse of H: y becomes about H⁻¹·r.
func (n *newton) eased() func(y, r []float64) {
	if ease := n.common(); ease != nil {
		return ease
	}
	scale := n.diagonal()
	return func(y, r []float64) {
		for j, v := range r {
			y[j] = v / scale[j]
		}
	}
}

// common is the inverse of what the blocks of H, one a class, are on average:
// one factor for all of them. nil if there are too many features for it.
func (n *newton) common() func(y, r []float64) {
	d := n.stride
	if d > fewFeatures {
		return nil
	}
	share := 1 / float64(n.classes)
	h := n.outers(d, func(h []float64, i int) {
		x, c := n.set.Row(i), 0.0
		for _, u := range n.row(n.u, i) {
			c += float64(n.h[i] * share * u * (1 - u))
		}
		vec.AddOuter(h, d, c, x)
		if n.bias == without {
			return
		}
		for a := range x.Len() {
			j, v := x.At(a)
			h[j*d+d-1] += float64(c * v)
		}
		h[d*d-1] += c
	})
	for j := range d {
		for k := range n.classes {
			h[j*d+j] += float64(share * n.own(k*d+j))
		}
	}
	solve := factor(h, d)
	if solve == nil {
		return nil
	}
	all := mat.NewDense(d, n.classes, nil)
	return func(y, r []float64) {
		all.Copy(mat.NewDense(n.classes, d, r).T())
		solve(all)
		mat.NewDense(n.classes, d, y).Copy(all.T())
	}
}

// outers adds up d×d numbers over the examples with curvature.
func (n *newton) outers(d int, add func(h []float64, i int)) []float64 {
	parts := make([][]float64, max(1, min(8, 1<<25/(d*d))))
	count := block.Lanes(len(n.bent), len(parts), n.workers, func(lane, lo, hi int) {
		parts[lane] = make([]float64, d*d)
		for _, i := range n.bent[lo:hi] {
			add(parts[lane], int(i))
		}
	})
	for _, part := range parts[1:count] {
		vec.Axpy(parts[0], 1, vec.Row{Val: part})
	}
	return parts[0]
}

// factor makes a solver of equations from the upper half of a matrix, which it
// destroys; nil if the matrix is not positive definite to working precision.
func factor(h []float64, d int) (solve func(b *mat.Dense)) {
	scale := make([]float64, d) // a diagonal of ones makes units of no account
	for j := range scale {
		scale[j] = 1 / math.Sqrt(h[j*d+j])
	}
	for j := range d {
		for l := j; l < d; l++ {
			h[j*d+l] *= scale[j] * scale[l]
		}
	}
	var f mat.Cholesky
	if !f.Factorize(mat.NewSymDense(d, h)) || f.Cond() > 1e15 {
		return nil
	}
	rescale := func(b *mat.Dense) {
		for j := range d {
			row := b.RawRowView(j)
			for k := range row {
				row[k] *= scale[j]
			}
		}
	}
	return func(b *mat.Dense) {
		rescale(b)
		if f.SolveTo(b, b) != nil {
			panic("a factor of condition below 1e15 has no solution")
		}
		rescale(b)
	}
}

// Few enough features may share one factor, few enough weights have one of H.
const (
	fewFeatures = 1024
	fewWeights  = 1024
)

// cholesky solves H·dir = −g by a factor; false if there are too many weights
// or H is not positive definite to working precision.
func (n *newton) cholesky() bool {
	d := n.size()
	if !n.cheap() {
		return false
	}
	h := n.outers(d, n.outer)
	for j := range d {
		h[j*d+j] += n.own(j)
	}
	if n.bias == free {
		for k := range n.classes {
			for l := k + 1; l < n.classes; l++ {
				h[((k+1)*n.stride-1)*d+(l+1)*n.stride-1] += n.even
			}
		}
	}
	solve := factor(h, d)
	if solve == nil {
		return false
	}
	for j, v := range n.g {
		n.dir[j] = -v
	}
	solve(mat.NewDense(d, 1, n.dir))
	return vec.Finite(n.dir)
}

// cheap reports whether H and its factor cost less than a hundred products H·p.
func (n *newton) cheap() bool {
	d := n.size()
	if d > fewWeights {
		return false
	}
	factor, product := d*d*d/3, 0
	for _, i := range n.bent {
		m, size := 0, n.set.Row(int(i)).Len()+n.stride-n.set.Dim()
		for _, u := range n.row(n.u, int(i)) {
			if u != 0 {
				m++
			}
		}
		factor += m * (m + 1) / 2 * size * size
		product += 2 * m * size
	}
	return factor <= 100*product
}

// outer adds h·(diag u − u·uᵀ) ⊗ x̃·x̃ᵀ of one example, for classes k ≤ l.
func (n *newton) outer(h []float64, i int) {
	d, x, u := n.size(), n.set.Row(i), n.row(n.u, i)
	for k, uk := range u {
		for l := k; l < n.classes && uk != 0; l++ {
			c := -n.h[i] * uk * u[l]
			if l == k {
				c = n.h[i] * uk * (1 - uk)
			}
			if c == 0 {
				continue
			}
			line := func(j int, v float64) {
				row := h[(k*n.stride+j)*d+l*n.stride:][:n.stride]
				vec.Axpy(row, c*v, x)
				if n.bias != without {
					row[n.stride-1] += float64(c * v)
				}
			}
			for a := range x.Len() {
				line(x.At(a))
			}
			if n.bias != without {
				line(n.stride-1, 1)
			}
		}
	}
}
