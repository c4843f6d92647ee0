package sample

import (
	"context"
	"encoding/csv"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/vec"
)

func read(t *testing.T, name string) *data.Set {
	t.Helper()
	s, err := Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// values is row i of s written out.
func values(s *data.Set, i int) []float64 {
	v := make([]float64, s.Dim())
	for j, x := range s.Row(i).All() {
		v[j] = x
	}
	return v
}

type point struct {
	class string
	x     []float64
}

// The small sets in full, from the documents.
func TestSmallSets(t *testing.T) {
	gate := func(y00, y01, y10, y11 string) []point {
		return []point{{y00, []float64{0, 0}}, {y01, []float64{0, 1}}, {y10, []float64{1, 0}}, {y11, []float64{1, 1}}}
	}
	for _, c := range []struct {
		name, positive, negative, format string
		points                           []point
	}{
		{"points00", "red", "blue", "lines", []point{
			{"red", []float64{23, 5}}, {"red", []float64{15, 11}}, {"blue", []float64{14, 21}}, {"blue", []float64{27, 23}}, {"blue", []float64{20, 27}},
		}},
		{"slide", "class1", "class2", "lines", []point{{"class1", []float64{0.4, 0.05}}, {"class2", []float64{-0.2, 0.75}}}},
		{"handout", "class1", "class2", "lines", []point{
			{"class1", []float64{1, 0}}, {"class1", []float64{1, 1}}, {"class1", []float64{0.6, 0.6}}, {"class1", []float64{0.7, 0.4}},
			{"class2", []float64{0, 0}}, {"class2", []float64{0, 1}}, {"class2", []float64{0.25, 1}}, {"class2", []float64{0.3, 0.4}},
		}},
		{"weak", "1", "-1", "libsvm", []point{{"1", []float64{1, 1, 1}}, {"1", []float64{-1, -1, -1}}, {"-1", []float64{1, 1, -1}}}},
		{"and", "1", "0", "csv", gate("0", "0", "0", "1")},
		{"or", "1", "0", "csv", gate("0", "1", "1", "1")},
		{"nand", "1", "0", "csv", gate("1", "1", "1", "0")},
		{"nor", "1", "0", "csv", gate("1", "0", "0", "0")},
		{"xor", "1", "0", "csv", gate("0", "1", "1", "0")},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := read(t, "@"+c.name)
			if got := s.Classes(); !slices.Equal(got, []string{c.positive, c.negative}) {
				t.Errorf("classes %q, want %q, %q", got, c.positive, c.negative)
			}
			if s.Input().Format != c.format {
				t.Errorf("format %q, want %q", s.Input().Format, c.format)
			}
			if s.Len() != len(c.points) || s.Dim() != len(c.points[0].x) {
				t.Fatalf("%d × %d", s.Len(), s.Dim())
			}
			for i, p := range c.points {
				if class := s.Classes()[s.Class(i)]; class != p.class || !slices.Equal(values(s, i), p.x) {
					t.Errorf("example %d: %s %v, want %s %v", i+1, class, values(s, i), p.class, p.x)
				}
			}
			if a, b := s.Features().Name(0), s.Features().Name(1); a != "x1" || b != "x2" {
				t.Errorf("features %s, %s", a, b)
			}
		})
	}
}

func TestLargerSets(t *testing.T) {
	for _, c := range []struct {
		name    string
		dim     int // 0: not fixed here
		classes []string
		counts  []int
		first   []float64 // the first values of the first row
	}{
		// Counts from the UCI files: 183 threes and 182 fives, cut at two thirds.
		{"digits35", 64, []string{"three", "five"}, []int{121, 122}, []float64{-1, -1, -1, 1, 1, -1, -1, -1}},
		{"digits35-test", 64, []string{"three", "five"}, []int{62, 60}, []float64{-1, -1, 1, 1, 1, 1, 1, -1}},
		{"iris", 4, []string{"setosa", "versicolor", "virginica"}, []int{50, 50, 50}, []float64{5.1, 3.5, 1.4, 0.2}},
		{"sms", 0, []string{"spam", "ham"}, []int{747, 4827}, nil}, // from the readme of the collection
	} {
		t.Run(c.name, func(t *testing.T) {
			s := read(t, "@"+c.name)
			counts, none := s.Counts()
			if !slices.Equal(s.Classes(), c.classes) || !slices.Equal(counts, c.counts) || none != 0 {
				t.Errorf("%q %d, %d without a class; want %q %d", s.Classes(), counts, none, c.classes, c.counts)
			}
			if c.dim > 0 && s.Dim() != c.dim {
				t.Errorf("%d features, want %d", s.Dim(), c.dim)
			}
			if got := values(s, 0)[:len(c.first)]; !slices.Equal(got, c.first) {
				t.Errorf("the first row starts %v, want %v", got, c.first)
			}
		})
	}
	if s := read(t, "iris"); s.Features().Name(2) != "petal_length_cm" {
		t.Errorf("the third feature of iris is called %s", s.Features().Name(2))
	}
}

// A test set is read with the features and the manner of a training set.
func TestReadLikeATrainingSet(t *testing.T) {
	read(t, "@digits35") // or skip
	var spec format.Spec
	train, err := ReadSpec(context.Background(), "@digits35", &spec)
	if err != nil {
		t.Fatal(err)
	}
	input := train.Input()
	test, err := ReadSpec(context.Background(), "@digits35-test", &format.Spec{Known: &input, Features: train.Features().Frozen()})
	if err != nil {
		t.Fatal(err)
	}
	if test.Dim() != 64 || test.Len() != 122 {
		t.Errorf("%d × %d", test.Len(), test.Dim())
	}
	// Of a wider generated set only the known features are kept.
	narrow, err := ReadSpec(context.Background(), "@gauss:d=9", &format.Spec{Features: data.NewFeatures("a", "b").Frozen()})
	if err != nil || narrow.Dim() != 2 {
		t.Errorf("%d features, %v", narrow.Dim(), err)
	}
}

// The digits are those of the UCI file, made black and white. (This goes
// another way than makedigits.go: from the stored set back to the file.)
func TestDigitsAgainstUCI(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "digits8x8.csv"))
	if err != nil {
		t.Skip("the UCI digits are not here: ", err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	sets := []*data.Set{read(t, "@digits35"), read(t, "@digits35-test")}
	i := 0
	for _, record := range records[1:] {
		if record[64] != "3" && record[64] != "5" {
			continue
		}
		if i == sets[0].Len() {
			sets, i = sets[1:], 0
		}
		if digit := []string{"3", "5"}[sets[0].Class(i)]; digit != record[64] {
			t.Fatalf("row %d is a %s, want %s", i+1, digit, record[64])
		}
		for j, v := range values(sets[0], i) {
			grey, _ := strconv.Atoi(record[j])
			if (v == 1) != (grey >= 8) || v*v != 1 {
				t.Fatalf("row %d pixel %d is %v of grey %d", i+1, j+1, v, grey)
			}
		}
		i++
	}
	if len(sets) != 1 || i != sets[0].Len() {
		t.Errorf("%d sets left, %d rows of the first used", len(sets), i)
	}
}

func TestEverySetIsDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range All {
		if s.Name == "" || s.Doc == "" || s.Source == "" || s.Licence == "" || seen[s.Name] {
			t.Errorf("%q lacks a text, or stands twice", s.Name)
		}
		seen[s.Name] = true
		for _, p := range s.Params {
			if p.Doc == "" || p.Default < p.Min || p.Default > p.Max {
				t.Errorf("%s: parameter %q has no text or a default out of range", s.Name, p.Name)
			}
		}
	}
}

// The usage line is itself a name that can be read.
func TestUsage(t *testing.T) {
	if got, want := separable.Usage(), "@separable:n=200,d=2,margin=0.1,seed=1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, s := range []*Sample{&separable, &gauss, &xorCloud, &rings} {
		if a, b := read(t, s.Usage()), read(t, s.Name); a.Digest() != b.Digest() {
			t.Errorf("%s is not %s", s.Usage(), s.Name)
		}
	}
}

func TestBadNames(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"@point00", "@point00: no built-in set of this name; did you mean @points00?"},
		{"@zebra", "@zebra: no built-in set of this name; sets are @" + strings.Join(Names(), ", @")},
		{"@", "@: no built-in set of this name; sets are @" + strings.Join(Names(), ", @")},
		{"@iris:n=3", `@iris:n=3: this set takes no parameters, found "n=3"; write @iris`},
		{"@gauss:5", `@gauss:5: expected name=value, found "5"; parameters are n, d, distance, seed`},
		{"@gauss:n=5,", `@gauss:n=5,: expected name=value; parameters are n, d, distance, seed`},
		{"@gauss:dist=5", `@gauss:dist=5: no parameter of this name, found "dist"; did you mean distance?`},
		{"@gauss:n=5,n=6", `@gauss:n=5,n=6: n is given twice, found "n=6"; give every parameter once`},
		{"@gauss:n=1", `@gauss:n=1: n is not a whole number from 2 to 10000000, found "1"; change it, or leave it out for 200`},
		{"@gauss:n=2.5", `@gauss:n=2.5: n is not a whole number from 2 to 10000000, found "2.5"; change it, or leave it out for 200`},
		{"@gauss:n=0x10", `@gauss:n=0x10: n is not a whole number from 2 to 10000000, found "0x10"; change it, or leave it out for 200`},
		{"@gauss:distance=NaN", `@gauss:distance=NaN: distance is not a number from 0 to 1000, found "NaN"; change it, or leave it out for 2`},
		{"@gauss:n=1e7,d=1e5", `@gauss:n=1e7,d=1e5: n=10000000 times d=100000 is more than 100000000 values; make one of them smaller`},
	} {
		_, err := Read(c.name)
		var in *data.InputError
		if err == nil || err.Error() != c.want || !errors.As(err, &in) {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}

func TestGivingUp(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, name := range []string{"@gauss", "@weak"} {
		if _, err := ReadSpec(ctx, name, &format.Spec{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The distance of every point from the plane, in exact arithmetic.
func TestSeparableKeepsItsMargin(t *testing.T) {
	for _, name := range []string{"@separable", "@separable:n=50,d=30,seed=7", "@separable:n=40,d=1,margin=0,seed=3", "@separable:n=40,d=2,margin=1,seed=5"} {
		_, list, _ := strings.Cut(name, ":")
		a, err := parseArgs(list, separable.Params)
		if err != nil {
			t.Fatal(err)
		}
		s := read(t, name)
		p := newPlane(int(a["d"]), rand.New(rand.NewPCG(uint64(a["seed"]), 0x68616c66_73706163)))
		norm := new(big.Rat)
		for _, v := range p.w {
			norm.Add(norm, product(v, v))
		}
		least := new(big.Rat).Mul(norm, product(a["margin"], a["margin"])) // margin²‖w‖²
		for i := range s.Len() {
			at := new(big.Rat).SetFloat64(p.bias)
			for j, v := range s.Row(i).All() {
				at.Add(at, product(p.w[j], v))
			}
			if (at.Sign() > 0) != (s.Class(i) == 0) || at.Sign() == 0 {
				t.Fatalf("%s: example %d is on the wrong side", name, i+1)
			}
			if at.Mul(at, at).Cmp(least) < 0 {
				t.Fatalf("%s: example %d is too near", name, i+1)
			}
		}
	}
}

func product(a, b float64) *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).SetFloat64(a), new(big.Rat).SetFloat64(b))
}

func TestGeneratorShapes(t *testing.T) {
	for _, c := range []struct {
		name      string
		n, d      int
		positives int
		classes   []string
	}{
		{"@separable:n=501,d=3", 501, 3, 251, []string{"1", "-1"}},
		{"@gauss:n=100,d=5", 100, 5, 50, []string{"1", "-1"}},
		{"@xor-cloud:n=80", 80, 2, 40, []string{"1", "0"}},
		{"@rings:n=60", 60, 2, 30, []string{"inner", "outer"}},
	} {
		s := read(t, c.name)
		counts, _ := s.Counts()
		if s.Len() != c.n || s.Dim() != c.d || !slices.Equal(s.Classes(), c.classes) || counts[0] != c.positives {
			t.Errorf("%s: %d × %d, %q %d", c.name, s.Len(), s.Dim(), s.Classes(), counts)
		}
		again, other := read(t, c.name), read(t, c.name+",seed=2")
		if s.Digest() != again.Digest() || s.Digest() == other.Digest() {
			t.Errorf("%s: the same seed gives another set, or another seed the same", c.name)
		}
	}
}

// The bits of the generators are fixed: a set named in a document stays that set.
func TestGeneratorsAreFixed(t *testing.T) {
	for name, want := range map[string]string{
		"@separable": "sha256:003e0fa6714fef46935c490b1d51e8c74bdf69b29dcd86860d0b318055e634eb",
		"@gauss":     "sha256:5bf8bd10fc5c4d0e846600f5e9b41e298e086d7081d6f49c6c3df73fdc1ac16a",
		"@xor-cloud": "sha256:5a99cd99f4a9eef0ee7a9eb345b75c49a19a2b058206345ec05642a629263cfa",
		"@rings":     "sha256:8c88f697a9577815fe91774c8635a16630d46f00b13d1c86f7815a2acf968aa3",
	} {
		if got := read(t, name).Digest(); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestGeneratorProperties(t *testing.T) {
	// The middles of the clouds are 4 apart; their means are known to about
	// √(2/n) = 0.02 in each of 3 features.
	s := read(t, "@gauss:n=10000,d=3,distance=4")
	difference := make([]float64, 3)
	for i := range s.Len() {
		vec.Axpy(difference, (1-2*float64(s.Class(i)))/5000, s.Row(i))
	}
	if got := vec.Norm(difference); math.Abs(got-4) > 0.15 {
		t.Errorf("the clouds are %v apart, want 4", got)
	}
	// Without noise the rings are circles and the clouds are corners.
	s = read(t, "@rings:noise=0")
	for i := range s.Len() {
		if got, want := math.Sqrt(vec.SquaredNorm(s.Row(i))), float64(1+s.Class(i)); math.Abs(got-want) > 1e-12 {
			t.Fatalf("a point of ring %v has radius %v", want, got)
		}
	}
	if a, b := read(t, "@xor-cloud:n=4,noise=0"), read(t, "@xor"); values(a, 1)[0] != 1 || values(b, 2)[0] != 1 || a.Classes()[0] != b.Classes()[0] {
		t.Errorf("a cloud without noise is not XOR")
	}
}
