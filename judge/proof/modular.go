package proof

import (
	"math/big"
	"slices"
)

// prime is the modulus of the fast arithmetic: products of two residues and a
// third fit into 64 bits.
const prime = 1<<31 - 1

func mod(n *big.Int, tmp *big.Int) uint64 { return tmp.Mod(n, bigPrime).Uint64() }

var bigPrime = big.NewInt(prime)

func inverse(a uint64) uint64 { // a^(p-2)
	r := uint64(1)
	for e := uint64(prime - 2); e > 0; e >>= 1 {
		if e&1 == 1 {
			r = r * a % prime
		}
		a = a * a % prime
	}
	return r
}

// subtract takes c·b off a.
func subtract(a, b []uint64, c uint64) {
	if c == 0 {
		return
	}
	c = prime - c
	for j, v := range b {
		a[j] = (a[j] + c*v) % prime
	}
}

// equations are the coordinates of vectors: the multipliers are the unknowns.
type equations struct {
	rows [][]term
	n    int // unknowns
}

type term struct {
	at int // the unknown
	n  *big.Int
}

func equationsOf(vectors []vector) *equations {
	e := &equations{n: len(vectors)}
	at := map[int]int{}
	for i, v := range vectors {
		for _, x := range v {
			k, ok := at[x.key]
			if !ok {
				k = len(e.rows)
				at[x.key] = k
				e.rows = append(e.rows, nil)
			}
			e.rows[k] = append(e.rows[k], term{i, x.n})
		}
	}
	return e
}

// basis is unknowns that determine the rest: as many independent equations as
// there are basic unknowns.
type basis struct {
	rows []int // numbers of the equations
	cols []int // the basic unknowns, cols[k] that of rows[k]
	free []int // the other unknowns
}

// eliminate finds a basis, with those unknowns basic that have the largest
// hints. It ends as soon as no unknown is free: then only zero solves. It
// works modulo a prime, so what it says is likely and not certain: equations
// that are independent modulo the prime are independent.
func (e *equations) eliminate(hint []float64) *basis {
	b := &basis{}
	var done [][]uint64
	tmp := new(big.Int)
	basic := make([]bool, e.n)
	for k, terms := range e.rows {
		row := make([]uint64, e.n)
		for _, t := range terms {
			row[t.at] = mod(t.n, tmp)
		}
		for r, d := range done {
			subtract(row, d, row[b.cols[r]])
		}
		pivot := -1
		for j, v := range row {
			if v != 0 && (pivot < 0 || hint[j] > hint[pivot]) {
				pivot = j
			}
		}
		if pivot < 0 {
			continue
		}
		c := inverse(row[pivot])
		for j := range row {
			row[j] = row[j] * c % prime
		}
		done = append(done, row)
		b.rows, b.cols = append(b.rows, k), append(b.cols, pivot)
		basic[pivot] = true
		if len(done) == e.n {
			break
		}
	}
	for j := range e.n {
		if !basic[j] {
			b.free = append(b.free, j)
		}
	}
	slices.SortStableFunc(b.free, func(i, j int) int { // the heaviest first
		switch {
		case hint[i] > hint[j]:
			return -1
		case hint[i] < hint[j]:
			return 1
		}
		return 0
	})
	return b
}

// invert is the inverse of a matrix modulo the prime; nil if there is none.
func invert(a [][]uint64) [][]uint64 {
	n := len(a)
	wide := make([][]uint64, n)
	for i := range wide {
		wide[i] = make([]uint64, 2*n)
		copy(wide[i], a[i])
		wide[i][n+i] = 1
	}
	for k := range wide {
		p := k
		for p < n && wide[p][k] == 0 {
			p++
		}
		if p == n {
			return nil
		}
		wide[k], wide[p] = wide[p], wide[k]
		c := inverse(wide[k][k])
		for j := range wide[k] {
			wide[k][j] = wide[k][j] * c % prime
		}
		for i := range wide {
			if i != k {
				subtract(wide[i], wide[k], wide[i][k])
			}
		}
	}
	for i := range wide {
		wide[i] = wide[i][n:]
	}
	return wide
}
