package figure

import (
	"fmt"

	"github.com/halfspace-ml/halfspace"
)

var costFigure = Figure{"cost", "the true cost (how many are wrong) against the perceptron cost, along the way from start to end", NeedSteps, drawCost}

// drawCost walks straight from the first weights to the last and beyond,
//
//	w(t) = (1−t)·w[0] + t·w[end],
//
// and shows ½ Σ |y − ŷ|, which has steps and no slope to go down, above
// Σ max(0, −y·z), which is an approximation that has one.
//
// Source: document 004, perceptron criterion.
func drawCost(s *Subject, st Style) (*Drawing, error) {
	moments, err := s.History.finish(s.Model)
	if err != nil {
		return nil, err
	}
	first, last := moments[0].Model, s.Model
	if last.Hidden() != nil || len(last.Voters) > 0 {
		return nil, misuse("the figure cost walks from the first weights to the last, and %s has no one vector of them; try --figure loss", last.Report.Learner)
	}
	const steps = 400
	truth, approximation := make([]Point, 0, 2*steps), make([]Point, 0, steps)
	for i := range steps + 1 {
		t := -0.5 + 2*float64(i)/steps
		loss, wrong := cost(between(first, last, t), s.Set)
		if n := len(truth); n > 0 && truth[n-1].Y != float64(wrong) { // upright steps
			truth = append(truth, Point{t, truth[n-1].Y})
		}
		truth = append(truth, Point{t, float64(wrong)})
		approximation = append(approximation, Point{t, loss * float64(s.Set.Len())})
	}
	p := newPage(st, fmt.Sprintf("True cost and perceptron cost, %s on %s", s.Learner, s.Name), "Along w(t) = (1 − t)·w[start] + t·w[end]")
	p.legend(lineEntry("wrong examples", p.col.series[0], 2, nil), lineEntry("perceptron cost, sum of max(0, −y·z)", p.col.series[1], 2, nil),
		lineEntry("start and end", p.col.soft, 1.2, []float64{4, 3}))
	parts := p.whole().rows(1, 1)
	p.gutter = p.gap(60)
	p.along(parts[0], "wrong", truth, p.col.series[0], true)
	p.along(parts[1], "perceptron cost", approximation, p.col.series[1], false)
	return p.Drawing, nil
}

// along draws one cost over t.
func (p *page) along(r rect, label string, curve []Point, c Colour, whole bool) {
	x, y := axis{label: "t (0 = start, 1 = end)", low: -0.5, high: 1.5}, axis{label: label, whole: whole}
	ys := []float64{0}
	for _, v := range curve {
		ys = append(ys, v.Y)
	}
	y.low, y.high = span(ys, 0.08)
	q := p.panel(r, "", x, y, false)
	for _, t := range []float64{0, 1} {
		p.Base.line(p.col.soft, 1.2, []float64{4, 3}, []Point{q.at(t, y.low), q.at(t, y.high)})
	}
	q.curve(&p.Base, c, 2, nil, curve)
}

// between is the model with weights between those of two, or beyond.
func between(a, b *halfspace.Model, t float64) *halfspace.Model {
	m := *b
	m.Weights = a.Weights.Clone()
	for k := range m.Weights.W {
		for j := range m.Weights.W[k] {
			m.Weights.W[k][j] += t * (b.Weights.W[k][j] - a.Weights.W[k][j])
		}
		m.Weights.Bias[k] += t * (b.Weights.Bias[k] - a.Weights.Bias[k])
	}
	return &m
}
