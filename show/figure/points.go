package figure

import (
	"fmt"
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
	t, r := 0.42*r, 1.3*r
	turn := math.Sqrt2 / 2
	ring := []Point{{r, -t}, {r, t}, {t, t}, {t, r}, {-t, r}, {-t, t}, {-r, t}, {-r, -t}, {-t, -t}, {-t, -r}, {t, -r}, {t, -t}}
	for i, p := range ring {
		ring[i] = Point{q.X + turn*(p.X-p.Y), q.Y + turn*(p.X+p.Y)}
	}
	return ring
}

// mostNamed is how many classes a legend has room for.
const mostNamed = 24

// classEntries are the legend of the classes of a set.
func (p *page) classEntries(s *data.Set) []entry {
	var out []entry
	for c, name := range s.Classes() {
		if len(s.Classes()) > mostNamed && c == mostNamed-1 {
			more := fmt.Sprintf("and %d classes more", len(s.Classes())-c)
			return append(out, entry{more, func(*Layer, Point) {}})
		}
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
			if at := v.place(s.Row(i), c); q.holds(at) {
				places[c] = append(places[c], q.at(at.X, at.Y))
			}
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

// density draws squares of a colour at some depths, by how many places fall
// into them: small ones, or where few are filled, such as with whole numbers,
// larger ones.
func (q *panel) density(l *Layer, c Colour, places []Point) {
	side := 3.0
	counts, nx, ny, filled, most := q.counts(places, side)
	if filled < 150 {
		side = 9
		counts, nx, ny, _, most = q.counts(places, side)
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

// counts is how many places fall into each square of that side.
func (q *panel) counts(places []Point, side float64) (counts []int, nx, ny, filled, most int) {
	nx, ny = int(q.frame.w/side)+1, int(q.frame.h/side)+1
	counts = make([]int, nx*ny)
	for _, p := range places {
		k := int((p.Y-q.frame.y)/side)*nx + int((p.X-q.frame.x)/side)
		if counts[k] == 0 {
			filled++
		}
		counts[k]++
		most = max(most, counts[k])
	}
	return counts, nx, ny, filled, most
}

// crowdNote tells that signs are not single examples.
func crowdNote(s *data.Set) string {
	if s.Len() <= crowd {
		return ""
	}
	return fmt.Sprintf("Squares are the deeper the more of the %d examples they hold.", s.Len())
}
