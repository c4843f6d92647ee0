package closed

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/block"
)

// moments is all that the formulas need to know of the examples: the upper
// triangular factor R of the matrix with a row
//
//	√weight · [ one for its class, zeros for the others | x·2^-unit − shift ]
//
// for every example. RᵀR are its second moments, which are never formed: their
// squares would lose half of the digits. Two factors are merged by factorising
// one on top of the other, so the moments of shards add up (Demmel and others
// 2012, "Communication-optimal parallel and sequential QR", TSQR).
//
// Its rows are class by class, then feature by feature: the lower right corner
// is a factor of the within-class scatter S_w, and what stands above it holds
// the class means.
type moments struct {
	*columns
	classes, features int
	weight            []float64 // of every class
	r                 blas64.General
	rows              int // of r that are in use: few examples make few
}

// gather makes the moments of a run in two passes: units and means, then R.
func gather(ctx context.Context, run *halfspace.Run, centre bool) (*moments, error) {
	cols, err := newColumns(ctx, run.Set, centre, run.Workers)
	if err != nil {
		return nil, err
	}
	most := 8
	if run.Set.Dim() > 512 {
		most = 2 // memory: each lane has a factor of its own
	}
	parts := make([]*moments, most)
	n := block.Lanes(run.Set.Len(), most, run.Workers, func(lane, lo, hi int) {
		parts[lane] = newMoments(cols, len(run.Set.Classes()), run.Set.Dim())
		parts[lane].add(ctx, run.Set, lo, hi)
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, p := range parts[1:n] {
		parts[0].merge(p)
	}
	return parts[0], nil
}

func newMoments(cols *columns, classes, features int) *moments {
	p := classes + features
	return &moments{columns: cols, classes: classes, features: features, weight: make([]float64, classes), r: matrix(p, p)}
}

// add factorises the rows lo … hi-1 of a set, a few blocks at a time.
func (m *moments) add(ctx context.Context, s *data.Set, lo, hi int) {
	p := m.classes + m.features
	rows := (2*p/block.Size + 1) * block.Size // enough to be worth it
	a := matrix(p+min(rows, hi-lo), p)
	copy(a.Data, m.r.Data)
	for ; lo < hi && ctx.Err() == nil; lo += rows {
		n := min(rows, hi-lo)
		clear(a.Data[m.rows*p : (m.rows+n)*p])
		for i := range n {
			m.fill(a.Data[(m.rows+i)*p:(m.rows+i+1)*p], s, lo+i)
		}
		part := a
		part.Rows = m.rows + n
		triangle(part)
		m.rows = min(p, m.rows+n)
	}
	copy(m.r.Data, a.Data[:m.rows*p])
}

// fill writes the row of example i.
func (m *moments) fill(row []float64, s *data.Set, i int) {
	weight := s.Weight(i)
	root := math.Sqrt(weight)
	m.weight[s.Class(i)] += weight
	row[s.Class(i)] = root
	row = row[m.classes:]
	for j, v := range m.shift {
		row[j] = -float64(v * root)
	}
	x := s.Row(i)
	for k := range x.Len() {
		j, v := x.At(k)
		row[j] = float64((float64(v*m.inverse[j]) - m.shift[j]) * root)
	}
}

// merge adds the moments of other examples in the same units.
func (m *moments) merge(o *moments) {
	for k, w := range o.weight {
		m.weight[k] += w
	}
	p := m.classes + m.features
	a := matrix(m.rows+o.rows, p)
	copy(a.Data, m.r.Data[:m.rows*p])
	copy(a.Data[m.rows*p:], o.r.Data[:o.rows*p])
	triangle(a)
	m.rows = min(p, a.Rows)
	copy(m.r.Data, a.Data[:m.rows*p])
}

// total is the weight of all examples.
func (m *moments) total() (sum float64) {
	for _, w := range m.weight {
		sum += w
	}
	return sum
}

// matrix is one of zeros.
func matrix(rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: make([]float64, rows*cols)}
}

// triangle replaces a by the upper triangular factor of its QR factorisation.
func triangle(a blas64.General) {
	k := min(a.Rows, a.Cols)
	if k == 0 {
		return
	}
	tau := make([]float64, k)
	workspace(func(work []float64, size int) { lapack64.Geqrf(a, tau, work, size) })
	for i := 1; i < a.Rows; i++ {
		clear(a.Data[i*a.Stride : i*a.Stride+min(i, a.Cols)])
	}
}

// workspace asks a LAPACK routine how much memory it wants and calls it.
func workspace(call func(work []float64, size int)) {
	ask := make([]float64, 1)
	call(ask, -1)
	call(make([]float64, int(ask[0])), int(ask[0]))
}
