package figure

import (
	"fmt"
	"math"
	"strings"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
)

var (
	networkFigure = Figure{"network", "a network: its regions, the lines of its hidden units, and its units with their weights", NeedModel, drawNetwork}
	gatesFigure   = Figure{"gates", "AND, OR, NAND and NOR by one unit each, XOR by a network of them with its two lines; no DATA", NeedGates, drawGates}
)

// GateUnit is a gate as a model, beside its truth table.
type GateUnit struct {
	Name  string
	Set   *data.Set
	Model *halfspace.Model
}

// drawNetwork shows what hidden units are for: each draws a line, and the
// output puts regions together from them.
//
// Source: document 004, limitations of linear decision boundaries.
func drawNetwork(s *Subject, st Style) (*Drawing, error) {
	m := s.Model
	if m.Hidden() == nil {
		return nil, misuse("the figure network is of a model with hidden units, and %s has none; add --learner network, or try --figure boundary", m.Report.Learner)
	}
	if len(m.Maps) > 1 {
		return nil, misuse("the figure network draws the lines of hidden units in the data's own features, and --map made others; leave the map out")
	}
	v, err := newView(s.Set, s.Features)
	if err != nil {
		return nil, err
	}
	p := newPage(st, fmt.Sprintf("%s on %s", s.Learner, s.Name), tally(s))
	p.legend(append(p.classEntries(s.Set), lineEntry("boundary", p.col.ink, 1.6, nil), lineEntry("a hidden unit changes sides", p.col.yes, 1.6, []float64{6, 4}),
		lineEntry("weight above 0", p.col.class(0), 2, nil), lineEntry("below 0", p.col.class(1), 2, []float64{5, 3}))...)
	p.note(strings.TrimSpace(v.note + " " + crowdNote(s.Set)))
	parts := p.whole().columns(3, 2)
	q := p.panel(parts[0], "", v.x, v.y, v.alike)
	q.network(v, s.Set, m)
	p.units(parts[1], m, nil)
	return p.Drawing, nil
}

// network draws regions, the hidden units' lines and the examples.
func (q *panel) network(v *view, s *data.Set, m *halfspace.Model) {
	q.regions(&q.Base, &q.Base, v, m)
	l := m.Hidden()
	for k := range l.W {
		q.boundary(&q.Base, v.half(l.W[k], l.Bias[k]), q.col.yes, 1.6, []float64{6, 4})
	}
	q.scatter(&q.Base, v, s)
}

// mostUnits is how many units of a layer are drawn.
const mostUnits = 9

// units draws the units of a network with one hidden layer as discs, and the
// weights between them as lines, the thicker the heavier. Names are those of
// the units, hidden first; nil: h1, h2, …
func (p *page) units(r rect, m *halfspace.Model, names []string) {
	l := m.Hidden()
	shown := min(len(l.W), mostUnits)
	if shown < len(l.W) {
		p.Base.text(text{at: Point{r.x + r.w/2, r.y + r.h - 4}, s: fmt.Sprintf("%d of %d hidden units", shown, len(l.W)), size: smallSize, anchor: 0.5, colour: p.col.soft})
		r.h -= 2 * p.leading(smallSize)
	}
	inputs := min(l.In, mostUnits)
	column := func(x float64, n int) []Point {
		at := make([]Point, n)
		for i := range at {
			at[i] = Point{r.x + x*r.w, r.y + r.h*(float64(i)+0.5)/float64(n)}
		}
		return at
	}
	in, hidden, out := column(0.1, inputs), column(0.5, shown), column(0.85, len(m.Weights.W))
	most := heaviest(l, m)
	few := shown <= 3 && inputs <= 3 && len(out) == 1
	for k := range hidden {
		for j := range in {
			p.weight(in[j], hidden[k], l.W[k][j], most, few)
		}
		for o := range out {
			p.weight(hidden[k], out[o], m.Weights.W[o][k], most, few)
		}
	}
	size := 20.0
	if !few {
		size = 12
	}
	for j := range in {
		p.unit(in[j], size, m.Features.Name(j), "", false)
	}
	for k := range hidden {
		name := fmt.Sprintf("h%d", k+1)
		if names != nil {
			name = names[k]
		}
		p.unit(hidden[k], size, name, bias(l.Bias[k], few), 2*k < len(hidden))
	}
	for o := range out {
		name := "out"
		if names != nil {
			name = names[len(hidden)]
		} else if len(out) > 1 {
			name = m.Classes[o]
		}
		p.unit(out[o], size, name, bias(m.Weights.Bias[o], few), false)
	}
}

func bias(b float64, few bool) string {
	if !few {
		return ""
	}
	return minus(fmt.Sprintf("w0 = %.3g", b))
}

// heaviest is the largest weight of each layer.
func heaviest(l *prep.Layer, m *halfspace.Model) float64 {
	most := 1e-300
	for _, layer := range [][][]float64{l.W, m.Weights.W} {
		for _, w := range layer {
			for _, v := range w {
				most = max(most, math.Abs(v))
			}
		}
	}
	return most
}

// weight is the line of a weight, with its number if there are few.
func (p *page) weight(a, b Point, w, most float64, few bool) {
	c, d := p.col.class(0), []float64(nil)
	if w < 0 {
		c, d = p.col.class(1), []float64{5, 3}
	}
	p.Base.line(c, 0.6+2.4*math.Abs(w)/most, d, []Point{a, b})
	if few {
		at := Point{a.X + 0.36*(b.X-a.X), a.Y + 0.36*(b.Y-a.Y)}
		p.Base.text(text{at: Point{at.X, at.Y + 0.35*smallSize}, s: minus(fmt.Sprintf("%.3g", w)), size: smallSize, anchor: 0.5, colour: p.col.ink, halo: p.col.ground})
	}
}

// unit is a disc with its name in it, or beside if it is long, and its bias
// above or below, where no weight's line leaves.
func (p *page) unit(at Point, r float64, name, bias string, above bool) {
	p.Base.discs(r, ink{fill: p.col.ground, stroke: p.col.ink, width: 1.4}, at)
	y, step := at.Y+r+0.95*p.leading(smallSize), p.leading(smallSize)
	if above {
		y, step = at.Y-r-5, -step
	}
	if p.style.width(name, smallSize, false) <= 2*r-2 {
		p.Base.text(text{at: Point{at.X, at.Y + 0.35*smallSize}, s: name, size: smallSize, anchor: 0.5, colour: p.col.ink})
	} else {
		p.Base.text(text{at: Point{at.X, y}, s: p.style.fit(name, smallSize, false, 90), size: smallSize, anchor: 0.5, colour: p.col.ink, halo: p.col.ground})
		y += step
	}
	p.Base.text(text{at: Point{at.X, y}, s: bias, size: smallSize, anchor: 0.5, colour: p.col.soft, halo: p.col.ground})
}

// drawGates shows the gates, and XOR as AND of OR and NAND.
//
// Source: document 004.
func drawGates(s *Subject, st Style) (*Drawing, error) {
	p := newPage(st, "Gates by threshold units", "One unit draws one line; XOR needs two: it is AND of OR and NAND")
	p.legend(append(p.classEntries(s.Gates[0].Set), lineEntry("boundary", p.col.ink, 2, nil), lineEntry("lines of OR and NAND", p.col.yes, 1.6, []float64{6, 4}))...)
	parts := p.whole().cells(2, 3)
	for i, g := range s.Gates {
		v, err := newView(g.Set, nil)
		if err != nil {
			return nil, err
		}
		v.x.low, v.x.high, v.y.low, v.y.high = -0.45, 1.45, -0.45, 1.45
		q := p.panel(parts[i], g.Name, v.x, v.y, true)
		if g.Model.Hidden() != nil {
			q.network(v, g.Set, g.Model)
			p.units(parts[i+1], g.Model, []string{"OR", "NAND", "AND"})
			continue
		}
		q.regions(&p.Base, &p.Base, v, g.Model)
		q.scatter(&p.Base, v, g.Set)
	}
	return p.Drawing, nil
}
