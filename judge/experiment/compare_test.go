package experiment

import (
	"math"
	"testing"

	"github.com/halfspace-ml/halfspace"
)

// The corrected t of ten parts of 25 with 225 to learn from, by scipy 1.17.1:
// t = 2.023851583540192, 2·t.sf(t, 9) = 0.07366242322631464.
func TestPaired(t *testing.T) {
	wrong := [2][]int{{3, 1, 4, 1, 5, 9, 2, 6, 5, 3}, {5, 2, 4, 3, 6, 12, 4, 6, 4, 7}}
	var out [2][]Outcome
	for k := range wrong {
		for _, n := range wrong[k] {
			out[k] = append(out[k], Outcome{Examples: 225, Test: &halfspace.Tally{Examples: 25, Errors: n, Error: float64(n) / 25}})
		}
	}
	for _, p := range []float64{paired(out[0], out[1]), paired(out[1], out[0])} {
		if math.Abs(p-0.07366242322631464) > 1e-12 {
			t.Errorf("p = %v", p)
		}
	}
	if p := paired(out[0], out[0]); p != 1 {
		t.Errorf("of the same: p = %v", p)
	}
	for i := range out[1] {
		out[0][i].Test.Error, out[1][i].Test.Error = 0, 0.5
	}
	if p := paired(out[0], out[1]); p != 1./512 {
		t.Errorf("always by the same: p = %v", p)
	}
	for i := range out[1] { // always by 1/10, but for rounding
		out[0][i].Test.Error, out[1][i].Test.Error = float64(i%9)/10, float64(i%9+1)/10
	}
	if p := paired(out[0], out[1]); p != 1./512 {
		t.Errorf("always by the same, rounded: p = %v", p)
	}
}

// A proof is of a row only if all its trainings have one.
func TestWorstProof(t *testing.T) {
	gap := func(v float64) *halfspace.Objective { return &halfspace.Objective{RelativeGap: &v} }
	tally := halfspace.Tally{Examples: 4}
	out := []Outcome{{Objective: gap(1e-5), Test: &tally}, {Objective: gap(3e-5), Test: &tally}}
	r, err := rowOf(out, 1, 0.95)
	if err != nil || r.Gap == nil || *r.Gap != 3e-5 || r.KKT != nil {
		t.Errorf("%+v, %v", r, err)
	}
	for _, none := range []*halfspace.Objective{nil, {Primal: 1}} { // such as without a penalty
		if r, err = rowOf(append(out, Outcome{Objective: none, Test: &tally}), 1, 0.95); err != nil || r.Gap != nil {
			t.Errorf("one without: %+v, %v", r, err)
		}
	}
}

// By hand: 4·0.01, then 3·0.02, then 2·0.025 < 0.06 stays 0.06, then 0.9.
func TestHolm(t *testing.T) {
	ds := []Difference{{P: 0.025}, {P: 0.01}, {P: 0.9}, {P: 0.02}}
	holm(ds, 0.05)
	for i, want := range []float64{0.06, 0.04, 0.9, 0.06} {
		if math.Abs(ds[i].Adjusted-want) > 1e-15 || ds[i].Real != (want < 0.05) {
			t.Errorf("%d: %+v, want %v", i, ds[i], want)
		}
	}
}
