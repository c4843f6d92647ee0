package solve

import "github.com/halfspace-ml/halfspace/vec"

// columns is a copy of the examples by feature, each value times y, so that a
// step along a column is one of the margins. The bias, if there is one, is the
// last column. It takes 12 bytes for every value that is not zero.
type columns struct {
	ptr []int // column j is row and val from ptr[j] to ptr[j+1]
	row []uint32
	val []float64
}

func newColumns(t *Task, d int) *columns {
	n, dim := t.Set.Len(), t.Set.Dim()
	c := &columns{ptr: make([]int, d+1)}
	for i := range n {
		for j := range t.Set.Row(i).All() {
			c.ptr[j+1]++
		}
	}
	if t.Bias != Without {
		c.ptr[d] = n
	}
	for j := range d {
		c.ptr[j+1] += c.ptr[j]
	}
	c.row, c.val = make([]uint32, c.ptr[d]), make([]float64, c.ptr[d])
	next := append([]int(nil), c.ptr[:d]...)
	put := func(i, j int, v float64) {
		c.row[next[j]], c.val[next[j]] = uint32(i), v
		next[j]++
	}
	for i := range n {
		for j, v := range t.Set.Row(i).All() {
			put(i, j, t.Y[i]*v)
		}
		if t.Bias != Without {
			put(i, dim, t.Y[i])
		}
	}
	return c
}

func (c *columns) at(j int) vec.Row {
	lo, hi := c.ptr[j], c.ptr[j+1]
	return vec.Row{Idx: c.row[lo:hi:hi], Val: c.val[lo:hi:hi]}
}

// squares is Σ by·val² of a column.
func (c *columns) squares(j int, by []float64) float64 {
	s := 0.0
	for k := c.ptr[j]; k < c.ptr[j+1]; k++ {
		s += float64(by[c.row[k]] * float64(c.val[k]*c.val[k]))
	}
	return s
}

// add adds a·by·val of a column to u.
func (c *columns) add(u []float64, a float64, j int, by []float64) {
	lo, hi := c.ptr[j], c.ptr[j+1]
	val := c.val[lo:hi]
	for k, i := range c.row[lo:hi] {
		u[i] += float64(a * float64(by[i]*val[k]))
	}
}
