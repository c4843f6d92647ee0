package figure

import (
	"fmt"
	"math"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

var solutionFigure = Figure{"solution", "the solution region in weight space: every example forbids a half of it", NeedTwo, drawSolution}

// drawSolution shows weights instead of examples: the example x of class y
// allows the half-plane y·(w·x) > 0. On the left the lines have their examples
// x as arrows, and must be on the side of one class and against the other; on
// the right the arrows are those of normalised examples y·x, and the solution is
// on the side of all.
//
// Source: document 004, perceptron solution region (after Duda, Hart and Stork).
func drawSolution(s *Subject, st Style) (*Drawing, error) {
	if err := s.plane("solution"); err != nil {
		return nil, err
	}
	w, err := s.weightPlane()
	if err != nil {
		return nil, err
	}
	all := w.constraints(s.Set)
	size := 1.5 * max(math.Abs(w.at.X), math.Abs(w.at.Y))
	if size == 0 {
		return nil, misuse("the weights are all zero, so there is no place to look at; train longer, or choose others with --init")
	}
	x, y := axis{label: w.names[0], low: -size, high: size}, axis{label: w.names[1], low: -size, high: size}
	region := clip([]Point{{x.low, y.low}, {x.high, y.low}, {x.high, y.high}, {x.low, y.high}}, all...)
	about := "Every point is a classifier; those of the region get every example right"
	if area(region) == 0 {
		about = "Every point is a classifier; none of those shown gets every example right"
	}
	p := newPage(st, fmt.Sprintf("Solution region of %s in weight space", s.Name), about)
	var entries []entry
	for c, name := range s.Set.Classes() {
		entries = append(entries, lineEntry("example of "+name, p.col.class(c), 1.6, constraintDash(c)))
	}
	p.legend(append(entries, areaEntry("solutions", p.col.yes.faded(0.35)),
		entry{"weights of " + s.Learner, func(l *Layer, at Point) { p.star(l, at) }})...)
	p.note(w.note)
	parts := p.whole().columns(1, 1)
	for i, title := range []string{"examples x as they are", "normalised examples y·x"} {
		q := p.panel(parts[i], title, x, y, true)
		p.Base.area(p.col.yes.faded(0.35), q.places(clip(q.corners(), all...)))
		q.constraints(s.Set, all, i == 1)
		p.star(&p.Base, q.at(w.at.X, w.at.Y))
	}
	return p.Drawing, nil
}

func constraintDash(c int) []float64 {
	if c == 1 {
		return []float64{6, 3}
	}
	return nil
}

// area is that of a ring.
func area(ring []Point) float64 {
	sum := 0.0
	for i, p := range ring {
		q := ring[(i+1)%len(ring)]
		sum += p.X*q.Y - q.X*p.Y
	}
	return math.Abs(sum) / 2
}

// weightPlane is two of the weights, the others as they are.
type weightPlane struct {
	axes  [2]int // feature numbers; -1 is the bias
	names [2]string
	at    Point
	w     []float64
	b     float64
	note  string
}

func (s *Subject) weightPlane() (*weightPlane, error) {
	m := s.Model
	w := &weightPlane{w: m.Weights.W[0], b: m.Weights.Bias[0]}
	switch bias := m.Report.Bias; {
	case len(s.Features) > 0:
		a, b, err := named(s.Set, s.Features)
		if err != nil {
			return nil, err
		}
		w.axes = [2]int{a, b}
	case s.Set.Dim() == 1 && bias:
		w.axes = [2]int{-1, 0}
	case s.Set.Dim() == 1:
		return nil, misuse("one weight is no plane; allow the bias")
	case s.Set.Dim() == 2:
		w.axes = [2]int{0, 1}
	default:
		w.axes = heaviestTwo(w.w)
	}
	value := func(j int) (string, float64) {
		if j < 0 {
			return "w0 (bias)", w.b
		}
		return "w of " + s.Set.Features().Name(j), w.w[j]
	}
	w.names[0], w.at.X = value(w.axes[0])
	w.names[1], w.at.Y = value(w.axes[1])
	if rest := s.Set.Dim() + btoi(m.Report.Bias) - 2; rest == 1 && m.Report.Bias {
		w.note = fmt.Sprintf("A cut through the space of 3 weights at the bias w0 = %s; without a bias (--no-bias) all lines meet in the origin.", minus(fmt.Sprintf("%.4g", w.b)))
	} else if rest > 0 {
		w.note = fmt.Sprintf("A cut through the space of %d weights: the other %d are those of the learner.", rest+2, rest)
	}
	return w, nil
}

func heaviestTwo(w []float64) [2]int {
	at := [2]int{0, 1}
	if math.Abs(w[1]) > math.Abs(w[0]) {
		at = [2]int{1, 0}
	}
	for j := 2; j < len(w); j++ {
		switch v := math.Abs(w[j]); {
		case v > math.Abs(w[at[0]]):
			at = [2]int{j, at[0]}
		case v > math.Abs(w[at[1]]):
			at[1] = j
		}
	}
	return [2]int{min(at[0], at[1]), max(at[0], at[1])}
}

// constraints are the half-planes that the examples allow.
func (w *weightPlane) constraints(s *data.Set) []half {
	fixed := append([]float64(nil), w.w...)
	bias := w.b
	for _, j := range w.axes {
		if j < 0 {
			bias = 0
		} else {
			fixed[j] = 0
		}
	}
	var out []half
	for i := range s.Len() {
		x := s.Row(i)
		value := func(j int) float64 {
			if j < 0 {
				return 1
			}
			e := make([]float64, j+1)
			e[j] = 1
			return vec.Dot(e, x.Trim(j+1))
		}
		h := half{value(w.axes[0]), value(w.axes[1]), vec.Dot(fixed, x) + bias}
		if s.Class(i) == 1 {
			h = h.flipped()
		}
		out = append(out, h)
	}
	return out
}

// mostConstraints is how many lines can be told apart.
const mostConstraints = 150

// constraints draws a line an example, with an arrow along x or y·x.
func (q *panel) constraints(s *data.Set, all []half, normalised bool) {
	every := (len(all) + mostConstraints - 1) / mostConstraints
	for i := 0; i < len(all); i += every {
		c := s.Class(i)
		ends := border(q.corners(), all[i])
		if ends == nil {
			continue
		}
		colour := q.col.class(c)
		width := 1.6
		if len(all) > 40 {
			colour, width = colour.faded(0.5), 1
		}
		q.Base.line(colour, width, constraintDash(c), q.places(ends))
		if len(all) > 40 {
			continue
		}
		// Where along the line, so that arrows of neighbours stand apart.
		t := 0.2 + 0.6*float64(i%5)/4
		from := Point{ends[0].X + t*(ends[1].X-ends[0].X), ends[0].Y + t*(ends[1].Y-ends[0].Y)}
		norm := math.Hypot(all[i].a, all[i].b)
		sign := 1.0
		if !normalised && c == 1 {
			sign = -1
		}
		length := sign * 0.1 * (q.x.high - q.x.low) / norm
		q.Base.arrow(q.at(from.X, from.Y), q.at(from.X+length*all[i].a, from.Y+length*all[i].b), colour, 1.4)
	}
}

// star marks weights.
func (p *page) star(l *Layer, at Point) {
	ring := make([]Point, 10)
	for i := range ring {
		r := 8.0
		if i%2 == 1 {
			r = 3.4
		}
		s, c := math.Sincos(-math.Pi/2 + float64(i)*math.Pi/5)
		ring[i] = Point{at.X + r*c, at.Y + r*s}
	}
	l.path(true, ink{fill: p.col.ink, stroke: p.col.ground, width: 1}, ring)
}
