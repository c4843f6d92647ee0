package margin

import (
	"fmt"
	"math"
	"math/big"

	"github.com/halfspace-ml/halfspace/data"
)

// meeting completes the result for two classes whose hulls meet, or nearly.
func (v *solver) meeting(r *Result, d float64) {
	r.Verdict = Undecided
	switch {
	case v.end != "":
		r.Reason = v.end
	case d > v.touching():
		r.Reason = "the margin between the classes is too small beside their size to be told from zero"
	default:
		whole, err := Meet(v.set, r.Rows, v.opt.NoBias)
		if err != nil {
			r.Reason = "the hulls of the classes meet, to rounding, and exact arithmetic cannot confirm it: " + err.Error()
			return
		}
		r.Verdict = NotSeparable
		r.take(whole)
	}
}

// take replaces the combination by an exact one, without rows that have no
// part in it.
func (r *Result) take(whole []*big.Int) {
	sum := new(big.Float)
	for _, n := range whole {
		sum.Add(sum, new(big.Float).SetInt(n))
	}
	rows := r.Rows
	r.Rows, r.Multipliers = nil, nil
	for k, n := range whole {
		if n.Sign() == 0 {
			continue
		}
		r.Rows = append(r.Rows, rows[k])
		u, _ := new(big.Float).Quo(new(big.Float).SetInt(n), sum).Float64()
		r.Multipliers = append(r.Multipliers, u)
		r.Combination = append(r.Combination, n)
	}
}

// Meet solves, exactly, for the combination of the rows at the given positions
// that is zero: Σ n·y·x = 0 with whole numbers n ≥ 0, not all zero, and with a
// bias Σ n·y = 0. The values are taken as the float64 they are.
func Meet(s *data.Set, rows []int, noBias bool) ([]*big.Int, error) {
	m := newEquations(s, rows, noBias)
	if m.cost() > 1e10 {
		return nil, fmt.Errorf("%d rows with %d features are too many for it", len(rows), len(m.a)-m.sums)
	}
	return m.solve()
}

// equations is one row a feature, and one a sum, of whole numbers: a column a
// row of the data, and the right-hand side.
type equations struct {
	a    [][]*big.Int
	sums int
}

func newEquations(s *data.Set, rows []int, noBias bool) *equations {
	y := func(k int) int { return 1 - 2*s.Class(rows[k]) }
	features := map[int]int{}
	var least []int // exponent of the last bit of a feature
	var entries [][]*entry
	for k, i := range rows {
		for j, v := range s.Row(i).All() {
			at, ok := features[j]
			if !ok {
				at = len(least)
				features[j] = at
				least = append(least, math.MaxInt)
				entries = append(entries, nil)
			}
			e := newEntry(k, v, y(k))
			least[at] = min(least[at], e.exp)
			entries[at] = append(entries[at], e)
		}
	}
	m := &equations{}
	for at, list := range entries {
		line := m.line(len(rows))
		for _, e := range list {
			line[e.column].Lsh(e.mantissa, uint(e.exp-least[at]))
		}
	}
	m.sums = 1
	if !noBias {
		m.sums = 2
	}
	for g := range m.sums {
		line := m.line(len(rows))
		for k := range rows {
			if noBias || s.Class(rows[k]) == g {
				line[k].SetInt64(1)
			}
		}
		line[len(rows)].SetInt64(1)
	}
	return m
}

func (m *equations) line(columns int) []*big.Int {
	line := make([]*big.Int, columns+1)
	for k := range line {
		line[k] = new(big.Int)
	}
	m.a = append(m.a, line)
	return line
}

// entry is y·value = mantissa·2^exp.
type entry struct {
	column   int
	mantissa *big.Int
	exp      int
}

func newEntry(column int, value float64, y int) *entry {
	f, e := math.Frexp(value)
	n := big.NewInt(int64(math.Ldexp(f, 53)) * int64(y))
	zeros := int(n.TrailingZeroBits())
	return &entry{column, n.Rsh(n, uint(zeros)), e - 53 + zeros}
}

// cost is about how many steps the solution takes.
func (m *equations) cost() float64 {
	columns := len(m.a[0]) - 1
	bits := 0
	for _, line := range m.a {
		for _, v := range line {
			bits = max(bits, v.BitLen())
		}
	}
	words := 1 + float64(columns)*(float64(bits)+math.Log2(float64(columns)+1)/2)/64
	return float64(len(m.a)) * float64(columns*columns) * words * math.Sqrt(words)
}

// solve is Gauss's and Jordan's elimination without fractions (Bareiss 1968):
// every division is exact, and at the end the unknowns are the right-hand sides
// over one common number.
func (m *equations) solve() ([]*big.Int, error) {
	columns := len(m.a[0]) - 1
	last := big.NewInt(1)
	for c := range columns {
		if !m.pivot(c) {
			return nil, fmt.Errorf("the rows depend on each other")
		}
		lead := m.a[c]
		for i, line := range m.a {
			if i != c {
				eliminate(line, lead, c, last)
			}
		}
		last = new(big.Int).Set(lead[c]) // it changes with its line
	}
	for _, line := range m.a[columns:] {
		if line[columns].Sign() != 0 {
			return nil, fmt.Errorf("they come close and do not touch there")
		}
	}
	out := make([]*big.Int, columns)
	common := new(big.Int)
	for c := range out {
		out[c] = m.a[c][columns]
		if out[c].Sign()*last.Sign() < 0 {
			return nil, fmt.Errorf("the rows found are not the ones that prove it")
		}
		out[c].Abs(out[c])
		common.GCD(nil, nil, common, out[c])
	}
	for _, n := range out {
		n.Quo(n, common)
	}
	return out, nil
}

// pivot brings a line with a number in column c, the shortest, to place c.
func (m *equations) pivot(c int) bool {
	best := -1
	for i := c; i < len(m.a); i++ {
		if v := m.a[i][c]; v.Sign() != 0 && (best < 0 || v.BitLen() < m.a[best][c].BitLen()) {
			best = i
		}
	}
	if best < 0 {
		return false
	}
	m.a[c], m.a[best] = m.a[best], m.a[c]
	return true
}

// eliminate makes column c of the line zero; last is the pivot before.
func eliminate(line, lead []*big.Int, c int, last *big.Int) {
	factor := line[c]
	var t big.Int
	for k := range line {
		if k == c {
			continue
		}
		line[k].Mul(line[k], lead[c])
		if factor.Sign() != 0 && lead[k].Sign() != 0 {
			line[k].Sub(line[k], t.Mul(factor, lead[k]))
		}
		if line[k].Sign() != 0 {
			line[k].Quo(line[k], last)
		}
	}
	line[c] = new(big.Int)
}
