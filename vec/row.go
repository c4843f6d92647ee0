// Package vec does the arithmetic on rows and weights. It is the only package
// that looks inside a Row; everything else asks it.
//
// Every sum has one defined order: four lanes by position, added in pairs at
// the end, never fused. A row that has no zeros stored therefore gives the
// same bits whether its indices are written down (sparse) or understood
// (dense), on every processor.
package vec

import (
	"fmt"
	"iter"
	"math"
	"slices"
)

// Row is one example: feature numbers with their values.
//
//   - Idx nil: dense; the features are 0, 1, …, len(Val)-1.
//   - Val nil: every value is one.
//
// Idx rises strictly and no stored value is zero. A Row is a borrowed view:
// whoever hands it out says for how long it is valid.
type Row struct {
	Idx []uint32
	Val []float64
}

// Len is the number of stored entries.
func (x Row) Len() int {
	if x.Idx == nil {
		return len(x.Val)
	}
	return len(x.Idx)
}

// Dim is one more than the largest feature number, 0 for an empty row.
func (x Row) Dim() int {
	if x.Idx == nil {
		return len(x.Val)
	}
	if n := len(x.Idx); n > 0 {
		return int(x.Idx[n-1]) + 1
	}
	return 0
}

// At is the feature number and value of the k-th stored entry.
func (x Row) At(k int) (feature int, value float64) {
	feature, value = k, 1
	if x.Idx != nil {
		feature = int(x.Idx[k])
	}
	if x.Val != nil {
		value = x.Val[k]
	}
	return feature, value
}

// All ranges over feature numbers and values in rising order. It is for code
// that is read, not for inner loops.
func (x Row) All() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for k := range x.Len() {
			if !yield(x.At(k)) {
				return
			}
		}
	}
}

// Trim is x without the features from dim on.
func (x Row) Trim(dim int) Row {
	if x.Dim() <= dim {
		return x
	}
	if x.Idx == nil {
		return Row{Val: x.Val[:dim]}
	}
	k, _ := slices.BinarySearch(x.Idx, uint32(dim))
	if x.Val == nil {
		return Row{Idx: x.Idx[:k]}
	}
	return Row{Idx: x.Idx[:k], Val: x.Val[:k]}
}

// Buffer builds rows one after another in the same memory.
type Buffer struct {
	idx    []uint32
	val    []float64
	sorted bool    // so far
	all    []entry // scratch of sort
}

type entry struct {
	j uint32
	v float64
}

// Reset starts a new row.
func (b *Buffer) Reset() { b.idx, b.val, b.sorted = b.idx[:0], b.val[:0], true }

// Add appends one entry, in any order of features. A zero is not stored.
func (b *Buffer) Add(feature uint32, value float64) {
	if value == 0 {
		return
	}
	if n := len(b.idx); n > 0 && b.idx[n-1] >= feature {
		b.sorted = false
	}
	b.idx = append(b.idx, feature)
	b.val = append(b.val, value)
}

// AddRow appends the entries of x with offset added to their features.
func (b *Buffer) AddRow(x Row, offset uint32) {
	for k := range x.Len() {
		j, v := x.At(k)
		b.Add(uint32(j)+offset, v)
	}
}

// Row returns what was added, in rising order of features, valid until the
// next call on b. Entries of the same feature are summed, as counts are.
func (b *Buffer) Row() Row {
	if len(b.idx) == 0 {
		return Row{}
	}
	if !b.sorted {
		b.sort()
	}
	return Row{Idx: b.idx, Val: b.val}
}

func (b *Buffer) sort() {
	all := b.all[:0]
	for k, j := range b.idx {
		all = append(all, entry{j, b.val[k]})
	}
	b.all = all
	slices.SortStableFunc(all, func(a, b entry) int { return int(int64(a.j) - int64(b.j)) })
	b.idx, b.val = b.idx[:0], b.val[:0]
	for _, e := range all {
		if n := len(b.idx); n > 0 && b.idx[n-1] == e.j {
			b.val[n-1] += e.v
			continue
		}
		b.idx, b.val = append(b.idx, e.j), append(b.val, e.v)
	}
	b.sorted = true
	if slices.Contains(b.val, 0) { // a sum cancelled
		n := 0
		for k, v := range b.val {
			if v != 0 {
				b.idx[n], b.val[n] = b.idx[k], v
				n++
			}
		}
		b.idx, b.val = b.idx[:n], b.val[:n]
	}
}

// Check returns what is wrong with x as a row, or nil.
func (x Row) Check() error {
	if x.Idx != nil && x.Val != nil && len(x.Idx) != len(x.Val) {
		return fmt.Errorf("%d indices beside %d values", len(x.Idx), len(x.Val))
	}
	for k := range x.Len() {
		j, v := x.At(k)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("feature %d has the value %v; values must be finite", j+1, v)
		}
		if v == 0 {
			return fmt.Errorf("feature %d is stored with the value 0; leave it out", j+1)
		}
		if k > 0 && x.Idx != nil && x.Idx[k-1] >= x.Idx[k] {
			return fmt.Errorf("feature %d does not come after feature %d", j+1, x.Idx[k-1]+1)
		}
	}
	return nil
}

// Dense returns the row of the given values, leaving out zeros. The result
// shares memory with values when none is zero.
func Dense(values ...float64) Row {
	if !slices.Contains(values, 0) {
		return Row{Val: values}
	}
	x := Row{Idx: []uint32{}, Val: []float64{}}
	for j, v := range values {
		if v != 0 {
			x.Idx, x.Val = append(x.Idx, uint32(j)), append(x.Val, v)
		}
	}
	return x
}
