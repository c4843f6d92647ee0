package figure

import (
	"math"

	"github.com/halfspace-ml/halfspace/data"
)

// crowd is the number of examples from which they are drawn as density.
const crowd = 2500

// marker draws the sign of class c at places: a shape of its own beside a
// colour of its own.
func (p *page) marker(l *Layer, c int, r float64, at ...Point) {
	k := ink{fill: p.col.class(c), stroke: p.col.ground, width: 0.8}
	sign := c
	if n := len(p.col.series); c >= n {
		sign = c%n + 1 + c/n // another pair of colour and shape
	}
	if p.style.Mono {
		for _, q := range at {
			l.text(text{at: Point{q.X - 0.4*cellWide, q.Y + 0.3*cellHigh}, s: letters[sign%len(letters)], colour: k.fill})
		}
		return
	}
	var rings [][]Point
	for _, q := range at {
		switch sign % 6 {
		case 0:
			continue
		case 1:
			rings = append(rings, box(q.X-0.87*r, q.Y-0.87*r, 1.74*r, 1.74*r))
		case 2:
			rings = append(rings, polygon(Point{q.X, q.Y + 0.2*r}, 1.25*r, 3, -math.Pi/2))
		case 3:
			rings = append(rings, polygon(q, 1.25*r, 4, 0))
		case 4:
			rings = append(rings, polygon(Point{q.X, q.Y - 0.2*r}, 1.25*r, 3, math.Pi/2))
		case 5:
			rings = append(rings, cross(q, r))
		}
	}
	if sign%6 == 0 {
		l.discs(r, k, at...)
		return
	}
	l.path(true, k, rings...)
}

// letters are the signs of classes in a terminal.
var letters = []string{"o", "x", "+", "▲", "◆", "*"}

// cross is a plus sign turned by an eighth.
func cross(q Point, r float64) []Point {
	ring := make([]Point, 0, 12)
	thin := 0.38 * r
	for k := range 4 {
		s, c := math.Sincos(math.Pi/4 + float64(k)*math.Pi/2)
		for _, d := range [][2]float64{{thin, thin}, {1.2 * r, thin}, {1.2 * r, -thin}} {
			ring = append(ring, Point{q.X + c*d[0] - s*d[1], q.Y + s*d[0] + c*d[1]})
		}
	}
	// The corners come in the order inner, outer, outer; turning needs the outer first.
	for k := 0; k < 12; k += 3 {
		ring[k+1], ring[k+2] = ring[k+2], ring[k+1]
	}
	return ring
}

// classEntries are the legend of the classes of a set.
func (p *page) classEntries(s *data.Set) []entry {
	var out []entry
	for c, name := range s.Classes() {
		if len(s.Classes()) == 2 {
			name += [2]string{" (+)", " (−)"}[c]
		}
		out = append(out, entry{name, func(l *Layer, at Point) { p.marker(l, c, 4.5, at) }})
	}
	return out
}

// scatter draws the examples of a set: signs, or where there are very many,
// squares that are the darker the more examples are in them.
func (q *panel) scatter(l *Layer, v *view, s *data.Set) {
	places := make([][]Point, len(s.Classes()))
	for i := range s.Len() {
		if c := s.Class(i); c != data.None {
			at := v.place(s.Row(i), c)
			places[c] = append(places[c], q.at(at.X, at.Y))
		}
	}
	if s.Len() > crowd {
		for c := range places {
			q.density(l, q.col.class(c), places[c])
		}
		return
	}
	r := 4.5
	switch {
	case s.Len() > 1000:
		r = 2
	case s.Len() > 200:
		r = 3
	}
	if q.frame.w < 360 && s.Len() > 20 {
		r = max(2, 0.7*r)
	}
	for c := range places {
		q.marker(l, c, r, places[c]...)
	}
}

// density draws squares of a colour at three depths, by how many places fall
// into them.
func (q *panel) density(l *Layer, c Colour, places []Point) {
	const side = 3.0
	nx, ny := int(q.frame.w/side)+1, int(q.frame.h/side)+1
	counts := make([]int, nx*ny)
	most := 0
	for _, p := range places {
		i, j := int((p.X-q.frame.x)/side), int((p.Y-q.frame.y)/side)
		if i < 0 || j < 0 || i >= nx || j >= ny {
			continue
		}
		counts[j*nx+i]++
		most = max(most, counts[j*nx+i])
	}
	const depths = 4
	depth := func(n int) int {
		if n == 0 || most == 1 {
			return n * depths
		}
		return 1 + int((depths-1)*math.Log(float64(n))/math.Log(float64(most))+1e-9)
	}
	for d := 1; d <= depths; d++ {
		var rings [][]Point
		for j := range ny {
			for i := 0; i < nx; i++ {
				from := i
				for i < nx && depth(counts[j*nx+i]) == d {
					i++
				}
				if i > from {
					x, y := q.frame.x+side*float64(from), q.frame.y+side*float64(j)
					rings = append(rings, box(x, y, min(side*float64(i-from), q.frame.x+q.frame.w-x), min(side, q.frame.y+q.frame.h-y)))
				}
			}
		}
		l.area(c.faded(0.25+0.65*float64(d)/depths), rings...)
	}
}

// crowdNote tells that signs are not single examples.
func crowdNote(s *data.Set) string {
	if s.Len() <= crowd {
		return ""
	}
	return count(s.Len(), "example") + ": squares are the deeper the more of them they hold."
}
