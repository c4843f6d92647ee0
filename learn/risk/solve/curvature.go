package solve

import (
	"github.com/halfspace-ml/halfspace/learn/risk/penalty"
	"github.com/halfspace-ml/halfspace/vec"
)

// curvature is H, what the losses bend by around a point, together with a
// change d of the weights.
type curvature interface {
	reset(bow []float64)                 // at a point with these C·ℓ″; d is 0
	diagonal(j int) float64              // of H
	slope(j int) float64                 // (H·d)ⱼ
	add(j int, by float64)               // to dⱼ
	times(q, p []float64, some []uint32) // q = H·p in some weights, p being 0 elsewhere
}

// gram is H written down, for few features: then the number of examples does not
// matter to a step.
type gram struct {
	s  *smooth
	h  []float64 // by rows
	hd []float64 // H·d
}

func newGram(t *Task, d int) *gram {
	bare := *t
	bare.Penalty = penalty.None
	return &gram{s: &smooth{Task: &bare, x: make([]float64, d)}, hd: make([]float64, d)}
}

func (g *gram) reset(bow []float64) {
	g.s.bent, g.s.bow = g.s.bent[:0], g.s.bow[:0]
	for i, c := range bow {
		if c > 0 {
			g.s.bent, g.s.bow = append(g.s.bent, uint32(i)), append(g.s.bow, c)
		}
	}
	d := len(g.hd)
	g.h = g.s.hessian()
	for j := range d {
		for k := range j {
			g.h[j*d+k] = g.h[k*d+j]
		}
	}
	clear(g.hd)
}

func (g *gram) row(j int) vec.Row {
	d := len(g.hd)
	return vec.Row{Val: g.h[j*d : (j+1)*d]}
}

func (g *gram) diagonal(j int) float64 { return g.h[j*len(g.hd)+j] }
func (g *gram) slope(j int) float64    { return g.hd[j] }
func (g *gram) add(j int, by float64)  { vec.Axpy(g.hd, by, g.row(j)) }

func (g *gram) times(q, p []float64, some []uint32) {
	for _, j := range some {
		s, row := 0.0, g.row(int(j)).Val
		for _, k := range some {
			s += float64(row[k] * p[k])
		}
		q[j] = s
	}
}

// bentColumns is H by the columns: every step passes over their values.
type bentColumns struct {
	*columns
	bow []float64
	u   []float64 // bow · change of the margins by d
	v   []float64
}

func newBentColumns(t *Task, d int) *bentColumns {
	n := t.Set.Len()
	return &bentColumns{columns: newColumns(t, d), u: make([]float64, n), v: make([]float64, n)}
}

func (b *bentColumns) reset(bow []float64) {
	b.bow = bow
	clear(b.u)
}

func (b *bentColumns) diagonal(j int) float64 { return b.squares(j, b.bow) }
func (b *bentColumns) slope(j int) float64    { return vec.Dot(b.u, b.at(j)) }
func (b *bentColumns) add(j int, by float64)  { b.columns.add(b.u, by, j, b.bow) }

func (b *bentColumns) times(q, p []float64, some []uint32) {
	clear(b.v)
	for _, j := range some {
		vec.Axpy(b.v, p[j], b.at(int(j)))
	}
	for i, c := range b.bow {
		b.v[i] *= c
	}
	for _, j := range some {
		q[j] = vec.Dot(b.v, b.at(int(j)))
	}
}
