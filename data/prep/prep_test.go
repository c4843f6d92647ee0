package prep

import (
	"bufio"
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// set is the rows given, all of one class.
func set(rows ...[]float64) *data.Set {
	features := data.NewFeatures()
	b := data.NewBuilder(features)
	for _, r := range rows {
		features.Numbered(uint32(len(r) - 1)) // the last may be zero in every row
		b.Add(vec.Dense(r...), []byte("a"), 1)
	}
	return b.Set(data.Input{})
}

// storedSparse is the same examples as s, stored with their indices.
func storedSparse(s *data.Set) *data.Set {
	b := data.NewBuilder(nil)
	for i := range s.Len() {
		b.Add(s.Row(i), []byte("a"), s.Weight(i))
	}
	b.Add(vec.Row{Idx: []uint32{uint32(s.Dim() - 1)}, Val: []float64{7}}, []byte("a"), 1)
	return b.Set(data.Input{}).First(s.Len())
}

func noise(n, d int, seed uint64) *data.Set {
	r := rand.New(rand.NewPCG(seed, 1))
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, d)
		for j := range rows[i] {
			rows[i][j] = r.NormFloat64()
		}
	}
	return set(rows...)
}

func fit(t *testing.T, s *data.Set, specs ...string) (Pipeline, *data.Set) {
	t.Helper()
	p, err := ParsePipeline(specs...)
	if err != nil {
		t.Fatal(err)
	}
	mapped, err := p.Fit(s)
	if err != nil {
		t.Fatal(err)
	}
	return p, mapped
}

// values is row i of s written out.
func values(s *data.Set, i int) []float64 {
	v := make([]float64, s.Dim())
	for j, x := range s.Row(i).All() {
		v[j] = x
	}
	return v
}

func TestMaps(t *testing.T) {
	for _, c := range []struct {
		spec  string
		in    []float64
		want  []float64
		names string
	}{
		{"dummy", []float64{3, 0, 5}, []float64{3, 0, 5, 1}, "x1 x2 x3 dummy"},
		{"dummy", []float64{0, 0}, []float64{0, 0, 1}, "x1 x2 dummy"},
		{"rows:2", []float64{1, -1, -1, -1, 1, 1}, []float64{1, -1, -1, -1, 1, 1, 1, -1, 1}, "x1 x2 x3 x4 x5 x6 row1 row2 row3"},
		{"rows:3", []float64{1, 0, 0, 1, 1, 0}, []float64{1, 0, 0, 1, 1, 0, -1, 1}, "x1 x2 x3 x4 x5 x6 row1 row2"}, // absent is white
		{"rows:1", []float64{0, 0.5}, []float64{0, 0.5, -1, 1}, "x1 x2 row1 row2"},
		{"products", []float64{2, 3, 5}, []float64{2, 3, 5, 4, 6, 10, 9, 15, 25}, "x1 x2 x3 x1^2 x1*x2 x1*x3 x2^2 x2*x3 x3^2"},
		{"products", []float64{2, 0, 5}, []float64{2, 0, 5, 4, 0, 10, 0, 0, 25}, "x1 x2 x3 x1^2 x1*x2 x1*x3 x2^2 x2*x3 x3^2"},
		{"standardise:no-centre", []float64{2, 0, -5}, []float64{1, 0, -1}, "x1 x2 x3"},
	} {
		p, mapped := fit(t, set(c.in).First(1), c.spec)
		got := values(mapped, 0)
		if len(got) != len(c.want) {
			t.Errorf("%s of %v: %v, want %v", c.spec, c.in, got, c.want)
			continue
		}
		for j := range got {
			if got[j] != c.want[j] {
				t.Errorf("%s of %v: %v, want %v", c.spec, c.in, got, c.want)
				break
			}
		}
		if err := mapped.Row(0).Check(); err != nil {
			t.Errorf("%s of %v: %v", c.spec, c.in, err)
		}
		if names := strings.Join(mapped.Features().Names(), " "); names != c.names && mapped.Features().HasNames() {
			t.Errorf("%s: names %s, want %s", c.spec, names, c.names)
		}
		// Features that training did not have are left out.
		longer := p.Row(vec.Dense(append(append([]float64{}, c.in...), 9, 9)...))
		if err := longer.Check(); err != nil || longer.Dim() > mapped.Dim() || longer.Len() != mapped.Row(0).Len() {
			t.Errorf("%s of a longer row: %v (%v)", c.spec, longer, err)
		}
	}
}

// The pair numbers of Products and their inverse, over all pairs.
func TestProductPairs(t *testing.T) {
	m := &Products{In: 9}
	next := m.In
	for i := range m.In {
		for j := i; j < m.In; j++ {
			if got := m.pair(i, j); got != next {
				t.Fatalf("pair(%d, %d) = %d, want %d", i, j, got, next)
			}
			if a, b := m.factors(next); a != i || b != j {
				t.Fatalf("factors(%d) = %d, %d, want %d, %d", next, a, b, i, j)
			}
			next++
		}
	}
	if _, out := m.dims(); out != next {
		t.Fatalf("%d features after, want %d", out, next)
	}
}

func TestHash(t *testing.T) {
	s := noise(20, 300, 3)
	p, mapped := fit(t, s, "hash:6")
	if mapped.Dim() != 64 || mapped.Features().Name(5) != "#5" {
		t.Fatalf("%d features, the sixth called %s", mapped.Dim(), mapped.Features().Name(5))
	}
	used := map[uint32]int{}
	h := p[0].(*Hash)
	for j := range 300 {
		used[h.bucket(uint32(j))]++
	}
	if len(used) < 55 { // 64·(1 - e^(-300/64)) = 63.4 are expected
		t.Errorf("only %d of 64 buckets are used", len(used))
	}
	for i := range s.Len() {
		want := make([]float64, 64)
		for j, v := range s.Row(i).All() {
			want[h.bucket(uint32(j))] += v
		}
		for j, v := range values(mapped, i) {
			if v != want[j] {
				t.Fatalf("row %d bucket %d: %v, want %v", i, j, v, want[j])
			}
		}
	}
	// Fixed for ever: these are the outputs of splitmix64 seeded with 0
	// (e220a8397b1dcdaf, 6e789e6aa1b965f4, 06c45d188009454f), top 8 bits.
	h8 := &Hash{Bits: 8}
	for j, want := range []uint32{0xe2, 0x6e, 0x06} {
		if got := h8.bucket(uint32(j)); got != want {
			t.Errorf("bucket(%d) = %#x, want %#x", j, got, want)
		}
	}
}

func TestStandardiseExact(t *testing.T) {
	for _, c := range []struct {
		name        string
		column      []float64
		mean, scale float64 // by hand
	}{
		{"1 to 5", []float64{1, 2, 3, 4, 5}, 3, math.Sqrt2},
		{"constant", []float64{0.1, 0.1, 0.1}, 0.1, 1}, // though 0.1+0.1+0.1 ≠ 3·0.1
		{"large offset", []float64{1e12 + 1, 1e12 + 2, 1e12 + 3, 1e12 + 4}, 1e12 + 2.5, math.Sqrt(1.25)},
		{"tiny", []float64{1e-12, 3e-12}, 2e-12, 1e-12},
		{"huge", []float64{1e300, 3e300}, 2e300, 1e300},
		{"largest", []float64{math.MaxFloat64, -math.MaxFloat64}, 0, math.MaxFloat64},
		{"minute", []float64{1e-200, 3e-200}, 2e-200, 1e-200},
		{"too small to divide by", []float64{1e-300, 3e-300}, 2e-300, 1},
		{"one zero", []float64{0, 1, 1, 2}, 1, math.Sqrt(0.5)},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := make([][]float64, len(c.column))
			for i, v := range c.column {
				rows[i] = []float64{v, 1, 2}
			}
			p, mapped := fit(t, set(rows...), "standardise")
			m := p[0].(*Standardise)
			if !m.Centred || !near12(m.Mean[0], c.mean) || !near12(m.Scale[0], c.scale) {
				t.Fatalf("centred %v, mean %v, scale %v; want %v, %v", m.Centred, m.Mean[0], m.Scale[0], c.mean, c.scale)
			}
			if m.Mean[1] != 1 || m.Scale[1] != 1 || m.Mean[2] != 2 || m.Scale[2] != 1 {
				t.Errorf("constant columns: means %v, scales %v", m.Mean, m.Scale)
			}
			for i := range mapped.Len() {
				if err := mapped.Row(i).Check(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func near12(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }

// Columns of very different size at once end up with mean 0 and variance 1.
func TestStandardiseMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var rows [][]float64
	for range 1000 {
		rows = append(rows, []float64{1e12 * r.NormFloat64(), 1e-12 * r.NormFloat64(), 1e9 + r.NormFloat64(), -1e-3 + 1e-12*r.NormFloat64()})
	}
	_, mapped := fit(t, set(rows...), "standardise")
	for j := range mapped.Dim() {
		sum, squares := 0.0, 0.0
		for i := range mapped.Len() {
			v := values(mapped, i)[j]
			sum += v
			squares += v * v
		}
		n := float64(mapped.Len())
		if math.Abs(sum/n) > 2e-4 || math.Abs(squares/n-1) > 2e-4 { // an offset of 1e9 spreads leaves 1e-7 in x itself
			t.Errorf("feature %d: mean %g, mean square %g", j+1, sum/n, squares/n)
		}
	}
}

func TestStandardiseSparse(t *testing.T) {
	s := set([]float64{3, 0, 0, 0, 1}, []float64{0, 0, 4, 0, 0}, []float64{-3, 0, 0, 0, 0})
	p, mapped := fit(t, s, "standardise")
	m := p[0].(*Standardise)
	// Root mean squares: √(18/3), 0, √(16/3), 0, √(1/3).
	for j, want := range []float64{math.Sqrt(6), 1, math.Sqrt(16. / 3), 1, math.Sqrt(1. / 3)} {
		if !near12(m.Scale[j], want) {
			t.Errorf("scale %d is %v, want %v", j+1, m.Scale[j], want)
		}
	}
	if m.Centred || m.Mean != nil || mapped.Nonzeros() != s.Nonzeros() {
		t.Errorf("centred %v, means %v, %d values of %d", m.Centred, m.Mean, mapped.Nonzeros(), s.Nonzeros())
	}
}

// An example of weight 3 counts as three examples.
func TestStandardiseWeights(t *testing.T) {
	once := set([]float64{1, 5}, []float64{4, 2}, []float64{0, 9}).WithWeights(func(i int) float64 { return []float64{1, 3, 1}[i] })
	thrice := set([]float64{1, 5}, []float64{4, 2}, []float64{4, 2}, []float64{4, 2}, []float64{0, 9})
	p, _ := fit(t, once, "standardise")
	q, _ := fit(t, thrice, "standardise")
	a, b := p[0].(*Standardise), q[0].(*Standardise)
	for j := range 2 {
		if !near12(a.Mean[j], b.Mean[j]) || !near12(a.Scale[j], b.Scale[j]) {
			t.Errorf("feature %d: %v ± %v weighted, %v ± %v repeated", j+1, a.Mean[j], a.Scale[j], b.Mean[j], b.Scale[j])
		}
	}
}

func TestFold(t *testing.T) {
	for _, spec := range []string{"standardise", "standardise:no-centre"} {
		r := rand.New(rand.NewPCG(2, 2))
		var rows [][]float64
		for range 200 {
			rows = append(rows, []float64{1e6 * r.NormFloat64(), 3 + 1e-6*r.NormFloat64(), 100 + 10*r.NormFloat64(), 0.5, r.NormFloat64()})
		}
		s := set(rows...)
		p, mapped := fit(t, s, "dummy", spec, spec)
		rest, folders := p.Unfolded()
		if len(rest) != 1 || len(folders) != 2 {
			t.Fatalf("%d maps left, %d folders", len(rest), len(folders))
		}
		w, bias := []float64{0.3, -1.25, 2, 7, 1e-3, -4}, 0.75
		raw, b := append([]float64{}, w...), bias
		for _, f := range folders {
			f.Fold(raw, &b)
		}
		plain := rest.Set(s)
		for i := range s.Len() {
			want := vec.Dot(w, mapped.Row(i)) + bias
			x := plain.Row(i)
			got := vec.Dot(raw, x) + b
			size := math.Abs(b) // what the score is summed up from
			for j, v := range x.All() {
				size += math.Abs(raw[j] * v)
			}
			if math.Abs(got-want) > 1e-12*size {
				t.Fatalf("%s row %d: %v folded, %v mapped (summed from %v)", spec, i+1, got, want, size)
			}
		}
	}
}

// The same rows give the same maps and images however they are stored, and
// row by row as all at once.
func TestDenseIsSparse(t *testing.T) {
	for _, specs := range [][]string{
		{"dummy"}, {"standardise"}, {"standardise:no-centre"}, {"rows:2"}, {"products"}, {"hash:3"},
		{"rows:4", "products", "standardise", "dummy"}, {},
	} {
		dense := noise(50, 8, 9)
		sparse := storedSparse(dense)
		if dense.Sparse() || !sparse.Sparse() || dense.Digest() != sparse.Digest() {
			t.Fatal("the sets are not one dense and one sparse of the same rows")
		}
		p, a := fit(t, dense, specs...)
		q, b := fit(t, sparse, specs...)
		if a.Digest() != b.Digest() {
			t.Errorf("%v: dense and sparse differ", specs)
		}
		if c := p.Set(sparse); c.Digest() != a.Digest() || c.Dim() != a.Dim() {
			t.Errorf("%v: Set differs from Fit", specs)
		}
		one := q.Applier()
		for i := range a.Len() {
			x, y := one.Row(dense.Row(i)), a.Row(i)
			if x.Len() != y.Len() {
				t.Fatalf("%v row %d: %d values, want %d", specs, i+1, x.Len(), y.Len())
			}
			for k := range x.Len() {
				j, u := x.At(k)
				if l, v := y.At(k); j != l || u != v {
					t.Fatalf("%v row %d: %d:%v, want %d:%v", specs, i+1, j, u, l, v)
				}
			}
		}
	}
}

func TestApplierAllocatesNothing(t *testing.T) {
	s := noise(30, 8, 4)
	p, _ := fit(t, s, "rows:4", "products", "standardise", "hash:5", "dummy")
	a := p.Applier()
	for i := range s.Len() {
		a.Row(s.Row(i))
	}
	if n := testing.AllocsPerRun(100, func() { a.Row(s.Row(7)) }); n != 0 {
		t.Errorf("%v allocations a row", n)
	}
}

func TestBadSpecs(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{"", `no feature map ""; maps are dummy, standardise, rows, products, hash`},
		{"row:8", `no feature map "row"; did you mean rows?`},
		{"standardize", `no feature map "standardize"; did you mean standardise?`},
		{"dummy:1", `the feature map dummy takes no argument, found "dummy:1"; write dummy`},
		{"rows:", `nothing after the colon in "rows:"; write rows or rows:WIDTH`},
		{"rows:x", `rows: the width is a whole number from 1, found "x"; write e.g. rows:8`},
		{"rows:0", `rows: the width is a whole number from 1, found "0"; write e.g. rows:8`},
		{"hash:31", `hash: the number of bits is from 1 to 30, found "31"; write e.g. hash:18`},
		{"hash:-1", `hash: the number of bits is from 1 to 30, found "-1"; write e.g. hash:18`},
		{"standardise:0", `standardise: the argument may be no-centre, found "0"`},
	} {
		_, err := Parse(c.spec)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: %v; want %s", c.spec, err, c.want)
		}
	}
}

func TestBadFits(t *testing.T) {
	wide := data.NewBuilder(nil)
	wide.Add(vec.Row{Idx: []uint32{99_999}, Val: []float64{1}}, nil, 1)
	for _, c := range []struct {
		spec string
		s    *data.Set
		want string
	}{
		{"rows:8", set(make([]float64, 7), []float64{1, 2, 3, 4, 5, 6, 7}), "7 features are no image of 8 columns; give the width as rows:WIDTH, and put rows before maps that add features"},
		{"products", wide.Set(data.Input{}), "the products of 100000 features are more than 2147483648; use fewer features, or hash before products"},
		{"products", set([]float64{1, 1}, []float64{1, -1e200}), "row 2 has x2 = -1e+200, whose square is too large for a number; put standardise before products"},
		{"standardise", set([]float64{1}).First(0), "standardise needs examples with a positive weight to take the mean of"},
	} {
		p, err := ParsePipeline(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = p.Fit(c.s); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v; want %s", c.spec, err, c.want)
		}
	}
}

// A chain of products would make rows that no memory holds.
func TestProductsOfProducts(t *testing.T) {
	if _, mapped := fit(t, set([]float64{2, 3}), "products", "products"); mapped.Dim() != 20 {
		t.Errorf("%d features, want 20", mapped.Dim())
	}
	p, _ := ParsePipeline("products", "products", "products", "products", "products")
	_, err := p.Fit(set([]float64{2, 3}))
	want := "map 5, products, may make 359026205 values of a row; at most 4194304 are allowed: use fewer features or fewer maps, or hash before it"
	if err == nil || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
}

// The golden figures of the assignment with row features: 10 loops, w = 0,
// rows and dummy give 86 training and 55 test errors (recomputed by the
// project from the assignment's own files).
func TestAssignmentRows(t *testing.T) {
	train, test := assignment(t, "35_TrainingData.txt"), assignment(t, "35_TestData.txt")
	for _, c := range []struct {
		specs       []string
		train, test int
	}{
		{nil, 71, 56},
		{[]string{"dummy"}, 81, 52},
		{[]string{"rows:8", "dummy"}, 86, 55},
	} {
		p, mapped := fit(t, train, c.specs...)
		w := make([]float64, mapped.Dim())
		for range 10 {
			for i := range mapped.Len() {
				if y := sign(mapped, i); (vec.Dot(w, mapped.Row(i)) >= 0) != (y > 0) {
					vec.Axpy(w, y, mapped.Row(i))
				}
			}
		}
		if a, b := mistakes(w, mapped), mistakes(w, p.Set(test)); a != c.train || b != c.test {
			t.Errorf("%v: %d training and %d test errors, want %d and %d", c.specs, a, b, c.train, c.test)
		}
	}
}

func sign(s *data.Set, i int) float64 { return 1 - 2*float64(s.Class(i)) }

func mistakes(w []float64, s *data.Set) int {
	n := 0
	for i := range s.Len() {
		if (vec.Dot(w, s.Row(i)) >= 0) != (sign(s, i) > 0) {
			n++
		}
	}
	return n
}

// assignment reads a file of the assignment by hand, so as not to depend on
// package format.
func assignment(t *testing.T, name string) *data.Set {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "data", name))
	if err != nil {
		t.Skip("the files of the assignment are not here: ", err)
	}
	b := data.NewBuilder(nil)
	b.Declare("three:", "five:")
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		x := make([]float64, len(fields)-1)
		for j, f := range fields[1:] {
			if x[j], err = strconv.ParseFloat(f, 64); err != nil {
				t.Fatal(err)
			}
		}
		b.Add(vec.Dense(x...), []byte(fields[0]), 1)
	}
	return b.Set(data.Input{})
}
