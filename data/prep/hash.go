package prep

import (
	"fmt"
	"strconv"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

const (
	maxHashBits = 30
	hashLargest = 0x1p990 // a row has fewer than 2^32 values
)

// Hash puts the features into 2^Bits buckets; features that meet in a bucket
// are summed. It bounds the weights of very wide rows, at the price of
// collisions.
type Hash struct {
	Bits int `json:"bits"`
	In   int `json:"in"`
}

var hashKind = Kind{
	Name:  "hash",
	Arg:   "BITS",
	Doc:   "sum the features into 2^BITS buckets (18)",
	Parse: parseHash,
	blank: func() saved { return &Hash{} },
}

func parseHash(arg string) (Map, error) {
	m := &Hash{Bits: 18}
	if arg == "" {
		return m, nil
	}
	bits, err := strconv.Atoi(arg)
	if m.Bits = bits; err != nil || m.check() != nil {
		return nil, fmt.Errorf("hash: the number of bits is from 1 to %d, found %q; write e.g. hash:18", maxHashBits, arg)
	}
	return m, nil
}

// Fit implements Map.
func (m *Hash) Fit(s *data.Set) error {
	m.In = s.Dim()
	return m.check()
}

// Apply implements Map. Values beyond ±2^990 are cut to it, so that no sum is
// infinite.
func (m *Hash) Apply(dst *vec.Buffer, x vec.Row) {
	x = x.Trim(m.In)
	for k := range x.Len() {
		j, v := x.At(k)
		dst.Add(m.bucket(uint32(j)), max(-hashLargest, min(hashLargest, v)))
	}
}

// bucket mixes the number of a feature as the generator splitmix64 does. It is
// part of the model format: the same number must fall into the same bucket for
// ever.
func (m *Hash) bucket(j uint32) uint32 {
	h := (uint64(j) + 1) * 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	h ^= h >> 31
	return uint32(h >> (64 - m.Bits))
}

// Features implements Map. Buckets are called #0, #1, …
func (m *Hash) Features(*data.Features) *data.Features {
	return data.DerivedFeatures(1<<m.Bits, func(j int) string { return "#" + strconv.Itoa(j) })
}

func (m *Hash) kind() string        { return hashKind.Name }
func (m *Hash) dims() (in, out int) { return m.In, 1 << m.Bits }
func (m *Hash) entries(n int) int   { return min(n, 1<<m.Bits) }

func (m *Hash) check() error {
	if m.Bits < 1 || m.Bits > maxHashBits {
		return fmt.Errorf("the number of bits is %d; it must be from 1 to %d", m.Bits, maxHashBits)
	}
	return checkIn(m.In)
}
