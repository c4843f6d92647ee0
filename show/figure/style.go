package figure

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/halfspace-ml/halfspace/internal/near"
)

// Style is how a figure looks.
type Style struct {
	W, H  float64 // pixels
	Scale float64 // of pixels in bitmaps
	Dark  bool
	Mono  bool // for a terminal: every letter is cell wide
	Still bool // what will be written cannot move
}

// A cell of a terminal, in pixels of a drawing.
const (
	cellWide = 7.0
	cellHigh = 14.0
)

// sizes are the names of usual ones. A pixel is 1/96 inch: paper is 160 by 120
// mm with letters of 9 points, bitmaps at 300 a inch.
var sizes = []struct {
	name        string
	w, h, scale float64
}{
	{"screen", 720, 540, 2},
	{"paper", 605, 454, 3.125},
	{"slide", 960, 540, 2},
}

// Sizes are the names that ParseSize knows.
func Sizes() []string {
	var names []string
	for _, s := range sizes {
		names = append(names, s.name)
	}
	return names
}

// ParseSize reads a name, or WIDTHxHEIGHT in pixels.
func ParseSize(s string) (Style, error) {
	for _, z := range sizes {
		if z.name == s {
			return Style{W: z.w, H: z.h, Scale: z.scale}, nil
		}
	}
	wide, high, ok := strings.Cut(s, "x")
	w, err1 := strconv.Atoi(wide)
	h, err2 := strconv.Atoi(high)
	if !ok || err1 != nil || err2 != nil {
		return Style{}, fmt.Errorf("no size %q; %s, or WIDTHxHEIGHT in pixels, such as 800x600", s, near.Advice(s, "sizes", Sizes()))
	}
	if w < 320 || h < 240 || w > 4000 || h > 4000 {
		return Style{}, fmt.Errorf("a size of %dx%d cannot be drawn; it must be from 320x240 to 4000x4000", w, h)
	}
	return Style{W: float64(w), H: float64(h), Scale: 2}, nil
}

// Terminal is the style of a picture in text.
func Terminal(columns, rows int) Style {
	return Style{W: cellWide * float64(columns), H: cellHigh * float64(rows), Scale: 1, Mono: true, Still: true, Dark: true}
}

// The colours of Okabe and Ito, which the colour-blind can tell apart, in an
// order that starts with the documents' red and blue.
var (
	vermilion = Colour{213, 94, 0, 255}
	blue      = Colour{0, 114, 178, 255}
	green     = Colour{0, 158, 115, 255}
	pink      = Colour{204, 121, 167, 255}
	orange    = Colour{230, 159, 0, 255}
	sky       = Colour{86, 180, 233, 255}
	yellow    = Colour{240, 228, 66, 255}
)

var (
	onLight = []Colour{vermilion, blue, green, pink, orange, sky, {90, 90, 90, 255}}
	onDark  = []Colour{orange, sky, green, pink, vermilion, yellow, {190, 190, 190, 255}}
)

// palette is the colours of a theme.
type palette struct {
	ground, ink, soft, grid Colour
	series                  []Colour
	yes                     Colour // what is wanted, such as a solution
}

func (s Style) palette() palette {
	if s.Dark {
		return palette{
			ground: Colour{24, 26, 31, 255}, ink: Colour{232, 234, 237, 255},
			soft: Colour{165, 170, 178, 255}, grid: Colour{56, 60, 68, 255}, series: onDark, yes: green,
		}
	}
	return palette{
		ground: Colour{255, 255, 255, 255}, ink: Colour{31, 35, 40, 255},
		soft: Colour{96, 103, 112, 255}, grid: Colour{229, 232, 236, 255}, series: onLight, yes: green,
	}
}

// class is the colour of class c.
func (p *palette) class(c int) Colour { return p.series[c%len(p.series)] }
