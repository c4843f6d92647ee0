package data

import (
	"testing"

	"github.com/halfspace-ml/halfspace/vec"
)

// Taking builders one after another is adding their examples one by one.
func TestBuilderTake(t *testing.T) {
	type example struct {
		x      vec.Row
		label  []byte
		weight float64
	}
	sparse := vec.Row{Idx: []uint32{1, 7}, Val: []float64{1, 1}}
	for name, parts := range map[string][][]example{
		"dense":      {{{vec.Dense(1, 2), []byte("b"), 1}}, {{vec.Dense(3), []byte("a"), 1}, {vec.Dense(), nil, 1}}},
		"ones":       {{{sparse, []byte("1"), 1}}, {}, {{sparse, []byte("2"), 1}, {sparse, []byte("1"), 1}}},
		"then other": {{{vec.Dense(1), []byte("x"), 1}}, {{sparse, []byte("y"), 1}}, {{vec.Dense(2), []byte("z"), 1}}},
		"weights":    {{{sparse, []byte("1"), 1}}, {{sparse, []byte("3"), 2}}, {{sparse, []byte("2"), 1}}},
	} {
		for _, share := range []float64{0, 0.1, 1} {
			one, all, part := NewBuilder(nil), NewBuilder(nil), NewBuilder(nil)
			for _, examples := range parts {
				for _, e := range examples {
					one.Add(e.x, e.label, e.weight)
					part.Add(e.x, e.label, e.weight)
				}
				all.Take(part, share)
				if part.Len() != 0 {
					t.Errorf("%s: %d examples left", name, part.Len())
				}
			}
			want, got := one.Set(Input{}), all.Set(Input{})
			if got.Digest() != want.Digest() || got.Dim() != want.Dim() || got.Sparse() != want.Sparse() ||
				(got.rows.val == nil) != (want.rows.val == nil) || got.Weighted() != want.Weighted() {
				t.Errorf("%s, share %g: %v, want %v", name, share, got.rows, want.rows)
			}
		}
	}
}
