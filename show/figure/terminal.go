package figure

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
)

// Text writes d, laid out for a terminal, in letters and braille dots, with
// colours if asked for; of an animation, the end.
func Text(w io.Writer, d *Drawing, colours bool) error {
	g := &cells{columns: int(math.Round(d.W / cellWide)), rows: int(math.Round(d.H / cellHigh)), ground: d.Ground}
	g.cell = make([]cell, g.columns*g.rows)
	if n := len(d.Frames); n > 0 {
		g.layer(&d.Frames[n-1].Under)
		g.layer(&d.Base)
		g.layer(&d.Frames[n-1].Over)
	} else {
		g.layer(&d.Base)
	}
	out := bufio.NewWriter(w)
	for row := range g.rows {
		line := g.cell[row*g.columns : (row+1)*g.columns]
		for len(line) > 0 && line[len(line)-1].empty() {
			line = line[:len(line)-1]
		}
		var now Colour
		for _, c := range line {
			if colour := c.colour.vivid(); colours && colour != now && !c.empty() {
				fmt.Fprint(out, ansi(colour))
				now = colour
			}
			fmt.Fprint(out, c.String())
		}
		if now != (Colour{}) {
			fmt.Fprint(out, "\x1b[0m")
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// vivid is c, or nothing if it is a grey: those are left to the terminal, whose
// ground may be light or dark.
func (c Colour) vivid() Colour {
	if max(c.R, c.G, c.B)-min(c.R, c.G, c.B) < 40 {
		return Colour{}
	}
	return c
}

func ansi(c Colour) string {
	if c == (Colour{}) {
		return "\x1b[0m"
	}
	return fmt.Sprintf("\x1b[38;2;%d;%d;%dm", c.R, c.G, c.B)
}

// cell is one letter, or eight dots: two columns of four.
type cell struct {
	letter rune
	dots   uint8
	colour Colour
}

func (c cell) empty() bool { return (c.letter == 0 || c.letter == ' ') && c.dots == 0 }

func (c cell) String() string {
	switch {
	case c.letter != 0:
		return string(c.letter)
	case c.dots != 0:
		return string(rune(0x2800) + rune(c.dots))
	}
	return " "
}

type cells struct {
	columns, rows int
	cell          []cell
	ground        Colour
}

func (g *cells) layer(l *Layer) {
	for _, s := range l.shapes {
		switch s := s.(type) {
		case path:
			g.inked(s.lines, s.closed, s.ink)
		case discs:
			for _, p := range s.at {
				g.inked([][]Point{polygon(p, s.r, 24, 0)}, true, s.ink)
			}
		case text:
			g.text(s)
		}
	}
}

func (g *cells) inked(lines [][]Point, closed bool, k ink) {
	if k.fill.A > 110 && g.visible(k.fill) {
		for _, ring := range lines {
			g.fill(ring, k.fill)
		}
	}
	if k.stroke.A == 0 || !g.visible(k.stroke) {
		return
	}
	for _, line := range lines {
		if closed {
			line = append(line[:len(line):len(line)], line[0])
		}
		pieces := [][]Point{line}
		if len(k.dash) > 0 {
			pieces = dashed(line, []float64{9, 7})
		}
		for _, piece := range pieces {
			g.line(piece, k.stroke)
		}
	}
}

// visible reports whether a colour stands out from the ground.
func (g *cells) visible(c Colour) bool {
	far := func(a, b uint8) float64 { return math.Abs(float64(a) - float64(b)) }
	return far(c.R, g.ground.R)+far(c.G, g.ground.G)+far(c.B, g.ground.B) > 90
}

// Dots are half a cell wide and a quarter of one high.
const (
	dotWide = cellWide / 2
	dotHigh = cellHigh / 4
)

// bits are those of the dots of a braille letter, by row and column.
var bits = [4][2]uint8{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

func (g *cells) dot(x, y int, c Colour) {
	column, row := x/2, y/4
	if x < 0 || y < 0 || column >= g.columns || row >= g.rows {
		return
	}
	at := &g.cell[row*g.columns+column]
	at.dots |= bits[y%4][x%2]
	if at.letter == 0 {
		at.colour = c
	}
}

func (g *cells) line(line []Point, c Colour) {
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		x, y := a.X/dotWide, a.Y/dotHigh
		dx, dy := b.X/dotWide-x, b.Y/dotHigh-y
		n := int(math.Ceil(max(math.Abs(dx), math.Abs(dy), 1)))
		for k := range n + 1 {
			t := float64(k) / float64(n)
			g.dot(int(math.Floor(x+t*dx)), int(math.Floor(y+t*dy)), c)
		}
	}
}

// fill sets the dots within a convex ring.
func (g *cells) fill(ring []Point, c Colour) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range ring {
		low, high = min(low, p.Y), max(high, p.Y)
	}
	for y := int(low / dotHigh); float64(y) < high/dotHigh; y++ {
		from, to := math.Inf(1), math.Inf(-1)
		for i, p := range ring {
			q := ring[(i+1)%len(ring)]
			at := (float64(y) + 0.5) * dotHigh
			if p.Y > at != (q.Y > at) {
				x := p.X + (q.X-p.X)*(at-p.Y)/(q.Y-p.Y)
				from, to = min(from, x), max(to, x)
			}
		}
		for x := int(math.Ceil(from/dotWide - 0.5)); float64(x)+0.5 < to/dotWide; x++ {
			g.dot(x, y, c)
		}
	}
}

// text writes letters over whatever is there.
func (g *cells) text(t text) {
	letters := []rune(strings.Map(func(r rune) rune {
		if r < ' ' {
			return -1
		}
		return r
	}, t.s))
	n := float64(len(letters))
	column, row := int(math.Round(t.at.X/cellWide-t.anchor*n)), int(math.Floor((t.at.Y-0.3*cellHigh)/cellHigh))
	if t.upward { // one below the other
		column, row = int(math.Floor(t.at.X/cellWide)), int(math.Round(t.at.Y/cellHigh-n/2))
	}
	for i, r := range letters {
		x, y := column+i, row
		if t.upward {
			x, y = column, row+i
		}
		if x >= 0 && y >= 0 && x < g.columns && y < g.rows {
			g.cell[y*g.columns+x] = cell{letter: r, colour: t.colour}
		}
	}
}
