package figure

import "fmt"

var lossFigure = Figure{"loss", "the loss or cost at every step", NeedSteps, drawLoss}

// drawLoss shows the loss that the learner tells or, of one that tells none,
// the perceptron cost (1/n) Σ max(0, −y·z), and the share of wrong examples.
//
// Source: document 000 (task 4).
func drawLoss(s *Subject, st Style) (*Drawing, error) {
	moments, err := s.History.finish(s.Model)
	if err != nil {
		return nil, err
	}
	curve := costs(moments, s)
	what := "loss as the learner counts it"
	if !moments[0].HasLoss {
		what = "perceptron cost, mean of max(0, −y·z)"
	}
	p := newPage(st, fmt.Sprintf("Loss of %s on %s", s.Learner, s.Name),
		fmt.Sprintf("%s in %s; %s", count(s.History.Updates, "update"), count(s.Model.Report.Epochs, "loop"), tally(s)))
	errors := make([]Point, len(moments))
	for i, m := range moments {
		_, wrong := cost(m.Model, s.Set)
		errors[i] = Point{float64(m.Step), float64(wrong) / float64(s.Set.Len())}
	}
	p.legend(lineEntry(what, p.col.series[1], 2, nil), lineEntry("share of examples that are wrong", p.col.series[0], 2, []float64{6, 3}))
	parts := p.whole().rows(1, 1)
	p.gutter = p.gap(60)
	upper := p.costPanel(parts[0], s, "loss", curve)
	upper.curve(&p.Base, p.col.series[1], 2, nil, curve)
	lower := p.costPanel(parts[1], s, "share wrong", errors)
	lower.curve(&p.Base, p.col.series[0], 2, []float64{6, 3}, errors)
	return p.Drawing, nil
}
