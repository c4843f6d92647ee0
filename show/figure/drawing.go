package figure

import "math"

// Point is a place in a drawing: pixels from the left and from the top.
type Point struct{ X, Y float64 }

// Colour has an opacity A from 0 to 255.
type Colour struct{ R, G, B, A uint8 }

// faded is c with an opacity from 0 to 1.
func (c Colour) faded(opacity float64) Colour {
	c.A = uint8(math.Round(255 * opacity))
	return c
}

// mixed is the colour between c (share 0) and d (share 1).
func (c Colour) mixed(d Colour, share float64) Colour {
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + share*(float64(b)-float64(a)))) }
	return Colour{mix(c.R, d.R), mix(c.G, d.G), mix(c.B, d.B), 255}
}

// Drawing is a picture as a list of shapes, or an animation: what stays, and
// what changes below and above it. Every writer draws it; none knows what it
// means.
type Drawing struct {
	W, H   float64 // pixels
	Scale  float64 // of pixels in bitmaps
	Title  string
	About  string // what is to be seen, for those who cannot see it
	Ground Colour
	Base   Layer
	Frames []Frame // nil: a still picture
	Delay  float64 // seconds a frame

	cramped bool // a panel has next to no room
}

// Frame is one moment of an animation.
type Frame struct{ Under, Over Layer }

// Layer is shapes, the later above the earlier.
type Layer struct{ shapes []shape }

// shape is one of path, discs and text.
type shape any

// path is lines and areas: rings or open lines of the same style.
type path struct {
	lines  [][]Point
	closed bool
	ink
}

// ink is how a shape is filled and outlined; a colour of opacity 0 is none.
type ink struct {
	fill, stroke Colour
	width        float64
	dash         []float64
}

// discs is circles of one size and style.
type discs struct {
	at []Point
	r  float64
	ink
}

// text is one line of text.
type text struct {
	at     Point
	s      string
	size   float64
	anchor float64 // 0: at is its left end, 0.5 its middle, 1 its right end
	colour Colour
	halo   Colour // around the letters, where they stand on other things
	bold   bool
	upward bool // turned by a quarter, read from below
}

func (l *Layer) path(closed bool, k ink, lines ...[]Point) {
	kept := make([][]Point, 0, len(lines))
	for _, line := range lines {
		if len(line) > 1 {
			kept = append(kept, line)
		}
	}
	if len(kept) > 0 {
		l.shapes = append(l.shapes, path{kept, closed, k})
	}
}

// area fills rings.
func (l *Layer) area(c Colour, rings ...[]Point) { l.path(true, ink{fill: c}, rings...) }

// line strokes open lines.
func (l *Layer) line(c Colour, width float64, dash []float64, lines ...[]Point) {
	l.path(false, ink{stroke: c, width: width, dash: dash}, lines...)
}

func (l *Layer) discs(r float64, k ink, at ...Point) {
	if len(at) > 0 {
		l.shapes = append(l.shapes, discs{at, r, k})
	}
}

func (l *Layer) text(t text) {
	if t.s != "" {
		l.shapes = append(l.shapes, t)
	}
}

// arrow is a line with a head at its end.
func (l *Layer) arrow(from, to Point, c Colour, width float64) {
	dx, dy := to.X-from.X, to.Y-from.Y
	length := math.Hypot(dx, dy)
	if length < 1e-9 {
		return
	}
	head := min(4+3*width, length)
	dx, dy = dx/length, dy/length
	neck := Point{to.X - head*dx, to.Y - head*dy}
	side := head * 0.42
	l.line(c, width, nil, []Point{from, neck})
	l.area(c, []Point{to, {neck.X - side*dy, neck.Y + side*dx}, {neck.X + side*dy, neck.Y - side*dx}})
}

// box is a rectangle as a ring.
func box(x, y, w, h float64) []Point {
	return []Point{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}
}

// polygon is a regular one around c, its first corner in direction turn.
func polygon(c Point, r float64, corners int, turn float64) []Point {
	ring := make([]Point, corners)
	for i := range ring {
		a := turn + 2*math.Pi*float64(i)/float64(corners)
		ring[i] = Point{c.X + r*math.Cos(a), c.Y + r*math.Sin(a)}
	}
	return ring
}
