// Package data keeps examples in memory: immutable compressed rows with their
// classes, and views of them that share the rows.
package data

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/vec"
)

// None is the class of an example without a label.
const None = -1

// Set is an immutable list of examples. In a set of two classes, class 0 is
// the positive one. Views share the rows of the set they were made from.
type Set struct {
	rows     *rows
	pick     []uint32  // stored-row numbers in the order of this view; nil: all
	read     []uint32  // where stored rows were first read, from 0; nil: in that order
	class    []int32   // by stored row
	weight   []float64 // by stored row; nil: all 1
	classes  []string
	features *Features
	input    Input
}

// rows is compressed storage: row i is idx and val from ptr[i] to ptr[i+1].
type rows struct {
	ptr []int
	idx []uint32  // nil: every row is dense
	val []float64 // nil: every value is one
	dim int
}

func (r *rows) at(i int) vec.Row {
	lo, hi := r.ptr[i], r.ptr[i+1]
	var x vec.Row
	if r.idx != nil {
		x.Idx = r.idx[lo:hi:hi]
	}
	if r.val != nil {
		x.Val = r.val[lo:hi:hi]
	}
	return x
}

// Len is the number of examples.
func (s *Set) Len() int {
	switch {
	case s.pick != nil:
		return len(s.pick)
	case s.rows == nil: // the zero Set
		return 0
	}
	return len(s.rows.ptr) - 1
}

// Dim is the number of features.
func (s *Set) Dim() int { return s.rows.dim }

// stored is the storage number of example i.
func (s *Set) stored(i int) int {
	if s.pick != nil {
		return int(s.pick[i])
	}
	return i
}

// Row is example i. It is valid as long as the set and must not be changed.
func (s *Set) Row(i int) vec.Row { return s.rows.at(s.stored(i)) }

// Class is the class number of example i, or None.
func (s *Set) Class(i int) int { return int(s.class[s.stored(i)]) }

// Weight is the weight of example i, 1 unless given.
func (s *Set) Weight(i int) float64 {
	if s.weight == nil {
		return 1
	}
	return s.weight[s.stored(i)]
}

// Weighted reports whether any weights were given.
func (s *Set) Weighted() bool { return s.weight != nil }

// Number is the row number of example i where it was first read, from 1.
func (s *Set) Number(i int) int {
	if s.read != nil {
		return int(s.read[s.stored(i)]) + 1
	}
	return s.stored(i) + 1
}

// Classes are the class names by class number. Do not change.
func (s *Set) Classes() []string { return s.classes }

// Features are the feature names. Do not change.
func (s *Set) Features() *Features { return s.features }

// Input tells how the examples were read.
func (s *Set) Input() Input { return s.input }

// Nonzeros is the number of stored values.
func (s *Set) Nonzeros() int {
	if s.pick == nil {
		return s.rows.ptr[len(s.rows.ptr)-1]
	}
	n := 0
	for _, i := range s.pick {
		n += s.rows.ptr[i+1] - s.rows.ptr[i]
	}
	return n
}

// Sparse reports whether some zeros are left out of the rows.
func (s *Set) Sparse() bool { return s.rows.idx != nil }

// Counts is the number of examples of each class, and of those without one.
func (s *Set) Counts() (perClass []int, unlabelled int) {
	perClass = make([]int, len(s.classes))
	for i := range s.Len() {
		if c := s.Class(i); c == None {
			unlabelled++
		} else {
			perClass[c]++
		}
	}
	return perClass, unlabelled
}

// Digest names the content: rows, classes, weights, in order. Equal examples
// have equal digests however they were stored or read.
func (s *Set) Digest() string {
	sums := make([][sha256.Size]byte, block.Count(s.Len()))
	block.Each(s.Len(), 0, func(b, lo, hi int) {
		var buf []byte
		for i := lo; i < hi; i++ {
			x := s.Row(i)
			buf = binary.LittleEndian.AppendUint32(buf, uint32(int32(s.Class(i))))
			buf = binary.LittleEndian.AppendUint32(buf, uint32(x.Len()))
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(s.Weight(i)))
			for k := range x.Len() {
				j, v := x.At(k)
				buf = binary.LittleEndian.AppendUint32(buf, uint32(j))
				buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
			}
		}
		sums[b] = sha256.Sum256(buf)
	})
	h := sha256.New()
	for _, c := range s.classes {
		fmt.Fprintf(h, "%q", c)
	}
	for _, sum := range sums {
		h.Write(sum[:])
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// view is a copy of s with other examples picked; from are positions in s.
func (s *Set) view(from []uint32) *Set {
	v := *s
	v.pick = make([]uint32, len(from))
	for k, i := range from {
		v.pick[k] = uint32(s.stored(int(i)))
	}
	return &v
}

func upTo(n int) []uint32 {
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	return order
}

// First is the first n examples, all of them if there are fewer.
func (s *Set) First(n int) *Set { return s.view(upTo(min(max(n, 0), s.Len()))) }

// Pick is the examples at the given positions, in that order.
func (s *Set) Pick(positions []uint32) *Set { return s.view(positions) }

// Shuffle is s in a random order fixed by seed.
func (s *Set) Shuffle(seed uint64) *Set {
	order := upTo(s.Len())
	Permute(order, seed)
	return s.view(order)
}

// Permute shuffles order in a way fixed by seed.
func Permute(order []uint32, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
}

// Split is s in two: a share, from 0 to 1, of every class chosen by seed, and
// the rest. Both keep the order of s.
func (s *Set) Split(share float64, seed uint64) (first, rest *Set) {
	taken := make([]bool, s.Len())
	for _, members := range s.byClass(seed) {
		n := int(math.Round(share * float64(len(members))))
		for _, i := range members[:n] {
			taken[i] = true
		}
	}
	return s.where(func(i int) bool { return taken[i] }), s.where(func(i int) bool { return !taken[i] })
}

// Fold is one part of a cross-validation.
type Fold struct{ Train, Test *Set }

// Folds cuts s into k parts that hold every class in nearly equal numbers;
// each is the test part once. Parts are fixed by seed and keep the order of s.
func (s *Set) Folds(k int, seed uint64) []Fold {
	part := s.parts(k, seed)
	folds := make([]Fold, k)
	for f := range folds {
		folds[f] = s.fold(part, f)
	}
	return folds
}

// Fold is number f, from 0, of Folds, alone.
func (s *Set) Fold(f, k int, seed uint64) Fold { return s.fold(s.parts(k, seed), f) }

// parts is the part of every example.
func (s *Set) parts(k int, seed uint64) []int {
	part := make([]int, s.Len())
	next := 0
	for _, members := range s.byClass(seed) {
		for _, i := range members {
			part[i] = next % k
			next++
		}
	}
	return part
}

func (s *Set) fold(part []int, f int) Fold {
	return Fold{
		Train: s.where(func(i int) bool { return part[i] != f }),
		Test:  s.where(func(i int) bool { return part[i] == f }),
	}
}

// Sample is n examples in a random order fixed by seed, every class as often as
// in s but for rounding. A larger sample of the same seed holds the smaller.
func (s *Set) Sample(n int, seed uint64) *Set {
	at := make([]float64, s.Len()) // how far through its class
	for _, members := range s.byClass(seed) {
		for k, i := range members {
			at[i] = (float64(k) + 0.5) / float64(len(members))
		}
	}
	order := upTo(s.Len())
	Permute(order, seed)
	slices.SortStableFunc(order, func(i, j uint32) int { return cmp.Compare(at[i], at[j]) })
	order = order[:min(max(n, 0), len(order))]
	Permute(order, seed+1)
	return s.view(order)
}

// byClass is the positions of every class (and of unlabelled ones), each in an
// order fixed by seed.
func (s *Set) byClass(seed uint64) [][]uint32 {
	groups := make([][]uint32, len(s.classes)+1)
	for i := range s.Len() {
		c := s.Class(i) + 1
		groups[c] = append(groups[c], uint32(i))
	}
	for c, g := range groups {
		Permute(g, seed+uint64(c))
	}
	return groups
}

func (s *Set) where(keep func(i int) bool) *Set {
	var positions []uint32
	for i := range s.Len() {
		if keep(i) {
			positions = append(positions, uint32(i))
		}
	}
	return s.view(positions)
}

// Labelled is the examples that have a class.
func (s *Set) Labelled() *Set { return s.where(func(i int) bool { return s.Class(i) != None }) }

// Weighty is the examples whose weight is not zero; one of weight zero is as if
// it were not there.
func (s *Set) Weighty() *Set {
	if s.weight == nil {
		return s
	}
	return s.where(func(i int) bool { return s.Weight(i) != 0 })
}

// Relabel gives every class the name that rename says; classes with the same
// new name become one. An empty name leaves the examples of the class out.
func (s *Set) Relabel(rename func(class string) string) *Set {
	t := newTable()
	to := make([]int32, len(s.classes))
	for c, name := range s.classes {
		to[c] = None
		if name = rename(name); name != "" {
			to[c] = int32(t.number([]byte(name)))
		}
	}
	perm := t.order()
	for c := range to {
		if to[c] != None {
			to[c] = perm[to[c]]
		}
	}
	dropped := slices.Contains(to, None)
	v := *s
	v.classes = t.names
	v.class = make([]int32, len(s.class))
	for i, c := range s.class {
		v.class[i] = None
		if c != None {
			v.class[i] = to[c]
		}
	}
	if !dropped {
		return &v
	}
	return v.where(func(i int) bool { return s.Class(i) == None || v.Class(i) != None })
}

// Pair is s without the examples of other classes than these two, the first of
// them positive.
func (s *Set) Pair(positive, negative string) (*Set, error) {
	for _, name := range []string{positive, negative} {
		if !slices.Contains(s.classes, name) {
			return nil, fmt.Errorf("no class %q; the classes are %q", name, s.classes)
		}
	}
	pair := s.Relabel(func(c string) string {
		if c == positive || c == negative {
			return c
		}
		return ""
	})
	return pair.WithPositive(positive)
}

// WithPositive is s with the named class, of two, as the positive one.
func (s *Set) WithPositive(name string) (*Set, error) {
	if len(s.classes) != 2 {
		return nil, fmt.Errorf("a positive class needs two classes, here are %d: %q", len(s.classes), s.classes)
	}
	switch name {
	case s.classes[0]:
		return s, nil
	case s.classes[1]:
		return s.permuted([]string{s.classes[1], s.classes[0]}, []int32{1, 0}), nil
	}
	return nil, fmt.Errorf("no class %q; the classes are %q", name, s.classes)
}

// WithClasses is s with its classes numbered as in the given list, which must
// hold every class that an example of s has.
func (s *Set) WithClasses(classes []string) (*Set, error) {
	counts, _ := s.Counts()
	perm := make([]int32, len(s.classes))
	for c, name := range s.classes {
		to := slices.Index(classes, name) // -1 is None
		if to < 0 && counts[c] > 0 {
			return nil, &UnknownClass{Class: name, Known: classes}
		}
		perm[c] = int32(to)
	}
	return s.permuted(classes, perm), nil
}

// UnknownClass says that examples have a class the model was not trained on.
type UnknownClass struct {
	Class string
	Known []string
}

func (e *UnknownClass) Error() string {
	return fmt.Sprintf("class %q is unknown here; known are %s", e.Class, quoteList(e.Known, 6))
}

func quoteList(names []string, most int) string {
	if len(names) <= most {
		return fmt.Sprintf("%q", names)
	}
	return fmt.Sprintf("%q … (%d in all)", names[:most], len(names))
}

func (s *Set) permuted(classes []string, to []int32) *Set {
	v := *s
	v.classes = classes
	v.class = make([]int32, len(s.class))
	for i, c := range s.class {
		v.class[i] = None
		if c != None {
			v.class[i] = to[c]
		}
	}
	return &v
}

// WithWeights is s with the weight of every example multiplied by factor. An
// example that a view holds twice has one weight; the last factor counts.
func (s *Set) WithWeights(factor func(i int) float64) *Set {
	v := *s
	v.weight = make([]float64, len(s.class))
	for i := range s.class {
		v.weight[i] = 1
	}
	for i := range s.Len() {
		v.weight[s.stored(i)] = s.Weight(i) * factor(i)
	}
	return &v
}

// Map is a set of the same examples with other rows: rewrite appends the image
// of x to the buffer.
func (s *Set) Map(features *Features, rewrite func(dst *vec.Buffer, x vec.Row)) *Set {
	b := NewBuilder(features)
	var buf vec.Buffer
	for i := range s.Len() {
		buf.Reset()
		rewrite(&buf, s.Row(i))
		b.add(buf.Row(), s.Class(i), s.Weight(i), s.weight != nil)
	}
	m := b.finish()
	if s.pick != nil || s.read != nil {
		m.read = make([]uint32, s.Len())
		for i := range m.read {
			m.read[i] = uint32(s.Number(i) - 1)
		}
	}
	m.classes = s.classes
	m.input = s.input
	return m
}
