package figure

import "fmt"

var (
	loopsFigure = Figure{"loops", "training and test error after 1, 2, … loops", NeedLoops, drawErrors}
	firstFigure = Figure{"first", "training and test error after learning from the first n examples", NeedFirst, drawErrors}
)

// Curve is errors over something.
type Curve struct {
	Over           string
	X, Train, Test []float64 // Test may be nil
}

// drawErrors shows the share of wrong examples, training against test.
//
// Source: document 003, tasks 2 and 5.
func drawErrors(s *Subject, st Style) (*Drawing, error) {
	k := s.Curve
	if len(k.X) == 0 {
		return nil, misuse("nothing to draw: no part of %s has examples of every class", s.Name)
	}
	last := len(k.X) - 1
	about := fmt.Sprintf("At the end: training error %.4f", k.Train[last])
	if k.Test != nil {
		about += fmt.Sprintf(", test error %.4f", k.Test[last])
	}
	p := newPage(st, fmt.Sprintf("Error of %s on %s", s.Learner, s.Name), about)
	entries := []entry{p.errorEntry("training error", 1)}
	if k.Test != nil {
		entries = append(entries, p.errorEntry("test error", 0))
	}
	p.legend(entries...)
	if k.Test == nil {
		p.note("--test DATA adds the error on examples that were not learned from.")
	}
	x, y := axis{label: k.Over, whole: true}, axis{label: "error"}
	x.low, x.high = span(k.X, 0.02)
	if k.X[last] > 30*k.X[0] {
		x.log, x.label = true, x.label+" (logarithmic)"
		x.low, x.high = k.X[0]/1.1, k.X[last]*1.1
	}
	y.low, y.high = span(append(append([]float64{0}, k.Train...), k.Test...), 0.05)
	q := p.panel(p.whole(), "", x, y, false)
	q.errors(k.X, k.Train, 1)
	q.errors(k.X, k.Test, 0)
	return p.Drawing, nil
}

func (p *page) errorEntry(name string, c int) entry {
	return entry{name, func(l *Layer, at Point) {
		l.line(p.col.class(c), 2, nil, []Point{{at.X - 10, at.Y}, {at.X + 10, at.Y}})
		p.marker(l, c, 3.5, at)
	}}
}

func (q *panel) errors(x, y []float64, c int) {
	values := make([]Point, len(y))
	for i := range y {
		values[i] = Point{x[i], y[i]}
	}
	q.curve(&q.Base, q.col.class(c), 2, nil, values)
	q.marker(&q.Base, c, 3.5, q.places(values)...)
}
