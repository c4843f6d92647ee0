package figure

import "fmt"

var (
	rocFigure         = Figure{"roc", "the ROC curve: hits against false alarms as the threshold moves", NeedTwo, drawROC}
	prFigure          = Figure{"pr", "the precision-recall curve", NeedTwo, drawPR}
	calibrationFigure = Figure{"calibration", "how often what is given a probability comes true", NeedTwo, drawCalibration}
)

// Judged is how a model of two classes did on examples.
type Judged struct {
	Name                 string // of the examples
	Positives, Negatives float64
	Cuts                 []Cut // from the highest threshold down; nil: one of the classes is missing
	AUC                  float64
	AveragePrecision     float64
	Bins                 []Bin
	CalibrationError     float64
	Proba                bool // bins are by probabilities of the model; else its score is taken for log-odds
}

// Cut is what a threshold gives.
type Cut struct {
	Threshold    float64
	Alarms, Hits float64 // shares of the negatives and of the positives that score as much or more
}

// Bin is examples that were given about the same probability.
type Bin struct {
	Low, High   float64
	Count       float64
	Said, Share float64 // the mean probability, and the share where it came true
}

// judged refuses examples from which nothing can be told.
func (s *Subject) judged(figure string) (*Judged, error) {
	if err := s.twoClasses(figure); err != nil {
		return nil, err
	}
	if len(s.Judged.Cuts) == 0 {
		return nil, misuse("%s has examples of one class only, and the figure %s is about telling two apart", s.Judged.Name, figure)
	}
	return s.Judged, nil
}

// rates are axes of shares.
func rates(x, y string) (axis, axis) {
	return axis{label: x, low: -0.02, high: 1.02}, axis{label: y, low: -0.02, high: 1.02}
}

func drawROC(s *Subject, st Style) (*Drawing, error) {
	j, err := s.judged("roc")
	if err != nil {
		return nil, err
	}
	curve := make([]Point, len(j.Cuts))
	for i, c := range j.Cuts {
		curve[i] = Point{c.Alarms, c.Hits}
	}
	name := s.Set.Classes()[0]
	p := newPage(st, fmt.Sprintf("ROC of %s", s.Learner), fmt.Sprintf("On %s: %.0f of %s, %.0f others; area under the curve %.4f", j.Name, j.Positives, name, j.Negatives, j.AUC))
	p.legend(lineEntry("as the threshold falls", p.col.series[1], 2.2, nil), entry{"threshold 0", func(l *Layer, at Point) { p.marker(l, 0, 5, at) }},
		lineEntry("by chance", p.col.soft, 1.2, []float64{4, 3}))
	x, y := rates("false alarms: share of the others called "+name, "hits: share of "+name+" found")
	q := p.panel(p.whole(), "", x, y, false)
	p.Base.line(p.col.soft, 1.2, []float64{4, 3}, q.places([]Point{{0, 0}, {1, 1}}))
	q.curve(&p.Base, p.col.series[1], 2.2, nil, curve)
	p.marker(&p.Base, 0, 5, q.places([]Point{curve[atZero(j.Cuts)]})...)
	return p.Drawing, nil
}

// atZero is the last cut with a threshold above 0 or on it.
func atZero(all []Cut) int {
	k := 0
	for i, c := range all {
		if c.Threshold >= 0 {
			k = i
		}
	}
	return k
}

func drawPR(s *Subject, st Style) (*Drawing, error) {
	j, err := s.judged("pr")
	if err != nil {
		return nil, err
	}
	curve := make([]Point, len(j.Cuts))
	for i, c := range j.Cuts {
		hits, alarms := c.Hits*j.Positives, c.Alarms*j.Negatives
		curve[i] = Point{c.Hits, hits / (hits + alarms)}
	}
	curve[0] = Point{0, curve[1].Y} // where nothing is called positive, nothing is wrong or right
	name := s.Set.Classes()[0]
	p := newPage(st, fmt.Sprintf("Precision and recall of %s", s.Learner), fmt.Sprintf("On %s: %.0f of %s, %.0f others; average precision %.4f", j.Name, j.Positives, name, j.Negatives, j.AveragePrecision))
	p.legend(lineEntry("as the threshold falls", p.col.series[1], 2.2, nil), entry{"threshold 0", func(l *Layer, at Point) { p.marker(l, 0, 5, at) }},
		lineEntry("by chance", p.col.soft, 1.2, []float64{4, 3}))
	x, y := rates("recall: share of "+name+" found", "precision: share of what is called "+name+" that is")
	q := p.panel(p.whole(), "", x, y, false)
	base := j.Positives / (j.Positives + j.Negatives)
	p.Base.line(p.col.soft, 1.2, []float64{4, 3}, q.places([]Point{{0, base}, {1, base}}))
	q.curve(&p.Base, p.col.series[1], 2.2, nil, curve)
	p.marker(&p.Base, 0, 5, q.places([]Point{curve[atZero(j.Cuts)]})...)
	return p.Drawing, nil
}

// drawCalibration compares the probability that the model gives class 0 with how
// often it is right, bin by bin.
func drawCalibration(s *Subject, st Style) (*Drawing, error) {
	j, err := s.judged("calibration")
	if err != nil {
		return nil, err
	}
	var curve []Point
	most := 0.0
	for _, b := range j.Bins {
		curve = append(curve, Point{b.Said, b.Share})
		most = max(most, b.Count)
	}
	name := s.Set.Classes()[0]
	p := newPage(st, fmt.Sprintf("Calibration of %s", s.Learner), fmt.Sprintf("On %s; expected calibration error %.4f", j.Name, j.CalibrationError))
	p.legend(p.errorEntry(count(len(j.Bins), "bin"), 1), lineEntry("as it should be", p.col.soft, 1.2, []float64{4, 3}))
	if !j.Proba {
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
	for _, b := range j.Bins {
		from, to := b.Low+0.005, b.High-0.005
		p.Base.area(p.col.series[1].faded(0.6), low.places([]Point{{from, 0}, {to, 0}, {to, b.Count}, {from, b.Count}}))
	}
	return p.Drawing, nil
}
