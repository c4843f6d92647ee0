package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

var (
	rocFigure         = Figure{"roc", "the ROC curve: hits against false alarms as the threshold moves", NeedTwo, drawROC}
	prFigure          = Figure{"pr", "the precision-recall curve", NeedTwo, drawPR}
	calibrationFigure = Figure{"calibration", "how often what is given a probability comes true", NeedTwo, drawCalibration}
)

// cut is what a threshold just below a score gives: examples of class 0 and of
// class 1 that score above it.
type cut struct{ hits, alarms, score float64 }

// cuts are those of all thresholds, from the highest down; examples with equal
// scores fall together. The first is above all scores.
func (s *Subject) cuts(figure string) (all []cut, positives, negatives float64, err error) {
	if err := s.twoClasses(figure); err != nil {
		return nil, 0, 0, err
	}
	order := make([]int, len(s.Scores))
	for i := range order {
		order[i] = i
		if math.IsNaN(s.Scores[i]) {
			return nil, 0, 0, misuse("the score of an example is not a number; look at the model with 'halfspace show'")
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Scores[b], s.Scores[a]) })
	at := cut{score: math.Inf(1)}
	all = []cut{at}
	for k, i := range order {
		if s.Positive[i] {
			at.hits++
		} else {
			at.alarms++
		}
		if at.score = s.Scores[i]; k+1 == len(order) || s.Scores[order[k+1]] != at.score {
			all = append(all, at)
		}
	}
	if at.hits == 0 || at.alarms == 0 {
		return nil, 0, 0, misuse("%s has examples of one class only, and the figure %s is about telling two apart", s.Judged, figure)
	}
	return all, at.hits, at.alarms, nil
}

// rates are axes of shares.
func rates(x, y string) (axis, axis) {
	return axis{label: x, low: -0.02, high: 1.02}, axis{label: y, low: -0.02, high: 1.02}
}

func drawROC(s *Subject, st Style) (*Drawing, error) {
	all, positives, negatives, err := s.cuts("roc")
	if err != nil {
		return nil, err
	}
	curve := make([]Point, len(all))
	area := 0.0
	for i, c := range all {
		curve[i] = Point{c.alarms / negatives, c.hits / positives}
		if i > 0 {
			area += (curve[i].X - curve[i-1].X) * (curve[i].Y + curve[i-1].Y) / 2
		}
	}
	name := s.Set.Classes()[0]
	p := newPage(st, fmt.Sprintf("ROC of %s", s.Learner), fmt.Sprintf("On %s: %.0f of %s, %.0f others; area under the curve %.4f", s.Judged, positives, name, negatives, area))
	p.legend(lineEntry("as the threshold falls", p.col.series[1], 2.2, nil), entry{"threshold 0", func(l *Layer, at Point) { p.marker(l, 0, 5, at) }},
		lineEntry("by chance", p.col.soft, 1.2, []float64{4, 3}))
	x, y := rates("false alarms: share of the others called "+name, "hits: share of "+name+" found")
	q := p.panel(p.whole(), "", x, y, false)
	p.Base.line(p.col.soft, 1.2, []float64{4, 3}, q.places([]Point{{0, 0}, {1, 1}}))
	q.curve(&p.Base, p.col.series[1], 2.2, nil, curve)
	p.marker(&p.Base, 0, 5, q.places([]Point{curve[atZero(all)]})...)
	return p.Drawing, nil
}

// atZero is the last cut with a score above 0 or on it.
func atZero(all []cut) int {
	k := 0
	for i, c := range all {
		if c.score >= 0 {
			k = i
		}
	}
	return k
}

func drawPR(s *Subject, st Style) (*Drawing, error) {
	all, positives, negatives, err := s.cuts("pr")
	if err != nil {
		return nil, err
	}
	var curve []Point
	average := 0.0
	for i, c := range all[1:] {
		precision := c.hits / (c.hits + c.alarms)
		if i == 0 {
			curve = append(curve, Point{0, precision})
		}
		average += (c.hits/positives - curve[len(curve)-1].X) * precision
		curve = append(curve, Point{c.hits / positives, precision})
	}
	name := s.Set.Classes()[0]
	p := newPage(st, fmt.Sprintf("Precision and recall of %s", s.Learner), fmt.Sprintf("On %s: %.0f of %s, %.0f others; average precision %.4f", s.Judged, positives, name, negatives, average))
	p.legend(lineEntry("as the threshold falls", p.col.series[1], 2.2, nil), entry{"threshold 0", func(l *Layer, at Point) { p.marker(l, 0, 5, at) }},
		lineEntry("by chance", p.col.soft, 1.2, []float64{4, 3}))
	x, y := rates("recall: share of "+name+" found", "precision: share of what is called "+name+" that is")
	q := p.panel(p.whole(), "", x, y, false)
	base := positives / (positives + negatives)
	p.Base.line(p.col.soft, 1.2, []float64{4, 3}, q.places([]Point{{0, base}, {1, base}}))
	q.curve(&p.Base, p.col.series[1], 2.2, nil, curve)
	p.marker(&p.Base, 0, 5, q.places([]Point{curve[atZero(all)]})...)
	return p.Drawing, nil
}

// drawCalibration puts examples into ten bins by the probability that the model
// gives class 0, and compares with how many are of it. Without probabilities
// the score is taken for log-odds.
func drawCalibration(s *Subject, st Style) (*Drawing, error) {
	if _, _, _, err := s.cuts("calibration"); err != nil {
		return nil, err
	}
	const bins = 10
	var said, came, held [bins]float64
	for i, z := range s.Scores {
		prob := 1 / (1 + math.Exp(-z))
		if s.Proba != nil {
			prob = s.Proba[i]
		}
		k := min(bins-1, int(bins*prob))
		held[k]++
		said[k] += prob
		if s.Positive[i] {
			came[k]++
		}
	}
	var curve []Point
	off, most := 0.0, 0.0
	for k := range bins {
		if held[k] > 0 {
			curve = append(curve, Point{said[k] / held[k], came[k] / held[k]})
			off += math.Abs(said[k] - came[k])
			most = max(most, held[k])
		}
	}
	name := s.Set.Classes()[0]
	p := newPage(st, fmt.Sprintf("Calibration of %s", s.Learner), fmt.Sprintf("On %s; expected calibration error %.4f", s.Judged, off/float64(len(s.Scores))))
	p.legend(p.errorEntry("ten bins", 1), lineEntry("as it should be", p.col.soft, 1.2, []float64{4, 3}))
	if s.Proba == nil {
		p.note("The model gives no probabilities; its score z is taken for log-odds, 1/(1 + exp(−z)).")
	}
	parts := p.whole().rows(5, 2)
	p.gutter = p.gap(60)
	x, y := rates("", "share that are "+name)
	q := p.panel(parts[0], "", x, y, false)
	p.Base.line(p.col.soft, 1.2, []float64{4, 3}, q.places([]Point{{0, 0}, {1, 1}}))
	q.curve(&p.Base, p.col.series[1], 2, nil, curve)
	p.marker(&p.Base, 1, 4, q.places(curve)...)
	x.label = "probability given to " + name
	low := p.panel(parts[1], "", x, axis{label: "examples", low: 0, high: 1.1 * most, whole: true}, false)
	for k := range bins {
		from, to := float64(k)/bins+0.005, float64(k+1)/bins-0.005
		p.Base.area(p.col.series[1].faded(0.6), low.places([]Point{{from, 0}, {to, 0}, {to, held[k]}, {from, held[k]}}))
	}
	return p.Drawing, nil
}
