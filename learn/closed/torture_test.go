package closed_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/learn/closed"
	"github.com/halfspace-ml/halfspace/learntest"
)

// What comes of the tortures is in the table of package learn. Here: least
// squares and Fisher notice none of the changes that should not matter, and a
// regression is at the minimum.
func TestTorture(t *testing.T) {
	for _, c := range learntest.Tortures {
		s := c.Set()
		for _, l := range []struct {
			learner halfspace.Learner
			same    bool
			lambda  float64 // negative: not a regression
		}{
			{&closed.LeastSquares{}, c.Same, 0},
			{&closed.Ridge{}, false, 1},
			{&closed.Fisher{}, c.Same, -1},
		} {
			t.Run(c.Name+"/"+l.learner.Name(), func(t *testing.T) {
				m, err := halfspace.Fit(context.Background(), l.learner, halfspace.Run{Set: s})
				if err != nil {
					t.Skip("refused, as the table says")
				}
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

func sameScores(t *testing.T, l halfspace.Learner, m *halfspace.Model, s *data.Set) {
	t.Helper()
	base := learntest.Plain()
	want := learntest.Fit(t, l, halfspace.Run{Set: base})
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
	i := slices.IndexFunc(learntest.Tortures, func(c learntest.Torture) bool { return c.Name == "fewer examples than features" })
	fewer := learntest.Tortures[i].Set()
	for _, c := range []struct {
		learner halfspace.Learner
		want    []float64
	}{
		{&closed.LeastSquares{}, []float64{0.40983606557377056, -0.21311475409836045, 0.13114754098360631, 0.06557377049180291, 0.6229508196721302}},
		{&closed.Fisher{}, []float64{4.859948422931968, 4.859948422931961, 0.3860345169609242, -3.9196587978575703, 0.0}},
		{&closed.Fisher{Singular: closed.SingularShrink}, []float64{3.825816485225507, -0.8709175738724722, 0.2211854155866605, -1.1525833765336095, 5.0}},
	} {
		m := learntest.Fit(t, c.learner, halfspace.Run{Set: fewer})
		for j, want := range c.want {
			if got := m.Weights.W[0][j]; math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: weight %d is %v, want %v", c.learner.Name(), j+1, got, want)
			}
		}
	}
}
