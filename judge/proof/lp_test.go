package proof

import "math/big"

// The exact linear program that the verdicts are held against; nothing else
// uses it. The simplex method with Bland's rule in fractions:
//
//	max c·x,  A·x ≤ b,  x ≥ 0,  with b ≥ 0.
func maximum(c []int64, a [][]int64, b []int64) *big.Rat {
	rows, cols := len(a), len(c)
	t := make([][]*big.Rat, rows+1) // slack variables after the given ones; the last row is -c
	basic := make([]int, rows)
	for i := range t {
		t[i] = make([]*big.Rat, cols+rows+1)
		for j := range t[i] {
			t[i][j] = new(big.Rat)
		}
		if i == rows {
			for j, v := range c {
				t[i][j].SetInt64(-v)
			}
			break
		}
		for j, v := range a[i] {
			t[i][j].SetInt64(v)
		}
		t[i][cols+i].SetInt64(1)
		t[i][cols+rows].SetInt64(b[i])
		basic[i] = cols + i
	}
	for {
		enter := -1
		for j := range cols + rows {
			if t[rows][j].Sign() < 0 {
				enter = j
				break
			}
		}
		if enter < 0 {
			return t[rows][cols+rows]
		}
		leave := -1
		var least *big.Rat
		for i := range rows {
			if t[i][enter].Sign() <= 0 {
				continue
			}
			ratio := new(big.Rat).Quo(t[i][cols+rows], t[i][enter])
			if leave < 0 || ratio.Cmp(least) < 0 || ratio.Cmp(least) == 0 && basic[i] < basic[leave] {
				leave, least = i, ratio
			}
		}
		basic[leave] = enter
		pivot := new(big.Rat).Inv(t[leave][enter])
		for j := range t[leave] {
			t[leave][j].Mul(t[leave][j], pivot)
		}
		for i := range t {
			if i == leave || t[i][enter].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Set(t[i][enter])
			for j := range t[i] {
				t[i][j].Sub(t[i][j], new(big.Rat).Mul(f, t[leave][j]))
			}
		}
	}
}

// verdictLP is the verdict about vectors v that weights in [-1, 1] are to make
// positive: the largest least score, then the largest sum of scores that has
// none below zero.
func verdictLP(v [][]int64) (strict, weak bool) {
	dim := len(v[0])
	var a [][]int64
	var b []int64
	for _, x := range v {
		row := make([]int64, 2*dim+1) // w⁺, w⁻, t
		for j, n := range x {
			row[j], row[dim+j] = -n, n
		}
		row[2*dim] = 1
		a, b = append(a, row), append(b, 0)
	}
	for j := range 2 * dim {
		row := make([]int64, 2*dim+1)
		row[j] = 1
		a, b = append(a, row), append(b, 1)
	}
	c := make([]int64, 2*dim+1)
	c[2*dim] = 1
	strict = maximum(c, a, b).Sign() > 0
	clear(c)
	for i, x := range v {
		a[i][2*dim] = 0
		for j, n := range x {
			c[j] += n
			c[dim+j] -= n
		}
	}
	return strict, maximum(c, a, b).Sign() > 0
}

func bigCross(v [4]int64) int {
	a := new(big.Int).Mul(big.NewInt(v[0]), big.NewInt(v[3]))
	return a.Cmp(new(big.Int).Mul(big.NewInt(v[1]), big.NewInt(v[2])))
}
