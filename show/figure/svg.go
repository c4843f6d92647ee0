package figure

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// SVG writes d as scalable vector graphics; an animation moves by itself, for
// ever, in anything that shows SVG in full.
func SVG(w io.Writer, d *Drawing) error {
	out := &svgWriter{Writer: bufio.NewWriter(w)}
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" font-family="Helvetica,Arial,'Liberation Sans',sans-serif">`+"\n",
		short(d.W), short(d.H), short(d.W), short(d.H))
	fmt.Fprintf(out, "<title>%s</title>\n", escape(d.Title))
	if d.About != "" {
		fmt.Fprintf(out, "<desc>%s</desc>\n", escape(d.About))
	}
	fmt.Fprintf(out, `<rect width="100%%" height="100%%" fill="%s"/>`+"\n", hex(d.Ground))
	out.frames(d, func(f *Frame) *Layer { return &f.Under })
	out.layer(&d.Base)
	out.frames(d, func(f *Frame) *Layer { return &f.Over })
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

type svgWriter struct{ *bufio.Writer }

// frames writes layers of which only one is to be seen at a time.
func (w *svgWriter) frames(d *Drawing, of func(*Frame) *Layer) {
	n := float64(len(d.Frames))
	total := d.Delay*n + pause
	for i := range d.Frames {
		from, to := d.Delay*float64(i)/total, d.Delay*float64(i+1)/total
		if i == len(d.Frames)-1 {
			to = 1
		}
		values, times := "none;inline;none", fmt.Sprintf("0;%s;%s", fine(from), fine(to))
		switch {
		case i == 0 && to < 1:
			values, times = "inline;none", "0;"+fine(to)
		case to == 1:
			values, times = "none;inline", "0;"+fine(from)
		}
		// Whoever cannot show movement shows the end.
		display := "none"
		if i == len(d.Frames)-1 {
			display = "inline"
		}
		fmt.Fprintf(w, `<g display="%s"><animate attributeName="display" calcMode="discrete" repeatCount="indefinite" dur="%ss" values="%s" keyTimes="%s"/>`+"\n", display, short(total), values, times)
		w.layer(of(&d.Frames[i]))
		fmt.Fprintln(w, "</g>")
	}
}

// pause is for how many seconds the end of an animation stands.
const pause = 2

func (w *svgWriter) layer(l *Layer) {
	for _, s := range l.shapes {
		switch s := s.(type) {
		case path:
			fmt.Fprint(w, `<path d="`)
			for _, line := range s.lines {
				w.pathData(line, s.closed)
			}
			fmt.Fprintf(w, `"%s/>`+"\n", s.attributes())
		case discs:
			w.discs(s)
		case text:
			w.text(s)
		}
	}
}

// pathData writes the corners, each relative to the one before.
func (w *svgWriter) pathData(line []Point, closed bool) {
	var at Point // as rounded, so that errors do not add up
	for i, p := range line {
		p = Point{round(p.X), round(p.Y)}
		if i == 0 {
			fmt.Fprintf(w, "M%s", pair(p.X, p.Y))
		} else if x, y := round(p.X-at.X), round(p.Y-at.Y); y == 0 {
			fmt.Fprintf(w, "h%s", short(x))
		} else if x == 0 {
			fmt.Fprintf(w, "v%s", short(y))
		} else {
			fmt.Fprintf(w, "l%s", pair(x, y))
		}
		at = p
	}
	if closed {
		fmt.Fprint(w, "z")
	}
}

func (w *svgWriter) discs(s discs) {
	if len(s.at) == 1 {
		fmt.Fprintf(w, `<circle cx="%s" cy="%s" r="%s"%s/>`+"\n", short(s.at[0].X), short(s.at[0].Y), short(s.r), s.attributes())
		return
	}
	fmt.Fprintf(w, "<g%s>\n", s.attributes())
	for _, p := range s.at {
		fmt.Fprintf(w, `<circle cx="%s" cy="%s" r="%s"/>`+"\n", short(p.X), short(p.Y), short(s.r))
	}
	fmt.Fprintln(w, "</g>")
}

func (w *svgWriter) text(t text) {
	fmt.Fprintf(w, `<text x="%s" y="%s" font-size="%s" fill="%s"`, short(t.at.X), short(t.at.Y), short(t.size), hex(t.colour))
	switch t.anchor {
	case 0.5:
		fmt.Fprint(w, ` text-anchor="middle"`)
	case 1:
		fmt.Fprint(w, ` text-anchor="end"`)
	}
	if t.bold {
		fmt.Fprint(w, ` font-weight="bold"`)
	}
	if t.upward {
		fmt.Fprintf(w, ` transform="rotate(-90 %s)"`, strings.ReplaceAll(pair(t.at.X, t.at.Y), ",", " "))
	}
	if t.halo.A > 0 {
		fmt.Fprintf(w, ` stroke="%s" stroke-width="3" stroke-linejoin="round" paint-order="stroke"`, hex(t.halo))
	}
	fmt.Fprintf(w, ">%s</text>\n", escape(t.s))
}

func (k ink) attributes() string {
	var b strings.Builder
	if k.fill.A == 0 {
		b.WriteString(` fill="none"`)
	} else {
		fmt.Fprintf(&b, ` fill="%s"`, hex(k.fill))
		if k.fill.A < 255 {
			fmt.Fprintf(&b, ` fill-opacity="%s"`, short(float64(k.fill.A)/255))
		}
	}
	if k.stroke.A > 0 {
		fmt.Fprintf(&b, ` stroke="%s" stroke-width="%s"`, hex(k.stroke), short(k.width))
		if k.stroke.A < 255 {
			fmt.Fprintf(&b, ` stroke-opacity="%s"`, short(float64(k.stroke.A)/255))
		}
		if len(k.dash) > 0 {
			var parts []string
			for _, d := range k.dash {
				parts = append(parts, short(d))
			}
			fmt.Fprintf(&b, ` stroke-dasharray="%s"`, strings.Join(parts, " "))
		}
		b.WriteString(` stroke-linejoin="round"`)
	}
	return b.String()
}

func hex(c Colour) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// round is to a hundredth of a pixel.
func round(v float64) float64 { return math.Round(v*100) / 100 }

// short is a number with at most two decimals.
func short(v float64) string {
	v = round(v)
	if v == 0 { // also -0
		return "0"
	}
	return strings.Replace(strconv.FormatFloat(v, 'f', -1, 64), "0.", ".", btoi(math.Abs(v) < 1))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func fine(v float64) string { return strconv.FormatFloat(math.Round(v*1e5)/1e5, 'f', -1, 64) }

// pair is two numbers; a minus sign parts them as well as a comma.
func pair(x, y float64) string {
	if b := short(y); strings.HasPrefix(b, "-") {
		return short(x) + b
	} else {
		return short(x) + "," + b
	}
}

// escape makes any text fit for XML: what XML cannot hold is left out.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r < ' ' || r == 0xFFFE || r == 0xFFFF:
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
