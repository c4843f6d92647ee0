package margin

import (
	"math"
	"slices"

	"github.com/halfspace-ml/halfspace/vec"
)

// twins finds the first example that stands in both classes: the simplest proof
// that no plane separates them.
func (p *points) twins() (first, second int, ok bool) {
	seen := map[uint64][]int{}
	for i, x := range p.rows {
		h := hash(x)
		for _, k := range seen[h] {
			if p.y[k] != p.y[i] && same(p.rows[k], x) {
				return k, i, true
			}
		}
		if !slices.ContainsFunc(seen[h], func(k int) bool { return p.y[k] == p.y[i] && same(p.rows[k], x) }) {
			seen[h] = append(seen[h], i)
		}
	}
	return 0, 0, false
}

func same(a, b vec.Row) bool { return slices.Equal(a.Idx, b.Idx) && slices.Equal(a.Val, b.Val) }

// hash mixes the entries of a row (FNV-1a, a word at a time).
func hash(x vec.Row) uint64 {
	h := uint64(14695981039346656037)
	for k := range x.Len() {
		j, v := x.At(k)
		for _, word := range [...]uint64{uint64(j), math.Float64bits(v)} {
			h = (h ^ word) * 1099511628211
			h ^= h >> 32
		}
	}
	return h
}
