package data

import "github.com/halfspace-ml/halfspace/vec"

// Two-class views of a set of many classes. The first two share its rows.

// Against is class c, positive, against the rest.
func (s *Set) Against(c int) *Set {
	to := make([]int32, len(s.classes))
	for k := range to {
		to[k] = 1
	}
	to[c] = 0
	return s.permuted([]string{s.classes[c], "not " + s.classes[c]}, to)
}

// Between is the examples of class a, positive, and of class b.
func (s *Set) Between(a, b int) *Set {
	to := make([]int32, len(s.classes))
	for k := range to {
		to[k] = None
	}
	to[a], to[b] = 0, 1
	v := s.permuted([]string{s.classes[a], s.classes[b]}, to)
	return v.where(func(i int) bool { return v.Class(i) != None })
}

// Duels is s by Kesler's construct (document 004), K classes as two. Example i
// of class k becomes the K−1 examples from i·(K−1) on,
//
//	γ = +x̃ in block k, −x̃ in block j, zero elsewhere    for each j ≠ k, rising
//
// of K·(d+1) features, with x̃ = (x, 1), or K·d with x̃ = x without a bias. A
// plane v through the origin has γ on its positive side if and only if
// v_k·x̃ > v_j·x̃. It then has −γ on the negative side, so that every second
// vector stands as −γ of the second class: a learner of two classes needs
// examples of both. All examples of s must have a class.
//
// Only what is not zero is stored, DuelEntries(bias) numbers. Rows made when
// asked for would need no memory, but Row could not be inlined then, and every
// learner would pay for it.
func (s *Set) Duels(bias bool) *Set {
	classes := len(s.classes)
	size := s.Dim()
	if bias {
		size++
	}
	n, entries := s.Len()*(classes-1), s.DuelEntries(bias)
	r := &rows{ptr: make([]int, 1, n+1), idx: make([]uint32, 0, entries), val: make([]float64, 0, entries), dim: size * classes}
	d := &Set{rows: r, class: make([]int32, 0, n), classes: []string{"+γ", "−γ"}, features: s.duelFeatures(size), input: s.input}
	for i := range s.Len() {
		x, class := s.Row(i), s.Class(i)
		for rank := range classes - 1 {
			rival := rank
			if rank >= class {
				rival++
			}
			side := (i + rank) % 2
			sign := float64(1 - 2*side)
			first, second := class, rival
			if rival < class {
				first, second, sign = rival, class, -sign
			}
			r.put(x, uint32(first*size), uint32(size), bias, sign)
			r.put(x, uint32(second*size), uint32(size), bias, -sign)
			r.ptr = append(r.ptr, len(r.idx))
			d.class = append(d.class, int32(side))
			if s.weight != nil {
				d.weight = append(d.weight, s.Weight(i))
			}
		}
	}
	return d
}

// DuelEntries is the number of values that Duels stores.
func (s *Set) DuelEntries(bias bool) int {
	entries := s.Nonzeros()
	if bias {
		entries += s.Len()
	}
	return 2 * entries * (len(s.classes) - 1)
}

// put appends sign·x̃ as the block of the given size that begins at first.
func (r *rows) put(x vec.Row, first, size uint32, bias bool, sign float64) {
	for k := range x.Len() {
		j, v := x.At(k)
		r.idx, r.val = append(r.idx, first+uint32(j)), append(r.val, sign*v)
	}
	if bias {
		r.idx, r.val = append(r.idx, first+size-1), append(r.val, sign)
	}
}

func (s *Set) duelFeatures(size int) *Features {
	return DerivedFeatures(size*len(s.classes), func(j int) string {
		name := "bias"
		if j%size < s.Dim() {
			name = s.features.Name(j % size)
		}
		return s.classes[j/size] + ": " + name
	})
}
