package margin_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/learn/risk/margin"
	"github.com/halfspace-ml/halfspace/vec"
)

func fit(s *data.Set, noBias bool, maps ...string) (*halfspace.Model, error) {
	p, err := prep.ParsePipeline(maps...)
	if err != nil {
		return nil, err
	}
	return halfspace.Fit(context.Background(), new(margin.Hard), halfspace.Run{Set: s, NoBias: noBias, Maps: p})
}

// The numbers of document 000's points, as the report gives them.
func TestReport(t *testing.T) {
	m, err := fit(builtin(t, "@points00"), false)
	if err != nil {
		t.Fatal(err)
	}
	r := m.Report
	if !r.Converged || r.Supports != 2 || r.Support[0].Row != 2 || r.Support[1].Row != 3 || len(r.Warnings) != 0 {
		t.Errorf("%+v", r)
	}
	near(t, "multiplier", r.Support[0].Multiplier, 2./101, 1e-14)
	near(t, "primal", r.Objective.Primal, 2./101, 1e-14)
	near(t, "dual", *r.Objective.Dual, 2./101, 1e-14)
	near(t, "margin", r.KKT.Margin, 10.04987562112089, 1e-14)
}

// Rows are counted as they were read, whatever was picked or mapped on the way.
func TestSupportRows(t *testing.T) {
	s := two([][]float64{{9, 9}, {3, 1}}, [][]float64{{0, 1}, {-5, 1}}).Pick([]uint32{3, 2, 1, 0})
	for _, maps := range [][]string{nil, {"dummy"}, {"standardise"}} {
		m, err := fit(s, false, maps...)
		if err != nil {
			t.Fatal(err)
		}
		if r := m.Report.Support; len(r) != 2 || r[0].Row != 3 || r[1].Row != 2 {
			t.Errorf("%v: support %v, want rows 3 and 2", maps, r)
		}
	}
}

// A refusal names the rows that prove it and the way on.
func TestRefusals(t *testing.T) {
	three := data.NewBuilder(nil)
	for i, c := range []string{"a", "b", "c"} {
		three.Add(vec.Dense(float64(i+1)), []byte(c), 1)
	}
	for _, c := range []struct {
		name   string
		s      *data.Set
		noBias bool
		err    error
		say    []string
	}{
		{"contradiction", two([][]float64{{1, 2}, {3, 4}}, [][]float64{{5, 6}, {3, 4}}), false, halfspace.ErrNotSeparable,
			[]string{`rows 2 and 4 are the same, one of class "a", the other of class "b"`, "--learner svm --c 1"}},
		{"crossing", builtin(t, "@xor"), false, halfspace.ErrNotSeparable,
			[]string{`a mixture of rows 2, 3 of class "1" is also one of rows 1, 4 of class "0"`}},
		{"between", two([][]float64{{0}, {2}}, [][]float64{{1}}), false, halfspace.ErrNotSeparable, []string{"rows 1, 2", "row 3"}},
		{"origin", two([][]float64{{1}}, [][]float64{{2}}), true, halfspace.ErrNotSeparable, []string{"through the origin, rows 1, 2", "--no-bias"}},
		{"zero row", two([][]float64{{0, 0}}, [][]float64{{2, 1}}), true, halfspace.ErrNotSeparable, []string{"row 1 is the origin, which every plane without a bias goes through", "--no-bias"}},
		{"hidden", two([][]float64{{1, 0x1p-70}, {-1, 0x1p-70}}, [][]float64{{0, 0}}), false, margin.ErrUndecided, []string{"--scale"}},
		{"one of three", three.Set(data.Input{}), false, halfspace.ErrNotSeparable, []string{"b against the rest: "}},
	} {
		m, err := fit(c.s, c.noBias)
		if m != nil || !errors.Is(err, c.err) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, say := range c.say {
			if !strings.Contains(err.Error(), say) {
				t.Errorf("%s: %q does not say %q", c.name, err, say)
			}
		}
	}
}

// The torture list: right, each by its certificate.
func TestTorture(t *testing.T) {
	many := func(n int, x ...float64) (rows [][]float64) {
		for range n {
			rows = append(rows, x)
		}
		return rows
	}
	wide := func(k int) [][]float64 { // n < d
		x := make([]float64, 50)
		x[k], x[49-k] = 1, 2
		return [][]float64{x}
	}
	for _, c := range []struct {
		name   string
		s      *data.Set
		noBias bool
		width  float64
	}{
		{"one example a class", two([][]float64{{1, 1}}, [][]float64{{-2, -3}}), false, 5},
		{"a thousand times the same", two(many(1000, 1, 1), many(1000, -2, -3)), false, 5},
		{"one against a million", two([][]float64{{3}}, many(1_000_000, 1)), false, 2},
		{"zero and constant columns", two([][]float64{{0, 7, 1, -1e9}}, [][]float64{{0, 7, 4, -1e9}}), false, 3},
		{"a column twice", two([][]float64{{3, 3}, {5, 5}}, [][]float64{{0, 0}}), false, 4.242640687119285},
		{"x3 = x1 + x2", two([][]float64{{1, 1, 2}, {2, 1, 3}}, [][]float64{{0, 0, 0}}), false, 2.449489742783178},
		{"in line", two([][]float64{{1, 1}, {2, 2}, {3, 3}}, [][]float64{{-1, -1}, {-2, -2}}), false, 2.8284271247461903},
		{"n < d", two(wide(3), wide(20)), false, 3.1622776601683795},
		{"far margins", two([][]float64{{1e5}}, [][]float64{{-1e5}}), false, 2e5},
		{"large beside small", two([][]float64{{1e155, 0}}, [][]float64{{0, 1e-170}}), false, 1e155},
		{"through the origin", two([][]float64{{2, 0}}, [][]float64{{0, -2}}), true, 2.8284271247461903},
		{"empty rows", two([][]float64{{0, 3}}, many(3, 0, 0)), false, 3},
	} {
		r := solve(t, c.s, c.noBias)
		if r.Verdict != margin.Separable || !r.Exact {
			t.Errorf("%s: %s (%s)", c.name, r.Verdict, r.Reason)
			continue
		}
		near(t, c.name, r.Margin, c.width, 1e-14)
		m, err := fit(c.s, c.noBias)
		if err != nil || m.Report.Train.Errors != 0 {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// The answer of one look after the other comes nearer, and Done comes once.
func TestProgress(t *testing.T) {
	s := builtin(t, "@digits35")
	var seen []margin.Iteration
	r, err := margin.Solve(context.Background(), s, margin.Options{Progress: func(i *margin.Iteration) bool {
		seen = append(seen, *i)
		return true
	}})
	if err != nil || len(seen) != r.Iterations || !seen[len(seen)-1].Done || seen[len(seen)-1].Wrong != 0 {
		t.Fatalf("%d looks, %d iterations, %v", len(seen), r.Iterations, err)
	}
	for k := 1; k < len(seen); k++ {
		if !(seen[k].Distance < seen[k-1].Distance) || seen[k-1].Done {
			t.Errorf("look %d: distance %v after %v, done %v", k, seen[k].Distance, seen[k-1].Distance, seen[k-1].Done)
		}
	}
	n := 0
	r, err = margin.Solve(context.Background(), s, margin.Options{Progress: func(*margin.Iteration) bool { n++; return n < 3 }})
	if err == nil || n != 3 || r.Verdict == margin.NotSeparable || len(r.W) != s.Dim() {
		t.Errorf("stopped after %d looks: %+v, %v", n, r, err)
	}
	r, err = margin.Solve(context.Background(), s, margin.Options{Iterations: 3})
	if err != nil || r.Iterations != 3 || r.Exact || !r.Stopped || r.Reason != "3 rounds were not enough" {
		t.Errorf("%+v, %v", r, err)
	}
}

// A fit that may not take the looks it needs is not converged, and says so.
func TestTooFewRounds(t *testing.T) {
	m, err := halfspace.Fit(context.Background(), &margin.Hard{Epochs: 3}, halfspace.Run{Set: builtin(t, "@digits35")})
	if err != nil || m.Report.Converged || m.Report.Epochs != 3 || len(m.Report.Warnings) != 1 || !strings.Contains(m.Report.Warnings[0], "--epochs") {
		t.Errorf("%+v, %v", m, err)
	}
}
