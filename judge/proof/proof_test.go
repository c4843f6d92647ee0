package proof

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/judge/proof/certificate"
	"github.com/halfspace-ml/halfspace/vec"
)

// small is a random set of whole numbers, with duplicates, collinear points
// and points of both classes among them.
func small(r *rand.Rand, dim int) (*data.Set, [][]int64, []int) {
	b := data.NewBuilder(nil)
	b.Declare("a", "b")
	n := 2 + r.IntN(3*dim+4)
	size := int64(1 + r.IntN(6))
	var rows [][]int64
	var classes []int
	plane := make([]int64, dim)
	for j := range plane {
		plane[j] = r.Int64N(7) - 3
	}
	style := r.IntN(4)
	for i := range n {
		x := make([]int64, dim)
		for j := range x {
			x[j] = r.Int64N(2*size+1) - size
		}
		if i > 0 && r.IntN(8) == 0 {
			copy(x, rows[r.IntN(i)])
		}
		if style == 1 && i > 1 { // on a line through two others
			for j := range x {
				x[j] = 2*rows[0][j] - rows[1][j]*int64(1+i%3)
			}
		}
		class := r.IntN(2)
		if i < 2 {
			class = i
		}
		if style >= 2 { // by a plane, with those on it by chance
			z := int64(0)
			for j := range x {
				z += x[j] * plane[j]
			}
			if z > 0 {
				class = 0
			} else if z < 0 {
				class = 1
			}
		}
		rows, classes = append(rows, x), append(classes, class)
		values := make([]float64, dim)
		for j := range values {
			values[j] = float64(x[j])
		}
		b.Add(vec.Dense(values...), []byte{"ab"[class]}, 1)
	}
	return b.Set(data.Input{}), rows, classes
}

// vectorsFor are y·x, with y in place of the bias.
func vectorsFor(rows [][]int64, classes []int, bias bool) [][]int64 {
	v := make([][]int64, len(rows))
	for i, x := range rows {
		y := int64(1 - 2*classes[i])
		for _, n := range x {
			v[i] = append(v[i], y*n)
		}
		if bias {
			v[i] = append(v[i], y)
		}
	}
	return v
}

func TestVerdictsEqualLinearProgram(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	seen := map[string]int{}
	for try := range 600 {
		s, rows, classes := small(r, 2+try%4)
		counts, _ := s.Counts()
		if counts[0] == 0 || counts[1] == 0 {
			continue
		}
		noBias := r.IntN(3) == 0
		strict, weak := verdictLP(vectorsFor(rows, classes, !noBias))
		want := certificate.NotSeparable
		switch {
		case strict:
			want = certificate.Separable
		case weak:
			want = certificate.Weakly
		}
		got, err := Separable(context.Background(), s, "a", "b", Options{NoBias: noBias})
		if err != nil {
			t.Fatal(err)
		}
		if got.Verdict != want {
			t.Errorf("try %d: %s (%s), the linear program says %s\n%v\n%v no bias %v", try, got.Verdict, got.Reason, want, rows, classes, noBias)
		}
		if want == certificate.NotSeparable && (got.Weakly == nil || *got.Weakly) {
			t.Errorf("try %d: weakly is %v, want false", try, got.Weakly)
		}
		seen[want]++
	}
	for kind, n := range seen {
		t.Logf("%s: %d", kind, n)
	}
	if len(seen) < 3 {
		t.Errorf("only %v were seen", seen)
	}
}

// pinwheel is three segments around the origin, each against the middle of the
// next: the classes are disjoint and no three planes in one point part them.
var pinwheel = [][2]int64{{2, -1}, {0, 2}, {-2, -1}, {2, 9}, {-9, -3}, {7, -6}}

// Jointly, by Kesler's construct, for three classes: the verdict of the linear
// program on Kesler's vectors.
func TestJointVerdictsEqualLinearProgram(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	seen := map[string]int{}
	for try := range 150 {
		b := data.NewBuilder(data.NewFeatures("x", "y"))
		b.Declare("a", "b", "c")
		var vectors [][]int64
		bias := r.IntN(3) > 0
		block := 2
		if bias {
			block = 3
		}
		wheel := r.IntN(3) == 0
		for i := range 6 {
			x := []int64{r.Int64N(7) - 3, r.Int64N(7) - 3}
			c := r.IntN(3)
			if i < 3 {
				c = i
			}
			if wheel {
				x = []int64{pinwheel[i][0] + r.Int64N(2), pinwheel[i][1] + r.Int64N(2)}
				c = i % 3
			}
			b.Add(vec.Dense(float64(x[0]), float64(x[1])), []byte{"abc"[c]}, 1)
			if bias {
				x = append(x, 1)
			}
			for rival := range 3 {
				if rival == c {
					continue
				}
				v := make([]int64, 3*block)
				for j, n := range x {
					v[c*block+j], v[rival*block+j] = n, -n
				}
				vectors = append(vectors, v)
			}
		}
		want := certificate.NotSeparable
		if strict, _ := verdictLP(vectors); strict {
			want = certificate.Separable
		}
		s, opt := b.Set(data.Input{}), Options{NoBias: !bias}
		a, err := Classes(context.Background(), s, opt)
		if err != nil {
			t.Fatal(err)
		}
		if a.Verdict != want {
			t.Errorf("try %d: %s (%s), the linear program says %s", try, a.Verdict, a.Reason, want)
			continue
		}
		c, err := a.Certificate(s, opt, "")
		if err == nil {
			err = c.Verify(s)
		}
		if err != nil {
			t.Errorf("try %d: %v", try, err)
		}
		if a.Joint != nil {
			want += " though two by two"
		}
		seen[want]++
	}
	if len(seen) < 3 {
		t.Errorf("only %v were seen", seen)
	}
	t.Log(seen)
}

// A proof that is right about one set is tried on another: it is accepted only
// where the linear program says the same.
func TestNoFalseAcceptance(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	type known struct {
		set          *data.Set
		strict, weak bool
		proof        *certificate.Certificate
	}
	var all []known
	for len(all) < 120 {
		s, rows, classes := small(r, 2)
		counts, _ := s.Counts()
		if counts[0] == 0 || counts[1] == 0 {
			continue
		}
		k := known{set: s}
		k.strict, k.weak = verdictLP(vectorsFor(rows, classes, true))
		a, err := Classes(context.Background(), s, Options{})
		if err == nil {
			k.proof, err = a.Certificate(s, Options{}, "")
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, k)
	}
	accepted := 0
	for _, about := range all {
		for _, from := range all {
			c := *from.proof
			c.Data = certificate.Describe(about.set)
			c.Proofs = slices.Clone(c.Proofs)
			v, err := certificate.NewVerifier(about.set, nil, true)
			if err != nil {
				t.Fatal(err)
			}
			if p := &c.Proofs[0]; len(p.Weights) > 0 { // what the smallest score is does not matter here
				if smallest, err := v.Smallest(p); err == nil {
					p.Smallest = smallest.RatString()
				}
			}
			c.Seal()
			if c.Verify(about.set) != nil {
				continue
			}
			accepted++
			if right := map[string]bool{certificate.Separable: about.strict, certificate.Weakly: !about.strict && about.weak, certificate.NotSeparable: !about.strict}; !right[c.Claim] {
				t.Errorf("accepted %q about a set that is strictly %v, weakly %v separable", c.Claim, about.strict, about.weak)
			}
		}
	}
	if accepted <= len(all) {
		t.Errorf("%d accepted: each of %d about its own set, and none about another", accepted, len(all))
	}
}
