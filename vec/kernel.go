package vec

import "math"

// The conversions float64(a*b) below forbid the compiler to fuse a product
// with the following addition (it would on arm64): same bits everywhere.

// Dot is Σ w[j]·x[j]. It panics if x has a feature beyond len(w).
func Dot(w []float64, x Row) float64 {
	switch {
	case x.Idx == nil:
		return dotDense(w, x.Val)
	case x.Val == nil:
		return sumAt(w, x.Idx)
	default:
		return dotSparse(w, x.Idx, x.Val)
	}
}

func dotDense(w, val []float64) float64 {
	var s0, s1, s2, s3 float64
	w = w[:len(val)]
	k := 0
	for ; k+4 <= len(val); k += 4 {
		a, b := w[k:k+4:k+4], val[k:k+4:k+4]
		s0 += float64(a[0] * b[0])
		s1 += float64(a[1] * b[1])
		s2 += float64(a[2] * b[2])
		s3 += float64(a[3] * b[3])
	}
	if k < len(val) {
		s0 += float64(w[k] * val[k])
	}
	if k+1 < len(val) {
		s1 += float64(w[k+1] * val[k+1])
	}
	if k+2 < len(val) {
		s2 += float64(w[k+2] * val[k+2])
	}
	return (s0 + s1) + (s2 + s3)
}

func dotSparse(w []float64, idx []uint32, val []float64) float64 {
	var s0, s1, s2, s3 float64
	val = val[:len(idx)]
	k := 0
	for ; k+4 <= len(idx); k += 4 {
		j, b := idx[k:k+4:k+4], val[k:k+4:k+4]
		s0 += float64(w[j[0]] * b[0])
		s1 += float64(w[j[1]] * b[1])
		s2 += float64(w[j[2]] * b[2])
		s3 += float64(w[j[3]] * b[3])
	}
	if k < len(idx) {
		s0 += float64(w[idx[k]] * val[k])
	}
	if k+1 < len(idx) {
		s1 += float64(w[idx[k+1]] * val[k+1])
	}
	if k+2 < len(idx) {
		s2 += float64(w[idx[k+2]] * val[k+2])
	}
	return (s0 + s1) + (s2 + s3)
}

func sumAt(w []float64, idx []uint32) float64 {
	var s0, s1, s2, s3 float64
	k := 0
	for ; k+4 <= len(idx); k += 4 {
		j := idx[k : k+4 : k+4]
		s0 += w[j[0]]
		s1 += w[j[1]]
		s2 += w[j[2]]
		s3 += w[j[3]]
	}
	if k < len(idx) {
		s0 += w[idx[k]]
	}
	if k+1 < len(idx) {
		s1 += w[idx[k+1]]
	}
	if k+2 < len(idx) {
		s2 += w[idx[k+2]]
	}
	return (s0 + s1) + (s2 + s3)
}

// Axpy adds a·x to w. It panics if x has a feature beyond len(w).
func Axpy(w []float64, a float64, x Row) {
	switch {
	case x.Idx == nil:
		w = w[:len(x.Val)]
		for k, v := range x.Val {
			w[k] += float64(a * v)
		}
	case x.Val == nil:
		for _, j := range x.Idx {
			w[j] += a
		}
	default:
		val := x.Val[:len(x.Idx)]
		for k, j := range x.Idx {
			w[j] += float64(a * val[k])
		}
	}
}

// SquaredNorm is Σ x[j]².
func SquaredNorm(x Row) float64 {
	if x.Val == nil {
		return float64(len(x.Idx))
	}
	return dotDense(x.Val, x.Val)
}

// Norm is the Euclidean length of w, safe from overflow and underflow.
func Norm(w []float64) float64 {
	largest := 0.0
	for _, v := range w {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 || math.IsInf(largest, 0) {
		return largest
	}
	s := 0.0
	for _, v := range w {
		r := v / largest
		s += float64(r * r)
	}
	return largest * math.Sqrt(s)
}

// Finite reports whether no entry of w is infinite or not a number.
func Finite(w []float64) bool {
	for _, v := range w {
		if v-v != 0 { // Inf-Inf and NaN-NaN are NaN
			return false
		}
	}
	return true
}

// AddOuter adds c·x·xᵀ to the upper half of the square matrix h, whose rows are
// stride apart.
func AddOuter(h []float64, stride int, c float64, x Row) {
	for a := range x.Len() {
		j, u := x.At(a)
		row := h[j*stride : (j+1)*stride]
		switch {
		case x.Idx == nil:
			Axpy(row[j:], c*u, Row{Val: x.Val[j:]})
		case x.Val == nil:
			Axpy(row, c, Row{Idx: x.Idx[a:]})
		default:
			Axpy(row, c*u, Row{Idx: x.Idx[a:], Val: x.Val[a:]})
		}
	}
}
