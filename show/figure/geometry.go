package figure

import "math"

// half is a half-plane of values: a·x + b·y + c ≥ 0.
type half struct{ a, b, c float64 }

func (h half) value(p Point) float64 { return h.a*p.X + h.b*p.Y + h.c }

func (h half) flipped() half { return half{-h.a, -h.b, -h.c} }

func (h half) plus(g half) half { return half{h.a + g.a, h.b + g.b, h.c + g.c} }

// clip is the part of a convex ring that lies in all half-planes.
func clip(ring []Point, halves ...half) []Point {
	for _, h := range halves {
		var out []Point
		for i, p := range ring {
			q := ring[(i+1)%len(ring)]
			u, v := h.value(p), h.value(q)
			if u >= 0 {
				out = append(out, p)
			}
			if u >= 0 != (v >= 0) {
				t := u / (u - v)
				out = append(out, Point{p.X + t*(q.X-p.X), p.Y + t*(q.Y-p.Y)})
			}
		}
		ring = out
	}
	return ring
}

// border is the piece of the line h = 0 that lies in a convex ring; nil if it
// misses it.
func border(ring []Point, h half) []Point {
	var ends []Point
	for i, p := range ring {
		q := ring[(i+1)%len(ring)]
		u, v := h.value(p), h.value(q)
		if u >= 0 != (v >= 0) {
			t := u / (u - v)
			ends = append(ends, Point{p.X + t*(q.X-p.X), p.Y + t*(q.Y-p.Y)})
		}
	}
	if len(ends) < 2 {
		return nil
	}
	return ends[:2]
}

// foot is the point of the line h = 0 nearest to p.
func (h half) foot(p Point) Point {
	d := h.value(p) / (h.a*h.a + h.b*h.b)
	return Point{p.X - d*h.a, p.Y - d*h.b}
}

// middle is halfway between the ends of a piece of a line.
func middle(ends []Point) Point {
	return Point{(ends[0].X + ends[1].X) / 2, (ends[0].Y + ends[1].Y) / 2}
}

// field is a function sampled on a grid of (nx+1)·(ny+1) values.
type field struct {
	nx, ny int
	at     func(i, j int) Point
	v      []float64 // of node j·(nx+1)+i
}

// area is where the field is above zero, as rings that all turn the same way:
// whole cells in runs, and pieces of the cells that the border crosses.
func (f *field) area() [][]Point {
	var rings [][]Point
	for j := range f.ny {
		run := -1
		flush := func(i int) {
			if run >= 0 {
				rings = append(rings, []Point{f.at(run, j), f.at(i, j), f.at(i, j+1), f.at(run, j+1)})
				run = -1
			}
		}
		for i := range f.nx {
			corners, values := f.cell(i, j)
			inside := 0
			for _, v := range values {
				if v > 0 {
					inside++
				}
			}
			if inside == 4 {
				if run < 0 {
					run = i
				}
				continue
			}
			flush(i)
			if inside > 0 {
				rings = append(rings, positive(corners, values))
			}
		}
		flush(f.nx)
	}
	return rings
}

// border is where the field is zero, as short lines.
func (f *field) border() [][]Point {
	var lines [][]Point
	for j := range f.ny {
		for i := range f.nx {
			corners, values := f.cell(i, j)
			var ends []Point
			for k := range corners {
				n := (k + 1) % 4
				if values[k] > 0 != (values[n] > 0) {
					ends = append(ends, crossing(corners[k], corners[n], values[k], values[n]))
				}
			}
			for k := 0; k+1 < len(ends); k += 2 {
				lines = append(lines, []Point{ends[k], ends[k+1]})
			}
		}
	}
	return joined(lines)
}

// joined puts pieces that share an end together, so that dashes run on.
func joined(pieces [][]Point) [][]Point {
	// Neighbours may differ in the last bits of an end they share.
	key := func(p Point) Point { return Point{math.Round(1e6 * p.X), math.Round(1e6 * p.Y)} }
	at := map[Point][]int{}
	used := make([]bool, len(pieces))
	for k, p := range pieces {
		a, b := key(p[0]), key(p[1])
		if used[k] = a == b; !used[k] { // else it is no longer than nothing
			at[a], at[b] = append(at[a], k), append(at[b], k)
		}
	}
	extend := func(line []Point) []Point {
		for {
			end, next := line[len(line)-1], -1
			for _, k := range at[key(end)] {
				if !used[k] {
					next = k
				}
			}
			if next < 0 {
				return line
			}
			used[next] = true
			other := pieces[next][0]
			if key(other) == key(end) {
				other = pieces[next][1]
			}
			line = append(line, other)
		}
	}
	var lines [][]Point
	for k, p := range pieces {
		if used[k] {
			continue
		}
		used[k] = true
		back := extend([]Point{p[1], p[0]})
		line := make([]Point, 0, len(back))
		for i := len(back) - 1; i >= 0; i-- {
			line = append(line, back[i])
		}
		lines = append(lines, extend(line))
	}
	return lines
}

func (f *field) cell(i, j int) (corners [4]Point, values [4]float64) {
	for k, d := range [4][2]int{{0, 0}, {1, 0}, {1, 1}, {0, 1}} {
		corners[k] = f.at(i+d[0], j+d[1])
		values[k] = f.v[(j+d[1])*(f.nx+1)+i+d[0]]
	}
	return corners, values
}

// positive is the part of a cell where the value, straight along its sides, is
// above zero.
func positive(corners [4]Point, values [4]float64) []Point {
	var ring []Point
	for k := range corners {
		n := (k + 1) % 4
		if values[k] > 0 {
			ring = append(ring, corners[k])
		}
		if values[k] > 0 != (values[n] > 0) {
			ring = append(ring, crossing(corners[k], corners[n], values[k], values[n]))
		}
	}
	return ring
}

// crossing is where a value changes sign between two corners. The corners are
// taken in one order, so that neighbours find the same point.
func crossing(p, q Point, u, v float64) Point {
	if q.X < p.X || q.X == p.X && q.Y < p.Y {
		p, q, u, v = q, p, v, u
	}
	t := u / (u - v)
	if math.IsNaN(t) || math.IsInf(t, 0) {
		t = 0.5
	}
	return Point{p.X + t*(q.X-p.X), p.Y + t*(q.Y-p.Y)}
}
