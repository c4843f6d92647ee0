package metric

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// McNemar is the test of whether two models err equally often, on the same
// examples (McNemar 1947). Only those count that one of them gets right and the
// other wrong; weights do not.
type McNemar struct {
	OnlyFirst  int     `json:"only_first_wrong"`
	OnlySecond int     `json:"only_second_wrong"`
	Both       int     `json:"both_wrong"`
	ExactP     float64 `json:"exact_p"`      // two-sided, of fair coins
	ChiSquare  float64 `json:"chi_square"`   // with Edwards' continuity correction
	P          float64 `json:"chi_square_p"` // of ChiSquare, with one degree of freedom
}

// Compare tests the mistakes of two models on the same examples.
func Compare(first, second []bool) McNemar {
	var m McNemar
	for i := range first {
		switch {
		case first[i] && second[i]:
			m.Both++
		case first[i]:
			m.OnlyFirst++
		case second[i]:
			m.OnlySecond++
		}
	}
	few, many := min(m.OnlyFirst, m.OnlySecond), max(m.OnlyFirst, m.OnlySecond)
	if few == many { // also where they never differ
		m.ExactP, m.P = 1, 1
		return m
	}
	// P(X ≤ few) of few + many coins, by the incomplete beta function.
	m.ExactP = min(1, 2*mathext.RegIncBeta(float64(many), float64(few+1), 0.5))
	d := float64(many-few) - 1
	m.ChiSquare = float64(d*d) / float64(few+many)
	m.P = math.Erfc(math.Sqrt(m.ChiSquare / 2))
	return m
}
