package figure

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/vector"
)

// PNG writes d as a bitmap; of an animation, the end.
func PNG(w io.Writer, d *Drawing) error {
	img := newBitmap(d, d.Scale)
	if n := len(d.Frames); n > 0 {
		img.layer(&d.Frames[n-1].Under)
		img.layer(&d.Base)
		img.layer(&d.Frames[n-1].Over)
	} else {
		img.layer(&d.Base)
	}
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	return enc.Encode(w, opaque{img.RGBA})
}

// opaque is an image known to have no holes, so that none are written.
type opaque struct{ *image.RGBA }

func (opaque) Opaque() bool { return true }

// bitmap draws shapes with smooth edges.
type bitmap struct {
	*image.RGBA
	scale float64
	fill  vector.Rasterizer
}

func newBitmap(d *Drawing, scale float64) *bitmap {
	b := &bitmap{image.NewRGBA(image.Rect(0, 0, int(math.Ceil(d.W*scale)), int(math.Ceil(d.H*scale)))), scale, vector.Rasterizer{}}
	draw.Draw(b.RGBA, b.Rect, image.NewUniform(rgba(d.Ground)), image.Point{}, draw.Src)
	return b
}

func rgba(c Colour) color.NRGBA { return color.NRGBA(c) }

func (b *bitmap) layer(l *Layer) {
	for _, s := range l.shapes {
		switch s := s.(type) {
		case path:
			b.inked(s.lines, s.closed, s.ink)
		case discs:
			for _, p := range s.at {
				b.inked([][]Point{polygon(p, s.r, 24, 0)}, true, s.ink)
			}
		case text:
			rings := s.rings()
			if s.halo.A > 0 {
				b.area(stroke(rings, true, 3, nil), s.halo)
			}
			b.area(rings, s.colour)
		}
	}
}

func (b *bitmap) inked(lines [][]Point, closed bool, k ink) {
	if k.fill.A > 0 {
		b.area(lines, k.fill)
	}
	if k.stroke.A > 0 {
		b.area(stroke(lines, closed, k.width, k.dash), k.stroke)
	}
}

// area fills rings, only as much of the bitmap as they cover.
func (b *bitmap) area(rings [][]Point, c Colour) {
	lowX, lowY, highX, highY := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, ring := range rings {
		for _, p := range ring {
			lowX, highX = min(lowX, p.X), max(highX, p.X)
			lowY, highY = min(lowY, p.Y), max(highY, p.Y)
		}
	}
	r := image.Rect(int(math.Floor(lowX*b.scale)), int(math.Floor(lowY*b.scale)), int(math.Ceil(highX*b.scale))+1, int(math.Ceil(highY*b.scale))+1).Intersect(b.Rect)
	if r.Empty() || len(rings) == 0 {
		return
	}
	b.fill.Reset(r.Dx(), r.Dy())
	at := func(p Point) (float32, float32) {
		return float32(p.X*b.scale - float64(r.Min.X)), float32(p.Y*b.scale - float64(r.Min.Y))
	}
	for _, ring := range rings {
		b.fill.MoveTo(at(ring[0]))
		for _, p := range ring[1:] {
			b.fill.LineTo(at(p))
		}
		b.fill.ClosePath()
	}
	b.fill.Draw(b.RGBA, r, image.NewUniform(rgba(c)), image.Point{})
}

// stroke is the area of lines of that width: a quadrangle a piece, and a disc
// on every bend. All turn the same way, so that none cancels another.
func stroke(lines [][]Point, closed bool, width float64, dash []float64) [][]Point {
	var rings [][]Point
	for _, line := range lines {
		if closed {
			line = append(line[:len(line):len(line)], line[0])
		}
		pieces := [][]Point{line}
		if len(dash) > 0 {
			pieces = dashed(line, dash)
		}
		for _, piece := range pieces {
			rings = appendStroke(rings, piece, width/2, closed && len(dash) == 0)
		}
	}
	return rings
}

func appendStroke(rings [][]Point, line []Point, half float64, closed bool) [][]Point {
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		dx, dy := b.X-a.X, b.Y-a.Y
		length := math.Hypot(dx, dy)
		if length == 0 {
			continue
		}
		nx, ny := half*dy/length, -half*dx/length
		rings = append(rings, []Point{{a.X + nx, a.Y + ny}, {b.X + nx, b.Y + ny}, {b.X - nx, b.Y - ny}, {a.X - nx, a.Y - ny}})
		if (i < len(line)-1 || closed) && half > 0.6 {
			rings = append(rings, polygon(b, half, 10, 0))
		}
	}
	return rings
}

// dashed cuts a line into dashes.
func dashed(line []Point, dash []float64) [][]Point {
	var out [][]Point
	var piece []Point
	k, left, on := 0, dash[0], true
	piece = []Point{line[0]}
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		length, done := math.Hypot(b.X-a.X, b.Y-a.Y), 0.0
		for length-done > left {
			done += left
			p := Point{a.X + (b.X-a.X)*done/length, a.Y + (b.Y-a.Y)*done/length}
			if on {
				out = append(out, append(piece, p))
			}
			k, on = (k+1)%len(dash), !on
			left, piece = dash[k], []Point{p}
		}
		left -= length - done
		piece = append(piece, b)
	}
	if on && len(piece) > 1 {
		out = append(out, piece)
	}
	return out
}
