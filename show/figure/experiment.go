package figure

import (
	"fmt"
	"math"
	"slices"
)

// Figures of experiments. They are drawn from numbers alone, so whoever made
// those calls Draw; the list of figures has what plot can train for.

// Sweep is errors over a number or a word, from one training each or from many.
type Sweep struct {
	Title, About, Over string
	X                  []float64
	Words              []string // instead of X
	Series             []Series
}

// Series is one line of a sweep.
type Series struct {
	Name  string
	Y, SD []float64 // NaN: nothing there; SD may be nil
}

// Add adds a point; nil is none.
func (s *Series) Add(y, sd *float64) {
	orNone := func(v *float64) float64 {
		if v == nil {
			return math.NaN()
		}
		return *v
	}
	s.Y, s.SD = append(s.Y, orNone(y)), append(s.SD, orNone(sd))
}

// Draw shows the lines, each with a band of one standard deviation.
func (k *Sweep) Draw(st Style) (*Drawing, error) {
	x, at := k.axis()
	if len(at) == 0 || len(k.Series) == 0 {
		return nil, misuse("nothing to draw: the curve has no point")
	}
	p := newPage(st, k.Title, k.About)
	var entries []entry
	all, banded := []float64{0}, false
	for i, s := range k.Series {
		entries = append(entries, p.errorEntry(s.Name, i))
		for j, y := range s.Y {
			sd := s.sd(j)
			banded = banded || sd > 0
			all = append(all, max(0, y-sd), y+sd) // no error is below 0
		}
	}
	p.legend(entries...)
	if banded && (k.Words != nil || !st.Mono) {
		what := "Bands"
		if k.Words != nil {
			what = "Lines"
		}
		p.note(what + ": one standard deviation between the trainings.")
	}
	y := axis{label: "error"}
	y.low, y.high = span(all, 0.05)
	q := p.panel(p.whole(), "", x, y, false)
	for i, s := range k.Series {
		if k.Words != nil { // nothing lies between words
			q.whiskers(at, s, i, 0.06*(float64(i)-float64(len(k.Series)-1)/2))
			continue
		}
		q.band(at, s, i)
	}
	for i, s := range k.Series {
		if k.Words == nil {
			q.errors(at, s.Y, i)
		}
	}
	return p.Drawing, nil
}

// axis is that of X, logarithmic if it spans much, or of the words.
func (k *Sweep) axis() (axis, []float64) {
	x := axis{label: k.Over, names: k.Words}
	at := k.X
	if k.Words != nil {
		at = make([]float64, len(k.Words))
		for i := range at {
			at[i] = float64(i)
		}
		x.low, x.high = -0.5, float64(len(at))-0.5
		return x, at
	}
	if len(at) == 0 {
		return x, nil
	}
	low, high := slices.Min(at), slices.Max(at)
	x.whole = !slices.ContainsFunc(at, func(v float64) bool { return v != math.Trunc(v) })
	x.low, x.high = span(at, 0.02)
	if low > 0 && high > 30*low {
		x.log, x.label = true, x.label+" (logarithmic)"
		x.low, x.high = low/1.1, high*1.1
	}
	return x, at
}

// sd is the deviation at j, 0 where there is none.
func (s *Series) sd(j int) float64 {
	if s.SD == nil || math.IsNaN(s.SD[j]) {
		return 0
	}
	return s.SD[j]
}

// band is the area around a line, apart where the line is broken.
func (q *panel) band(x []float64, s Series, c int) {
	if q.style.Mono {
		return
	}
	var upper, lower []Point
	draw := func() {
		if len(upper) > 1 {
			slices.Reverse(lower)
			q.Base.area(q.col.class(c).faded(0.18), append(upper, lower...))
		}
		upper, lower = nil, nil
	}
	some := false
	for j, y := range s.Y {
		if math.IsNaN(y) {
			draw()
			continue
		}
		sd := s.sd(j)
		some = some || sd > 0
		upper = append(upper, q.at(x[j], y+sd))
		lower = append(lower, q.at(x[j], max(0, y-sd)))
	}
	if some {
		draw()
	}
}

// whiskers are marks beside each other, each with a line of its deviation.
func (q *panel) whiskers(x []float64, s Series, c int, aside float64) {
	for j, y := range s.Y {
		if !math.IsNaN(y) {
			sd := s.sd(j)
			q.Base.line(q.col.class(c), 2, nil, []Point{q.at(x[j]+aside, max(0, y-sd)), q.at(x[j]+aside, y+sd)})
			q.marker(&q.Base, c, 3.5, q.at(x[j]+aside, y))
		}
	}
}

// Intervals is values that may well be anywhere between two bounds.
type Intervals struct {
	Title, About, Label string
	Rows                []Whisker
}

// Whisker is one of them.
type Whisker struct {
	Name             string
	Value, Low, High float64
}

// Draw shows a mark and a line for each row, the first at the top.
func (k *Intervals) Draw(st Style) (*Drawing, error) {
	if len(k.Rows) == 0 {
		return nil, misuse("nothing to draw: no row has a value")
	}
	p := newPage(st, k.Title, k.About)
	x, y := axis{label: k.Label}, axis{down: true, low: -0.6, high: float64(len(k.Rows)) - 0.4}
	values := []float64{0}
	for _, r := range k.Rows {
		values = append(values, r.Low, r.High)
		y.names = append(y.names, p.style.fit(r.Name, smallSize, false, p.W/3))
	}
	x.low, x.high = span(values, 0.05)
	x.low = max(x.low, 0)
	q := p.panel(p.whole(), "", x, y, false)
	for i, r := range k.Rows {
		at := float64(i)
		from, to, mid := q.at(r.Low, at), q.at(r.High, at), q.at(r.Value, at)
		c := q.col.class(0)
		q.Base.line(c, 2, nil, []Point{from, to}, []Point{{from.X, from.Y - 5}, {from.X, from.Y + 5}}, []Point{{to.X, to.Y - 5}, {to.X, to.Y + 5}})
		q.marker(&q.Base, 0, 4.5, mid)
		if !q.style.Mono {
			q.Base.text(text{at: Point{mid.X, mid.Y - 9}, s: fmt.Sprintf("%.4f", r.Value), size: smallSize, anchor: 0.5, colour: q.col.ink, halo: q.col.ground})
		}
	}
	return p.Drawing, nil
}
