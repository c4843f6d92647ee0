package figure

import (
	"math"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/prep"
)

// linear reports whether the model's scores, one a class, are linear in the raw
// features.
func linear(m *halfspace.Model) bool {
	return len(m.Maps) == 0 && len(m.Voters) == 0 && (m.Decision != halfspace.OneVsOne || len(m.Classes) <= 2)
}

// halves are the half-planes of a view in which class c of a linear model beats
// the other classes.
func halves(v *view, w *halfspace.Weights, c int) []half {
	if len(w.W) == 1 {
		h := v.half(w.W[0], w.Bias[0])
		if c == 1 {
			h = h.flipped()
		}
		return []half{h}
	}
	own := v.half(w.W[c], w.Bias[c])
	var out []half
	for k := range w.W {
		if k != c {
			other := v.half(w.W[k], w.Bias[k])
			out = append(out, half{own.a - other.a, own.b - other.b, own.c - other.c})
		}
	}
	return out
}

// regions fills the part of the plane that the model gives to each class, and
// draws the borders between them into above.
func (q *panel) regions(below, above *Layer, v *view, m *halfspace.Model) {
	if linear(m) {
		for c := range m.Classes {
			ring := clip(q.corners(), halves(v, m.Weights, c)...)
			below.area(q.col.class(c).faded(regionOpacity), q.places(ring))
			if len(m.Weights.W) > 1 && len(ring) > 0 {
				above.line(q.col.ink.faded(0.75), 1.2, nil, q.inner(ring)...)
			}
		}
		if len(m.Weights.W) == 1 {
			q.boundary(above, v.half(m.Weights.W[0], m.Weights.Bias[0]), q.col.ink, 2, nil)
		}
		return
	}
	if lines := changes(v, m); lines != nil {
		q.cells(below, above, v, m, lines)
		return
	}
	for c := range m.Classes {
		f := q.sample(v, m, c)
		below.area(q.col.class(c).faded(regionOpacity), f.area()...)
		if c == 0 || len(m.Classes) > 2 {
			above.line(q.col.ink, 1.6, nil, f.border()...)
		}
	}
}

// changes is the lines on which alone a model may change its answer, though its
// scores are not linear: those of threshold units, or of duels and, where they
// leave it open, of the sums of their scores. Nil if there are no such lines.
func changes(v *view, m *halfspace.Model) []half {
	var lines []half
	l := m.Hidden()
	switch {
	case l != nil && l.Activation == prep.Step && len(m.Maps) == 1:
		for k := range l.W {
			lines = append(lines, v.half(l.W[k], l.Bias[k]))
		}
	case len(m.Maps) == 0 && len(m.Voters) == 0 && m.Decision == halfspace.OneVsOne:
		sums := make([]half, len(m.Classes))
		for a := range m.Classes {
			for b := a + 1; b < len(m.Classes); b++ {
				h := v.half(m.Plane(a, b))
				lines = append(lines, h)
				sums[a], sums[b] = sums[a].plus(h), sums[b].plus(h.flipped())
			}
		}
		for a := range sums {
			for b := a + 1; b < len(sums); b++ {
				lines = append(lines, sums[a].plus(sums[b].flipped()))
			}
		}
	}
	return lines
}

// cells fills the parts that lines cut the frame into, each by the class of a
// point in it, and draws the sides between different classes.
func (q *panel) cells(below, above *Layer, v *view, m *halfspace.Model, lines []half) {
	scorer, x := m.Scorer(), make([]float64, len(v.origin))
	classAt := func(p Point) int {
		class, _ := scorer.Classify(v.lift(p, x))
		return class
	}
	rings := make([][][]Point, len(m.Classes))
	var sides [][]Point
	for _, ring := range pieces(q.corners(), lines) {
		c := centre(ring)
		class := classAt(c)
		rings[class] = append(rings[class], q.places(ring))
		for i, p := range ring {
			end := ring[(i+1)%len(ring)]
			mid := middle([]Point{p, end})
			beyond := Point{mid.X + 1e-6*(mid.X-c.X), mid.Y + 1e-6*(mid.Y-c.Y)}
			if q.holds(beyond) && classAt(beyond) > class {
				sides = append(sides, q.places([]Point{p, end}))
			}
		}
	}
	for c := range rings {
		below.area(q.col.class(c).faded(regionOpacity), rings[c]...)
	}
	above.line(q.col.ink, 1.6, nil, sides...)
}

const regionOpacity = 0.16

// inner is the sides of a region that do not lie on the frame.
func (q *panel) inner(ring []Point) [][]Point {
	onFrame := func(p, r Point) bool {
		same := func(a, b, end float64) bool { return a == end && b == end }
		return same(p.X, r.X, q.x.low) || same(p.X, r.X, q.x.high) || same(p.Y, r.Y, q.y.low) || same(p.Y, r.Y, q.y.high)
	}
	var sides [][]Point
	for i, p := range ring {
		if r := ring[(i+1)%len(ring)]; !onFrame(p, r) {
			sides = append(sides, q.places([]Point{p, r}))
		}
	}
	return sides
}

// boundary draws the line on which a score is 0.
func (q *panel) boundary(l *Layer, h half, c Colour, width float64, dash []float64) []Point {
	ends := border(q.corners(), h)
	if ends == nil {
		return nil
	}
	places := q.places(ends)
	l.line(c, width, dash, places)
	return places
}

// sample is by how much class c of a model beats the others, over the frame.
func (q *panel) sample(v *view, m *halfspace.Model, c int) *field {
	const cell = 5.0
	f := &field{nx: int(q.frame.w / cell), ny: int(q.frame.h / cell)}
	f.at = func(i, j int) Point {
		return Point{q.frame.x + q.frame.w*float64(i)/float64(f.nx), q.frame.y + q.frame.h*float64(j)/float64(f.ny)}
	}
	scorer := m.Scorer()
	x := make([]float64, len(v.origin))
	for j := range f.ny + 1 {
		for i := range f.nx + 1 {
			f.v = append(f.v, lead(scorer.Scores(v.lift(q.value(f.at(i, j)), x)), c))
		}
	}
	return f
}

// lead is by how much class c beats the best other one.
func lead(scores []float64, c int) float64 {
	if len(scores) == 1 {
		if c == 1 {
			return -scores[0]
		}
		return scores[0]
	}
	best := math.Inf(-1)
	for k, s := range scores {
		if k != c {
			best = max(best, s)
		}
	}
	return scores[c] - best
}

// value is what stands at a place of a panel with plain axes.
func (q *panel) value(p Point) Point {
	sx, sy := (p.X-q.frame.x)/q.frame.w, (p.Y-q.frame.y)/q.frame.h
	if !q.y.down {
		sy = 1 - sy
	}
	return Point{q.x.low + sx*(q.x.high-q.x.low), q.y.low + sy*(q.y.high-q.y.low)}
}
