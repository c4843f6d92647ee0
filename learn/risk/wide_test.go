package risk_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/learn/risk"
	"github.com/halfspace-ml/halfspace/vec"
)

// wide is sparse rows of many features, as texts have; every ninth is of the
// wrong class.
func wide(n, features int) *data.Set {
	r := rand.New(rand.NewPCG(5, 1))
	b := data.NewBuilder(nil)
	var buf vec.Buffer
	for i := range n {
		buf.Reset()
		for range 20 {
			buf.Add(uint32(r.IntN(features)*r.IntN(features)/features), 1)
		}
		buf.Add(uint32(i%2), 1)
		class := "a"
		if (i%2 == 0) == (i%9 == 0) {
			class = "b"
		}
		b.Add(buf.Row(), []byte(class), 1)
	}
	return b.Set(data.Input{})
}

// Many features begin with dual coordinate descent. What comes out is the same
// as by the solver that ends it, whether it was needed or not.
func TestManyFeatures(t *testing.T) {
	s := wide(400, 3000)
	for _, loss := range []string{"hinge", "squared-hinge", "modified-huber", "squared"} {
		for _, c := range []float64{0.01, 100} {
			after := "newton"
			if loss == "hinge" {
				after = "multipliers"
			}
			fit := func(solver string, init *halfspace.Weights) *halfspace.Model {
				l := &risk.Risk{Loss: loss, Options: risk.Options{C: c, Tol: 1e-9, Solver: solver}}
				m, err := halfspace.Fit(context.Background(), l, halfspace.Run{Set: s, Init: init})
				if err != nil || !m.Report.Converged {
					t.Fatalf("%s, C = %v, %s: %v, %+v", loss, c, solver, err, m)
				}
				return m
			}
			want := fit(after, nil)
			for name, m := range map[string]*halfspace.Model{"auto": fit("auto", nil), "auto from a start": fit("auto", want.Weights)} {
				a, b := m.Report.Objective.Primal, want.Report.Objective.Primal
				if math.Abs(a-b) > 2e-9*b {
					t.Errorf("%s, C = %v: %s has %v, %s %v", loss, c, name, a, after, b)
				}
				t.Logf("%s, C = %v: %s %d loops, %s %d", loss, c, name, m.Report.Epochs, after, want.Report.Epochs)
			}
		}
	}
}
