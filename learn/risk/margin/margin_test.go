package margin_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learn/risk/margin"
	"github.com/halfspace-ml/halfspace/vec"
)

func builtin(t *testing.T, name string) *data.Set {
	t.Helper()
	s, err := sample.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shared reads a file of the shared data sets, if they are there.
func shared(t *testing.T, name string) *data.Set {
	t.Helper()
	path := filepath.Join("..", "..", "..", "..", "shared", "data", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not there: %v", name, err)
	}
	s, err := format.ReadFile(context.Background(), path, &format.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// two is a set of two classes, a (+) and b (−).
func two(a, b [][]float64) *data.Set {
	bd := data.NewBuilder(nil)
	bd.Declare("a", "b")
	for _, x := range a {
		bd.Add(vec.Dense(x...), []byte("a"), 1)
	}
	for _, x := range b {
		bd.Add(vec.Dense(x...), []byte("b"), 1)
	}
	return bd.Set(data.Input{})
}

func solve(t *testing.T, s *data.Set, noBias bool) *margin.Result {
	t.Helper()
	r, err := margin.Solve(context.Background(), s, margin.Options{NoBias: noBias})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s = %.17g, want %.17g", what, got, want)
	}
}

// want checks a plane and its multipliers to 1e-9.
func want(t *testing.T, r *margin.Result, width, bias float64, w []float64, rows []int, lambda []float64) {
	t.Helper()
	if r.Verdict != margin.Separable || !r.Exact || !slices.Equal(r.Rows, rows) {
		t.Fatalf("%s, exact %v, rows %v, want %v", r.Verdict, r.Exact, r.Rows, rows)
	}
	near(t, "margin", r.Margin, width, 1e-9)
	near(t, "bias", r.Bias, bias, 1e-9)
	for j := range w {
		near(t, "weight", r.W[j], w[j], 1e-9)
	}
	for k := range lambda {
		near(t, "multiplier", r.Multipliers[k], lambda[k], 1e-9)
	}
}

// Document 000's points, numbers from exact arithmetic: (15,11) and (14,21)
// carry the plane, 10 rows and 1 column apart.
func TestPoints00(t *testing.T) {
	want(t, solve(t, builtin(t, "@points00"), false), math.Sqrt(101), 291./101, []float64{2. / 101, -20. / 101}, []int{1, 2}, []float64{2. / 101, 2. / 101})
}

// Document 004's example, numbers from exact arithmetic: (.6,.6), (.25,1) and
// (.3,.4) carry the plane. Half of the margin is 0.1578.
func TestHandout(t *testing.T) {
	r := solve(t, builtin(t, "@handout"), false)
	want(t, r, 2/math.Hypot(120./19, 10./19), -59./19, []float64{120. / 19, 10. / 19}, []int{2, 6, 7}, []float64{7250. / 361, 2100. / 361, 5150. / 361})
	if math.Abs(r.Margin/2-0.1578) > 5e-5 {
		t.Errorf("half-margin %v", r.Margin/2)
	}
}

// Document 003's example: (−2, −2, 4) puts two of the three on the plane, and
// none through the origin does better: (1,1,1) and (−1,−1,−1) are both positive.
func TestWeaklySeparable(t *testing.T) {
	s := builtin(t, "@weak")
	r := solve(t, s, true)
	proven(t, s, r, true)
	if len(r.Rows) != 2 {
		t.Errorf("rows %v", r.Rows)
	}
	if r := solve(t, s, false); r.Verdict != margin.Separable { // with a bias a plane does
		t.Errorf("with a bias: %s", r.Verdict)
	}
}

// proven checks, in exact arithmetic and apart from the solver, that the
// combination of rows is zero, and that there are not too many.
func proven(t *testing.T, s *data.Set, r *margin.Result, noBias bool) {
	t.Helper()
	if r.Verdict != margin.NotSeparable {
		t.Fatalf("%s (%s), margin %v", r.Verdict, r.Reason, r.Margin)
	}
	most := s.Dim() + 2
	if noBias {
		most--
	}
	if len(r.Rows) > most || len(r.Combination) != len(r.Rows) || len(r.Multipliers) != len(r.Rows) {
		t.Errorf("%d rows, %d whole numbers, %d weights; at most %d", len(r.Rows), len(r.Combination), len(r.Multipliers), most)
	}
	zero := make([]*big.Rat, s.Dim()+1)
	for j := range zero {
		zero[j] = new(big.Rat)
	}
	for k, i := range r.Rows {
		if r.Combination[k].Sign() <= 0 || !(r.Multipliers[k] > 0) {
			t.Fatalf("weight %v of row %d", r.Combination[k], i)
		}
		n := new(big.Rat).SetInt(r.Combination[k])
		if s.Class(i) == 1 {
			n.Neg(n)
		}
		for j, v := range s.Row(i).All() {
			zero[j].Add(zero[j], new(big.Rat).Mul(n, new(big.Rat).SetFloat64(v)))
		}
		if !noBias {
			zero[s.Dim()].Add(zero[s.Dim()], n)
		}
	}
	for j, v := range zero {
		if v.Sign() != 0 {
			t.Fatalf("feature %d of the combination is %v", j, v)
		}
	}
}

// widest checks, apart from the solver, that no margin is wider: by weak
// duality a gap of zero proves it.
func widest(t *testing.T, s *data.Set, r *margin.Result, noBias bool, tol float64) {
	t.Helper()
	if r.Verdict != margin.Separable || !r.Exact {
		t.Fatalf("%s, exact %v, rows %v: %s", r.Verdict, r.Exact, r.Rows, r.Reason)
	}
	o, k := margin.Certify(s, r.W, r.Bias, r.Rows, r.Multipliers, noBias, 1)
	if math.Abs(*o.RelativeGap) > tol || k.Stationarity > tol || k.Balance > tol || k.Sign > 0 || k.Slackness > tol || k.Feasibility > tol {
		t.Errorf("relative gap %v, %+v", *o.RelativeGap, k)
	}
	near(t, "margin", k.Margin, r.Margin, tol)
	if len(r.Rows) > s.Dim()+2 {
		t.Errorf("%d rows in %d dimensions", len(r.Rows), s.Dim())
	}
}

// The sheets of document 000 are separable; the distance of the hulls by plane
// geometry.
func TestSheets(t *testing.T) {
	for i := range 7 {
		s := shared(t, fmt.Sprintf("perceptron_bmp/test%02d.bmp", i))
		r := solve(t, s, false)
		widest(t, s, r, false, 1e-9)
		near(t, fmt.Sprintf("margin of sheet %d", i), r.Margin, hullDistance(s), 1e-9)
	}
}

// hullDistance is that of the two classes' hulls in the plane, if they are
// apart: between a corner of the one and an edge of the other.
func hullDistance(s *data.Set) float64 {
	a, b := hull(s, 0), hull(s, 1)
	best := math.Inf(1)
	for _, pair := range [][2][][2]float64{{a, b}, {b, a}} {
		edges := pair[1]
		for _, p := range pair[0] {
			for k, q := range edges {
				best = min(best, toSegment(p, q, edges[(k+1)%len(edges)]))
			}
		}
	}
	return best
}

// hull is the corners of a class by Andrew's monotone chain.
func hull(s *data.Set, class int) [][2]float64 {
	var points [][2]float64
	for i := range s.Len() {
		if s.Class(i) == class {
			var p [2]float64
			for j, v := range s.Row(i).All() {
				p[j] = v
			}
			points = append(points, p)
		}
	}
	slices.SortFunc(points, func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) })
	half := func() (h [][2]float64) {
		for _, p := range points {
			for len(h) > 1 && cross(h[len(h)-2], h[len(h)-1], p) <= 0 {
				h = h[:len(h)-1]
			}
			h = append(h, p)
		}
		return h[:max(1, len(h)-1)]
	}
	lower := half()
	slices.Reverse(points)
	return append(lower, half()...)
}

func cross(o, a, b [2]float64) float64 {
	return (a[0]-o[0])*(b[1]-o[1]) - (a[1]-o[1])*(b[0]-o[0])
}

func toSegment(p, a, b [2]float64) float64 {
	dx, dy := b[0]-a[0], b[1]-a[1]
	t := 0.0
	if q := dx*dx + dy*dy; q > 0 {
		t = max(0, min(1, ((p[0]-a[0])*dx+(p[1]-a[1])*dy)/q))
	}
	return math.Hypot(p[0]-a[0]-t*dx, p[1]-a[1]-t*dy)
}

// Document 003's file is not separable, with and without the dummy feature, as
// real data often is not; every verdict here is checked by its proof.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		file     string
		pair     [2]string
		verdict  margin.Verdict
		tol      float64
		noBias   bool
		withOnes bool
	}{
		{file: "35_TrainingData.txt", verdict: margin.NotSeparable},
		{file: "35_TrainingData.txt", verdict: margin.NotSeparable, noBias: true},
		{file: "35_TrainingData.txt", verdict: margin.NotSeparable, noBias: true, withOnes: true},
		{file: "a9a.gz", verdict: margin.NotSeparable},
		{file: "phishing.gz", verdict: margin.NotSeparable},
		{file: "banknote.csv", verdict: margin.NotSeparable},
		{file: "ionosphere.csv", verdict: margin.NotSeparable},
		{file: "iris.csv", pair: [2]string{"versicolor", "virginica"}, verdict: margin.NotSeparable},
		{file: "iris.csv", pair: [2]string{"setosa", "versicolor"}, verdict: margin.Separable, tol: 1e-12},
		{file: "iris.csv", pair: [2]string{"setosa", "virginica"}, verdict: margin.Separable, tol: 1e-12},
		{file: "wine.csv", pair: [2]string{"class_0", "class_1"}, verdict: margin.Separable, tol: 1e-9},
		{file: "wine.csv", pair: [2]string{"class_0", "class_2"}, verdict: margin.Separable, tol: 1e-9},
		{file: "wine.csv", pair: [2]string{"class_1", "class_2"}, verdict: margin.Separable, tol: 1e-9},
		{file: "mushrooms.gz", verdict: margin.Separable, tol: 1e-9},
		{file: "agaricus.txt.train.gz", verdict: margin.Separable, tol: 1e-9},
		{file: "rcv1_small.train.gz", verdict: margin.Separable, tol: 1e-9}, // 47,117 features: by sweeps first
		{file: "sonar.csv", verdict: margin.Separable, tol: 1e-9},
		{file: "wdbc.csv", verdict: margin.Separable, tol: 1e-7}, // a margin of 8e-5 beside values of 4000
	} {
		t.Run(fmt.Sprint(c.file, c.pair, c.noBias, c.withOnes), func(t *testing.T) {
			s := shared(t, c.file)
			var err error
			if c.pair[0] != "" {
				if s, err = s.Pair(c.pair[0], c.pair[1]); err != nil {
					t.Fatal(err)
				}
			}
			if c.withOnes {
				maps, err := prep.ParsePipeline("dummy")
				if err != nil {
					t.Fatal(err)
				}
				if s, err = maps.Fit(s); err != nil {
					t.Fatal(err)
				}
			}
			r := solve(t, s, c.noBias)
			if c.verdict == margin.NotSeparable {
				proven(t, s, r, c.noBias)
			} else {
				widest(t, s, r, c.noBias, c.tol)
			}
		})
	}
}

// Every small set of whole numbers, with points twice, opposed and in line,
// gives what exact arithmetic over all sets of supports gives.
func TestBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	seen := map[margin.Verdict]int{}
	for n := range 400 {
		dim, size, spread := 1+r.IntN(3), 2+r.IntN(6), 1+r.IntN(5)
		noBias := r.IntN(2) == 0
		var a, b [][]float64
		for k := range size {
			x := make([]float64, dim)
			for j := range x {
				x[j] = float64(r.IntN(2*spread+1) - spread)
			}
			if k == 0 || k > 1 && r.IntN(2) == 0 {
				a = append(a, x)
			} else {
				b = append(b, x)
			}
		}
		if r.IntN(3) > 0 { // more of them apart
			for _, x := range a {
				x[0] += float64(spread)
			}
		}
		s := two(a, b)
		got := solve(t, s, noBias)
		seen[got.Verdict]++
		square, w := bruteForce(s, noBias)
		if square == 0 {
			proven(t, s, got, noBias)
			continue
		}
		widest(t, s, got, noBias, 1e-11)
		near(t, "distance", got.Distance, math.Sqrt(square), 1e-12)
		for j := range w {
			if math.Abs(got.W[j]-w[j]) > 1e-11*vec.Norm(w) {
				t.Fatalf("set %d: %v %v: w = %v, want %v", n, a, b, got.W, w)
			}
		}
	}
	if seen[margin.Separable] < 100 || seen[margin.NotSeparable] < 100 {
		t.Errorf("the sets are one-sided: %v", seen)
	}
}

// bruteForce is the squared distance of the hulls and w, in rational numbers:
// the nearest of the points that are stationary on some independent set of rows
// with weights of at least zero.
func bruteForce(s *data.Set, noBias bool) (square float64, w []float64) {
	groups := 2
	if noBias {
		groups = 1
	}
	var best *big.Rat
	for mask := 1; mask < 1<<s.Len(); mask++ {
		var rows []int
		for i := range s.Len() {
			if mask>>i&1 == 1 {
				rows = append(rows, i)
			}
		}
		u, ok := stationary(s, rows, groups)
		if !ok || slices.ContainsFunc(u, func(v *big.Rat) bool { return v.Sign() < 0 }) {
			continue
		}
		p := combine(s, rows, u)
		q := inner(p, p)
		if best == nil || q.Cmp(best) < 0 {
			best = q
			w = nil
			for _, v := range p {
				f, _ := v.Float64()
				q, _ := q.Float64()
				w = append(w, f*float64(groups)/q)
			}
		}
	}
	square, _ = best.Float64()
	return square, w
}

func combine(s *data.Set, rows []int, u []*big.Rat) []*big.Rat {
	p := make([]*big.Rat, s.Dim())
	for j := range p {
		p[j] = new(big.Rat)
	}
	for k, i := range rows {
		for j, v := range s.Row(i).All() {
			f := new(big.Rat).SetFloat64(v * float64(1-2*s.Class(i)))
			p[j].Add(p[j], f.Mul(f, u[k]))
		}
	}
	return p
}

func inner(a, b []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for j := range a {
		sum.Add(sum, new(big.Rat).Mul(a[j], b[j]))
	}
	return sum
}

// stationary solves K·u = μ of the row's group, Σ u = 1 in each group, if there
// is one solution.
func stationary(s *data.Set, rows []int, groups int) ([]*big.Rat, bool) {
	k := len(rows)
	n := k + groups
	m := make([][]*big.Rat, n)
	for i := range m {
		m[i] = make([]*big.Rat, n+1)
		for j := range m[i] {
			m[i][j] = new(big.Rat)
		}
	}
	one := big.NewRat(1, 1)
	for a, i := range rows {
		for b, j := range rows {
			m[a][b] = inner(combine(s, []int{i}, []*big.Rat{one}), combine(s, []int{j}, []*big.Rat{one}))
		}
		g := 0
		if groups == 2 {
			g = s.Class(i)
		}
		m[a][k+g].SetInt64(-1)
		m[k+g][a].SetInt64(1)
	}
	for g := range groups {
		m[k+g][n].SetInt64(1)
	}
	for c := range n {
		p := c
		for p < n && m[p][c].Sign() == 0 {
			p++
		}
		if p == n {
			return nil, false
		}
		m[c], m[p] = m[p], m[c]
		for i := range n {
			if i == c || m[i][c].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Quo(m[i][c], m[c][c])
			for j := c; j <= n; j++ {
				m[i][j].Sub(m[i][j], new(big.Rat).Mul(f, m[c][j]))
			}
		}
	}
	u := make([]*big.Rat, k)
	for i := range u {
		u[i] = new(big.Rat).Quo(m[i][n], m[i][i])
	}
	return u, true
}

// A change of units or of the origin changes the answer as it must, and no
// digits.
func TestUnits(t *testing.T) {
	a := [][]float64{{3, 1}, {4, 3}, {5, 0}, {3, 4}}
	b := [][]float64{{0, 0}, {1, 2}, {0, 3}, {-1, -2}}
	plain := solve(t, two(a, b), false)
	change := func(f func(x float64) float64) *data.Set {
		each := func(rows [][]float64) (out [][]float64) {
			for _, x := range rows {
				out = append(out, []float64{f(x[0]), f(x[1])})
			}
			return out
		}
		return two(each(a), each(b))
	}
	for _, unit := range []float64{1e-150, 0x1p-100, 1e-6, 1e9, 0x1p300, 1e150} {
		s := change(func(x float64) float64 { return x * unit })
		r := solve(t, s, false)
		near(t, fmt.Sprint("margin in units of ", unit), r.Margin, plain.Margin*unit, 1e-14)
		for j := range r.W {
			if math.Abs(r.W[j]-plain.W[j]/unit) > 1e-14*vec.Norm(plain.W)/unit {
				t.Errorf("weights in units of %g: %v, want %v of these", unit, r.W, plain.W)
			}
		}
	}
	for _, offset := range []float64{1, 0x1p30, -0x1p40} {
		s := change(func(x float64) float64 { return x + offset })
		r := solve(t, s, false)
		near(t, fmt.Sprint("margin at ", offset), r.Margin, plain.Margin, 1e-14)
		near(t, fmt.Sprint("bias at ", offset), r.Bias, plain.Bias-(r.W[0]+r.W[1])*offset, 1e-13)
	}
	overlap := two([][]float64{{0x1p30 + 1}, {0x1p30 - 1}}, [][]float64{{0x1p30}})
	proven(t, overlap, solve(t, overlap, false), false)
}

// Values at the ends of the range: the plane is right, and where λ = 2u/D² is
// beyond all numbers the report says so; so does the refusal where w is.
func TestEndsOfTheRange(t *testing.T) {
	for _, c := range []struct {
		unit   float64
		proof  bool
		refuse string
	}{
		{unit: 1e140, proof: true}, {unit: 1e-140, proof: true},
		{unit: 1e155}, {unit: 1e-170}, {unit: 1e300}, {unit: math.MaxFloat64},
		{unit: math.SmallestNonzeroFloat64, refuse: "beyond what numbers can hold"},
	} {
		s := two([][]float64{{c.unit}, {c.unit / 2}}, [][]float64{{-c.unit}})
		if c.refuse != "" {
			s = two([][]float64{{c.unit}}, [][]float64{{-c.unit}})
		}
		m, err := halfspace.Fit(context.Background(), new(margin.Hard), halfspace.Run{Set: s})
		if c.refuse != "" {
			if err == nil || !strings.Contains(err.Error(), c.refuse) {
				t.Errorf("%g: %v", c.unit, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%g: %v", c.unit, err)
			continue
		}
		near(t, fmt.Sprint("weight for values of ", c.unit), m.Weights.W[0][0], 4./3/c.unit, 1e-14)
		near(t, fmt.Sprint("bias for values of ", c.unit), m.Weights.Bias[0], 1./3, 1e-14)
		if k := m.Report.KKT; (k != nil) != c.proof || c.proof && k.Stationarity+k.Slackness+k.Feasibility > 1e-14 {
			t.Errorf("%g: %+v", c.unit, k)
		}
		if warned := len(m.Report.Warnings) == 1 && strings.Contains(m.Report.Warnings[0], "--scale"); warned == c.proof {
			t.Errorf("%g: warnings %q", c.unit, m.Report.Warnings)
		}
	}
}

// A margin that rounding hides is called neither.
func TestUndecided(t *testing.T) {
	s := two([][]float64{{1, 0x1p-70}, {-1, 0x1p-70}}, [][]float64{{0, 0}}) // apart by 2^-70
	r := solve(t, s, false)
	if r.Verdict != margin.Undecided || r.Reason == "" {
		t.Errorf("%s, %q", r.Verdict, r.Reason)
	}
	s = two([][]float64{{1, 0}, {-1, 0}}, [][]float64{{0, 0}})
	proven(t, s, solve(t, s, false), false)
}
