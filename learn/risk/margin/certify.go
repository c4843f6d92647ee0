package margin

import (
	"math"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/vec"
)

// Certify computes, from the examples and nothing else, how far a plane and
// multipliers of the rows at the given positions are from the widest margin:
// ½‖w‖², its dual Σλ − ½‖Σλ·y·x‖², and the conditions of Karush, Kuhn and
// Tucker. It trusts no solver.
func Certify(s *data.Set, w []float64, bias float64, rows []int, lambda []float64, noBias bool, workers int) (halfspace.Objective, halfspace.KKT) {
	y := func(i int) float64 { return float64(1 - 2*s.Class(i)) }
	near := nearness(s, w, bias, workers)
	var k halfspace.KKT
	made := sum{make([]float64, len(w)), make([]float64, len(w))}
	total, balance, most := 0.0, 0.0, 0.0
	for m, i := range rows {
		l := lambda[m]
		made.add(l*y(i), s.Row(i))
		total += l
		balance += l * y(i)
		most = max(most, l)
		k.Sign = max(k.Sign, -l)
		k.Slackness = max(k.Slackness, l*math.Abs(near[i]-1))
	}
	made.round()
	for j := range w {
		k.Stationarity = max(k.Stationarity, math.Abs(w[j]-made.high[j]))
	}
	for i, m := range near {
		if s.Weight(i) != 0 {
			k.Feasibility = max(k.Feasibility, 1-m)
		}
	}
	norm := vec.Norm(w)
	k.Margin = 2 / norm
	k.Stationarity = share(k.Stationarity, norm)
	k.Sign, k.Slackness = share(k.Sign, most), share(k.Slackness, most)
	if !noBias {
		k.Balance = share(math.Abs(balance), total)
	}
	size := vec.Norm(made.high)
	primal, dual := norm*norm/2, total-size*size/2
	gap := max(0, primal-dual) // below 0 is rounding
	relative := share(gap, primal)
	return halfspace.Objective{Primal: primal, Dual: &dual, Gap: &gap, RelativeGap: &relative}, k
}

// nearness is y·(w·x + bias) of every example.
func nearness(s *data.Set, w []float64, bias float64, workers int) []float64 {
	near := make([]float64, s.Len())
	block.Each(s.Len(), workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			near[i] = float64(1-2*s.Class(i)) * (vec.Dot(w, s.Row(i)) + bias)
		}
	})
	return near
}

func share(part, whole float64) float64 {
	if part == 0 {
		return 0
	}
	return part / whole
}
