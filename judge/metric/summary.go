package metric

import (
	"context"
	"math"

	"github.com/halfspace-ml/halfspace"
)

// Summary is the usual figures. Those that do not exist are nil. Errors are
// counted; all else is by weight where the examples have weights.
type Summary struct {
	halfspace.Tally
	Weighted         bool       `json:"weighted,omitempty"`
	Accuracy         float64    `json:"accuracy"`
	Balanced         float64    `json:"balanced_accuracy"`
	Matthews         float64    `json:"matthews"`
	Kappa            *float64   `json:"kappa,omitempty"`
	AUC              *float64   `json:"auc,omitempty"` // two classes
	AveragePrecision *float64   `json:"average_precision,omitempty"`
	LogLoss          *float64   `json:"log_loss,omitempty"` // models with probabilities
	Brier            *float64   `json:"brier,omitempty"`
	CalibrationError *float64   `json:"calibration_error,omitempty"`
	Reliability      []Bin      `json:"reliability,omitempty"`
	Macro            Rates      `json:"macro"`
	ByWeight         Rates      `json:"weighted_mean"` // of the classes, by how many examples they have
	Classes          []PerClass `json:"classes"`
	Confusion        Confusion  `json:"confusion"`        // [true][predicted]
	Absent           []Absence  `json:"absent,omitempty"` // what does not exist, and why
}

// PerClass is the figures of one class against the rest.
type PerClass struct {
	Class    string `json:"class"`
	Examples int    `json:"examples"`
	Rates
	AUC              *float64 `json:"auc,omitempty"`
	AveragePrecision *float64 `json:"average_precision,omitempty"`
}

// Absence is a figure that does not exist.
type Absence struct {
	Figure string `json:"figure"`
	Class  string `json:"class,omitempty"`
	Why    string `json:"why"`
}

// Bins is how many bins the reliability of a summary has.
const Bins = 10

// Summarise computes the figures.
func Summarise(o *Outcomes) Summary {
	c := Confuse(o.True, o.Predicted, o.Weight, len(o.Classes))
	s := Summary{Tally: o.tally(), Weighted: o.Weight != nil, Confusion: c, Macro: c.Macro(), ByWeight: c.ByWeight()}
	note := func(figure string) func(v float64, err error) *float64 {
		return func(v float64, err error) *float64 {
			if err != nil && err != NoProba {
				s.Absent = append(s.Absent, Absence{Figure: figure, Why: err.Error()})
			}
			return known(v, err)
		}
	}
	s.Accuracy, _ = mean(len(o.True), o.Weight, o.right)
	s.Balanced, _ = c.Balanced()
	s.Matthews, _ = c.Matthews()
	s.Kappa = note("kappa")(c.Kappa())
	s.perClass(o)
	if len(o.Classes) == 2 {
		s.AUC, s.AveragePrecision = s.Classes[0].AUC, s.Classes[0].AveragePrecision
	}
	s.LogLoss = note("log_loss")(LogLoss(o.True, o.Proba, o.Weight))
	s.Brier = note("brier")(Brier(o.True, o.Proba, o.Weight))
	if bins, err := o.Reliability(Bins); err == nil {
		s.Reliability = bins
		s.CalibrationError = known(CalibrationError(bins))
	}
	return s
}

// right is 1 where the model counts no error.
func (o *Outcomes) right(i int) float64 {
	if o.Wrong[i] {
		return 0
	}
	return 1
}

func (o *Outcomes) tally() halfspace.Tally {
	t := halfspace.Tally{Examples: len(o.True)}
	for i, wrong := range o.Wrong {
		if wrong {
			t.Errors++
		}
		if o.Boundary[i] {
			t.Boundary++
		}
		if o.Undecided != nil && o.Undecided[i] {
			t.Undecided++
		}
	}
	t.Error = ratio(float64(t.Errors), float64(t.Examples))
	return t
}

func (s *Summary) perClass(o *Outcomes) {
	examples := make([]int, len(o.Classes))
	for _, t := range o.True {
		examples[t]++
	}
	rankings := o.rankings()
	for k, r := range s.Confusion.Rates() {
		p := PerClass{Class: o.Classes[k], Examples: examples[k], Rates: r}
		a := rankings[k].areas(o.Weight)
		p.AUC, p.AveragePrecision = known(a.auc, a.noAUC), known(a.precision, a.noPrecision)
		if a.noAUC != nil {
			s.Absent = append(s.Absent, Absence{"auc", p.Class, a.noAUC.Error()})
		}
		s.Classes = append(s.Classes, p)
	}
}

// Figure is a number with its interval.
type Figure struct {
	Name  string  `json:"figure"`
	Class string  `json:"class,omitempty"`
	Value float64 `json:"value"`
	Interval
	By string `json:"by"` // wilson or bootstrap
}

// Intervals are the figures of a summary that exist, each with its interval:
// Wilson's for rates, else the bootstrap's. The calibration error has none: in
// samples of samples it is always larger.
func Intervals(ctx context.Context, o *Outcomes, b Bootstrap) ([]Figure, error) {
	drawn, err := o.bootstrap(ctx, b)
	if err != nil {
		return nil, err
	}
	return append(o.wilson(b.Level), drawn...), nil
}

// wilson is the rates: shares of all examples, or of those of a class.
func (o *Outcomes) wilson(level float64) []Figure {
	var out []Figure
	add := func(name, class string, counts func(i int) bool, hit func(i int) bool) {
		var hits, all float64
		for i := range o.True {
			if counts(i) {
				w := weightOf(o.Weight, i)
				all += w
				if hit(i) {
					hits += w
				}
			}
		}
		rate := ratio(hits, all)
		if span, err := Wilson(rate, Effective(len(o.True), o.Weight, counts), level); err == nil {
			out = append(out, Figure{name, class, rate, span, "wilson"})
		}
	}
	every := func(int) bool { return true }
	add("error", "", every, func(i int) bool { return o.Wrong[i] })
	add("accuracy", "", every, func(i int) bool { return !o.Wrong[i] })
	for k, class := range o.Classes {
		truly := func(i int) bool { return o.True[i] == k }
		predicted := func(i int) bool { return o.Predicted[i] == k }
		add("precision", class, predicted, truly)
		add("recall", class, truly, predicted)
	}
	return out
}

// panel computes figures again and again under other weights.
type panel struct {
	o           *Outcomes
	rankings    []*Ranking // by class
	loss, brier []float64  // of every example; nil: no probabilities
	names       []Figure   // without values
}

func (o *Outcomes) bootstrap(ctx context.Context, b Bootstrap) ([]Figure, error) {
	p := newPanel(o)
	values := make([]float64, len(p.names))
	p.fill(o.Weight, values)
	spans, err := b.Intervals(ctx, len(o.True), o.Weight, len(p.names), p.fill)
	if err != nil {
		return nil, err
	}
	var out []Figure
	for f, figure := range p.names {
		if spans[f] != nil && !math.IsNaN(values[f]) {
			figure.Value, figure.Interval, figure.By = values[f], *spans[f], "bootstrap"
			out = append(out, figure)
		}
	}
	return out, nil
}

func newPanel(o *Outcomes) *panel {
	p := &panel{o: o, rankings: o.rankings()}
	for _, name := range []string{"balanced_accuracy", "matthews", "kappa", "macro_f1", "weighted_f1"} {
		p.names = append(p.names, Figure{Name: name})
	}
	for _, class := range o.Classes {
		p.names = append(p.names, Figure{Name: "f1", Class: class})
	}
	for _, class := range o.Classes {
		p.names = append(p.names, Figure{Name: "auc", Class: class}, Figure{Name: "average_precision", Class: class})
	}
	for i, proba := range o.Proba {
		p.loss = append(p.loss, logLossOf(proba, o.True[i]))
		p.brier = append(p.brier, brierOf(proba, o.True[i]))
	}
	if o.Proba != nil {
		p.names = append(p.names, Figure{Name: "log_loss"}, Figure{Name: "brier"})
	}
	return p
}

// fill writes the figures in the order of the names, NaN where there is none.
func (p *panel) fill(weight, out []float64) {
	at := 0
	put := func(v float64, err error) {
		out[at] = v
		if err != nil {
			out[at] = math.NaN()
		}
		at++
	}
	c := Confuse(p.o.True, p.o.Predicted, weight, len(p.o.Classes))
	put(c.Balanced())
	put(c.Matthews())
	put(c.Kappa())
	put(c.Macro().F1, nil)
	put(c.ByWeight().F1, nil)
	for _, r := range c.Rates() {
		put(r.F1, nil)
	}
	for _, r := range p.rankings {
		a := r.areas(weight)
		put(a.auc, a.noAUC)
		put(a.precision, a.noPrecision)
	}
	if p.o.Proba != nil {
		put(mean(len(p.loss), weight, func(i int) float64 { return p.loss[i] }))
		put(mean(len(p.brier), weight, func(i int) float64 { return p.brier[i] }))
	}
}
