package proof

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// fewest is the fewest classes that must be changed for a line to separate
// them, by trying all, in the order of their number.
func fewest(rows [][]int64, classes []int, bias bool) int {
	for k := 0; ; k++ {
		for mask := range 1 << len(rows) {
			if bits.OnesCount(uint(mask)) != k {
				continue
			}
			var kept [][]int64
			var sides []int
			for i := range rows {
				zero := true
				for _, v := range rows[i] {
					zero = zero && v == 0
				}
				if mask>>i&1 == 1 && zero && !bias {
					continue // no line through the origin classifies the origin
				}
				kept, sides = append(kept, rows[i]), append(sides, classes[i]^(mask>>i&1))
			}
			if len(kept) == 0 {
				return k
			}
			if strict, _ := verdictLP(vectorsFor(kept, sides, bias)); strict {
				return k
			}
		}
	}
}

func TestLeastErrorsEqualBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	counts := map[int]int{}
	for try := range 250 {
		var rows [][]int64
		var classes []int
		b := data.NewBuilder(data.NewFeatures("x", "y"))
		b.Declare("a", "b")
		size := int64(1 + r.IntN(4))
		flat := r.IntN(6) == 0
		for i := range 4 + r.IntN(6) {
			x := []int64{r.Int64N(2*size+1) - size, r.Int64N(2*size+1) - size}
			if flat {
				x[1] = 2*x[0] - 1
			}
			c := r.IntN(2)
			if i < 2 {
				c = i
			}
			rows, classes = append(rows, x), append(classes, c)
			// Tenths, so that the exact values are not those of the float64s.
			b.Add(vec.Dense(float64(x[0])/10, float64(x[1])*100), []byte{"ab"[c]}, 1)
		}
		s := b.Set(data.Input{})
		bias := r.IntN(4) > 0
		want := fewest(rows, classes, bias)
		got, err := LeastErrors(context.Background(), s, !bias)
		if err != nil || got == nil {
			t.Fatal(err, got)
		}
		if got.Errors != want {
			t.Fatalf("try %d: %d errors, by trying all %d\n%v\n%v bias %v", try, got.Errors, want, rows, classes, bias)
		}
		places, _ := placesOf(s)
		long := newSweep(places, s.Len()+1)
		long.long = true // as if numbers were too long
		if err := long.run(context.Background(), !bias); err != nil || long.errors != want {
			t.Fatalf("try %d: %d errors with long numbers, want %d", try, long.errors, want)
		}
		q, _ := newQuestion(s, Options{NoBias: !bias})
		b2 := &Best{Upper: s.Len() + 1}
		q.try(b2, got.W[:], got.Bias)
		if b2.Upper != want {
			t.Errorf("try %d: the line %v %v makes %d errors, not %d", try, got.W, got.Bias, b2.Upper, want)
		}
		counts[want]++
	}
	if len(counts) < 4 {
		t.Errorf("only %v were seen", counts)
	}
}

// Long coordinates are compared in 128 bits, as math/big does.
func TestCrossOfLongNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for range 2000 {
		var v [4]int64
		for k := range v {
			v[k] = (r.Int64N(1<<61) - 1<<60) >> r.IntN(60)
		}
		if r.IntN(3) == 0 {
			v[2], v[3] = v[0], v[1]+r.Int64N(2)
		}
		if got, want := cross(v[0], v[1], v[2], v[3]), bigCross(v); got != want {
			t.Fatalf("cross of %v is %d, want %d", v, got, want)
		}
	}
}

// The bracket holds the fewest errors of any line, found by geometry.
func TestBracketHoldsTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	met := 0
	for try := range 60 {
		s, _, _ := small(r, 2)
		counts, _ := s.Counts()
		if counts[0] == 0 || counts[1] == 0 {
			continue
		}
		exact, err := BestErrors(context.Background(), s, Options{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		// The same points with a third feature that is always the same.
		wide := s.Map(data.NewFeatures("x", "y", "one"), func(dst *vec.Buffer, x vec.Row) {
			dst.AddRow(x, 0)
			dst.Add(2, 1)
		})
		b, err := BestErrors(context.Background(), wide, Options{}, 100)
		if err != nil {
			t.Fatal(err)
		}
		if b.Lower > exact.Lower || b.Upper < exact.Lower {
			t.Errorf("try %d: between %d and %d, and the best makes %d", try, b.Lower, b.Upper, exact.Lower)
		}
		if b.Lower == b.Upper {
			met++
		}
	}
	if met < 10 {
		t.Errorf("the bracket closed %d times only", met)
	}
}
