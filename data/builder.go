package data

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/halfspace-ml/halfspace/vec"
)

// Builder collects examples into a Set.
type Builder struct {
	rows     rows
	class    []int32
	weight   []float64 // empty until a weight other than 1 comes
	table    *table
	features *Features
	dense    bool // every row so far is 0 … k-1 without gaps
	ones     bool // every value so far is one
}

// NewBuilder starts a set whose features are those given; the set's dimension
// is what they number in the end, or the largest feature seen.
func NewBuilder(features *Features) *Builder {
	return &Builder{rows: rows{ptr: []int{0}}, table: newTable(), features: features, dense: true, ones: true}
}

// Declare fixes the order of the classes: those named come first, in that
// order, and the usual rule for which is positive does not apply.
func (b *Builder) Declare(classes ...string) {
	b.table.fixed = true
	for _, c := range classes {
		b.table.number([]byte(c))
	}
}

// Add appends an example; it copies the row. A nil label means none.
func (b *Builder) Add(x vec.Row, label []byte, weight float64) {
	c := None
	if label != nil {
		c = b.table.number(label)
	}
	b.add(x, c, weight, weight != 1)
}

func (b *Builder) add(x vec.Row, class int, weight float64, weighted bool) {
	for k := range x.Len() {
		j, v := x.At(k)
		b.rows.idx = append(b.rows.idx, uint32(j))
		b.rows.val = append(b.rows.val, v)
		b.dense = b.dense && j == k
		b.ones = b.ones && v == 1
	}
	b.rows.dim = max(b.rows.dim, x.Dim())
	b.rows.ptr = append(b.rows.ptr, len(b.rows.idx))
	if weighted && b.weight == nil {
		b.weight = make([]float64, len(b.class), cap(b.class)+1)
		for i := range b.weight {
			b.weight[i] = 1
		}
	}
	if b.weight != nil {
		b.weight = append(b.weight, weight)
	}
	b.class = append(b.class, int32(class))
}

// Len is the number of examples so far.
func (b *Builder) Len() int { return len(b.class) }

// Set ends the collection. Of two classes the positive one, class 0, is the
// larger number if both are numbers, else the one seen first; more than two
// numbers are sorted.
func (b *Builder) Set(input Input) *Set {
	perm := b.table.order()
	for i, c := range b.class {
		if c != None {
			b.class[i] = perm[c]
		}
	}
	s := b.finish()
	s.classes = b.table.names
	s.input = input
	return s
}

func (b *Builder) finish() *Set {
	if b.dense {
		b.rows.idx = nil
	} else if b.ones {
		b.rows.val = nil // dense rows keep their values: they hold the length
	}
	if b.features == nil {
		b.features = &Features{}
	}
	b.rows.dim = max(b.rows.dim, b.features.Len())
	b.features.reserve(b.rows.dim)
	r := b.rows
	return &Set{rows: &r, class: b.class, weight: b.weight, features: b.features}
}

// table numbers class names.
type table struct {
	names []string
	index map[string]int
	fixed bool
}

func newTable() *table { return &table{index: map[string]int{}} }

func (t *table) number(name []byte) int {
	if c, ok := t.index[string(name)]; ok {
		return c
	}
	c := len(t.names)
	t.names = append(t.names, string(name))
	t.index[string(name)] = c
	return c
}

// order puts names into their final order and returns old number → new.
func (t *table) order() []int32 {
	perm := make([]int32, len(t.names))
	for c := range perm {
		perm[c] = int32(c)
	}
	values := make([]float64, len(t.names))
	for c, name := range t.names {
		v, err := strconv.ParseFloat(name, 64)
		if err != nil || v-v != 0 { // "nan" and "inf" are names
			return perm
		}
		values[c] = v
	}
	if t.fixed {
		return perm
	}
	by := slices.Clone(perm)
	slices.SortStableFunc(by, func(a, b int32) int {
		if len(by) == 2 {
			a, b = b, a
		}
		return cmp.Compare(values[a], values[b])
	})
	names := make([]string, len(by))
	for to, from := range by {
		names[to] = t.names[from]
		perm[from] = int32(to)
	}
	t.names = names
	for c, name := range names {
		t.index[name] = c
	}
	return perm
}
