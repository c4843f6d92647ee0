package data

import (
	"strconv"
)

// MaxFeatures bounds feature numbers: an index beyond it is refused before
// anything of that size is allocated.
const MaxFeatures = 1 << 31

// Features numbers the features: by name (columns, words) in order of
// appearance, or as the file numbers them. A frozen list learns no new ones.
type Features struct {
	names   []string // may be shorter than dim; the rest have no name
	index   map[string]uint32
	dim     int
	bits    int // > 0: names and numbers are hashed into 2^bits
	frozen  bool
	unknown int
	name    func(j int) string // names that are made when asked for
}

// NewFeatures is a list with the given names, open for more.
func NewFeatures(names ...string) *Features {
	f := &Features{}
	for _, n := range names {
		f.Named([]byte(n))
	}
	return f
}

// HashedFeatures numbers features by a hash of their name into 2^bits.
func HashedFeatures(bits int) *Features {
	return &Features{bits: bits, dim: 1 << bits}
}

// DerivedFeatures is a frozen list of dim features whose names follow from
// others; no name is made before it is asked for.
func DerivedFeatures(dim int, name func(j int) string) *Features {
	return &Features{dim: dim, frozen: true, name: name}
}

// Frozen is a copy that takes no new features and counts unknown ones anew.
func (f *Features) Frozen() *Features {
	c := *f
	c.frozen, c.unknown = true, 0
	return &c
}

// Named is the number of the feature of that name, a new one if it was not
// there; false if the list is frozen.
func (f *Features) Named(name []byte) (uint32, bool) {
	if f.bits > 0 {
		return f.hash(name), true
	}
	if j, ok := f.index[string(name)]; ok {
		return j, true
	}
	if f.frozen || f.dim >= MaxFeatures {
		f.unknown++
		return 0, false
	}
	if f.index == nil {
		f.index = map[string]uint32{}
	}
	j := uint32(f.dim)
	for len(f.names) < f.dim {
		f.names = append(f.names, "")
	}
	f.names = append(f.names, string(name))
	f.index[string(name)] = j
	f.dim++
	return j, true
}

// Numbered is the number of the feature the file numbers j, from 0; false if
// the list is frozen and has fewer.
func (f *Features) Numbered(j uint32) (uint32, bool) {
	switch {
	case f.bits > 0:
		return f.hash(strconv.AppendUint(make([]byte, 0, 10), uint64(j)+1, 10)), true
	case int(j) < f.dim:
		return j, true
	case f.frozen:
		f.unknown++
		return 0, false
	}
	f.dim = int(j) + 1
	return j, true
}

// Open reports whether every feature keeps the number a file gives it.
func (f *Features) Open() bool { return f.bits == 0 && !f.frozen }

// reserve makes dim at least n; hashing fixes it.
func (f *Features) reserve(n int) {
	if f.bits == 0 {
		f.dim = max(f.dim, n)
	}
}

// Len is the number of features.
func (f *Features) Len() int { return f.dim }

// HasNames reports whether any feature was given a name.
func (f *Features) HasNames() bool { return len(f.names) > 0 || f.name != nil }

// Name is the name of feature j, x1, x2, … if it was given none.
func (f *Features) Name(j int) string {
	if f.name != nil {
		return f.name(j)
	}
	if j < len(f.names) && f.names[j] != "" {
		return f.names[j]
	}
	if f.bits > 0 {
		return "#" + strconv.Itoa(j)
	}
	return "x" + strconv.Itoa(j+1)
}

// Bits is the width of the hash, 0 if features are not hashed.
func (f *Features) Bits() int { return f.bits }

// Unknown counts the values that were left out because their feature is not
// in this frozen list.
func (f *Features) Unknown() int { return f.unknown }

// hash is 64-bit FNV-1a finished by a mix, so that low bits are good too. It
// is part of the model format: the same name must give the same number for
// ever.
func (f *Features) hash(name []byte) uint32 {
	h := uint64(14695981039346656037)
	for _, c := range name {
		h = (h ^ uint64(c)) * 1099511628211
	}
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	return uint32(h & (1<<f.bits - 1))
}

// RestoreFeatures is the list a model file tells of: names may be empty or
// shorter than dim.
func RestoreFeatures(names []string, dim, bits int) *Features {
	f := &Features{names: names, dim: dim, bits: bits, index: make(map[string]uint32, len(names))}
	for j, n := range names {
		if n != "" {
			f.index[n] = uint32(j)
		}
	}
	return f
}

// Names are the given names, possibly fewer than Len. Do not change. Those of
// a derived list are made anew by every call.
func (f *Features) Names() []string {
	if f.name == nil {
		return f.names
	}
	names := make([]string, f.dim)
	for j := range names {
		names[j] = f.name(j)
	}
	return names
}
