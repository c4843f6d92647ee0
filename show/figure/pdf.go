package figure

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf16"
)

// PDF writes d as one page; of an animation, the end. Letters are outlines, so
// the page looks the same everywhere and needs no fonts.
func PDF(w io.Writer, d *Drawing) error {
	p := &pdfWriter{alphas: map[uint8]bool{}}
	// A point is 1/72 inch, a pixel 1/96; PDF counts from below.
	fmt.Fprintf(&p.page, "0.75 0 0 -0.75 0 %s cm 1 j\n", short(0.75*d.H))
	p.area([][]Point{box(0, 0, d.W, d.H)}, d.Ground)
	if n := len(d.Frames); n > 0 {
		p.layer(&d.Frames[n-1].Under)
		p.layer(&d.Base)
		p.layer(&d.Frames[n-1].Over)
	} else {
		p.layer(&d.Base)
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write(p.page.Bytes())
	z.Close()
	states := ""
	for a := range 256 {
		if p.alphas[uint8(a)] {
			states += fmt.Sprintf("/A%d <</ca %s /CA %s>> ", a, short(float64(a)/255), short(float64(a)/255))
		}
	}
	_, err := w.Write(pdfFile(
		"<</Type /Catalog /Pages 2 0 R>>",
		"<</Type /Pages /Kids [3 0 R] /Count 1>>",
		fmt.Sprintf("<</Type /Page /Parent 2 0 R /MediaBox [0 0 %s %s] /Contents 4 0 R /Resources <</ExtGState <<%s>>>>>>", short(0.75*d.W), short(0.75*d.H), states),
		fmt.Sprintf("<</Length %d /Filter /FlateDecode>>\nstream\n%s\nendstream", packed.Len(), packed.String()),
		fmt.Sprintf("<</Title <%s> /Creator (halfspace)>>", utf16Hex(d.Title)),
	))
	return err
}

// pdfFile puts objects together; the first is the catalogue, the last the
// information on the file.
func pdfFile(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d /Root 1 0 R /Info %d 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, len(objects), table)
	return b.Bytes()
}

func utf16Hex(s string) string {
	var b strings.Builder
	b.WriteString("FEFF")
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, "%04X", u)
	}
	return b.String()
}

type pdfWriter struct {
	page   bytes.Buffer
	alphas map[uint8]bool
}

func (p *pdfWriter) layer(l *Layer) {
	for _, s := range l.shapes {
		switch s := s.(type) {
		case path:
			p.inked(s.ink, func() { p.path(s.lines, s.closed) })
		case discs:
			p.inked(s.ink, func() {
				for _, at := range s.at {
					p.circle(at, s.r)
				}
			})
		case text:
			rings := s.rings()
			if s.halo.A > 0 {
				p.inked(ink{stroke: s.halo, width: 3}, func() { p.path(rings, true) })
			}
			p.area(rings, s.colour)
		}
	}
}

func (p *pdfWriter) area(rings [][]Point, c Colour) {
	p.inked(ink{fill: c}, func() { p.path(rings, true) })
}

// inked fills and strokes what draw draws.
func (p *pdfWriter) inked(k ink, draw func()) {
	if k.fill.A > 0 {
		p.alpha(k.fill.A)
		fmt.Fprintf(&p.page, "%s rg\n", pdfColour(k.fill))
		draw()
		p.page.WriteString("f\n")
	}
	if k.stroke.A > 0 {
		p.alpha(k.stroke.A)
		fmt.Fprintf(&p.page, "%s RG %s w [", pdfColour(k.stroke), short(k.width))
		for _, d := range k.dash {
			fmt.Fprintf(&p.page, "%s ", short(d))
		}
		p.page.WriteString("] 0 d\n")
		draw()
		p.page.WriteString("S\n")
	}
}

func (p *pdfWriter) alpha(a uint8) {
	p.alphas[a] = true
	fmt.Fprintf(&p.page, "/A%d gs ", a)
}

func pdfColour(c Colour) string {
	f := func(v uint8) string { return fine(math.Round(float64(v)/255*1000) / 1000) }
	return f(c.R) + " " + f(c.G) + " " + f(c.B)
}

func (p *pdfWriter) path(lines [][]Point, closed bool) {
	for _, line := range lines {
		for i, q := range line {
			op := "l"
			if i == 0 {
				op = "m"
			}
			fmt.Fprintf(&p.page, "%s %s %s\n", short(q.X), short(q.Y), op)
		}
		if closed {
			p.page.WriteString("h\n")
		}
	}
}

// circle is four curves.
func (p *pdfWriter) circle(c Point, r float64) {
	k := 0.5523 * r
	fmt.Fprintf(&p.page, "%s %s m\n", short(c.X+r), short(c.Y))
	for _, q := range [4][6]float64{
		{c.X + r, c.Y + k, c.X + k, c.Y + r, c.X, c.Y + r},
		{c.X - k, c.Y + r, c.X - r, c.Y + k, c.X - r, c.Y},
		{c.X - r, c.Y - k, c.X - k, c.Y - r, c.X, c.Y - r},
		{c.X + k, c.Y - r, c.X + r, c.Y - k, c.X + r, c.Y},
	} {
		for _, v := range q {
			p.page.WriteString(short(v) + " ")
		}
		p.page.WriteString("c\n")
	}
	p.page.WriteString("h\n")
}
