package certificate

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"

	"github.com/halfspace-ml/halfspace/vec"
)

// plane is w·x + b twice: in whole numbers over one denominator, and in
// float64 for a first look at a score.
type plane struct {
	w     []*big.Int // the bias last
	den   *big.Int
	rough []float64 // without the bias; nil: numbers too large or small for a first look
	bias  float64
}

// maxBits bounds the memory of the whole numbers of a plane.
const maxBits = 1 << 30

// newPlane is a - b, the last entry being the bias; nil is zero.
func newPlane(a, b []*big.Rat) (*plane, error) {
	n := max(len(a), len(b))
	diff := make([]*big.Rat, n)
	p := &plane{den: big.NewInt(1)}
	gcd := new(big.Int)
	for j := range diff {
		diff[j] = new(big.Rat)
		if a != nil {
			diff[j].Set(a[j])
		}
		if b != nil {
			diff[j].Sub(diff[j], b[j])
		}
		d := diff[j].Denom()
		p.den.Mul(p.den, new(big.Int).Quo(d, gcd.GCD(nil, nil, p.den, d)))
		if over, size := bits.Mul64(uint64(p.den.BitLen()), uint64(n)); over > 0 || size > maxBits {
			return nil, fmt.Errorf("the weights have too long a common denominator")
		}
	}
	p.rough = make([]float64, n-1)
	for j, r := range diff {
		m := new(big.Int).Quo(p.den, r.Denom())
		p.w = append(p.w, m.Mul(m, r.Num()))
		f, _ := r.Float64()
		if size := math.Abs(f); r.Sign() != 0 && (size < 1e-140 || size > 1e140) {
			p.rough = nil
			return p.whole(diff, j+1), nil
		}
		if j < n-1 {
			p.rough[j] = f
		} else {
			p.bias = f
		}
	}
	return p, nil
}

// whole completes the whole numbers from entry j on.
func (p *plane) whole(diff []*big.Rat, j int) *plane {
	for _, r := range diff[j:] {
		m := new(big.Int).Quo(p.den, r.Denom())
		p.w = append(p.w, m.Mul(m, r.Num()))
	}
	return p
}

// look is an interval that holds the score of x.
//
// Weights and values are within 2⁻⁵³ of their decimals, each product and sum
// adds as much, so that n terms are off by less than (n + 4)·2⁻⁵³ of the sum
// of their magnitudes; four times that is taken. Numbers near the smallest
// ones, where roundings are no longer in proportion, are less than the rest.
func (p *plane) look(x vec.Row) (low, high float64) {
	if p.rough == nil {
		return math.Inf(-1), math.Inf(1)
	}
	sum, size := p.bias, math.Abs(p.bias)
	for k := range x.Len() {
		j, v := x.At(k)
		t := float64(p.rough[j] * v)
		sum += t
		size += math.Abs(t)
	}
	n := float64(x.Len() + 8)
	off := n*0x1p-50*size + n*1e-170
	if !(off < math.MaxFloat64) { // overflow
		return math.Inf(-1), math.Inf(1)
	}
	return sum - off, sum + off
}

// score is the score of x, exactly.
func (p *plane) score(x vec.Row) *big.Rat {
	least := 0
	for k := range x.Len() {
		_, v := x.At(k)
		least = min(least, decimalOf(v).exp)
	}
	sum := new(big.Int).Mul(p.w[len(p.w)-1], ten(-least))
	one, digits := new(big.Int), new(big.Int)
	for k := range x.Len() {
		j, v := x.At(k)
		d := decimalOf(v)
		one.Mul(p.w[j], digits.SetInt64(d.digits))
		if d.exp > least {
			one.Mul(one, ten(d.exp-least))
		}
		sum.Add(sum, one)
	}
	return new(big.Rat).SetFrac(sum, one.Mul(p.den, ten(-least)))
}

// smallest is the least score of all examples against all rivals, and whether
// some score is positive. Only what could be the least is computed exactly.
func (v *Verifier) smallest(p *Proof, planes [][]*plane) (least *big.Rat, some bool, err error) {
	bound := math.Inf(1)
	each := func(do func(x vec.Row, f *plane)) {
		for i := range v.set.Len() {
			c := v.classOf(i)
			if c < 0 {
				continue
			}
			x := v.set.Row(i)
			for r, f := range planes[c] {
				if r != c {
					do(x, f)
				}
			}
		}
	}
	each(func(x vec.Row, f *plane) {
		low, high := f.look(x)
		bound = min(bound, high)
		some = some || low > 0
	})
	each(func(x vec.Row, f *plane) {
		if low, _ := f.look(x); low > bound {
			return
		}
		z := f.score(x)
		some = some || z.Sign() > 0
		if least == nil || z.Cmp(least) < 0 {
			least = z
		}
	})
	if least == nil {
		return nil, false, fmt.Errorf("no example of the classes %q", p.Classes)
	}
	return least, some, nil
}

// Errors counts, exactly, the examples that the weights of a proof do not put
// strictly on their side.
func (v *Verifier) Errors(p *Proof) (int, error) {
	v.budget = budget{}
	if err := v.checkClasses(p); err != nil {
		return 0, err
	}
	planes, err := v.planes(p)
	if err != nil {
		return 0, err
	}
	errors := 0
	for i := range v.set.Len() {
		c := v.classOf(i)
		if c < 0 {
			continue
		}
		for r, f := range planes[c] {
			if r == c {
				continue
			}
			low, high := f.look(v.set.Row(i))
			if high <= 0 || low <= 0 && f.score(v.set.Row(i)).Sign() <= 0 {
				errors++
				break
			}
		}
	}
	return errors, nil
}
