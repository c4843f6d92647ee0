package figure

import (
	"sync"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// Letters are those of the Go fonts. Bitmaps and PDF draw their outlines; SVG
// names common fonts and leaves the letters to whoever shows it.

type face struct {
	font  *sfnt.Font
	mutex sync.Mutex
	buf   sfnt.Buffer
}

var faces = sync.OnceValue(func() [2]*face {
	var out [2]*face
	for i, ttf := range [][]byte{goregular.TTF, gobold.TTF} {
		f, err := sfnt.Parse(ttf)
		if err != nil {
			panic("figure: the built-in font cannot be read: " + err.Error())
		}
		out[i] = &face{font: f}
	}
	return out
})

func faceOf(bold bool) *face {
	if bold {
		return faces()[1]
	}
	return faces()[0]
}

// em is the size at which glyphs are asked for.
const em = 1000

// advance is the width of s in a font of size 1.
func (f *face) advance(s string) float64 {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	total := fixed.Int26_6(0)
	for _, r := range s {
		g, err := f.font.GlyphIndex(&f.buf, r)
		if err != nil {
			continue
		}
		if a, err := f.font.GlyphAdvance(&f.buf, g, fixed.I(em), font.HintingNone); err == nil {
			total += a
		}
	}
	return float64(total) / 64 / em
}

// outline is the rings of s, in a font of size 1, from the left end of the base
// line; curves are cut into straight pieces.
func (f *face) outline(s string) [][]Point {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	var rings [][]Point
	x := 0.0
	for _, r := range s {
		g, err := f.font.GlyphIndex(&f.buf, r)
		if err != nil {
			continue
		}
		segments, err := f.font.LoadGlyph(&f.buf, g, fixed.I(em), nil)
		if err != nil {
			continue
		}
		at := func(p fixed.Point26_6) Point {
			return Point{x + float64(p.X)/64/em, float64(p.Y) / 64 / em}
		}
		var ring []Point
		for _, seg := range segments {
			switch seg.Op {
			case sfnt.SegmentOpMoveTo:
				if len(ring) > 2 {
					rings = append(rings, ring)
				}
				ring = []Point{at(seg.Args[0])}
			case sfnt.SegmentOpLineTo:
				ring = append(ring, at(seg.Args[0]))
			case sfnt.SegmentOpQuadTo:
				ring = appendQuad(ring, at(seg.Args[0]), at(seg.Args[1]))
			}
		}
		if len(ring) > 2 {
			rings = append(rings, ring)
		}
		if a, err := f.font.GlyphAdvance(&f.buf, g, fixed.I(em), font.HintingNone); err == nil {
			x += float64(a) / 64 / em
		}
	}
	return rings
}

// appendQuad is a quadratic curve in straight pieces, fine enough for a size of
// 40 pixels.
func appendQuad(ring []Point, c, to Point) []Point {
	from := ring[len(ring)-1]
	const pieces = 4
	for i := 1; i <= pieces; i++ {
		t := float64(i) / pieces
		u := 1 - t
		ring = append(ring, Point{u*u*from.X + 2*u*t*c.X + t*t*to.X, u*u*from.Y + 2*u*t*c.Y + t*t*to.Y})
	}
	return ring
}

// rings are the letters of t where they stand in the drawing.
func (t text) rings() [][]Point {
	f := faceOf(t.bold)
	shift := -t.anchor * f.advance(t.s)
	rings := f.outline(t.s)
	for _, ring := range rings {
		for i, p := range ring {
			x, y := t.size*(p.X+shift), t.size*p.Y
			if t.upward {
				x, y = y, -x
			}
			ring[i] = Point{t.at.X + x, t.at.Y + y}
		}
	}
	return rings
}

// width is how wide a text is in a drawing of that style.
func (s Style) width(text string, size float64, bold bool) float64 {
	if s.Mono {
		return cellWide * float64(utf8.RuneCountInString(text))
	}
	return size * faceOf(bold).advance(text) * spare
}

// spare is room for the fonts with which others show an SVG: the widest of the
// usual ones is by so much wider than the one measured.
const spare = 1.15
