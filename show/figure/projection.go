package figure

import (
	"fmt"
	"math"
	"strings"

	"github.com/halfspace-ml/halfspace/vec"
)

var projectionFigure = Figure{"projection", "the examples projected on w, with the boundary on it (Fisher's view)", NeedTwo, drawProjection}

// drawProjection shows how far each example is from the boundary, g(x)/‖w‖: as
// a histogram for each class, and of two features also where it comes from.
//
// Source: document 004, Fisher's discriminant analysis.
func drawProjection(s *Subject, st Style) (*Drawing, error) {
	if err := s.plane("projection"); err != nil {
		return nil, err
	}
	w, b := s.Model.Weights.W[0], s.Model.Weights.Bias[0]
	norm := vec.Norm(w)
	if norm == 0 {
		return nil, misuse("the weights are all zero, so there is no direction to project on; train longer")
	}
	z := make([][]float64, 2)
	for i := range s.Set.Len() {
		c := s.Set.Class(i)
		z[c] = append(z[c], (vec.Dot(w, s.Set.Row(i))+b)/norm)
	}
	p := newPage(st, fmt.Sprintf("Projection on w of %s, %s", s.Learner, s.Name), projectionAbout(s, z))
	p.legend(append(p.classEntries(s.Set), lineEntry("boundary", p.col.ink, 2, nil))...)
	r := p.whole()
	if s.Set.Dim() == 2 {
		v, err := newView(s.Set, nil)
		if err != nil {
			return nil, err
		}
		p.note(strings.TrimSpace(v.scaleNote(s.Model) + " " + crowdNote(s.Set)))
		parts := p.whole().columns(1, 1)
		q := p.panel(parts[0], "examples", v.x, v.y, v.alike)
		q.rays(v, s, v.half(w, b))
		q.scatter(&p.Base, v, s.Set)
		r = parts[1]
		p.histogram(r, "projections", z)
		return p.Drawing, nil
	}
	p.histogram(r, "", z)
	return p.Drawing, nil
}

func projectionAbout(s *Subject, z [][]float64) string {
	return minus(fmt.Sprintf("%s; means of the projections %.4g and %.4g", tally(s), mean(z[0]), mean(z[1])))
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(max(1, len(v)))
}

// rays draws the boundary, the axis along w through the middle of the
// examples, and, if they are few, how each example falls on it.
func (q *panel) rays(v *view, s *Subject, h half) {
	q.boundary(&q.Base, h, q.col.ink, 2, nil)
	m := means(s.Set)
	onAxis := half{-h.b, h.a, h.b*m[0] - h.a*m[1]}
	q.boundary(&q.Base, onAxis, q.col.yes, 1.6, nil)
	if s.Set.Len() > 100 {
		return
	}
	for i := range s.Set.Len() {
		at := v.place(s.Set.Row(i), s.Set.Class(i))
		foot := onAxis.foot(at)
		q.Base.line(q.col.class(s.Set.Class(i)).faded(0.7), 1, []float64{3, 3}, q.places([]Point{at, foot}))
		if q.holds(foot) {
			q.Base.discs(2.2, ink{fill: q.col.class(s.Set.Class(i))}, q.at(foot.X, foot.Y))
		}
	}
}

// histogram shows how the projections of both classes lie about 0.
func (p *page) histogram(r rect, title string, z [][]float64) {
	x := axis{label: "distance from the boundary, g(x)/|w|"}
	x.low, x.high = span(append(append([]float64{0}, z[0]...), z[1]...), 0.06)
	bins := int(math.Ceil(2 * math.Cbrt(float64(len(z[0])+len(z[1])))))
	bins = min(max(bins, 8), 50)
	counts := [2][]int{make([]int, bins), make([]int, bins)}
	most := 0
	for c := range counts {
		for _, v := range z[c] {
			k := min(bins-1, int(float64(bins)*(v-x.low)/(x.high-x.low)))
			counts[c][k]++
			most = max(most, counts[c][k])
		}
	}
	y := axis{label: "examples", low: 0, high: 1.12 * float64(most), whole: true}
	q := p.panel(r, title, x, y, false)
	wide := (x.high - x.low) / float64(bins)
	for c := range counts {
		var bars [][]Point
		for k, n := range counts[c] {
			if n > 0 {
				low := x.low + wide*float64(k)
				bars = append(bars, q.places([]Point{{low, 0}, {low + wide, 0}, {low + wide, float64(n)}, {low, float64(n)}}))
			}
		}
		p.Base.path(true, ink{fill: p.col.class(c).faded(0.4), stroke: p.col.class(c), width: 1.2}, bars...)
	}
	p.Base.line(p.col.ink, 2, nil, q.places([]Point{{0, y.low}, {0, y.high}}))
	if len(z[0])+len(z[1]) <= 100 {
		for c := range z {
			var at []Point
			for _, v := range z[c] {
				at = append(at, q.at(v, 0.06*y.high*(1+float64(c))))
			}
			p.marker(&p.Base, c, 4, at...)
		}
	}
}
