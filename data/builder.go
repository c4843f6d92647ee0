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
	if x.Idx != nil && x.Val != nil {
		b.addEntries(x.Idx, x.Val)
	} else {
		for k := range x.Len() {
			j, v := x.At(k)
			b.rows.idx = append(b.rows.idx, uint32(j))
			b.rows.val = append(b.rows.val, v)
			b.dense = b.dense && j == k
			b.ones = b.ones && v == 1
		}
	}
	b.rows.dim = max(b.rows.dim, x.Dim())
	b.rows.ptr = append(b.rows.ptr, len(b.rows.idx))
	if weighted {
		b.needWeights()
	}
	if b.weight != nil {
		b.weight = append(b.weight, weight)
	}
	b.class = append(b.class, int32(class))
}

// addEntries is the loop of add for most rows, whole slices at a time.
func (b *Builder) addEntries(idx []uint32, val []float64) {
	for k := 0; b.dense && k < len(idx); k++ {
		b.dense = idx[k] == uint32(k)
	}
	for k := 0; b.ones && k < len(val); k++ {
		b.ones = val[k] == 1
	}
	b.rows.idx = append(b.rows.idx, idx...)
	b.rows.val = append(b.rows.val, val...)
}

func (b *Builder) needWeights() {
	if b.weight == nil {
		b.weight = make([]float64, 0, cap(b.class)+1)
		b.weight = appendOnes(b.weight, len(b.class))
	}
}

func appendOnes(w []float64, n int) []float64 {
	for range n {
		w = append(w, 1)
	}
	return w
}

// Take moves the examples of o to the end of b, as if they had been added one
// by one, and leaves o empty. Share is how much of all there is to come b then
// has, from 0 to 1, so that memory is taken once; 0 if that is unknown.
func (b *Builder) Take(o *Builder, share float64) {
	number := make([]int32, len(o.table.names))
	for c, name := range o.table.names {
		number[c] = int32(b.table.number([]byte(name)))
	}
	for i, c := range o.class {
		if c != None {
			o.class[i] = number[c]
		}
	}
	if b.weight != nil || o.weight != nil {
		b.needWeights()
		o.needWeights()
		b.weight = appendAll(b.weight, o.weight, share)
	}
	start := len(b.rows.idx)
	b.rows.idx = appendAll(b.rows.idx, o.rows.idx, share)
	b.rows.val = appendAll(b.rows.val, o.rows.val, share)
	for i := range o.rows.ptr {
		o.rows.ptr[i] += start
	}
	b.rows.ptr = appendAll(b.rows.ptr, o.rows.ptr[1:], share)
	b.class = appendAll(b.class, o.class, share)
	b.rows.dim = max(b.rows.dim, o.rows.dim)
	if o.features != nil {
		b.rows.dim = max(b.rows.dim, o.features.Len())
	}
	b.dense, b.ones = b.dense && o.dense, b.ones && o.ones
	o.reset()
}

func (b *Builder) reset() {
	b.rows = rows{ptr: append(b.rows.ptr[:0], 0), idx: b.rows.idx[:0], val: b.rows.val[:0]}
	b.class, b.weight, b.table = b.class[:0], nil, newTable()
	b.dense, b.ones = true, true
}

// appendAll is append that, where it must move, makes room for all to come and
// a sixteenth more.
func appendAll[T any](to, from []T, share float64) []T {
	if n := len(to) + len(from); n > cap(to) && share > 0 {
		to = slices.Grow(to, int(float64(n)/share*17/16)-len(to))
	}
	return append(to, from...)
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
