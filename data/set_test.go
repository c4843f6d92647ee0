package data

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace/vec"
)

// build makes a set from lines "label: values", "-" being no label, with the
// weight after an @.
func build(lines ...string) *Set {
	b := NewBuilder(nil)
	addLines(b, lines...)
	return b.Set(Input{Format: "test"})
}

func addLines(b *Builder, lines ...string) {
	for _, line := range lines {
		label, rest, _ := strings.Cut(line, ":")
		values, weight := []float64{}, 1.0
		for _, f := range strings.Fields(rest) {
			var v float64
			if after, ok := strings.CutPrefix(f, "@"); ok {
				fmt.Sscan(after, &weight)
				continue
			}
			fmt.Sscan(f, &v)
			values = append(values, v)
		}
		name := []byte(label)
		if label == "-" {
			name = nil
		}
		b.Add(vec.Dense(values...), name, weight)
	}
}

// text is the examples of a set, one after another.
func text(s *Set) string {
	var b strings.Builder
	for i := range s.Len() {
		if i > 0 {
			b.WriteString("; ")
		}
		if c := s.Class(i); c == None {
			b.WriteString("-")
		} else {
			b.WriteString(s.Classes()[c])
		}
		for j, v := range s.Row(i).All() {
			fmt.Fprintf(&b, " %d:%v", j+1, v)
		}
		if w := s.Weight(i); w != 1 {
			fmt.Fprintf(&b, " @%v", w)
		}
	}
	return b.String()
}

func wantText(t *testing.T, s *Set, want string) {
	t.Helper()
	if got := text(s); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func wantClasses(t *testing.T, s *Set, want ...string) {
	t.Helper()
	if !slices.Equal(s.Classes(), want) {
		t.Errorf("classes %q, want %q", s.Classes(), want)
	}
}

func TestClassOrder(t *testing.T) {
	for _, c := range []struct {
		name            string
		declared, label []string
		want            []string
	}{
		{"two numbers, the larger first", nil, []string{"-1", "1"}, []string{"1", "-1"}},
		{"and if it is seen first", nil, []string{"1", "-1"}, []string{"1", "-1"}},
		{"by value, not by letters", nil, []string{"9", "10"}, []string{"10", "9"}},
		{"two numbers of one value, as seen", nil, []string{"1", "1.0"}, []string{"1", "1.0"}},
		{"many numbers rise", nil, []string{"3", "10", "-2", "1.5"}, []string{"-2", "1.5", "3", "10"}},
		{"names as seen", nil, []string{"b", "a"}, []string{"b", "a"}},
		{"many names as seen", nil, []string{"c", "a", "b", "a"}, []string{"c", "a", "b"}},
		{"a name among numbers", nil, []string{"2", "1", "x"}, []string{"2", "1", "x"}},
		{"nan and inf are names", nil, []string{"nan", "inf"}, []string{"nan", "inf"}},
		{"also beside numbers", nil, []string{"1", "NaN", "2"}, []string{"1", "NaN", "2"}},
		{"one class", nil, []string{"5"}, []string{"5"}},
		{"declared", []string{"-1", "1"}, []string{"1", "-1"}, []string{"-1", "1"}},
		{"declared and never seen", []string{"a", "b"}, []string{"b"}, []string{"a", "b"}},
		{"more than declared", []string{"z"}, []string{"y", "z", "x"}, []string{"z", "y", "x"}},
		{"none", nil, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := NewBuilder(nil)
			if c.declared != nil {
				b.Declare(c.declared...)
			}
			for _, l := range c.label {
				b.Add(vec.Dense(1), []byte(l), 1)
			}
			s := b.Set(Input{})
			wantClasses(t, s, c.want...)
			for i, l := range c.label {
				if got := s.Classes()[s.Class(i)]; got != l {
					t.Errorf("example %d is of class %q, want %q", i, got, l)
				}
			}
		})
	}
}

func TestBuilderCopiesRows(t *testing.T) {
	b := NewBuilder(nil)
	values, label := []float64{1, 2}, []byte("a")
	b.Add(vec.Row{Val: values}, label, 1)
	values[0], label[0] = 9, 'z'
	b.Add(vec.Row{Val: values}, label, 1)
	wantText(t, b.Set(Input{}), "a 1:1 2:2; z 1:9 2:2")
}

func TestStorage(t *testing.T) {
	for _, c := range []struct {
		name     string
		rows     []vec.Row
		sparse   bool
		nonzeros int
		dim      int
	}{
		{"dense", []vec.Row{vec.Dense(1, 2), vec.Dense(3, 4)}, false, 4, 2},
		{"ends that are zero", []vec.Row{vec.Dense(1, 2, 3), vec.Dense(4, 0, 0), vec.Dense(0, 0, 0)}, false, 4, 3},
		{"a gap", []vec.Row{vec.Dense(1, 0, 3)}, true, 2, 3},
		{"all ones", []vec.Row{{Idx: []uint32{2}}, {Idx: []uint32{0, 5}}}, true, 3, 6},
		{"dense ones", []vec.Row{vec.Dense(1, 1), vec.Dense(1)}, false, 3, 2},
		{"no values", []vec.Row{{}, {}}, false, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := NewBuilder(nil)
			for _, x := range c.rows {
				b.Add(x, []byte("a"), 1)
			}
			s := b.Set(Input{})
			if s.Sparse() != c.sparse || s.Nonzeros() != c.nonzeros || s.Dim() != c.dim || s.Features().Len() != c.dim {
				t.Errorf("sparse %v, %d non-zeros, %d dimensions, %d features", s.Sparse(), s.Nonzeros(), s.Dim(), s.Features().Len())
			}
			for i, x := range c.rows {
				if err := s.Row(i).Check(); err != nil {
					t.Errorf("row %d: %v", i, err)
				}
				if got, want := fmt.Sprint(pairs(s.Row(i))), fmt.Sprint(pairs(x)); got != want {
					t.Errorf("row %d is %s, want %s", i, got, want)
				}
			}
		})
	}
}

// pairs is a row as feature, value, feature, value …
func pairs(x vec.Row) []float64 {
	out := []float64{}
	for j, v := range x.All() {
		out = append(out, float64(j), v)
	}
	return out
}

func TestWeights(t *testing.T) {
	s := build("a: 1", "b: 2")
	if s.Weighted() {
		t.Error("weighted without weights")
	}
	s = build("a: 1", "b: 2", "a: 3 @0.5", "b: 4")
	if !s.Weighted() {
		t.Error("not weighted")
	}
	wantText(t, s, "a 1:1; b 1:2; a 1:3 @0.5; b 1:4")
	// A view multiplies its own examples, and leaves the set alone.
	heavy := s.Pick([]uint32{3, 2}).WithWeights(func(i int) float64 { return float64(10 + i) })
	wantText(t, heavy, "b 1:4 @10; a 1:3 @5.5")
	wantText(t, s, "a 1:1; b 1:2; a 1:3 @0.5; b 1:4")
}

// shares reports whether a and b keep their rows in the same memory.
func shares(a, b *Set) bool { return a.rows == b.rows }

func TestViews(t *testing.T) {
	s := build("a: 1", "b: 2", "-: 3", "c: 4 @2", "a: 5")
	swapped, err := s.Relabel(func(c string) string {
		if c == "c" {
			return ""
		}
		return c
	}).WithPositive("b")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := s.Pair("c", "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		view *Set
		want string
	}{
		{"First", s.First(2), "a 1:1; b 1:2"},
		{"First 0", s.First(0), ""},
		{"First negative", s.First(-3), ""},
		{"First too many", s.First(99), "a 1:1; b 1:2; - 1:3; c 1:4 @2; a 1:5"},
		{"Pick", s.Pick([]uint32{4, 0, 4}), "a 1:5; a 1:1; a 1:5"},
		{"Pick of Pick", s.Pick([]uint32{4, 3, 1}).Pick([]uint32{2, 0}), "b 1:2; a 1:5"},
		{"First of Pick", s.Pick([]uint32{4, 3, 1}).First(2), "a 1:5; c 1:4 @2"},
		{"Labelled", s.Labelled(), "a 1:1; b 1:2; c 1:4 @2; a 1:5"},
		{"Labelled of Pick", s.Pick([]uint32{2, 1}).Labelled(), "b 1:2"},
		{"dropping and swapping", swapped, "a 1:1; b 1:2; - 1:3; a 1:5"},
		{"Pair", pair, "a 1:1; - 1:3; c 1:4 @2; a 1:5"},
		{"nothing of nothing", s.First(0).Shuffle(1).Labelled(), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantText(t, c.view, c.want)
			if !shares(s, c.view) {
				t.Error("the rows were copied")
			}
			if c.view.Dim() != s.Dim() || c.view.Features() != s.Features() || c.view.Input().Format != "test" {
				t.Error("the view forgot the features or the input")
			}
		})
	}
	wantClasses(t, swapped, "b", "a")
	wantClasses(t, pair, "c", "a")
	wantText(t, s, "a 1:1; b 1:2; - 1:3; c 1:4 @2; a 1:5") // nothing changed it
	if n := s.Pick([]uint32{4, 3}).Number(1); n != 4 {
		t.Errorf("the second picked example is number %d, want 4", n)
	}
	mapped := s.Pick([]uint32{4, 3}).Map(s.Features(), func(dst *vec.Buffer, x vec.Row) { dst.AddRow(x, 0) })
	if a, b := mapped.Number(1), mapped.Pick([]uint32{1}).Number(0); a != 4 || b != 4 {
		t.Errorf("mapped, it is number %d, and picked again %d, want 4", a, b)
	}
}

func TestNonzerosAndCounts(t *testing.T) {
	s := build("a: 1 2 3", "b: 0 5", "-: 1", "a: 0 0 1")
	if n := s.Nonzeros(); n != 6 {
		t.Errorf("%d non-zeros, want 6", n)
	}
	if n := s.Pick([]uint32{0, 0, 3}).Nonzeros(); n != 7 {
		t.Errorf("%d non-zeros in the view, want 7", n)
	}
	counts, unlabelled := s.Counts()
	if !slices.Equal(counts, []int{2, 1}) || unlabelled != 1 {
		t.Errorf("counts %v and %d, want [2 1] and 1", counts, unlabelled)
	}
	counts, unlabelled = s.Pick([]uint32{1, 1}).Counts()
	if !slices.Equal(counts, []int{0, 2}) || unlabelled != 0 {
		t.Errorf("counts of the view %v and %d, want [0 2] and 0", counts, unlabelled)
	}
}

func TestRelabel(t *testing.T) {
	digits := build("3: 1", "5: 2", "8: 3", "-: 4", "5: 5")
	rename := func(to map[string]string) func(string) string {
		return func(c string) string { return to[c] }
	}
	for _, c := range []struct {
		name    string
		to      map[string]string
		want    string
		classes []string
	}{
		{"merging", map[string]string{"3": "odd", "5": "odd", "8": "even"}, "odd 1:1; odd 1:2; even 1:3; - 1:4; odd 1:5", []string{"odd", "even"}},
		{"dropping", map[string]string{"3": "three", "5": "five"}, "three 1:1; five 1:2; - 1:4; five 1:5", []string{"three", "five"}},
		{"both", map[string]string{"5": "x", "8": "x"}, "x 1:2; x 1:3; - 1:4; x 1:5", []string{"x"}},
		{"numbers are ordered anew", map[string]string{"3": "-1", "5": "1", "8": "-1"}, "-1 1:1; 1 1:2; -1 1:3; - 1:4; 1 1:5", []string{"1", "-1"}},
		{"dropping all", nil, "- 1:4", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := digits.Relabel(rename(c.to))
			wantText(t, got, c.want)
			wantClasses(t, got, c.classes...)
			if !shares(got, digits) {
				t.Error("the rows were copied")
			}
		})
	}
	view := digits.Pick([]uint32{4, 2}).Relabel(rename(map[string]string{"5": "five", "8": "eight"}))
	wantText(t, view, "five 1:5; eight 1:3")
	wantClasses(t, digits, "3", "5", "8")
}

func TestClassErrors(t *testing.T) {
	s := build("a: 1", "b: 2", "c: 3")
	two := build("a: 1", "b: 2")
	seven := strings.Split("a b c d e f g", " ")
	for _, c := range []struct {
		name string
		do   func() (*Set, error)
		want string
	}{
		{"Pair", func() (*Set, error) { return s.Pair("a", "x") }, `no class "x"; the classes are ["a" "b" "c"]`},
		{"WithPositive of three", func() (*Set, error) { return s.WithPositive("a") }, `a positive class needs two classes, here are 3: ["a" "b" "c"]`},
		{"WithPositive", func() (*Set, error) { return two.WithPositive("x") }, `no class "x"; the classes are ["a" "b"]`},
		{"WithClasses", func() (*Set, error) { return s.WithClasses([]string{"c", "a"}) }, `class "b" is unknown here; known are ["c" "a"]`},
		{"WithClasses of many", func() (*Set, error) { return build("z: 1").WithClasses(seven) }, `class "z" is unknown here; known are ["a" "b" "c" "d" "e" "f"] … (7 in all)`},
	} {
		if _, err := c.do(); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %s", c.name, err, c.want)
		}
	}
}

func TestWithClasses(t *testing.T) {
	s := build("a: 1", "b: 2", "-: 3", "c: 4")
	got, err := s.WithClasses([]string{"z", "c", "b", "a"})
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, got, "a 1:1; b 1:2; - 1:3; c 1:4")
	wantClasses(t, got, "z", "c", "b", "a")
	if got.Class(0) != 3 || got.Class(2) != None || !shares(got, s) {
		t.Errorf("class %d and %d, want 3 and none", got.Class(0), got.Class(2))
	}
	// Only a class that an example has must be known.
	got, err = s.First(2).WithClasses([]string{"b", "a"})
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, got, "a 1:1; b 1:2")
}

func TestWithPositive(t *testing.T) {
	s := build("a: 1", "-: 3", "b: 2")
	same, err := s.WithPositive("a")
	if err != nil || same != s {
		t.Errorf("a is positive already, got another set, error %v", err)
	}
	got, err := s.WithPositive("b")
	if err != nil {
		t.Fatal(err)
	}
	wantClasses(t, got, "b", "a")
	wantText(t, got, "a 1:1; - 1:3; b 1:2")
}

// random is a set of n examples of up to four classes, example i having the
// single value i+1; some have no class.
func random(r *rand.Rand, n int) *Set {
	b := NewBuilder(nil)
	for i := range n {
		label := []byte{byte('a' + r.IntN(4))}
		if r.IntN(10) == 0 {
			label = nil
		}
		b.Add(vec.Dense(float64(i+1)), label, 1)
	}
	return b.Set(Input{})
}

// numbers are the first values of the rows of s.
func numbers(s *Set) []int {
	out := make([]int, s.Len())
	for i := range out {
		_, v := s.Row(i).At(0)
		out[i] = int(v)
	}
	return out
}

func TestShuffle(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 30 {
		s := random(r, 1+r.IntN(200))
		seed := r.Uint64()
		a, b := s.Shuffle(seed), s.Shuffle(seed)
		if text(a) != text(b) {
			t.Fatal("one seed gave two orders")
		}
		for i, n := range numbers(a) { // the class goes with the row
			if a.Class(i) != s.Class(n-1) {
				t.Fatalf("example %d has another class after shuffling", n)
			}
		}
		sorted := numbers(a)
		slices.Sort(sorted)
		if !slices.Equal(sorted, numbers(s)) {
			t.Fatal("shuffling lost or doubled examples")
		}
	}
	s := random(r, 100)
	if text(s.Shuffle(1)) == text(s) || text(s.Shuffle(1)) == text(s.Shuffle(2)) {
		t.Error("the seed does not matter")
	}
}

// apart checks that the parts hold every example of s once and keep its order.
func apart(t *testing.T, s *Set, parts ...*Set) {
	t.Helper()
	var all []int
	for _, p := range parts {
		if !slices.IsSorted(numbers(p)) {
			t.Error("a part is in another order than the set")
		}
		all = append(all, numbers(p)...)
	}
	slices.Sort(all)
	if !slices.Equal(all, numbers(s)) {
		t.Error("the parts do not hold every example once")
	}
}

func TestSplit(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 30 {
		s := random(r, r.IntN(200))
		share := float64(r.IntN(11)) / 10
		seed := r.Uint64()
		first, rest := s.Split(share, seed)
		apart(t, s, first, rest)
		all, _ := s.Counts()
		got, _ := first.Counts()
		for c := range all {
			if d := float64(got[c]) - share*float64(all[c]); d > 0.5 || d < -0.5 {
				t.Errorf("%d of %d of a class for the share %v", got[c], all[c], share)
			}
		}
		again, _ := s.Split(share, seed)
		if text(again) != text(first) {
			t.Error("one seed gave two splits")
		}
	}
}

func TestFolds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 30 {
		s := random(r, r.IntN(200))
		k := 1 + r.IntN(7)
		folds := s.Folds(k, r.Uint64())
		if len(folds) != k {
			t.Fatalf("%d folds, want %d", len(folds), k)
		}
		all, _ := s.Counts()
		var tests []*Set
		for _, f := range folds {
			apart(t, s, f.Train, f.Test)
			tests = append(tests, f.Test)
			if n := f.Test.Len() - s.Len()/k; n < 0 || n > 1 {
				t.Errorf("%d of %d examples in one of %d folds", f.Test.Len(), s.Len(), k)
			}
			got, _ := f.Test.Counts()
			for c := range all {
				if n := got[c] - all[c]/k; n < 0 || n > 1 {
					t.Errorf("%d of %d examples of a class in one of %d folds", got[c], all[c], k)
				}
			}
		}
		apart(t, s, tests...)
	}
	// The folds of a view are of the view.
	view := random(r, 50).Shuffle(1).First(20)
	for _, f := range view.Folds(3, 1) {
		if f.Train.Len()+f.Test.Len() != 20 {
			t.Errorf("a fold has %d and %d of 20", f.Train.Len(), f.Test.Len())
		}
	}
}

func TestMap(t *testing.T) {
	s := build("a: 1 2", "b: 3 @2", "-: 0 4").Pick([]uint32{2, 1, 0})
	double := s.Map(NewFeatures("u", "v", "w"), func(dst *vec.Buffer, x vec.Row) {
		dst.Add(2, 1)
		dst.AddRow(x, 0)
	})
	wantText(t, double, "- 2:4 3:1; b 1:3 3:1 @2; a 1:1 2:2 3:1")
	wantClasses(t, double, "a", "b")
	if double.Dim() != 3 || double.Features().Name(2) != "w" || double.Input().Format != "test" {
		t.Error("the map lost the features or the input")
	}
	wantText(t, s, "- 2:4; b 1:3 @2; a 1:1 2:2")
}

// One fold alone is that of all; a sample holds its classes in proportion, no
// example twice, and the smaller sample of its seed.
func TestFoldAndSample(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 30 {
		s := random(r, 20+r.IntN(200))
		k, seed := 2+r.IntN(6), r.Uint64()
		for f, fold := range s.Folds(k, seed) {
			if one := s.Fold(f, k, seed); text(one.Train) != text(fold.Train) || text(one.Test) != text(fold.Test) {
				t.Fatalf("fold %d of %d alone is another", f, k)
			}
		}
		all, _ := s.Counts()
		n := 1 + r.IntN(s.Len())
		small, large := s.Sample(n, seed), s.Sample(min(s.Len(), n+7), seed)
		if small.Len() != n || text(small) != text(s.Sample(n, seed)) {
			t.Fatalf("a sample of %d has %d, or is another the second time", n, small.Len())
		}
		in := map[int]bool{}
		for i := range large.Len() {
			in[large.Number(i)] = true
		}
		if len(in) != large.Len() {
			t.Errorf("%d of %d are different", len(in), large.Len())
		}
		for i := range small.Len() {
			if !in[small.Number(i)] {
				t.Errorf("row %d is in the smaller sample only", small.Number(i))
			}
		}
		got, _ := small.Counts()
		for c := range all {
			if want := float64(all[c]) * float64(n) / float64(s.Len()); math.Abs(float64(got[c])-want) > 1.5 {
				t.Errorf("%d of class %d in a sample of %d, want about %.1f", got[c], c, n, want)
			}
		}
	}
	if s := random(r, 10); s.Sample(99, 1).Len() != 10 || s.Sample(-1, 1).Len() != 0 {
		t.Error("a sample larger than all, or less than nothing")
	}
}
