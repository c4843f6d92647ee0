package figure

import (
	"fmt"
	"strings"

	"github.com/halfspace-ml/halfspace"
)

var regionsFigure = Figure{"regions", "the regions of three classes or more, put together from models of two, with the areas of no decision", NeedWays, drawRegions}

// drawRegions shows ways to many classes: each class against the rest, where
// exactly one must claim a point; each against each, where one must win all of
// its duels; and Kesler's, which leaves nothing undecided.
//
// Source: document 004, multi-class decision boundaries.
func drawRegions(s *Subject, st Style) (*Drawing, error) {
	for _, r := range s.Runs {
		if len(r.Model.Maps) > 0 || len(r.Model.Voters) > 0 {
			return nil, misuse("the figure regions is of planes in the data's own features; leave out --map, and choose a learner that is neither voted nor a network")
		}
	}
	v, err := newView(s.Set, s.Features)
	if err != nil {
		return nil, err
	}
	p := newPage(st, fmt.Sprintf("Regions of %d classes, %s on %s", len(s.Set.Classes()), s.Learner, s.Name), "")
	p.legend(append(p.classEntries(s.Set), areaEntry("no decision", p.undecided()))...)
	p.note(strings.TrimSpace(v.note + " Undecided examples are right or wrong by the largest score."))
	parts := p.whole().cells(2, 2)
	rows := [][]string{{"examples", "right", "wrong", "undecided"}}
	for i, r := range s.Runs {
		q := p.panel(parts[i], r.Name, v.x, v.y, v.alike)
		if r.Model.HasUndecided() {
			q.decided(v, r.Model)
		} else {
			q.regions(&p.Base, &p.Base, v, r.Model)
		}
		q.scatter(&p.Base, v, s.Set)
		t := r.Model.Report.Train
		rows = append(rows, []string{fmt.Sprintf("--multi %v", r.Model.Report.Parameters["multi"]), fmt.Sprint(t.Examples - t.Errors), fmt.Sprint(t.Errors), fmt.Sprint(t.Undecided)})
	}
	p.table(parts[len(s.Runs)], rows)
	return p.Drawing, nil
}

func (p *page) undecided() Colour { return p.col.ink.faded(0.45) }

// decided fills the cells that the planes of a model's parts cut the frame into,
// by what the parts say there.
func (q *panel) decided(v *view, m *halfspace.Model) {
	var lines []half
	for k, w := range m.Weights.W {
		lines = append(lines, v.half(w, m.Weights.Bias[k]))
	}
	scorer, x := m.Scorer(), make([]float64, len(v.origin))
	for _, ring := range pieces(q.corners(), lines) {
		class, scores := scorer.Classify(v.lift(centre(ring), x))
		colour := q.col.class(class).faded(regionOpacity)
		if m.Undecided(scores) {
			colour = q.undecided()
		}
		q.Base.area(colour, q.places(ring))
	}
	for _, h := range lines {
		q.boundary(&q.Base, h, q.col.ink.faded(0.8), 1.2, nil)
	}
}

// pieces is the parts that lines cut a convex ring into.
func pieces(ring []Point, lines []half) [][]Point {
	cells := [][]Point{ring}
	for _, h := range lines {
		var next [][]Point
		for _, c := range cells {
			for _, side := range []half{h, h.flipped()} {
				if part := clip(c, side); area(part) > 0 {
					next = append(next, part)
				}
			}
		}
		cells = next
	}
	return cells
}

// centre is a point within a convex ring.
func centre(ring []Point) Point {
	var sum Point
	for _, p := range ring {
		sum.X, sum.Y = sum.X+p.X, sum.Y+p.Y
	}
	n := float64(len(ring))
	return Point{sum.X / n, sum.Y / n}
}

// table writes rows of cells, the first column to the left, the others to the
// right, in the middle of r.
func (p *page) table(r rect, rows [][]string) {
	row := p.leading(textSize)
	if !p.style.Mono {
		row *= 1.25
	}
	first := 0.0
	for _, cells := range rows {
		first = max(first, p.style.width(cells[0], textSize, false))
	}
	columns := float64(len(rows[0]) - 1)
	each := min(p.style.width("undecided", textSize, true)+3*cellWide, (r.w-first)/columns)
	left := r.x + max(0, (r.w-first-each*columns)/2)
	top := r.y + max(0, (r.h-row*float64(len(rows)))/2)
	for i, cells := range rows {
		y := top + row*(float64(i)+0.75)
		for j, s := range cells {
			at, anchor := left, 0.0
			if j > 0 {
				at, anchor = left+first+each*float64(j), 1
			}
			p.Base.text(text{at: Point{at, y}, s: s, size: textSize, anchor: anchor, colour: p.col.ink, bold: i == 0})
		}
	}
}
