package vec

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// value is a random number other than zero, of widely differing size.
func value(r *rand.Rand) float64 {
	v := r.NormFloat64() * math.Pow(10, float64(r.IntN(13)-6))
	if v == 0 {
		return 1
	}
	return v
}

func values(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = value(r)
	}
	return v
}

func upTo(n int) []uint32 {
	idx := make([]uint32, n)
	for i := range idx {
		idx[i] = uint32(i)
	}
	return idx
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// forms are the ways to write down one row without zeros.
func forms(val []float64, allOnes bool) []Row {
	rows := []Row{{Val: val}, {Idx: upTo(len(val)), Val: val}}
	if allOnes && len(val) > 0 {
		rows = append(rows, Row{Idx: upTo(len(val))})
	}
	return rows
}

func sameBits(a, b []float64) bool {
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// Every form of a row must give the same bits, at every length around the
// four lanes.
func TestFormsGiveTheSameBits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 41 {
		for try := range 50 {
			val, allOnes := values(r, n), try%2 == 1
			if allOnes {
				val = ones(n)
			}
			w := values(r, n+3)
			a := value(r)
			rows := forms(val, allOnes)
			dot, norm := Dot(w, rows[0]), SquaredNorm(rows[0])
			moved := append([]float64(nil), w...)
			Axpy(moved, a, rows[0])
			for _, x := range rows[1:] {
				if got := Dot(w, x); math.Float64bits(got) != math.Float64bits(dot) {
					t.Fatalf("length %d, %v: Dot is %v, dense %v", n, x, got, dot)
				}
				if got := SquaredNorm(x); math.Float64bits(got) != math.Float64bits(norm) {
					t.Fatalf("length %d, %v: SquaredNorm is %v, dense %v", n, x, got, norm)
				}
				got := append([]float64(nil), w...)
				Axpy(got, a, x)
				if !sameBits(got, moved) {
					t.Fatalf("length %d, %v: Axpy gives %v, dense %v", n, x, got, moved)
				}
			}
		}
	}
}

// exactDot is Σ w[j]·x[j] and Σ |w[j]·x[j]| without rounding on the way.
func exactDot(w []float64, x Row) (sum, size float64) {
	s, m := new(big.Float).SetPrec(2200), new(big.Float).SetPrec(2200)
	for j, v := range x.All() {
		p := new(big.Float).SetPrec(2200).Mul(big.NewFloat(w[j]), big.NewFloat(v))
		s.Add(s, p)
		m.Add(m, p.Abs(p))
	}
	sum, _ = s.Float64()
	size, _ = m.Float64()
	return sum, size
}

// The bound n·u/(1−n·u)·Σ|w·x| is Higham's, Accuracy and Stability of
// Numerical Algorithms (2002), section 3.1, for any order of summation.
func TestDotAgainstExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 41 {
		for range 20 {
			w := values(r, 3*n+1)
			x := Row{Idx: []uint32{}, Val: []float64{}}
			for j := range w {
				if r.IntN(3) == 0 {
					x.Idx, x.Val = append(x.Idx, uint32(j)), append(x.Val, value(r))
				}
			}
			for _, x := range []Row{x, {Idx: x.Idx}, {Val: w[:n]}} {
				want, size := exactDot(w, x)
				nu := float64(x.Len()) * 0x1p-53
				if got := Dot(w, x); math.Abs(got-want) > nu/(1-nu)*size {
					t.Errorf("%d entries: got %v, want %v", x.Len(), got, want)
				}
			}
		}
	}
}

func TestAxpy(t *testing.T) {
	for _, c := range []struct {
		x    Row
		want []float64
	}{
		{Row{}, []float64{10, 20, 30}},
		{Row{Val: []float64{1, 2}}, []float64{12, 24, 30}},
		{Row{Idx: []uint32{0, 2}}, []float64{12, 20, 32}},
		{Row{Idx: []uint32{1, 2}, Val: []float64{-1, 5}}, []float64{10, 18, 40}},
	} {
		w := []float64{10, 20, 30}
		Axpy(w, 2, c.x)
		if !sameBits(w, c.want) {
			t.Errorf("%v: got %v, want %v", c.x, w, c.want)
		}
	}
}

// On arm64 a fused multiply-add would round once: 0.1·10 − 1 = 2^-54, not 0.
// Rounded after the product, as everywhere, it is 0.
func TestProductsAreRounded(t *testing.T) {
	for _, x := range []Row{{Val: []float64{1, 0.1}}, {Idx: []uint32{0, 1}, Val: []float64{1, 0.1}}} {
		w := []float64{-1, -1}
		Axpy(w, 10, x)
		if w[1] != 0 {
			t.Errorf("%v: Axpy gives %v, want 0", x, w[1])
		}
	}
	if got := Dot([]float64{-1, 0, 0, 0, 0.1}, Row{Val: []float64{1, 1, 1, 1, 10}}); got != 0 {
		t.Errorf("Dot gives %v, want 0", got)
	}
}

func TestBeyondTheWeightsPanics(t *testing.T) {
	for _, x := range []Row{{Val: ones(3)}, {Idx: []uint32{2}}, {Idx: []uint32{2}, Val: ones(1)}} {
		for name, do := range map[string]func(w []float64){
			"Dot":  func(w []float64) { Dot(w, x) },
			"Axpy": func(w []float64) { Axpy(w, 1, x) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s of %v with 2 weights did not panic", name, x)
					}
				}()
				do(ones(2)[:2:2])
			}()
		}
	}
}

func TestNorm(t *testing.T) {
	for _, c := range []struct {
		w    []float64
		want float64
	}{
		{nil, 0},
		{[]float64{0, 0}, 0},
		{[]float64{3, -4}, 5},
		{[]float64{3e200, 4e200}, 5e200}, // the squares overflow
		{[]float64{3 * 0x1p-900, 4 * 0x1p-900}, 5 * 0x1p-900}, // and underflow
		{[]float64{1, math.Inf(-1)}, math.Inf(1)},
		{[]float64{1, math.NaN()}, math.NaN()},
	} {
		got := Norm(c.w)
		if !(math.Abs(got-c.want) <= 1e-15*c.want) && !sameBits([]float64{got}, []float64{c.want}) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v: got %v, want %v", c.w, got, c.want)
		}
	}
}

func TestFinite(t *testing.T) {
	for _, c := range []struct {
		w    []float64
		want bool
	}{
		{nil, true},
		{[]float64{0, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64}, true},
		{[]float64{0, math.Inf(1)}, false},
		{[]float64{math.Inf(-1), 0}, false},
		{[]float64{0, math.NaN(), 0}, false},
	} {
		if got := Finite(c.w); got != c.want {
			t.Errorf("%v: got %v, want %v", c.w, got, c.want)
		}
	}
}

// benchRows are rows of the forms that sets store, with n entries.
func benchRows(n int) map[string]Row {
	idx := upTo(n)
	for k := range idx {
		idx[k] *= 7
	}
	return map[string]Row{
		"dense":  {Val: ones(n)},
		"sparse": {Idx: idx, Val: ones(n)},
		"ones":   {Idx: idx},
	}
}

var sink float64

func benchmark(b *testing.B, do func(w []float64, x Row)) {
	for _, n := range []int{4, 64, 1024} {
		rows := benchRows(n)
		for _, form := range []string{"dense", "sparse", "ones"} {
			b.Run(fmt.Sprintf("%s/%d", form, n), func(b *testing.B) {
				w, x := ones(7*n), rows[form]
				b.ReportAllocs()
				for b.Loop() {
					do(w, x)
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mvalues/s")
			})
		}
	}
}

func BenchmarkDot(b *testing.B) {
	benchmark(b, func(w []float64, x Row) { sink = Dot(w, x) })
}

func BenchmarkAxpy(b *testing.B) {
	benchmark(b, func(w []float64, x Row) { Axpy(w, 1e-9, x) })
}
