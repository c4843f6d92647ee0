package proof

import (
	"math/big"
	"math/bits"
)

// lifting solves square systems of whole numbers exactly, with one matrix and
// many right sides: the solution modulo the prime is lifted to one modulo its
// powers, from which the fractions are read (Dixon 1982). Cost: n³ residues
// for the inverse, then n² for every power; there are about as many powers as
// the answer has blocks of nine digits.
type lifting struct {
	m       [][]*big.Int
	small   [][]int64 // the same, if every number fits; else nil
	inverse [][]uint64
	bits    int // of the product of the column lengths
}

// newLifting is nil if the matrix has no inverse modulo the prime.
func newLifting(m [][]*big.Int) *lifting {
	n := len(m)
	l := &lifting{m: m}
	tmp := new(big.Int)
	residues := make([][]uint64, n)
	most := 0
	for i, row := range m {
		residues[i] = make([]uint64, n)
		for j, v := range row {
			residues[i][j] = mod(v, tmp)
			most = max(most, v.BitLen())
		}
	}
	if l.inverse = invert(residues); l.inverse == nil {
		return nil
	}
	for j := range n {
		column := make([]*big.Int, n)
		for i := range column {
			column[i] = m[i][j]
		}
		l.bits += lengthBits(column)
	}
	if most < 63 {
		l.small = make([][]int64, n)
		for i, row := range m {
			l.small[i] = make([]int64, n)
			for j, v := range row {
				l.small[i][j] = v.Int64()
			}
		}
	}
	return l
}

// lengthBits is no less than the logarithm of the length, to base two.
func lengthBits(v []*big.Int) int {
	sum, square := new(big.Int), new(big.Int)
	for _, x := range v {
		sum.Add(sum, square.Mul(x, x))
	}
	return (sum.BitLen() + 1) / 2
}

// solve is z with m·z = right·den.
func (l *lifting) solve(right []*big.Int) (z []*big.Int, den *big.Int, ok bool) {
	steps := (2*(l.bits+lengthBits(right))+4)/30 + 2 // by Hadamard's and Cramer's rules
	digits := l.digits(right, steps)
	modulus := new(big.Int).Exp(bigPrime, big.NewInt(int64(steps)), nil)
	bound := new(big.Int).Rsh(modulus, 1)
	bound.Sqrt(bound)
	den = big.NewInt(1)
	for i := range l.m {
		x := new(big.Int)
		for k := steps - 1; k >= 0; k-- {
			x.Mul(x, bigPrime)
			x.Add(x, new(big.Int).SetUint64(digits[k][i]))
		}
		x.Mul(x, den)
		num, more := fraction(x, modulus, bound)
		if num == nil {
			return nil, nil, false
		}
		if more.Cmp(one) != 0 {
			den.Mul(den, more)
			for _, was := range z {
				was.Mul(was, more)
			}
		}
		z = append(z, num)
	}
	return z, den, true
}

var one = big.NewInt(1)

// digits are those of the solution in base prime, the lowest first.
func (l *lifting) digits(right []*big.Int, steps int) [][]uint64 {
	n := len(l.m)
	rest := make([]*big.Int, n)
	for i := range rest {
		rest[i] = new(big.Int).Set(right[i])
	}
	residue := make([]uint64, n)
	tmp, product := new(big.Int), new(big.Int)
	all := make([][]uint64, steps)
	for k := range all {
		for i, r := range rest {
			residue[i] = mod(r, tmp)
		}
		x := make([]uint64, n)
		for i, row := range l.inverse {
			sum := uint64(0)
			for j, v := range row {
				sum = (sum + v*residue[j]) % prime
			}
			x[i] = sum
		}
		all[k] = x
		for i, r := range rest {
			if l.small != nil {
				r.Sub(r, product128(l.small[i], x, tmp, product))
			} else {
				for j, v := range l.m[i] {
					r.Sub(r, product.Mul(v, tmp.SetUint64(x[j])))
				}
			}
			r.Quo(r, bigPrime) // without a rest
		}
	}
	return all
}

// product128 is Σ a·x, in 128 bits: of numbers below 2^63, residues below 2^31
// and fewer than 2^31 of them.
func product128(a []int64, x []uint64, out, tmp *big.Int) *big.Int {
	var high, low uint64 // two's complement
	for j, v := range a {
		h, l := bits.Mul64(magnitude(v), x[j])
		var carry uint64
		if v < 0 {
			low, carry = bits.Sub64(low, l, 0)
			high, _ = bits.Sub64(high, h, carry)
		} else {
			low, carry = bits.Add64(low, l, 0)
			high, _ = bits.Add64(high, h, carry)
		}
	}
	out.SetInt64(int64(high))
	return out.Add(out.Lsh(out, 64), tmp.SetUint64(low))
}

// fraction is num/den ≡ x modulo m with both up to bound (Wang 1981); nil if
// there is none.
func fraction(x, m, bound *big.Int) (num, den *big.Int) {
	x = new(big.Int).Mod(x, m)
	if below := new(big.Int).Sub(m, x); below.Cmp(bound) <= 0 {
		return below.Neg(below), big.NewInt(1)
	}
	a, b := new(big.Int).Set(m), x
	s, t := new(big.Int), big.NewInt(1)
	q, product := new(big.Int), new(big.Int)
	for b.Cmp(bound) > 0 {
		q.QuoRem(a, b, a)
		a, b = b, a
		product.Mul(q, t)
		s.Sub(s, product)
		s, t = t, s
	}
	if t.CmpAbs(bound) > 0 || t.Sign() == 0 {
		return nil, nil
	}
	if t.Sign() < 0 {
		t.Neg(t)
		b.Neg(b)
	}
	return b, t
}
