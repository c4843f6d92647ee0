package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/vec"
)

var (
	digitsFigure  = Figure{"digits", "examples as images, such as the 8×8 pixels of digits", NeedSet, drawDigits}
	weightsFigure = Figure{"weights", "the weight vector as an image, or as bars where it is none", NeedModel, drawWeights}
)

// shape is the columns and rows of an image of dim pixels.
func (s *Subject) shape(dim int) (columns, rows int, ok bool) {
	columns = s.Columns
	if columns == 0 {
		columns = int(math.Round(math.Sqrt(float64(dim))))
		if columns*columns != dim || columns < 3 {
			return 0, 0, false
		}
	}
	return columns, dim / columns, dim%columns == 0
}

// drawDigits shows the first examples in a grid.
//
// Source: document 003, the digits of its assignment.
func drawDigits(s *Subject, st Style) (*Drawing, error) {
	dim := s.Set.Dim()
	columns, rows, ok := s.shape(dim)
	if !ok && s.Columns > 0 {
		return nil, misuse("--columns %d does not divide the %d features of %s into rows", s.Columns, dim, s.Name)
	}
	if !ok {
		return nil, misuse("%s has %s, no square image; say how wide it is with --columns N", s.Name, count(dim, "feature"))
	}
	across, down := 8, 5
	if st.Mono {
		across, down = 4, 2
	}
	shown := min(s.Set.Len(), across*down)
	p := newPage(st, "Examples of "+s.Name, fmt.Sprintf("The first %d of %s, %d×%d pixels", shown, count(s.Set.Len(), "example"), columns, rows))
	low, high := math.Inf(1), math.Inf(-1)
	pixels := make([][]float64, shown)
	for i := range pixels {
		pixels[i] = make([]float64, dim)
		vec.Axpy(pixels[i], 1, s.Set.Row(i))
		for _, v := range pixels[i] {
			low, high = min(low, v), max(high, v)
		}
	}
	for i, r := range p.whole().cells(down, across)[:shown] {
		name := ""
		if c := s.Set.Class(i); c >= 0 {
			name = s.Set.Classes()[c]
		}
		p.image(r, name, pixels[i], columns, rows, func(v float64) tone {
			return tone{p.col.ink, math.Round(16*(v-low)/max(high-low, 1e-300)) / 16, false}
		})
	}
	return p.Drawing, nil
}

// tone is how a pixel looks: a colour at a depth from 0 to 1.
type tone struct {
	colour Colour
	depth  float64
	below  bool // for a value below 0
}

// tone is that of a weight from -1 to 1.
func (p *page) tone(v float64) tone {
	return tone{p.col.class(btoi(v < 0)), math.Round(16*math.Abs(v)) / 16, v < 0}
}

// letters are a tone for a terminal, where colour may be missing.
func (t tone) letters() string {
	ladder := []string{"  ", "░░", "▒▒", "▓▓", "██"}
	if t.below {
		ladder = []string{"  ", "··", "--", "==", "##"}
	}
	return ladder[int(math.Ceil(4*t.depth))]
}

// toneEntry is the legend of the deepest tone.
func (p *page) toneEntry(name string, v float64) entry {
	t := p.tone(v)
	if !p.style.Mono {
		return areaEntry(name, t.colour)
	}
	return entry{name, func(l *Layer, at Point) {
		l.text(text{at: Point{at.X, at.Y + 0.35*textSize}, s: t.letters(), anchor: 0.5, colour: t.colour})
	}}
}

// image draws pixels, those of one tone side by side as one, with a name below.
func (p *page) image(r rect, name string, pixels []float64, columns, rows int, of func(float64) tone) {
	r.h -= p.leading(smallSize)
	side := min(r.w/float64(columns), r.h/float64(rows))
	if p.style.Mono { // whole cells: twice as many letters wide as high
		side = max(1, math.Floor(side/cellHigh)) * cellHigh
		r.x, r.y = math.Floor(r.x/cellWide)*cellWide, math.Floor(r.y/cellHigh)*cellHigh
	}
	w, h := side*float64(columns), side*float64(rows)
	left, top := r.x+max(0, (r.w-w)/2), r.y+max(0, (r.h-h)/2)
	if p.style.Mono {
		left, top = math.Floor(left/cellWide)*cellWide, r.y
	}
	runs := map[tone][][]Point{}
	var order []tone
	for j := range rows {
		for i := 0; i < columns; {
			t := of(pixels[j*columns+i])
			from := i
			for i < columns && of(pixels[j*columns+i]) == t {
				i++
			}
			if runs[t] == nil {
				order = append(order, t)
			}
			x, y := left+side*float64(from), top+side*float64(j)
			runs[t] = append(runs[t], box(x, y, side*float64(i-from), side))
			for row := 0.0; p.style.Mono && row < side; row += cellHigh {
				p.Base.text(text{at: Point{x, y + row + 0.7*cellHigh}, s: strings.Repeat(t.letters(), (i-from)*int(side/cellHigh)), colour: t.colour})
			}
		}
	}
	p.Base.text(text{at: Point{left + w/2, top + h + 0.75*p.leading(smallSize)}, s: p.style.fit(name, smallSize, false, r.w), size: smallSize, anchor: 0.5, colour: p.col.ink})
	if p.style.Mono {
		return
	}
	for _, t := range order {
		p.Base.area(p.col.ground.mixed(t.colour, t.depth), runs[t]...)
	}
	p.Base.path(true, ink{stroke: p.col.soft.faded(0.6), width: 1}, box(left, top, w, h))
}

// drawWeights shows which features speak for and against a class.
//
// Source: document 003.
func drawWeights(s *Subject, st Style) (*Drawing, error) {
	m := s.Model
	if len(m.Voters) > 0 {
		return nil, misuse("%s is a vote of %d weight vectors; try --learner averaged", m.Report.Learner, len(m.Voters))
	}
	if m.Hidden() != nil {
		return nil, misuse("the weights of a network are those of its hidden units' outputs; try --figure network")
	}
	dim := m.Weights.Dim()
	columns, rows, ok := s.shape(dim)
	if !ok && s.Columns > 0 {
		return nil, misuse("--columns %d does not divide the %d weights into rows", s.Columns, dim)
	}
	if dim == 0 {
		return nil, misuse("the model has no weights to draw")
	}
	most := 0.0
	for _, w := range m.Weights.W {
		for _, v := range w {
			most = max(most, math.Abs(v))
		}
	}
	most = max(most, 1e-300)
	p := newPage(st, fmt.Sprintf("Weights of %s on %s", s.Learner, s.Name), tally(s))
	names := []string{fmt.Sprintf("speaks for %s", m.Classes[0]), "speaks against it"}
	if len(m.Classes) == 2 {
		names[1] = "speaks for " + m.Classes[1]
	}
	if len(m.Weights.W) > 1 {
		names[0] = "speaks for the class"
	}
	if m.Decision == halfspace.OneVsOne && len(m.Weights.W) > 1 {
		names = []string{"speaks for the first", "speaks for the second"}
	}
	p.legend(p.toneEntry(names[0], 1), p.toneEntry(names[1], -1))
	if !ok {
		return p.bars(s, most)
	}
	p.note(minus(fmt.Sprintf("Deepest colour: ±%.4g. An image of %d×%d weights.", most, columns, rows)))
	n := len(m.Weights.W)
	across := int(math.Ceil(math.Sqrt(float64(n))))
	for k, r := range p.whole().cells((n+across-1)/across, across)[:n] {
		name := ""
		if n > 1 {
			name = m.VectorName(k)
		}
		p.image(r, name, m.Weights.W[k], columns, rows, func(v float64) tone { return p.tone(v / most) })
	}
	return p.Drawing, nil
}

// bars shows the heaviest weights by name, most being the largest.
func (p *page) bars(s *Subject, most float64) (*Drawing, error) {
	m := s.Model
	names := m.MappedFeatures()
	n := len(m.Weights.W)
	across := 1
	if n > 3 {
		across = 3
	}
	room := 20 / ((n + across - 1) / across)
	if len(m.Weights.W[0]) > max(room, 3) {
		p.note(fmt.Sprintf("The %d heaviest of %d weights.", max(room, 3), m.Weights.Dim()))
	}
	for k, r := range p.whole().cells((n+across-1)/across, across)[:n] {
		w := m.Weights.W[k]
		order := make([]int, len(w))
		for j := range order {
			order[j] = j
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(w[b]), math.Abs(w[a])) })
		order = order[:min(len(order), max(room, 3))]
		y := axis{low: -0.6, high: float64(len(order)) - 0.4, down: true}
		for _, j := range order {
			y.names = append(y.names, p.style.fit(names.Name(j), smallSize, false, 0.42*r.w))
		}
		title := ""
		if n > 1 {
			title = m.VectorName(k)
		}
		q := p.panel(r, title, axis{label: "weight", low: -1.08 * most, high: 1.08 * most}, y, false)
		for i, j := range order {
			at := float64(i)
			p.Base.area(p.col.class(btoi(w[j] < 0)), q.places([]Point{{0, at - 0.36}, {w[j], at - 0.36}, {w[j], at + 0.36}, {0, at + 0.36}}))
		}
		p.Base.line(p.col.ink, 1, nil, q.places([]Point{{0, y.low}, {0, y.high}}))
	}
	return p.Drawing, nil
}
