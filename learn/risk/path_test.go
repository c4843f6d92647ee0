package risk_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/learn/risk"
	"github.com/halfspace-ml/halfspace/learntest"
)

// Every model of a path has the objective of a fit from nothing, and the whole
// path takes fewer loops than the fits.
func TestPath(t *testing.T) {
	cs := []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10}
	for _, classes := range []int{2, 3} {
		run := halfspace.Run{Set: learntest.Cloud(400, 6, classes, 21)}
		for _, l := range []halfspace.Pather{
			&risk.SVM{Options: risk.Options{Tol: 1e-8}},
			&risk.SVM{Loss: "squared-hinge", Options: risk.Options{Tol: 1e-8}},
			&risk.Logistic{Options: risk.Options{Tol: 1e-8, Multi: "ovr"}},
			&risk.Risk{Loss: "logistic", Options: risk.Options{Tol: 1e-8, Penalty: "l1"}},
			&risk.Risk{Loss: "hinge", Options: risk.Options{Tol: 1e-8, Solver: "dual", Epochs: 100000}},
		} {
			var warm, cold int
			err := l.Path(context.Background(), run, cs, func(c float64, m *halfspace.Model) error {
				warm += m.Report.Epochs
				alone := fresh(t, l, c)
				want, err := halfspace.Fit(context.Background(), alone, run)
				if err != nil {
					return err
				}
				cold += want.Report.Epochs
				a, b := m.Report.Objective.Primal, want.Report.Objective.Primal
				if math.Abs(a-b) > 1e-7*b || !m.Report.Converged {
					t.Errorf("%s, %d classes, C = %v: %v on the path, %v alone", l.Name(), classes, c, a, b)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, %d classes: %d loops on the path, %d alone", l.Name(), classes, warm, cold)
			if warm >= cold {
				t.Errorf("%s, %d classes: %d loops on the path, %d alone", l.Name(), classes, warm, cold)
			}
		}
	}
}

// What a user does to a model of a path, or scaling that is folded into it, does
// not reach the next.
func TestPathKeepsItsOwn(t *testing.T) {
	run := halfspace.Run{Set: learntest.Cloud(400, 6, 2, 21)}
	for _, l := range []halfspace.Pather{&risk.Logistic{}, &risk.Risk{Loss: "logistic", Options: risk.Options{Penalty: "l1"}}} {
		var loops [2][]int
		for k, by := range []float64{1, 1e6} {
			err := l.Path(context.Background(), run, []float64{0.1, 1, 10}, func(_ float64, m *halfspace.Model) error {
				loops[k] = append(loops[k], m.Report.Epochs)
				for j := range m.Weights.W[0] {
					m.Weights.W[0][j] *= by
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(loops[0], loops[1]) {
			t.Errorf("%s: loops %v, and %v when the models are changed", l.Name(), loops[0], loops[1])
		}
	}
}

// fresh is a learner of the same parameters with another C.
func fresh(t *testing.T, l halfspace.Pather, c float64) halfspace.Learner {
	switch l := l.(type) {
	case *risk.SVM:
		f := *l
		f.Options = plain(l.Options, c)
		return &f
	case *risk.Logistic:
		return &risk.Logistic{Options: plain(l.Options, c)}
	case *risk.Risk:
		return &risk.Risk{Loss: l.Loss, Options: plain(l.Options, c)}
	}
	t.Fatalf("%T", l)
	return nil
}

func plain(o risk.Options, c float64) risk.Options {
	return risk.Options{C: c, Penalty: o.Penalty, Bias: o.Bias, Solver: o.Solver, Tol: o.Tol, Epochs: o.Epochs, Multi: o.Multi}
}
