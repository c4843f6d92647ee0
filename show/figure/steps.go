package figure

import (
	"fmt"
	"math"
	"strings"

	"github.com/halfspace-ml/halfspace"
)

var stepsFigure = Figure{"steps", "the boundary at every step, as an animation (.svg, .gif); in a still picture, all of them", NeedSteps, drawSteps}

// drawSteps shows how the boundary moves: for every moment kept, the line, the
// example that moves it and where it moves; and below, the cost up to then.
//
// Source: documents 000 (task 5) and 002.
func drawSteps(s *Subject, st Style) (*Drawing, error) {
	v, err := newView(s.Set, s.Features)
	if err != nil {
		return nil, err
	}
	moments, err := s.History.finish(s.Model)
	if err != nil {
		return nil, err
	}
	curve := costs(moments, s)
	p := newPage(st, fmt.Sprintf("Steps of %s on %s", s.Learner, s.Name),
		fmt.Sprintf("%s, %s; %s", s.length(), shownPart(s, len(moments)-1), tally(s)))
	entries := p.classEntries(s.Set)
	byExample := false
	for _, m := range moments {
		byExample = byExample || m.Index >= 0
	}
	switch {
	case st.Still:
		entries = append(entries, lineEntry("first", p.col.ink.mixed(p.col.ground, 0.75), 1.2, nil), lineEntry("last", p.col.ink, 2.2, nil))
	case byExample:
		entries = append(entries, lineEntry("boundary", p.col.ink, 2.2, nil), lineEntry("after the update", p.col.yes, 1.6, []float64{5, 4}),
			entry{"example that causes it", func(l *Layer, at Point) { l.discs(6, ink{stroke: p.col.yes, width: 2.2}, at) }})
	}
	p.legend(entries...)
	p.note(strings.TrimSpace(strings.Join([]string{v.note, crowdNote(s.Set)}, " ")))
	parts := p.whole().rows(2, 1)
	p.gutter = p.gap(60)
	q := p.panel(parts[0], "", v.x, v.y, v.alike)
	captionAt := Point{parts[1].x + parts[1].w/2, parts[1].y + 0.75*p.leading(textSize)}
	if !st.Still {
		parts[1].y, parts[1].h = parts[1].y+p.leading(textSize), parts[1].h-p.leading(textSize)
	}
	low := p.costPanel(parts[1], s, "cost", curve)
	if st.Still {
		q.allSteps(v, moments)
		q.scatter(&p.Base, v, s.Set)
		low.curve(&p.Base, p.col.series[1], 1.8, nil, curve)
		return p.Drawing, nil
	}
	q.scatter(&p.Base, v, s.Set)
	low.curve(&p.Base, p.col.series[1].faded(0.35), 1.4, nil, curve)
	p.Delay = min(0.5, max(0.08, 12/float64(len(moments))))
	for i, m := range moments {
		var f Frame
		q.moment(&f, v, s, m)
		low.curve(&f.Over, p.col.series[1], 2, nil, curve[:i+1])
		at := low.at(curve[i].X, curve[i].Y)
		f.Over.discs(3.5, ink{fill: p.col.series[1]}, at)
		f.Over.text(text{at: captionAt, s: m.caption(s), size: textSize, anchor: 0.5, colour: p.col.ink, bold: true})
		p.Frames = append(p.Frames, f)
	}
	return p.Drawing, nil
}

// length is how long the training was, in updates or loops.
func (s *Subject) length() string {
	if s.perLoop() {
		return count(s.Model.Report.Epochs, "loop")
	}
	return count(s.History.Updates, "update")
}

// shownPart says whether all moments of the training are among those shown.
func shownPart(s *Subject, shown int) string {
	if shown >= s.History.Most {
		return fmt.Sprintf("%d of them shown", shown)
	}
	return "all shown"
}

// caption says which moment it is.
func (m Moment) caption(s *Subject) string {
	if m.Model == s.Model {
		return "end, after " + s.length()
	}
	if m.Index < 0 {
		return fmt.Sprintf("after %s", count(m.Step, "loop"))
	}
	return fmt.Sprintf("update %d, loop %d", m.Step+1, m.Epoch+1)
}

// costs are the costs of moments: what the learner told, else the perceptron's.
func costs(moments []Moment, s *Subject) []Point {
	told := moments[0].HasLoss
	out := make([]Point, len(moments))
	for i, m := range moments {
		loss := m.Loss
		if !told || !m.HasLoss {
			loss, _ = cost(m.Model, s.Set)
			if told { // the end, which was not told: as the step before
				loss = out[max(0, i-1)].Y
			}
		}
		out[i] = Point{float64(m.Step), loss}
	}
	return out
}

// costPanel is the axes for a cost over steps.
func (p *page) costPanel(r rect, s *Subject, what string, curves ...[]Point) *panel {
	var xs, ys []float64
	for _, curve := range curves {
		for _, c := range curve {
			xs, ys = append(xs, c.X), append(ys, c.Y)
		}
	}
	x, y := axis{label: "update", whole: true}, axis{label: what}
	if s.perLoop() {
		x.label = "loop"
	}
	if len(curves) > 1 && longest(curves) > 15*shortest(curves) {
		x.log, x.label = true, x.label+", from 1 (logarithmic)"
		for _, c := range curves {
			for i := range c {
				c[i].X++
			}
		}
		for i := range xs {
			xs[i]++
		}
	}
	x.low, x.high = span(xs, 0)
	y.low, y.high = span(ys, 0.06)
	if smallest, ok := positiveMin(ys); ok && r.h > 150 && y.high/smallest > 2000 {
		y.log = true
		y.label += " (logarithmic)"
		y.low, y.high = smallest/1.5, y.high*1.2
	} else {
		y.low = max(min(y.low, 0), -0.06*(y.high-y.low))
	}
	return p.panel(r, "", x, y, false)
}

func longest(curves [][]Point) float64 {
	most := 0.0
	for _, c := range curves {
		most = max(most, c[len(c)-1].X)
	}
	return most
}

func shortest(curves [][]Point) float64 {
	least := math.Inf(1)
	for _, c := range curves {
		least = min(least, c[len(c)-1].X)
	}
	return least
}

// positiveMin is the smallest value, false if one is not above zero.
func positiveMin(values []float64) (float64, bool) {
	low := math.Inf(1)
	for _, v := range values {
		low = min(low, v)
	}
	return low, low > 0
}

// perLoop reports whether the moments are those of loops.
func (s *Subject) perLoop() bool {
	h := s.History
	if h == nil && len(s.Runs) > 0 {
		h = s.Runs[0].History
	}
	return h != nil && h.byLoop()
}

// moment draws the model at one time: its regions below the examples, its line,
// and where the line goes next.
func (q *panel) moment(f *Frame, v *view, s *Subject, m Moment) {
	q.regions(&f.Under, &f.Over, v, m.Model)
	if m.Index < 0 {
		return
	}
	x := v.place(s.Set.Row(m.Index), s.Set.Class(m.Index))
	q.ring(&f.Over, q.at(x.X, x.Y))
	before, ok1 := q.line(v, m.Model)
	after, ok2 := q.line(v, m.After)
	if !ok2 {
		return
	}
	q.boundary(&f.Over, after, q.col.yes, 1.6, []float64{5, 4})
	if !ok1 {
		return
	}
	// The line moves along w at the example.
	a, b := before.foot(x), after.foot(x)
	if q.holds(a) && q.holds(b) {
		f.Over.arrow(q.at(a.X, a.Y), q.at(b.X, b.Y), q.col.yes, 2)
	}
}

// line is the boundary of a model that is one line.
func (q *panel) line(v *view, m *halfspace.Model) (half, bool) {
	if m == nil || !linear(m) || len(m.Weights.W) != 1 {
		return half{}, false
	}
	h := v.half(m.Weights.W[0], m.Weights.Bias[0])
	return h, h.a != 0 || h.b != 0
}

// ring marks a place.
func (p *page) ring(l *Layer, at Point) {
	l.discs(9, ink{stroke: p.col.yes, width: 2.4}, at)
}

// allSteps draws the lines of all moments into one picture, the later the
// darker.
func (q *panel) allSteps(v *view, moments []Moment) {
	last := len(moments) - 1
	for i, m := range moments[:last] {
		shade := q.col.ink.mixed(q.col.ground, 0.85-0.55*float64(i)/float64(max(1, last)))
		if h, ok := q.line(v, m.Model); ok {
			q.boundary(&q.Base, h, shade, 1.1, nil)
		} else if !linear(m.Model) {
			q.Base.line(shade, 1, nil, q.sample(v, m.Model, 0).border()...)
		}
	}
	q.regions(&q.Base, &q.Base, v, moments[last].Model)
}
