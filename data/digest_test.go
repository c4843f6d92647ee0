package data

import (
	"testing"

	"github.com/halfspace-ml/halfspace/vec"
)

// stored are the same examples in three ways of storage: dense, sparse, and
// sparse without values.
func stored() map[string]*Set {
	dense := NewBuilder(nil)
	dense.Add(vec.Dense(1, 1), []byte("a"), 1)
	dense.Add(vec.Dense(1), []byte("b"), 1)

	// A row with a gap makes the storage sparse; the view leaves it out again.
	sparse := NewBuilder(nil)
	sparse.Add(vec.Dense(1, 1), []byte("a"), 1)
	sparse.Add(vec.Dense(1), []byte("b"), 1)
	sparse.Add(vec.Dense(0, 0, 5), []byte("b"), 1)

	ones := NewBuilder(nil)
	ones.Add(vec.Dense(0, 0, 1), []byte("a"), 1)
	ones.Add(vec.Row{Idx: []uint32{0, 1}}, []byte("a"), 1)
	ones.Add(vec.Row{Idx: []uint32{0}}, []byte("b"), 1)

	return map[string]*Set{
		"dense":    dense.Set(Input{}),
		"sparse":   sparse.Set(Input{}).First(2),
		"all ones": ones.Set(Input{}).Pick([]uint32{1, 2}),
	}
}

func TestDigestIgnoresStorage(t *testing.T) {
	sets := stored()
	want := sets["dense"].Digest()
	for name, s := range sets {
		if got := s.Digest(); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if sets["dense"].Sparse() || !sets["sparse"].Sparse() || sets["sparse"].rows.val == nil || sets["all ones"].rows.val != nil {
		t.Error("the sets are not stored in three ways")
	}
	weighted := sets["dense"].WithWeights(func(int) float64 { return 1 })
	if weighted.Digest() != want {
		t.Error("weights of 1 make another digest")
	}
}

func TestDigestSeesEveryChange(t *testing.T) {
	base := []string{"a: 1 2", "b: 3 0 4", "-: 5"}
	seen := map[string]string{build(base...).Digest(): "as it is"}
	for name, lines := range map[string][]string{
		"a value":           {"a: 1 2.0000000000000004", "b: 3 0 4", "-: 5"},
		"a sign":            {"a: 1 -2", "b: 3 0 4", "-: 5"},
		"a feature":         {"a: 1 2", "b: 3 4", "-: 5"},
		"a class":           {"b: 1 2", "b: 3 0 4", "-: 5"},
		"the name of one":   {"a: 1 2", "c: 3 0 4", "-: 5"},
		"a label more":      {"a: 1 2", "b: 3 0 4", "a: 5"},
		"a weight":          {"a: 1 2 @2", "b: 3 0 4", "-: 5"},
		"the order":         {"b: 3 0 4", "a: 1 2", "-: 5"},
		"an example more":   {"a: 1 2", "b: 3 0 4", "-: 5", "-:"},
		"an example less":   {"a: 1 2", "b: 3 0 4"},
		"where a row ends":  {"a: 1", "b: 3 0 4", "-: 5"},
		"names run as one":  {"ab: 1 2", "ab: 3 0 4", "-: 5"},
		"quotes in a class": {`a"b: 1 2`, "b: 3 0 4", "-: 5"},
	} {
		d := build(lines...).Digest()
		if other, twice := seen[d]; twice {
			t.Errorf("%s has the digest of: %s", name, other)
		}
		seen[d] = name
	}
}

// A change is seen in every block of a large set.
func TestDigestOfManyBlocks(t *testing.T) {
	make := func(change int) *Set {
		b := NewBuilder(nil)
		for i := range 3000 {
			v := float64(i + 1)
			if i == change {
				v = -v
			}
			b.Add(vec.Dense(v), []byte("a"), 1)
		}
		return b.Set(Input{})
	}
	seen := map[string]int{}
	for _, change := range []int{-1, 0, 1023, 1024, 2047, 2999} {
		d := make(change).Digest()
		if other, twice := seen[d]; twice {
			t.Errorf("changes at %d and %d have one digest", change, other)
		}
		seen[d] = change
	}
}
