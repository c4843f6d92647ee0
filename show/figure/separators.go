package figure

import "fmt"

var separatorsFigure = Figure{"separators", "many boundaries for one set: random starts (--runs), or several learners (--learners)", NeedMany, drawSeparators}

// drawSeparators shows that a set that one line separates is separated by many.
//
// Source: documents 001 and 004 (the solution is not unique).
func drawSeparators(s *Subject, st Style) (*Drawing, error) {
	v, err := newView(s.Set, s.Features)
	if err != nil {
		return nil, err
	}
	perfect := 0
	for _, r := range s.Runs {
		if r.Model.Report.Train.Errors == 0 {
			perfect++
		}
	}
	title := fmt.Sprintf("%d learners on %s", len(s.Runs), s.Name)
	if s.Learner != "" {
		title = fmt.Sprintf("%s on %s from %s", s.Learner, s.Name, count(len(s.Runs), "random start"))
	}
	p := newPage(st, title, fmt.Sprintf("%d of %d classify every example rightly", perfect, len(s.Runs)))
	entries := p.classEntries(s.Set)
	if s.Learner == "" {
		for i, r := range s.Runs {
			entries = append(entries, lineEntry(fmt.Sprintf("%s: %d wrong", r.Name, r.Model.Report.Train.Errors), p.separator(s, i), 2, dash(i)))
		}
	} else {
		entries = append(entries, lineEntry("boundary", p.col.yes, 1.8, nil))
		if perfect < len(s.Runs) {
			entries = append(entries, lineEntry("boundary with errors", p.col.soft, 1.4, []float64{5, 4}))
		}
	}
	p.legend(entries...)
	p.note(v.note)
	q := p.panel(p.whole(), "", v.x, v.y, v.alike)
	for i, r := range s.Runs {
		c, d, width := p.separator(s, i), dash(i), 2.0
		if s.Learner != "" {
			c, d, width = p.col.yes, nil, 1.8
			if r.Model.Report.Train.Errors > 0 {
				c, d, width = p.col.soft, []float64{5, 4}, 1.4
			}
		}
		if h, ok := q.line(v, r.Model); ok {
			q.boundary(&p.Base, h, c, width, d)
		} else if !linear(r.Model) {
			p.Base.line(c, width, d, q.sample(v, r.Model, 0).border()...)
		}
	}
	q.scatter(&p.Base, v, s.Set)
	return p.Drawing, nil
}

// separator is the colour of line i: not those of the two classes.
func (p *page) separator(s *Subject, i int) Colour { return p.col.class(2 + i%(len(p.col.series)-2)) }

// dash tells lines apart without colour.
func dash(i int) []float64 { return [][]float64{nil, {8, 4}, {2, 3}, {9, 3, 2, 3}}[i%4] }
