package figure

import (
	"fmt"
	"math"
	"strings"

	"github.com/halfspace-ml/halfspace/vec"
)

var marginFigure = Figure{"margin", "the boundary with its margin, and the examples that carry it", NeedTwo, drawMargin}

// drawMargin shows the lines g(x) = ±γ through the examples nearest to the
// boundary, and rings those on them; of a support vector machine, the lines
// g(x) = ±1 and the examples with a multiplier.
//
// Source: document 001, maximum margin; document 004, "is this a good boundary?"
func drawMargin(s *Subject, st Style) (*Drawing, error) {
	if err := s.plane("margin"); err != nil {
		return nil, err
	}
	v, err := newView(s.Set, s.Features)
	if err != nil {
		return nil, err
	}
	w, b := s.Model.Weights.W[0], s.Model.Weights.Bias[0]
	norm := vec.Norm(w)
	if norm == 0 {
		return nil, misuse("the weights are all zero, so there is no boundary and no margin; train longer")
	}
	level, carrying, wrong := s.margin(w, b)
	about := fmt.Sprintf("Half margin %.4g, width %.4g; %s", level/norm, 2*level/norm, carry(len(carrying)))
	if s.Model.Report.Supports > 0 {
		about = fmt.Sprintf("Lines at g(x) = ±1, half margin 1/|w| = %.4g, width %.4g; %s", 1/norm, 2/norm, count(s.Model.Report.Supports, "support vector"))
	} else if wrong > 0 {
		about = fmt.Sprintf("%d of %s wrong, so there is no margin; the lines run through the nearest example that is right", wrong, count(s.Set.Len(), "example"))
	}
	p := newPage(st, fmt.Sprintf("Margin of %s on %s", s.Learner, s.Name), about)
	p.legend(append(p.classEntries(s.Set), lineEntry("boundary", p.col.ink, 2, nil), lineEntry("margin", p.col.ink, 1.3, []float64{6, 4}),
		entry{"carries it", func(l *Layer, at Point) { l.discs(6, ink{stroke: p.col.yes, width: 2.2}, at) }})...)
	note := v.note
	if s.Set.Dim() > 2 {
		note = strings.TrimSpace(note + " Distances are those in all features, so the lines need not touch the examples here.")
	}
	p.note(strings.TrimSpace(note + " " + crowdNote(s.Set)))
	q := p.panel(p.whole(), "", v.x, v.y, v.alike)
	h := v.half(w, b)
	upper, lower := h, h.flipped()
	upper.c, lower.c = upper.c-level, lower.c-level
	for c, side := range []half{upper, lower} {
		p.Base.area(p.col.class(c).faded(regionOpacity), q.places(clip(q.corners(), side)))
	}
	q.boundary(&p.Base, h, p.col.ink, 2, nil)
	q.boundary(&p.Base, upper, p.col.ink, 1.3, []float64{6, 4})
	q.boundary(&p.Base, lower, p.col.ink, 1.3, []float64{6, 4})
	q.scatter(&p.Base, v, s.Set)
	if len(carrying) <= crowd {
		for _, i := range carrying {
			at := v.place(s.Set.Row(i), s.Set.Class(i))
			q.ring(&p.Base, q.at(at.X, at.Y))
		}
	}
	return p.Drawing, nil
}

func carry(n int) string {
	if n == 1 {
		return "1 example carries it"
	}
	return count(n, "example") + " carry it"
}

// slack is by how much more than the least distance an example may have and still
// carry the margin: solvers stop a little before the end.
const slack = 2e-3

// margin is the score of the margin lines, the examples that carry them and the
// number of wrong ones.
func (s *Subject) margin(w []float64, b float64) (level float64, carrying []int, wrong int) {
	g := make([]float64, s.Set.Len()) // y·g(x)
	level = math.Inf(1)
	for i := range g {
		g[i] = vec.Dot(w, s.Set.Row(i)) + b
		if s.Set.Class(i) == 1 {
			g[i] = -g[i]
		}
		if g[i] > 0 {
			level = min(level, g[i])
		} else {
			wrong++
		}
	}
	if s.Model.Report.Supports > 0 {
		rows := map[int]bool{}
		for _, v := range s.Model.Report.Support {
			rows[v.Row] = true
		}
		for i := range g {
			if rows[s.Set.Number(i)] {
				carrying = append(carrying, i)
			}
		}
		return 1, carrying, wrong
	}
	if math.IsInf(level, 1) {
		level = 0
	}
	for i := range g {
		if g[i] > 0 && g[i] <= level*(1+slack) {
			carrying = append(carrying, i)
		}
	}
	return level, carrying, wrong
}
