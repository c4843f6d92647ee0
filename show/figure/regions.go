package figure

import (
	"fmt"

	"github.com/halfspace-ml/halfspace"
)

var regionsFigure = Figure{"regions", "the regions of three classes or more, put together from models of two, with the areas of no decision", NeedBinary, drawRegions}

// Binary is models of two classes at a time, for K classes.
type Binary struct {
	Rest  []*halfspace.Model // of each class against the rest
	Pairs []*halfspace.Model // of each pair: 0-1, 0-2, …, 1-2, …
}

// drawRegions shows three ways to many classes: each class against the rest,
// where exactly one must claim a point; each pair, where one class must win
// more often than any other; and all at once, which decides everywhere.
//
// Source: document 004, multi-class decision boundaries.
func drawRegions(s *Subject, st Style) (*Drawing, error) {
	for _, m := range append(append([]*halfspace.Model{s.Model}, s.Binary.Rest...), s.Binary.Pairs...) {
		if !linear(m) {
			return nil, misuse("the figure regions is of planes in the data's own features; leave out --map, and choose a learner that is neither voted nor a network")
		}
	}
	v, err := newView(s.Set, s.Features)
	if err != nil {
		return nil, err
	}
	p := newPage(st, fmt.Sprintf("Regions of %d classes, %s on %s", len(s.Set.Classes()), s.Learner, s.Name), "")
	p.legend(append(p.classEntries(s.Set), areaEntry("no decision", p.undecided()))...)
	p.note(v.note)
	parts := p.whole().cells(2, 2)
	rest, pairs := s.Binary.planes(v)
	k := len(s.Set.Classes())
	q := p.panel(parts[0], "each class against the rest", v.x, v.y, v.alike)
	q.decided(rest, func(sides []bool) int { return onlyOne(sides) })
	q.scatter(&p.Base, v, s.Set)
	q = p.panel(parts[1], "each against each", v.x, v.y, v.alike)
	q.decided(pairs, func(sides []bool) int { return mostWins(sides, k) })
	q.scatter(&p.Base, v, s.Set)
	q = p.panel(parts[2], "all at once: "+s.Model.Report.Learner, v.x, v.y, v.alike)
	q.regions(&p.Base, &p.Base, v, s.Model)
	q.scatter(&p.Base, v, s.Set)
	p.wins(parts[3], s)
	return p.Drawing, nil
}

func (p *page) undecided() Colour { return p.col.ink.faded(0.45) }

// planes are the lines of the models on a view.
func (b *Binary) planes(v *view) (rest, pairs []half) {
	for _, m := range b.Rest {
		rest = append(rest, v.half(m.Weights.W[0], m.Weights.Bias[0]))
	}
	for _, m := range b.Pairs {
		pairs = append(pairs, v.half(m.Weights.W[0], m.Weights.Bias[0]))
	}
	return rest, pairs
}

// decided fills the cells that the lines cut the frame into, by what is decided
// from the sides of all lines.
func (q *panel) decided(lines []half, decide func(sides []bool) int) {
	sides := make([]bool, len(lines))
	for _, c := range pieces(q.corners(), lines) {
		at := centre(c)
		for i, h := range lines {
			sides[i] = h.value(at) >= 0
		}
		colour := q.undecided()
		if class := decide(sides); class >= 0 {
			colour = q.col.class(class).faded(regionOpacity)
		}
		q.Base.area(colour, q.places(c))
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

// onlyOne is the class that alone says yes; -1 if none or several do.
func onlyOne(yes []bool) int {
	class := -1
	for c, y := range yes {
		if y && class >= 0 {
			return -1
		}
		if y {
			class = c
		}
	}
	return class
}

// mostWins is the class that wins most pairs; -1 if several win as many.
func mostWins(sides []bool, k int) int {
	wins := make([]int, k)
	i := 0
	for a := range k {
		for b := a + 1; b < k; b++ {
			if sides[i] {
				wins[a]++
			} else {
				wins[b]++
			}
			i++
		}
	}
	best, alone := 0, true
	for c := 1; c < k; c++ {
		switch {
		case wins[c] > wins[best]:
			best, alone = c, true
		case wins[c] == wins[best]:
			alone = false
		}
	}
	if !alone {
		return -1
	}
	return best
}

// wins tells in words how many examples each way decides, and wrongly.
func (p *page) wins(r rect, s *Subject) {
	rest, pairs := [3]int{}, [3]int{} // right, wrong, undecided
	count3 := func(t *[3]int, got, want int) {
		switch got {
		case want:
			t[0]++
		case -1:
			t[2]++
		default:
			t[1]++
		}
	}
	k := len(s.Set.Classes())
	sides := func(models []*halfspace.Model, i int) []bool {
		out := make([]bool, len(models))
		for j, m := range models {
			out[j] = m.Weights.Score(0, s.Set.Row(i)) >= 0
		}
		return out
	}
	for i := range s.Set.Len() {
		c := s.Set.Class(i)
		count3(&rest, onlyOne(sides(s.Binary.Rest, i)), c)
		count3(&pairs, mostWins(sides(s.Binary.Pairs, i), k), c)
	}
	all := s.Model.Report.Train
	rows := [][]string{
		{"examples", "right", "wrong", "undecided"},
		{"against rest", fmt.Sprint(rest[0]), fmt.Sprint(rest[1]), fmt.Sprint(rest[2])},
		{"pairs", fmt.Sprint(pairs[0]), fmt.Sprint(pairs[1]), fmt.Sprint(pairs[2])},
		{"all at once", fmt.Sprint(all.Examples - all.Errors), fmt.Sprint(all.Errors), "0"},
	}
	p.table(r, rows)
}

// table writes rows of cells, the first column to the left, the others to the
// right, in the middle of r.
func (p *page) table(r rect, rows [][]string) {
	row := p.leading(textSize) * 1.25
	if p.style.Mono {
		row = cellHigh
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
