package figure

import "fmt"

var ratesFigure = Figure{"rates", "the effect of the learning rate η: a curve of the cost for each of --rates", NeedRates, drawRates}

// drawRates compares the cost, loop by loop or update by update, of trainings
// that differ in η alone.
//
// Source: documents 000 (task 6) and 004 (choice of η).
func drawRates(s *Subject, st Style) (*Drawing, error) {
	p := newPage(st, fmt.Sprintf("Effect of the rate on %s, %s", s.Learner, s.Name), "Too small a rate is slow; too large a rate overshoots, and the cost swings.")
	var entries []entry
	var curves [][]Point
	dashes := [][]float64{nil, {7, 3}, {2, 3}, {9, 3, 2, 3}}
	for i, r := range s.Runs {
		moments, err := r.History.finish(r.Model)
		if err != nil {
			return nil, err
		}
		curves = append(curves, costs(moments, s))
		t := r.Model.Report.Train
		entries = append(entries, lineEntry(fmt.Sprintf("%s: %s, %d wrong", r.Name, count(r.History.Updates, "update"), t.Errors), p.col.class(i), 2, dashes[i%len(dashes)]))
	}
	p.legend(entries...)
	q := p.costPanel(p.whole(), s, "cost", curves...)
	for i, c := range curves {
		q.curve(&p.Base, p.col.class(i), 2, dashes[i%len(dashes)], c)
		end := c[len(c)-1]
		p.marker(&p.Base, i, 4.5, q.at(end.X, end.Y))
	}
	return p.Drawing, nil
}
