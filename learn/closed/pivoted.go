package closed

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// noise is how large, beside a column of length 1, rounding may leave what
// should be zero among p columns.
func noise(p int) float64 { return 16 * float64(max(p, 8)) * 0x1p-52 }

// pivoted is a QR factorisation with column pivoting, which tells the rank. A
// column counts in its own power of two, so that units of measurement do not
// decide it; one that is noise beside what it was before projections took away
// the rest of it counts as zero.
type pivoted struct {
	columns int   // before zeros were left out
	keep    []int // the columns that are not zero …
	exp     []int // … were multiplied by 2^-exp …
	pivot   []int // … and put in this order
	qr      blas64.General
	tau     []float64
	rank    int
}

// pivot factorises a; full is the length its columns had.
func pivot(a blas64.General, full []float64) *pivoted {
	f := &pivoted{columns: a.Cols}
	for j := range a.Cols {
		if own := length(a, j); own > noise(a.Cols)*full[j] {
			f.keep = append(f.keep, j)
			f.exp = append(f.exp, exponent(own))
		}
	}
	k := len(f.keep)
	f.qr = matrix(a.Rows, k)
	for i := range a.Rows {
		for c, j := range f.keep {
			f.qr.Data[i*k+c] = math.Ldexp(a.Data[i*a.Stride+j], -f.exp[c])
		}
	}
	if k == 0 {
		return f
	}
	f.pivot, f.tau = make([]int, k), make([]float64, min(a.Rows, k))
	for c := range f.pivot {
		f.pivot[c] = -1 // free
	}
	workspace(func(work []float64, size int) { lapack64.Geqp3(f.qr, f.pivot, f.tau, work, size) })
	for f.rank < len(f.tau) && math.Abs(f.at(f.rank, f.rank)) > noise(k)*math.Abs(f.at(0, 0)) {
		f.rank++
	}
	return f
}

func (f *pivoted) at(i, j int) float64 { return f.qr.Data[i*f.qr.Stride+j] }

// full reports whether all columns that are not zero are independent.
func (f *pivoted) full() bool { return f.rank == len(f.keep) }

// triangular is the leading corner of R.
func (f *pivoted) triangular() blas64.Triangular {
	return blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: f.rank, Stride: max(1, f.qr.Stride), Data: f.qr.Data}
}

// solve returns v that minimises ‖a·v − c‖. Of many it takes the one that makes
// Σ (v_j·2^-unit_j)² least. It changes c.
func (f *pivoted) solve(c []float64, unit []int) []float64 {
	v := make([]float64, f.columns)
	if len(f.keep) > 0 {
		b := blas64.General{Rows: len(c), Cols: 1, Stride: 1, Data: c}
		workspace(func(work []float64, size int) { lapack64.Ormqr(blas.Left, blas.Trans, f.qr, f.tau, b, work, size) })
	}
	if f.rank == 0 {
		return v
	}
	u := c[:f.rank]
	lapack64.Trtrs(blas.NoTrans, f.triangular(), blas64.General{Rows: f.rank, Cols: 1, Stride: 1, Data: u})
	if !f.full() {
		u = f.shortest(u, unit)
	}
	for c, x := range u {
		k := f.pivot[c]
		v[f.keep[k]] = math.Ldexp(x, -f.exp[k])
	}
	return v
}

// shortest goes from the basic solution u to the one of least norm: with
// T = R11⁻¹·R12 all solutions are (u − T·z, z), and z is a small least-squares
// problem of its own, full in rank. This is what the SVD would give, and keeps
// a·v as good as it was however far apart the units are.
func (f *pivoted) shortest(u []float64, unit []int) []float64 {
	r, k := f.rank, len(f.keep)
	t := matrix(r, k-r)
	for i := range r {
		copy(t.Data[i*t.Stride:(i+1)*t.Stride], f.qr.Data[i*f.qr.Stride+r:i*f.qr.Stride+k])
	}
	lapack64.Trtrs(blas.NoTrans, f.triangular(), t)
	weight := f.relativeUnits(unit)
	a := matrix(k, k-r+1) // the right side last
	for i := range r {
		for j := range k - r {
			if x := t.Data[i*t.Stride+j]; math.Abs(x) > noise(k) {
				a.Data[i*a.Stride+j] = math.Ldexp(x, weight[i])
			} else {
				t.Data[i*t.Stride+j] = 0 // the columns have nothing to do with each other
			}
		}
		a.Data[i*a.Stride+k-r] = math.Ldexp(u[i], weight[i])
	}
	for j := range k - r {
		a.Data[(r+j)*a.Stride+j] = -math.Ldexp(1, weight[r+j])
	}
	z := substitute(a)
	all := make([]float64, k)
	copy(all, u)
	copy(all[r:], z)
	for i := range r {
		for j := range z {
			all[i] -= float64(t.Data[i*t.Stride+j] * z[j])
		}
	}
	return all
}

// relativeUnits are the exponents by which the answer, in pivoted order, is in
// the units asked for, up to a common factor; the largest is zero.
func (f *pivoted) relativeUnits(unit []int) []int {
	out := make([]int, len(f.keep))
	most := math.MinInt
	for c, k := range f.pivot {
		out[c] = -f.exp[k] - unit[f.keep[k]]
		most = max(most, out[c])
	}
	for c := range out {
		out[c] -= most
	}
	return out
}

// substitute solves the least-squares problem whose right side is the last
// column of a; a column that underflowed gets zero.
func substitute(a blas64.General) []float64 {
	triangle(a)
	n := a.Cols - 1
	v := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		row := a.Data[i*a.Stride : i*a.Stride+a.Cols]
		x := row[n]
		for j := i + 1; j < n; j++ {
			x -= float64(row[j] * v[j])
		}
		if row[i] != 0 {
			v[i] = x / row[i]
		}
	}
	return v
}

// length is the norm of column j, without overflow.
func length(a blas64.General, j int) float64 {
	if a.Rows == 0 {
		return 0
	}
	return blas64.Nrm2(blas64.Vector{N: a.Rows, Inc: max(1, a.Stride), Data: a.Data[j:]})
}
