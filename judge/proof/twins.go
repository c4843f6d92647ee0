package proof

import (
	"encoding/binary"
	"math"

	"github.com/halfspace-ml/halfspace/data"
)

// Twins counts the examples that no classifier at all gets right: pairs of
// different classes at the same point, none in two pairs.
func Twins(s *data.Set) int {
	pairs, _ := twins(s)
	return pairs
}

// twins counts the pairs of two classes and returns the positions of the other
// examples that count.
func twins(s *data.Set) (pairs int, rest []uint32) {
	waiting := map[string][]uint32{} // at a point, all of one class
	paired := make([]bool, s.Len())
	var key []byte
	for i := range s.Len() {
		if s.Class(i) == data.None || s.Weight(i) == 0 {
			paired[i] = true // not there
			continue
		}
		key = key[:0]
		for j, v := range s.Row(i).All() {
			key = binary.LittleEndian.AppendUint32(key, uint32(j))
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
		}
		list := waiting[string(key)]
		if n := len(list); n > 0 && s.Class(int(list[n-1])) != s.Class(i) {
			paired[i], paired[list[n-1]] = true, true
			waiting[string(key)] = list[:n-1]
			pairs++
			continue
		}
		waiting[string(key)] = append(list, uint32(i))
	}
	for i, p := range paired {
		if !p {
			rest = append(rest, uint32(i))
		}
	}
	return pairs, rest
}
