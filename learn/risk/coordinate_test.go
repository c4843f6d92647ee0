package risk_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/learn/risk"
	"github.com/halfspace-ml/halfspace/learn/risk/solve"
	"github.com/halfspace-ml/halfspace/learntest"
	"github.com/halfspace-ml/halfspace/vec"
)

func TestCoordinateConforms(t *testing.T) {
	for _, penalty := range []string{"l1", "elastic", "l2"} {
		t.Run(penalty, func(t *testing.T) {
			learntest.Run(t, func() halfspace.Learner {
				return &risk.Risk{Loss: "logistic", Options: risk.Options{Penalty: penalty, Solver: "coordinate"}}
			})
		})
	}
}

// solved fits by coordinate descent and holds it to the gap asked for.
func solved(t *testing.T, l *risk.Risk, run halfspace.Run) *halfspace.Model {
	t.Helper()
	l.Solver = "coordinate"
	m, err := halfspace.Fit(context.Background(), l, run)
	if err != nil {
		t.Fatal(err)
	}
	if o := m.Report.Objective; !m.Report.Converged || *o.RelativeGap > l.Tol {
		t.Errorf("%s %s, C = %g, bias %s: gap %g after %d loops", l.Loss, l.Penalty, l.C, l.Bias, *o.RelativeGap, m.Report.Epochs)
	}
	return m
}

// Every smooth loss with both kinds of bias, down to a gap of 1e-9, for any C.
func TestCoordinateReachesTheEnd(t *testing.T) {
	for _, c := range []struct {
		name   string
		losses []string
		cs     []float64
	}{
		{"german.numer_scale", []string{"logistic", "squared-hinge", "squared", "modified-huber"}, []float64{1e-4, 1e-2, 0.1, 1, 10, 1e4}},
		{"splice.gz", []string{"logistic", "squared-hinge"}, []float64{0.1, 10}},
		{"mushrooms.gz", []string{"logistic", "squared-hinge"}, []float64{0.1, 10}},
		{"phishing.gz", []string{"logistic"}, []float64{0.1, 10, 1e4}}, // columns of which one is the sum of others
		{"a9a.gz", []string{"squared-hinge"}, []float64{1}},
		{"spambase.data", []string{"logistic", "squared"}, []float64{1e-4, 1, 1e4}},      // dense, features of very different size
		{"rcv1_small.train.gz", []string{"logistic", "squared-hinge"}, []float64{1, 10}}, // more features than examples
	} {
		t.Run(c.name, func(t *testing.T) {
			s := read(t, c.name)
			for _, loss := range c.losses {
				for _, cost := range c.cs {
					for _, bias := range []string{"free", "penalised"} {
						for _, penalty := range []string{"l1", "elastic"} {
							if penalty == "elastic" && c.name != "german.numer_scale" {
								continue
							}
							l := &risk.Risk{Loss: loss, Options: risk.Options{Penalty: penalty, C: cost, Bias: bias, Tol: 1e-9}}
							solved(t, l, halfspace.Run{Set: s, Seed: 1})
						}
					}
				}
			}
		})
	}
}

// The values are those of the weights that liblinear-train 2.3.0 -B 1 -e 1e-10
// finds with -s 6 (logistic) and -s 5 (squared hinge). Where it stops early, at
// its 1000th loop, it is above the least value: never below, and never below the
// dual.
func TestCoordinateAgainstLiblinear(t *testing.T) {
	for _, c := range []struct {
		name, loss string
		c, value   float64
		exact      bool
	}{
		{"german.numer_scale", "squared-hinge", 0.1, 64.88309814170171, true},
		{"german.numer_scale", "squared-hinge", 1, 623.0432566667805, false},
		{"german.numer_scale", "squared-hinge", 10, 6200.292775191283, false},
		{"splice.gz", "squared-hinge", 0.1, 139.02101080576386, false},
		{"splice.gz", "squared-hinge", 10, 13410.462553810734, false},
		{"mushrooms.gz", "squared-hinge", 1, 15.869349512552166, false},
		{"rcv1_small.train.gz", "logistic", 1, 573.0055802288479, true},
		{"rcv1_small.train.gz", "logistic", 10, 2215.252695984508, true},
		{"rcv1_small.train.gz", "logistic", 100, 4076.3408029375137, true},
		{"rcv1_small.train.gz", "squared-hinge", 1, 466.66772882456087, true},
	} {
		t.Run(fmt.Sprint(c.name, " ", c.loss, " ", c.c), func(t *testing.T) {
			l := &risk.Risk{Loss: c.loss, Options: risk.Options{Penalty: "l1", C: c.c, Bias: "penalised", Tol: 1e-9}}
			m := solved(t, l, halfspace.Run{Set: read(t, c.name)})
			o := m.Report.Objective
			if o.Primal > c.value*(1+1e-9) || *o.Dual > c.value || c.exact && o.Primal < c.value*(1-1e-8) {
				t.Errorf("primal %.15g, dual %.15g, LIBLINEAR %.15g", o.Primal, *o.Dual, c.value)
			}
		})
	}
}

// Without a bias, all weights are zero as long as C·|Σ y·x/2| ≤ 1 for every
// feature: that is the slope of the logistic losses there.
func TestFirstWeight(t *testing.T) {
	s := read(t, "german.numer_scale")
	slope := make([]float64, s.Dim())
	for i := range s.Len() {
		vec.Axpy(slope, 0.5-float64(s.Class(i)), s.Row(i))
	}
	largest := 0.0
	for _, v := range slope {
		largest = max(largest, math.Abs(v))
	}
	for _, c := range []struct{ share, weights int }{{-1, 0}, {1, 1}} {
		l := &risk.Risk{Loss: "logistic", Options: risk.Options{Penalty: "l1", C: (1 + float64(c.share)*1e-6) / largest, Tol: 1e-9}}
		m := solved(t, l, halfspace.Run{Set: s, NoBias: true})
		if n := nonzero(m); n != c.weights {
			t.Errorf("C %+d millionth from the first weight: %d weights are not zero, want %d", c.share, n, c.weights)
		}
	}
}

func nonzero(m *halfspace.Model) int {
	n := 0
	for _, v := range m.Weights.W[0] {
		if v != 0 {
			n++
		}
	}
	return n
}

// remade is s with each row of features changed.
func remade(s *data.Set, change func(x []float64) []float64) *data.Set {
	b := data.NewBuilder(nil)
	b.Declare(s.Classes()...)
	for i := range s.Len() {
		x := make([]float64, s.Dim())
		vec.Axpy(x, 1, s.Row(i))
		b.Add(vec.Dense(change(x)...), []byte(s.Classes()[s.Class(i)]), 1)
	}
	return b.Set(s.Input())
}

// What a change of the columns does to an L1 fit is known.
func TestCoordinateColumns(t *testing.T) {
	s := read(t, "german.numer_scale")
	const at = 3
	for _, loss := range []string{"logistic", "squared-hinge", "squared", "modified-huber"} {
		for _, c := range []float64{0.1, 10, 1000} {
			fit := func(s *data.Set, tol float64) *halfspace.Model {
				t.Helper()
				return solved(t, &risk.Risk{Loss: loss, Options: risk.Options{Penalty: "l1", C: c, Tol: tol}}, halfspace.Run{Set: s, Seed: 7})
			}
			plain := fit(s, 1e-9).Report.Objective.Primal
			same := func(what string, s *data.Set) *halfspace.Model {
				t.Helper()
				m := fit(s, 1e-9)
				if v := m.Report.Objective.Primal; math.Abs(v-plain) > 2e-9*plain {
					t.Errorf("%s, C = %g, %s: %.15g, and %.15g before", loss, c, what, v, plain)
				}
				return m
			}
			same("every column twice", remade(s, func(x []float64) []float64 { return append(x, x...) }))
			same("every column with its negative", remade(s, func(x []float64) []float64 {
				for _, v := range x {
					x = append(x, -v)
				}
				return x
			}))
			same("columns the other way round", remade(s, func(x []float64) []float64 { slices.Reverse(x); return x }))
			m := same("an empty column", remade(s, func(x []float64) []float64 { return slices.Insert(x, at, 0) }))
			if w := m.Weights.W[0][at]; w != 0 {
				t.Errorf("%s, C = %g: the weight of an empty column is %g", loss, c, w)
			}
			// Some huge, some small: another problem, but one with an end, as far as
			// the rounding of sums of 1e10 allows.
			fit(remade(s, func(x []float64) []float64 {
				for j := range x {
					x[j] *= math.Pow(10, float64(j%9-4))
				}
				return x
			}), 1e-6)
		}
	}
}

// With L2 only it finds what newton does.
func TestCoordinateIsNewton(t *testing.T) {
	s := read(t, "splice.gz")
	for _, c := range []float64{0.01, 1, 100} {
		l := &risk.Risk{Loss: "logistic", Options: risk.Options{Penalty: "l2", C: c, Tol: 1e-9}}
		a := solved(t, l, halfspace.Run{Set: s}).Report.Objective.Primal
		l.Solver = "newton"
		m, err := halfspace.Fit(context.Background(), l, halfspace.Run{Set: s})
		if err != nil {
			t.Fatal(err)
		}
		if b := m.Report.Objective.Primal; math.Abs(a-b) > 2e-9*b {
			t.Errorf("C = %g: %.15g by coordinate, %.15g by newton", c, a, b)
		}
	}
}

// Few features and many go different ways to the same end.
func TestCoordinateManyFeatures(t *testing.T) {
	s := read(t, "german.numer_scale")
	l := &risk.Risk{Loss: "logistic", Options: risk.Options{Penalty: "l1", C: 1, Tol: 1e-9}}
	few := solved(t, l, halfspace.Run{Set: s})
	many := solved(t, l, halfspace.Run{Set: remade(s, func(x []float64) []float64 { return append(append(x, make([]float64, 1023)...), 1e-9) })})
	for j, w := range few.Weights.W[0] {
		if v := many.Weights.W[0][j]; math.Abs(v-w) > 1e-5*(1+math.Abs(w)) {
			t.Errorf("weight %d is %g with few features, %g with many", j+1, w, v)
		}
	}
	if n := nonzero(many); n != nonzero(few) {
		t.Errorf("%d and %d weights are not zero", nonzero(few), n)
	}
}

func TestCoordinateCannot(t *testing.T) {
	s := learntest.Plain()
	for _, c := range []struct{ loss, penalty, advice string }{
		{"hinge", "l1", "--loss squared-hinge or --penalty l2"},
		{"perceptron", "elastic", "--loss squared-hinge or --penalty l2"},
		{"hinge", "l2", "--solver dual"},
		{"logistic", "none", "--solver newton"},
	} {
		l := &risk.Risk{Loss: c.loss, Options: risk.Options{Penalty: c.penalty, Solver: solve.Coordinate.Name}}
		_, err := halfspace.Fit(context.Background(), l, halfspace.Run{Set: s})
		if err == nil || !strings.Contains(err.Error(), c.advice) {
			t.Errorf("%s with %s: %v, want advice: %s", c.loss, c.penalty, err, c.advice)
		}
	}
}
