package figure

import (
	"math"
	"strings"
)

// page lays a drawing out: a title and what it is about at the top, the legend
// below, notes at the bottom, panels between. What is placed takes its room
// away from what follows, so nothing lies on anything else.
type page struct {
	*Drawing
	style       Style
	col         palette
	top, bottom float64
	gutter      float64 // at least this much left of frames, so that those above each other align
}

// Sizes of letters, and of margins.
const (
	titleSize  = 16.0
	textSize   = 12.0
	smallSize  = 11.0
	margin     = 16.0
	lineHeight = 1.4
)

func newPage(st Style, title, about string) *page {
	p := &page{style: st, col: st.palette(), top: margin, bottom: st.H - margin}
	p.Drawing = &Drawing{W: st.W, H: st.H, Scale: st.Scale, Title: title, About: about, Ground: p.col.ground}
	if st.Mono {
		p.top, p.bottom = 0, st.H
	}
	for _, line := range p.wrap(title, titleSize, true) {
		p.top += p.leading(titleSize)
		p.Base.text(text{at: Point{p.left(), p.top - 0.35*p.leading(titleSize)}, s: line, size: titleSize, colour: p.col.ink, bold: true})
	}
	for _, line := range p.wrap(about, textSize, false) {
		p.top += p.leading(textSize)
		p.Base.text(text{at: Point{p.left(), p.top - 0.35*p.leading(textSize)}, s: line, size: textSize, colour: p.col.soft})
	}
	p.top += p.gap(6)
	return p
}

// left is where text begins.
func (p *page) left() float64 {
	if p.style.Mono {
		return 0
	}
	return margin
}

// leading is the height of a line of letters.
func (p *page) leading(size float64) float64 {
	if p.style.Mono {
		return cellHigh
	}
	return size * lineHeight
}

// gap is an empty space, which a terminal has not.
func (p *page) gap(pixels float64) float64 {
	if p.style.Mono {
		return 0
	}
	return pixels
}

// wrap breaks a text at blanks into lines that fit on the page.
func (p *page) wrap(s string, size float64, bold bool) []string {
	room := p.W - 2*p.left()
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && p.style.width(longer, size, bold) > room {
			lines = append(lines, line)
			longer = word
		}
		line = p.style.fit(longer, size, bold, room)
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// fit shortens a text to a width.
func (s Style) fit(text string, size float64, bold bool, room float64) string {
	if s.width(text, size, bold) <= room {
		return text
	}
	runes := []rune(text)
	for len(runes) > 1 && s.width(string(runes)+"…", size, bold) > room {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// note says at the bottom what must be known to read the picture.
func (p *page) note(s string) {
	lines := p.wrap(s, smallSize, false)
	for i := len(lines) - 1; i >= 0; i-- {
		p.Base.text(text{at: Point{p.left(), p.bottom - 0.3*p.leading(smallSize)}, s: lines[i], size: smallSize, colour: p.col.soft})
		p.bottom -= p.leading(smallSize)
	}
	if len(lines) > 0 {
		p.bottom -= p.gap(6)
	}
}

// entry is one line of a legend: a sample of what it names, and the name.
type entry struct {
	name   string
	sample func(l *Layer, at Point) // drawn around at, 20 pixels wide
}

// legend places entries from left to right in as many rows as they need.
func (p *page) legend(entries ...entry) {
	const sample = 21.0
	gap := max(cellWide, p.gap(5))
	x := p.left()
	row := max(p.leading(textSize), p.gap(19))
	p.top += row
	for _, e := range entries {
		name := p.style.fit(e.name, textSize, false, p.W-2*p.left()-2*sample)
		wide := sample + gap + p.style.width(name, textSize, false)
		if x > p.left() && x+wide > p.W-p.left() {
			x = p.left()
			p.top += row
		}
		middle := p.top - row/2
		e.sample(&p.Base, Point{x + sample/2, middle})
		p.Base.text(text{at: Point{x + sample + gap, middle + 0.35*textSize}, s: name, size: textSize, colour: p.col.ink})
		x += wide + max(2*cellWide, p.gap(18))
	}
	p.top += p.gap(4)
}

// lineEntry is a legend entry for a line.
func lineEntry(name string, c Colour, width float64, dash []float64) entry {
	return entry{name, func(l *Layer, at Point) {
		l.line(c, width, dash, []Point{{at.X - 10, at.Y}, {at.X + 10, at.Y}})
	}}
}

// areaEntry is a legend entry for an area.
func areaEntry(name string, c Colour) entry {
	return entry{name, func(l *Layer, at Point) { l.path(true, ink{fill: c}, box(at.X-9, at.Y-6, 18, 12)) }}
}

// rect is a part of the page.
type rect struct{ x, y, w, h float64 }

// whole is what is left of the page.
func (p *page) whole() rect {
	return rect{p.left(), p.top, p.W - 2*p.left(), p.bottom - p.top}
}

// columns divides r by shares, with room between.
func (r rect) columns(shares ...float64) []rect {
	const between = 18.0
	return split(r.w, between, shares, func(at, size float64) rect { return rect{r.x + at, r.y, size, r.h} })
}

// rows divides r by shares, with room between.
func (r rect) rows(shares ...float64) []rect {
	const between = 12.0
	return split(r.h, between, shares, func(at, size float64) rect { return rect{r.x, r.y + at, r.w, size} })
}

func split(whole, between float64, shares []float64, part func(at, size float64) rect) []rect {
	total := 0.0
	for _, s := range shares {
		total += s
	}
	room := whole - between*float64(len(shares)-1)
	at := 0.0
	var out []rect
	for _, s := range shares {
		size := room * s / total
		out = append(out, part(at, size))
		at += size + between
	}
	return out
}

// cells divides r into a grid.
func (r rect) cells(rows, columns int) []rect {
	ones := func(n int) []float64 {
		s := make([]float64, n)
		for i := range s {
			s[i] = 1
		}
		return s
	}
	var out []rect
	for _, row := range r.rows(ones(rows)...) {
		out = append(out, row.columns(ones(columns)...)...)
	}
	return out
}

// panel is a frame with axes, in which things stand at values.
type panel struct {
	*page
	frame rect
	x, y  axis
}

// panel draws axes into r. With equal, a unit is as long on both; the axes grow
// to fill the frame.
func (p *page) panel(r rect, title string, x, y axis, equal bool) *panel {
	q := &panel{page: p, x: x, y: y}
	if p.style.Mono { // whole rows
		top := math.Ceil(r.y/cellHigh-0.01) * cellHigh
		r.y, r.h = top, math.Floor((r.y+r.h-top)/cellHigh+0.01)*cellHigh
	}
	if title != "" {
		p.Base.text(text{at: Point{r.x + r.w/2, r.y + 0.75*p.leading(textSize)}, s: p.style.fit(title, textSize, true, r.w), size: textSize, anchor: 0.5, colour: p.col.ink, bold: true})
		r.y, r.h = r.y+p.leading(textSize)+p.gap(4), r.h-p.leading(textSize)-p.gap(4)
	}
	bottom := p.leading(smallSize) + p.gap(5)
	if x.label != "" {
		bottom += p.leading(textSize)
	}
	q.frame = rect{r.x, r.y + p.gap(6), r.w, r.h - bottom - p.gap(6)}
	if p.style.Mono {
		q.frame.h -= 2 // keeps the lower side in the row of dots above the ticks
	}
	high := q.frame
	var yTicks []tick
	inner := 0.0
	for range 2 { // equal axes have other ticks, which may need other room
		yTicks = q.y.ticks(q.frame.h, p.apart(44, 3*cellHigh))
		inner = p.gap(3)
		for _, t := range yTicks {
			inner = max(inner, p.style.width(t.label, smallSize, false)+p.gap(8))
		}
		inner = min(inner, r.w/2)
		left := inner
		if y.label != "" {
			left += p.leading(textSize)
		}
		left = max(left, p.gutter)
		// The last label on the right may stick out by half its width.
		q.frame = rect{r.x + left, high.y, r.w - left - max(p.gap(12), cellWide), high.h}
		if equal {
			q.x, q.y = x, y
			q.equalise()
		}
	}
	yTicks = q.y.ticks(q.frame.h, p.apart(44, 3*cellHigh))
	p.cramped = p.cramped || q.frame.w < p.apart(90, 8*cellWide) || q.frame.h < p.apart(24, 3*cellHigh)
	q.ground(yTicks, inner)
	return q
}

func (p *page) apart(pixels, mono float64) float64 {
	if p.style.Mono {
		return mono
	}
	return pixels
}

// equalise makes a unit as long on both axes: one of them reaches further, and
// if that is not enough the frame becomes smaller.
func (q *panel) equalise() {
	const most = 1.8
	unitX, unitY := (q.x.high-q.x.low)/q.frame.w, (q.y.high-q.y.low)/q.frame.h
	grow := func(a *axis, factor float64) {
		middle, half := (a.low+a.high)/2, factor*(a.high-a.low)/2
		a.low, a.high = middle-half, middle+half
	}
	if f := unitY / unitX; f > 1 {
		shrunk := q.frame.w * min(1, most/f)
		q.frame.x, q.frame.w = q.frame.x+(q.frame.w-shrunk)/2, shrunk
		grow(&q.x, min(f, most))
	} else {
		f = 1 / f
		shrunk := q.frame.h * min(1, most/f)
		q.frame.y, q.frame.h = q.frame.y+(q.frame.h-shrunk)/2, shrunk
		grow(&q.y, min(f, most))
	}
}

// ground draws what lies below the data: ticks, grid, labels, frame.
func (q *panel) ground(yTicks []tick, inner float64) {
	f, l, p := q.frame, &q.Base, q.page
	wide := 0.0
	xTicks := q.x.ticks(f.w, 60)
	for _, t := range xTicks {
		wide = max(wide, p.style.width(t.label, smallSize, false))
	}
	xTicks = q.x.ticks(f.w, max(60, wide+2*cellWide))
	var grid [][]Point
	for _, t := range xTicks {
		at := q.at(t.at, 0).X
		grid = append(grid, []Point{{at, f.y}, {at, f.y + f.h}})
		room := f.w / float64(max(1, len(xTicks)))
		label := t.label
		if len(q.x.names) > 0 {
			label = p.style.fit(label, smallSize, false, room)
		}
		l.text(text{at: Point{at, f.y + f.h + p.gap(5) + 0.75*p.leading(smallSize)}, s: label, size: smallSize, anchor: 0.5, colour: q.col.soft})
	}
	for _, t := range yTicks {
		at := q.at(0, t.at).Y
		grid = append(grid, []Point{{f.x, at}, {f.x + f.w, at}})
		l.text(text{at: Point{f.x - max(p.gap(6), 1), at + 0.35*smallSize}, s: p.style.fit(t.label, smallSize, false, inner-p.gap(6)), size: smallSize, anchor: 1, colour: q.col.soft})
	}
	if !p.style.Mono {
		l.line(q.col.grid, 1, nil, grid...)
	}
	l.path(true, ink{stroke: q.col.soft.faded(0.6), width: 1}, box(f.x, f.y, f.w, f.h))
	if q.x.label != "" {
		y := f.y + f.h + p.gap(5) + p.leading(smallSize) + 0.75*p.leading(textSize)
		l.text(text{at: Point{f.x + f.w/2, y}, s: p.style.fit(q.x.label, textSize, false, f.w), size: textSize, anchor: 0.5, colour: q.col.ink})
	}
	if q.y.label != "" {
		at := Point{f.x - inner - p.apart(0.4, 0.8)*p.leading(textSize), f.y + f.h/2}
		room := f.h
		if p.style.Mono { // a letter a row
			room *= cellWide / cellHigh
		}
		l.text(text{at: at, s: p.style.fit(q.y.label, textSize, false, room), size: textSize, anchor: 0.5, colour: q.col.ink, upward: true})
	}
}

// at is the place of a value; a value of 0 on a logarithmic axis has none.
func (q *panel) at(x, y float64) Point {
	sx, sy := q.x.share(x), q.y.share(y)
	if !q.y.down {
		sy = 1 - sy
	}
	if q.x.down {
		sx = 1 - sx
	}
	return Point{q.frame.x + sx*q.frame.w, q.frame.y + sy*q.frame.h}
}

// places are the places of many values.
func (q *panel) places(at []Point) []Point {
	out := make([]Point, len(at))
	for i, v := range at {
		out[i] = q.at(v.X, v.Y)
	}
	return out
}

// corners is the frame as a ring of values.
func (q *panel) corners() []Point {
	return []Point{{q.x.low, q.y.low}, {q.x.high, q.y.low}, {q.x.high, q.y.high}, {q.x.low, q.y.high}}
}

// holds reports whether a value lies in the frame.
func (q *panel) holds(v Point) bool {
	return v.X >= q.x.low && v.X <= q.x.high && v.Y >= q.y.low && v.Y <= q.y.high
}

// curve draws a line through values, broken where there are none.
func (q *panel) curve(l *Layer, c Colour, width float64, dash []float64, values []Point) {
	var lines [][]Point
	var line []Point
	for _, v := range values {
		p := q.at(v.X, v.Y)
		if math.IsNaN(p.X) || math.IsInf(p.X, 0) || math.IsNaN(p.Y) || math.IsInf(p.Y, 0) {
			lines, line = append(lines, line), nil
			continue
		}
		line = append(line, p)
	}
	l.line(c, width, dash, append(lines, line)...)
}
