package proof

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/halfspace-ml/halfspace/vec"
)

// Exact vectors. What cancels, or does not, is whole numbers: every value is a
// decimal (the shortest that reads as its float64), and a feature may be
// multiplied by a power of ten without changing which multipliers cancel it.

// entry is one coordinate of a vector, in whole numbers.
type entry struct {
	key int // feature, counted over all blocks of Kesler's construct
	n   *big.Int
}

// vector is a sparse vector of whole numbers, by rising key.
type vector []entry

// part is a row in one block of a vector, with a sign.
type part struct {
	x    vec.Row
	key  int // of its first feature; the bias, if there is one, is last of the block
	sign int
}

// vectorsOf makes whole vectors of rows in blocks of dim features; with a bias
// a block has one more. Powers of ten are the features' own, in all blocks:
// least tells them.
func vectorsOf(rows [][]part, dim int, bias bool) (vectors []vector, least map[int]int) {
	least = map[int]int{}
	for _, parts := range rows {
		for _, p := range parts {
			for k := range p.x.Len() {
				j, v := p.x.At(k)
				_, e := decimal(v)
				if was, ok := least[j]; !ok || e < was {
					least[j] = e
				}
			}
		}
	}
	vectors = make([]vector, len(rows))
	for i, parts := range rows {
		for _, p := range parts {
			for k := range p.x.Len() {
				j, v := p.x.At(k)
				digits, e := decimal(v)
				n := big.NewInt(digits * int64(p.sign))
				if e > least[j] {
					n.Mul(n, power10(e-least[j]))
				}
				vectors[i] = append(vectors[i], entry{p.key + j, n})
			}
			if bias {
				vectors[i] = append(vectors[i], entry{p.key + dim, big.NewInt(int64(p.sign))})
			}
		}
		slices.SortFunc(vectors[i], func(a, b entry) int { return a.key - b.key })
	}
	return vectors, least
}

func power10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// decimal is the shortest decimal that reads as v: digits·10^exp.
func decimal(v float64) (digits int64, exp int) {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return int64(v), 0
	}
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
	before, after, _ := strings.Cut(mantissa, ".")
	digits, _ = strconv.ParseInt(before+after, 10, 64)
	e, _ := strconv.Atoi(power)
	return digits, e - len(after)
}
