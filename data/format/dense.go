package format

import (
	"fmt"
	"strconv"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// What writers share that write every zero.

// mostCells bounds what is written: sparse rows become dense in it.
const mostCells = 1 << 31

// fitsDense returns why a set should not be written with its zeros, or nil.
func fitsDense(s *data.Set) error {
	if s.Dim() > 0 && s.Len() > mostCells/s.Dim() {
		return fmt.Errorf("%d examples of %d features are more than 2^31 values with their zeros; write libsvm or json", s.Len(), s.Dim())
	}
	return nil
}

// appendDense appends dim numbers, each with a delimiter after it.
func appendDense(buf []byte, x vec.Row, dim int, delim byte) []byte {
	next := 0
	for j, v := range x.All() {
		for ; next < j; next++ {
			buf = append(buf, '0', delim)
		}
		buf = append(appendNumber(buf, v), delim)
		next++
	}
	for ; next < dim; next++ {
		buf = append(buf, '0', delim)
	}
	return buf
}

// appendNumber appends the shortest text that is read back as v.
func appendNumber(buf []byte, v float64) []byte { return strconv.AppendFloat(buf, v, 'g', -1, 64) }
