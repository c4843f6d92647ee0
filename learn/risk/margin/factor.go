package margin

import (
	"math"

	"github.com/halfspace-ml/halfspace/vec"
)

// factor is A = QR, one slice a column. Q is kept where there is room for it;
// else what it would give comes from Qᵀ = R⁻ᵀ·Aᵀ, with corrections.
//
// Sources: Daniel, Gragg, Kaufman and Stewart, Reorthogonalization and stable
// algorithms for updating the Gram-Schmidt QR factorization, 1976; Björck,
// Stability analysis of the method of seminormal equations, 1987.
type factor struct {
	cols  [][]float64
	q     []*vector
	keepQ bool
}

// forward solves Rᵀ·y = b in place.
func (t *factor) forward(b []float64) {
	for j, c := range t.cols {
		b[j] = (b[j] - vec.Dot(b, vec.Row{Val: c[:j]})) / c[j]
	}
}

// back solves R·x = b in place.
func (t *factor) back(b []float64) {
	for j := len(t.cols) - 1; j >= 0; j-- {
		c := t.cols[j]
		b[j] /= c[j]
		vec.Axpy(b, -b[j], vec.Row{Val: c[:j]})
	}
}

// add appends a column: r is its part along Q, rest what is new, of length rho.
func (t *factor) add(r []float64, rest *vector, rho float64) {
	if t.keepQ {
		q := &vector{x: make([]float64, len(rest.x))}
		q.plus(1/rho, rest)
		t.q = append(t.q, q)
	}
	c := make([]float64, len(r)+1, len(r)+2)
	copy(c, r)
	c[len(r)] = rho
	t.cols = append(t.cols, c)
}

// remove takes column j out and makes what follows triangular again by
// rotations.
func (t *factor) remove(j int) {
	t.cols = append(t.cols[:j], t.cols[j+1:]...)
	type rotation struct{ c, s float64 }
	turns := make([]rotation, 0, len(t.cols)-j)
	for m := j; m < len(t.cols); m++ {
		col := t.cols[m]
		for k, r := range turns {
			a, b := col[j+k], col[j+k+1]
			col[j+k] = float64(r.c*a) + float64(r.s*b)
			col[j+k+1] = float64(r.c*b) - float64(r.s*a)
		}
		a, b := col[m], col[m+1]
		h := math.Hypot(a, b)
		turns = append(turns, rotation{a / h, b / h})
		col[m] = h
		t.cols[m] = col[:m+1]
	}
	if t.keepQ {
		for k, r := range turns {
			rotate(t.q[j+k], t.q[j+k+1], r.c, r.s)
		}
		t.q = t.q[:len(t.cols)]
	}
}

// rotate turns the plane of two vectors.
func rotate(a, b *vector, c, s float64) {
	turn := func(x, y float64) (float64, float64) {
		return float64(c*x) + float64(s*y), float64(c*y) - float64(s*x)
	}
	for j := range a.x {
		a.x[j], b.x[j] = turn(a.x[j], b.x[j])
	}
	for g := range a.e {
		a.e[g], b.e[g] = turn(a.e[g], b.e[g])
	}
}
