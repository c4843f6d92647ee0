package closed_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/learn/closed"
)

// plain are six points that every learner here separates; the tortures are made
// from them.
var plain = [2][][]float64{
	{{2, 1}, {3, 3}, {4, 1.5}},
	{{0, 0.5}, {1, 2}, {-1, 1}},
}

// bent is plain with every point rewritten.
func bent(f func(x, y float64) []float64) *data.Set {
	var out [2][][]float64
	for c, points := range plain {
		for _, p := range points {
			out[c] = append(out[c], f(p[0], p[1]))
		}
	}
	return two(out[0], out[1])
}

func scaled(a, b float64) *data.Set {
	return bent(func(x, y float64) []float64 { return []float64{x * a, y * b} })
}

func imbalanced() *data.Set {
	many := make([][]float64, 1_000_000)
	for i := range many {
		many[i] = []float64{float64(i%7) - 3, float64(i%11) - 5}
	}
	return two([][]float64{{50, 1}}, many)
}

const (
	dependent = "rank 2 of 3: features depend on each other (or there are too few examples), so many weights fit equally well; these are the shortest; --learner ridge makes a choice that is steady"
	constant  = "rank 2 of 3: 1 feature is constant, so the weight there is 0; nothing is lost"
	harmless  = "S_w is singular (rank 2 of 3: features depend on each other, or do not vary within the classes, or there are too few examples): its pseudo-inverse was used, and loses nothing of what holds the means apart; --singular shrink is the other way"
	overflow  = "the weights grew beyond what numbers can hold; scale the features (--scale) or lower the rate"
)

// outcome is the training errors and the one warning, or the refusal.
type outcome struct {
	errors  int
	warning string
	refusal string
}

// tortures says what comes of each set. With same the scores are those of the
// plain points, from which the set is made by a change that neither least
// squares nor Fisher should notice.
var tortures = []struct {
	name                        string
	set                         func() *data.Set
	same                        bool
	leastSquares, ridge, fisher outcome
}{
	{"plain", func() *data.Set { return scaled(1, 1) }, true, outcome{}, outcome{}, outcome{}},
	{"contradictory pairs", func() *data.Set { return two(plain[0], plain[0]) }, false, outcome{errors: 6}, outcome{errors: 6},
		outcome{errors: 6, warning: "the class means are equal, so Fisher's direction is zero and every score is the bias: no plane of this kind tells the classes apart"}},
	{"a zero column", func() *data.Set { return bent(func(x, y float64) []float64 { return []float64{x, 0, y} }) }, true, outcome{warning: constant}, outcome{}, outcome{}},
	{"a constant column", func() *data.Set { return bent(func(x, y float64) []float64 { return []float64{x, 0.1, y} }) }, true, outcome{warning: constant}, outcome{}, outcome{}},
	{"a duplicated column", func() *data.Set { return bent(func(x, y float64) []float64 { return []float64{x, x, y} }) }, true, outcome{warning: dependent}, outcome{}, outcome{warning: harmless}},
	{"x3 = x1 + x2", func() *data.Set {
		return bent(func(x, y float64) []float64 { return []float64{x / 3, y / 7, x/3 + y/7} })
	}, true,
		outcome{warning: dependent}, outcome{}, outcome{warning: harmless}},
	{"fewer examples than features", fewer, false,
		outcome{warning: "rank 3 of 5: features depend on each other (or there are too few examples), so many weights fit equally well; these are the shortest; --learner ridge makes a choice that is steady"}, outcome{},
		outcome{warning: "S_w is singular (rank 2 of 5: features depend on each other, or do not vary within the classes, or there are too few examples): its pseudo-inverse was used, which leaves out directions in which the class means differ; --singular shrink uses them"}},
	{"one example a class", func() *data.Set { return two([][]float64{{2, 1}}, [][]float64{{0, 3}}) }, false,
		outcome{warning: "rank 1 of 2: features depend on each other (or there are too few examples), so many weights fit equally well; these are the shortest; --learner ridge makes a choice that is steady"}, outcome{},
		outcome{refusal: "no direction: S_w is singular (rank 0 of 2: features depend on each other, or do not vary within the classes, or there are too few examples), and the class means differ only where the classes do not vary, which the pseudo-inverse leaves out; use --singular shrink"}},
	{"1e155", func() *data.Set { return scaled(1e155, 1e155) }, true, outcome{}, outcome{}, outcome{}},
	// λ = 1 leaves nothing of weights for features of 1e-170: scores of 1e-340
	// are zero, and on the boundary.
	{"1e-170", func() *data.Set { return scaled(1e-170, 1e-170) }, true, outcome{}, outcome{errors: 6}, outcome{}},
	{"1e155 beside 1e-170", func() *data.Set { return scaled(1e155, 1e-170) }, true, outcome{}, outcome{}, outcome{}},
	{"1e12 beside 1e-12", func() *data.Set { return scaled(1e12, 1e-12) }, true, outcome{}, outcome{}, outcome{}},
	{"1e308", func() *data.Set { return scaled(0x1p1021, 0x1p1021) }, true, outcome{}, outcome{}, outcome{}},
	{"denormals", func() *data.Set { return scaled(0x1p-1073, 0x1p-1073) }, false, outcome{refusal: overflow}, outcome{errors: 6}, outcome{refusal: overflow}},
	{"an offset of 2^30", func() *data.Set { return bent(func(x, y float64) []float64 { return []float64{x + 1<<30, y} }) }, true, outcome{}, outcome{}, outcome{}},
	{"margins of 1e5", func() *data.Set { return bent(func(x, y float64) []float64 { return []float64{(x - 1.5) * 1e5, y} }) }, true, outcome{}, outcome{}, outcome{}},
	// The one is lost: least squares counts squares, and there are 10⁶ others.
	{"1 : 1000000", imbalanced, false, outcome{errors: 1}, outcome{errors: 1}, outcome{}},
}

func fewer() *data.Set {
	return two([][]float64{{1, 0, 2, 0, 3}, {2, 1, 0, 1, 3}}, [][]float64{{0, 1, -1, 4, 1}, {-1, 0, 2, 1, 1}})
}

func TestTorture(t *testing.T) {
	for _, c := range tortures {
		s := c.set()
		for _, l := range []struct {
			learner halfspace.Learner
			want    outcome
			same    bool
			lambda  float64 // negative: not a regression
		}{
			{&closed.LeastSquares{}, c.leastSquares, c.same, 0},
			{&closed.Ridge{}, c.ridge, false, 1},
			{&closed.Fisher{}, c.fisher, c.same, -1},
		} {
			t.Run(c.name+"/"+l.learner.Name(), func(t *testing.T) {
				m, err := halfspace.Fit(context.Background(), l.learner, halfspace.Run{Set: s})
				if err != nil || l.want.refusal != "" {
					if err == nil || err.Error() != l.want.refusal {
						t.Fatalf("error %v, want %q", err, l.want.refusal)
					}
					return
				}
				l.want.check(t, m)
				if l.same {
					sameScores(t, l.learner, m, s)
				}
				if l.lambda >= 0 {
					stationary(t, m, s, l.lambda)
				}
			})
		}
	}
}

func (o outcome) check(t *testing.T, m *halfspace.Model) {
	t.Helper()
	if m.Report.Train.Errors != o.errors {
		t.Errorf("%d errors, want %d", m.Report.Train.Errors, o.errors)
	}
	if want := []string{o.warning}; o.warning == "" && len(m.Report.Warnings) > 0 || o.warning != "" && !slices.Equal(m.Report.Warnings, want) {
		t.Errorf("warnings %q, want %q", m.Report.Warnings, want)
	}
}

func sameScores(t *testing.T, l halfspace.Learner, m *halfspace.Model, s *data.Set) {
	t.Helper()
	base := scaled(1, 1)
	want := mustFit(t, l, halfspace.Run{Set: base})
	for i := range s.Len() {
		got := m.Scorer().Scores(s.Row(i))[0]
		if z := want.Scorer().Scores(base.Row(i))[0]; math.Abs(got-z) > 1e-6 { // an offset of 2^30 leaves 6 digits of a score
			t.Errorf("row %d scores %v, want %v", i+1, got, z)
		}
	}
}

// stationary checks, without any factorisation, that the gradient of
// Σ(y − w·x − w0)² + λ‖w‖² is zero beside the terms it is the sum of.
func stationary(t *testing.T, m *halfspace.Model, s *data.Set, lambda float64) {
	t.Helper()
	w := m.Weights
	gradient, size := make([]float64, s.Dim()+1), make([]float64, s.Dim()+1)
	for i := range s.Len() {
		y, x := 1.0, s.Row(i)
		if s.Class(i) == 1 {
			y = -1
		}
		z := w.Score(0, x)
		terms := math.Abs(y) + math.Abs(w.Bias[0])
		for j, v := range x.All() {
			terms += math.Abs(w.W[0][j] * v)
		}
		gradient[s.Dim()] += y - z
		size[s.Dim()] += terms
		for j, v := range x.All() {
			gradient[j] += (y - z) / 64 * v
			size[j] += terms / 64 * math.Abs(v)
		}
	}
	for j := range gradient {
		if j < s.Dim() {
			gradient[j] -= lambda / 64 * w.W[0][j]
			size[j] += lambda / 64 * math.Abs(w.W[0][j])
		}
		if !(math.Abs(gradient[j]) <= 1e-12*size[j]+1e-323) {
			t.Errorf("gradient %d is %v among terms of %v", j, gradient[j], size[j])
		}
	}
}

// Of the many answers, the shortest: against numpy 2.4.6, pinv of the centred
// rows; Fisher against pinv of the within-class rows, each column divided by its
// length, and against the definition of shrinking.
func TestFewerExamplesThanFeatures(t *testing.T) {
	for _, c := range []struct {
		learner halfspace.Learner
		want    []float64
	}{
		{&closed.LeastSquares{}, []float64{0.40983606557377056, -0.21311475409836045, 0.13114754098360631, 0.06557377049180291, 0.6229508196721302}},
		{&closed.Fisher{}, []float64{4.859948422931968, 4.859948422931961, 0.3860345169609242, -3.9196587978575703, 0.0}},
		{&closed.Fisher{Singular: closed.SingularShrink}, []float64{3.825816485225507, -0.8709175738724722, 0.2211854155866605, -1.1525833765336095, 5.0}},
	} {
		m := mustFit(t, c.learner, halfspace.Run{Set: fewer()})
		for j, want := range c.want {
			if got := m.Weights.W[0][j]; math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: weight %d is %v, want %v", c.learner.Name(), j+1, got, want)
			}
		}
	}
}
