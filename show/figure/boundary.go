package figure

import (
	"fmt"
	"math"
	"strings"

	"github.com/halfspace-ml/halfspace"
)

var boundaryFigure = Figure{"boundary", "the examples, the boundary and the sides; for one line, w and its distance d from the origin", NeedModel, drawBoundary}

// drawBoundary shows g(x) = w·x + w0: where it is 0, the regions where it is
// above and below, w at right angles to the line, and d = |w0|/‖w‖.
//
// Source: documents 000 (Fig. 2) and 001.
func drawBoundary(s *Subject, st Style) (*Drawing, error) {
	v, err := newView(s.Set, s.Features)
	if err != nil {
		return nil, err
	}
	m := s.Model
	single := linear(m) && len(m.Weights.W) == 1
	about := tally(s)
	var h half
	distance := false // d can be seen: the plane is that of all features, to scale
	if single {
		h = v.half(m.Weights.W[0], m.Weights.Bias[0])
		distance = v.alike && s.Set.Dim() == 2 && math.Hypot(h.a, h.b) > 0
		if distance {
			v.showOrigin()
		}
		if s.Set.Dim() <= 2 {
			about += ". " + formula(v, h)
		}
	}
	p := newPage(st, fmt.Sprintf("%s on %s", s.Learner, s.Name), about)
	entries := p.classEntries(s.Set)
	if single {
		entries = append(entries, lineEntry("boundary g(x) = 0", p.col.ink, 2, nil))
		if distance {
			entries = append(entries, lineEntry("w, at a right angle to it", p.col.yes, 2.2, nil))
		}
	}
	p.legend(entries...)
	p.note(strings.TrimSpace(strings.Join([]string{v.note, v.scaleNote(m), crowdNote(s.Set)}, " ")))
	q := p.panel(p.whole(), "", v.x, v.y, v.alike)
	q.regions(&p.Base, &p.Base, v, m)
	if distance {
		q.distance(v, h)
	}
	q.scatter(&p.Base, v, s.Set)
	if distance {
		q.normal(h)
	}
	if single && border(q.corners(), h) == nil {
		p.Base.text(text{at: Point{q.frame.x + q.frame.w/2, q.frame.y + 20}, s: "the boundary lies outside of this picture", size: textSize, anchor: 0.5, colour: p.col.ink, halo: p.col.ground})
	}
	return p.Drawing, nil
}

// tally is the sentence on how many examples a model gets wrong.
func tally(s *Subject) string {
	t := s.Model.Report.Train
	if t == nil {
		return count(s.Set.Len(), "example")
	}
	return fmt.Sprintf("%d of %s wrong", t.Errors, count(t.Examples, "example"))
}

// scaleNote warns of axes on which angles are not what they seem.
func (v *view) scaleNote(m *halfspace.Model) string {
	if v.alike || v.flat || v.set.Dim() > 2 || !linear(m) || len(m.Weights.W) > 1 {
		return ""
	}
	return "The axes have different scales, so w is not at a right angle to the line here."
}

// formula is g(x) with its distance from the origin.
func formula(v *view, h half) string {
	s := "g(x) = " + minus(fmt.Sprintf("%.4g", h.a)) + "·" + v.set.Features().Name(0)
	if !v.flat {
		s += minus(signed(h.b)) + "·" + v.set.Features().Name(1)
	}
	s += minus(signed(h.c))
	if norm := math.Hypot(h.a, h.b); norm > 0 {
		s += fmt.Sprintf(", d = |w0|/|w| = %.4g", math.Abs(h.c)/norm)
	}
	return s
}

func signed(v float64) string {
	if v < 0 {
		return fmt.Sprintf(" - %.4g", -v)
	}
	return fmt.Sprintf(" + %.4g", v)
}

// distance draws d from the origin to the line, if the origin is to be seen.
func (q *panel) distance(v *view, h half) {
	origin := Point{}
	foot := h.foot(origin)
	if !q.holds(origin) || !q.holds(foot) {
		return
	}
	a, b := q.at(0, 0), q.at(foot.X, foot.Y)
	q.Base.line(q.col.soft, 1.4, []float64{4, 3}, []Point{a, b})
	q.Base.discs(2.5, ink{fill: q.col.soft}, a)
	if math.Hypot(a.X-b.X, a.Y-b.Y) > 24 {
		q.Base.text(text{at: Point{(a.X+b.X)/2 + 7, (a.Y+b.Y)/2 + 4}, s: "d", size: textSize, colour: q.col.ink, halo: q.col.ground, bold: true})
	}
}

// normal draws w from the middle of the line, a quarter of the frame long.
func (q *panel) normal(h half) {
	ends := border(q.corners(), h)
	if ends == nil {
		return
	}
	from := middle(ends)
	norm := math.Hypot(h.a, h.b)
	length := 0.16 * min(q.x.high-q.x.low, q.y.high-q.y.low)
	to := Point{from.X + length*h.a/norm, from.Y + length*h.b/norm}
	a, b := q.at(from.X, from.Y), q.at(to.X, to.Y)
	q.Base.arrow(a, b, q.col.yes, 2.2)
	// The letter stands beyond the head.
	d := math.Hypot(b.X-a.X, b.Y-a.Y)
	q.Base.text(text{at: Point{b.X + 11*(b.X-a.X)/d, b.Y + 11*(b.Y-a.Y)/d + 4}, s: "w", size: textSize + 1, anchor: 0.5, colour: q.col.yes, halo: q.col.ground, bold: true})
}
