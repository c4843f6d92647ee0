package proof

import (
	"math"
	"math/big"
	"slices"
)

// cancel finds positive whole multipliers by which some of the vectors add up
// to zero, exactly; hints are near such multipliers. keep tells which. By
// Carathéodory's theorem no more are needed than one for each dimension and
// one. It is false if the hints lead to none.
func cancel(vectors []vector, hints []float64) (keep []int, z []*big.Int, ok bool) {
	keep = make([]int, len(vectors))
	for i := range keep {
		keep[i] = i
	}
	for len(keep) > 0 {
		sub := make([]vector, len(keep))
		hint := make([]float64, len(keep))
		for k, i := range keep {
			sub[k], hint[k] = vectors[i], hints[i]
		}
		k := newKernel(equationsOf(sub), hint)
		if k == nil {
			return nil, nil, false
		}
		z, next := k.positive(hint)
		if z != nil {
			return k.trim(keep, z)
		}
		if next == nil {
			return nil, nil, false
		}
		hints = slices.Clone(hints)
		kept := keep[:0:0]
		for k, i := range keep {
			if hints[i] = next[k]; next[k] > 0 {
				kept = append(kept, i)
			}
		}
		keep = kept
	}
	return nil, nil, false
}

// kernel is the multipliers, of any sign, that cancel vectors: for every free
// unknown there is one solution in which it is the only free one.
type kernel struct {
	eq    *equations
	basis *basis
	lift  *lifting
}

// newKernel is nil if there are none.
func newKernel(eq *equations, hint []float64) *kernel {
	k := &kernel{eq: eq}
	k.basis = k.eq.eliminate(hint)
	if len(k.basis.free) == 0 {
		return nil
	}
	column := make([]int, k.eq.n) // unknown → column of the matrix, from 1
	for c, j := range k.basis.cols {
		column[j] = c + 1
	}
	m := make([][]*big.Int, len(k.basis.rows))
	for r, row := range k.basis.rows {
		m[r] = make([]*big.Int, len(m))
		for c := range m[r] {
			m[r][c] = new(big.Int)
		}
		for _, t := range k.eq.rows[row] {
			if c := column[t.at]; c > 0 {
				m[r][c-1].Set(t.n)
			}
		}
	}
	if k.lift = newLifting(m); k.lift == nil {
		return nil
	}
	return k
}

// solution is the one of a free unknown; nil if there is none after all.
func (k *kernel) solution(free int) []*big.Int {
	right := make([]*big.Int, len(k.basis.rows))
	for r, row := range k.basis.rows {
		right[r] = new(big.Int)
		for _, t := range k.eq.rows[row] {
			if t.at == free {
				right[r].Neg(t.n)
			}
		}
	}
	basic, den, ok := k.lift.solve(right)
	if !ok {
		return nil
	}
	z := make([]*big.Int, k.eq.n)
	for j := range z {
		z[j] = new(big.Int)
	}
	z[free].Set(den)
	for c, j := range k.basis.cols {
		z[j].Set(basic[c])
	}
	if !k.eq.hold(z) {
		return nil
	}
	return z
}

// hold reports whether z solves all equations.
func (e *equations) hold(z []*big.Int) bool {
	sum, product := new(big.Int), new(big.Int)
	for _, terms := range e.rows {
		sum.SetInt64(0)
		for _, t := range terms {
			sum.Add(sum, product.Mul(t.n, z[t.at]))
		}
		if sum.Sign() != 0 {
			return false
		}
	}
	return true
}

// positive is a solution without negative multipliers, or else hints of which
// one more is zero: along a solution, as far as none becomes negative.
func (k *kernel) positive(hint []float64) (z []*big.Int, next []float64) {
	for _, free := range k.basis.free {
		z := k.solution(free)
		if z == nil {
			return nil, nil
		}
		if !slices.ContainsFunc(z, func(n *big.Int) bool { return n.Sign() < 0 }) {
			return z, nil
		}
		next = along(z, hint)
	}
	if len(k.basis.free) == 1 {
		return nil, nil // it was the only one
	}
	return nil, next
}

// along is hint less as much of z as leaves all at least zero.
func along(z []*big.Int, hint []float64) []float64 {
	f := floats(z)
	out, step := -1, math.Inf(1)
	for j, v := range f {
		if v > 0 && hint[j]/v < step {
			out, step = j, hint[j]/v
		}
	}
	next := make([]float64, len(hint))
	for j, v := range f {
		next[j] = max(hint[j]-float64(step*v), math.SmallestNonzeroFloat64)
	}
	next[out] = 0
	return next
}

// floats are the numbers over the largest of them.
func floats(z []*big.Int) []float64 {
	bits := 0
	for _, n := range z {
		bits = max(bits, n.BitLen())
	}
	f := make([]float64, len(z))
	for j, n := range z {
		v, _ := new(big.Float).SetMantExp(new(big.Float).SetPrec(64).SetInt(n), -bits).Float64()
		f[j] = v
	}
	return f
}

// trim leaves out zeros and divides by what all have in common.
func (k *kernel) trim(keep []int, z []*big.Int) ([]int, []*big.Int, bool) {
	gcd := new(big.Int)
	for _, n := range z {
		gcd.GCD(nil, nil, gcd, n)
	}
	var rows []int
	var kept []*big.Int
	for i, n := range z {
		if n.Sign() > 0 {
			rows = append(rows, keep[i])
			kept = append(kept, new(big.Int).Quo(n, gcd))
		}
	}
	return rows, kept, true
}
