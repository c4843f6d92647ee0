package proof

import (
	"context"
	"math/big"
	"math/bits"
	"slices"

	"github.com/halfspace-ml/halfspace/data"
)

// Least is the fewest errors of any line in two features, and a line that
// makes so few. An example on the line is an error.
type Least struct {
	Errors int
	W      [2]float64
	Bias   float64
}

// maxPlaces is the most different points that LeastErrors looks at.
const maxPlaces = 5000

// LeastErrors counts, exactly, the errors of the best line for two classes of
// two features or fewer; nil if there are more, or too many points.
//
// Every way of cutting the points in two is that of a line through one of them,
// a little turned or shifted. So for each point the line turns once around it;
// it meets the others in the order of their angles, and the counts follow.
// Points at the same place go to the same side. Angles are compared in whole
// numbers. Cost: O(n² log n) for n different points.
//
// A line through the origin turns around that alone.
func LeastErrors(ctx context.Context, s *data.Set, noBias bool) (*Least, error) {
	if s.Dim() > 2 || len(s.Classes()) != 2 {
		return nil, nil
	}
	places, scale, ok := placesOf(s)
	if !ok || len(places) > maxPlaces {
		return nil, nil
	}
	best := &sweep{errors: s.Len() + 1}
	if noBias {
		best.through(place{}, places, true)
	} else {
		for _, p := range places {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			best.through(p, places, false)
		}
	}
	return best.least(scale), nil
}

// place is a point with the number of examples of each class there.
type place struct {
	x, y int64
	n    [2]int
}

// placesOf are the different points, each feature in a power of ten that makes
// its values whole; false if they are too long for that.
func placesOf(s *data.Set) (places []place, scale [2]int, ok bool) {
	rows := make([][]part, 0, s.Len())
	var classes []int
	for i := range s.Len() {
		if s.Class(i) != data.None && s.Weight(i) != 0 {
			rows = append(rows, []part{{x: s.Row(i), sign: 1}})
			classes = append(classes, s.Class(i))
		}
	}
	vectors, least := vectorsOf(rows, 2, false)
	for i, v := range vectors {
		var p place
		for _, e := range v {
			if e.n.BitLen() > 60 {
				return nil, scale, false
			}
			if e.key == 0 {
				p.x = e.n.Int64()
			} else {
				p.y = e.n.Int64()
			}
		}
		p.n[classes[i]] = 1
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b place) int {
		if a.x != b.x {
			return compare(a.x, b.x)
		}
		return compare(a.y, b.y)
	})
	merged := places[:0]
	for _, p := range places {
		if m := len(merged); m > 0 && merged[m-1].x == p.x && merged[m-1].y == p.y {
			merged[m-1].n[0] += p.n[0]
			merged[m-1].n[1] += p.n[1]
			continue
		}
		merged = append(merged, p)
	}
	return merged, [2]int{least[0], least[1]}, true
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// cross is the sign of ax·by - ay·bx, for numbers below 2^62.
func cross(ax, ay, bx, by int64) int {
	const half = 1 << 31
	if ax < half && ax > -half && ay < half && ay > -half && bx < half && bx > -half && by < half && by > -half {
		return compare(ax*by, ay*bx)
	}
	return compareProducts(ax, by, ay, bx)
}

// compareProducts compares a·b with c·d in 128 bits.
func compareProducts(a, b, c, d int64) int {
	s, t := sign(a)*sign(b), sign(c)*sign(d)
	if s != t || s == 0 {
		return compare(int64(s), int64(t))
	}
	h1, l1 := bits.Mul64(magnitude(a), magnitude(b))
	h2, l2 := bits.Mul64(magnitude(c), magnitude(d))
	switch {
	case h1 == h2 && l1 == l2:
		return 0
	case h1 < h2 || h1 == h2 && l1 < l2:
		return -s
	}
	return s
}

func sign(a int64) int { return compare(a, 0) }

func magnitude(a int64) uint64 {
	if a < 0 {
		return uint64(-a)
	}
	return uint64(a)
}

// direction is where another point lies, turned into the upper half plane.
type direction struct {
	x, y   int64
	turned bool
	n      [2]int
}

// sweep turns lines and remembers the best.
type sweep struct {
	errors int
	around place
	x, y   int64 // direction of the line
	flip   bool  // the positive side is the right one
	left   bool  // the point it turns around is to the left
	origin bool  // it goes through the point
	all    []direction
}

// through turns a line around p.
func (w *sweep) through(p place, places []place, origin bool) {
	all := w.all[:0]
	var left, right, here [2]int // examples by class
	for _, q := range places {
		d := direction{x: q.x - p.x, y: q.y - p.y, n: q.n}
		switch {
		case d.x == 0 && d.y == 0:
			here = q.n
			continue
		case d.y < 0 || d.y == 0 && d.x < 0:
			d.x, d.y, d.turned = -d.x, -d.y, true
			right[0] += q.n[0]
			right[1] += q.n[1]
		default:
			left[0] += q.n[0]
			left[1] += q.n[1]
		}
		all = append(all, d)
	}
	w.all = all
	slices.SortFunc(all, func(a, b direction) int { return -cross(a.x, a.y, b.x, b.y) })
	w.judge(p, all, -1, left, right, here, origin)
	for k, d := range all {
		if d.turned {
			move(&right, &left, d.n)
		} else {
			move(&left, &right, d.n)
		}
		if k+1 == len(all) || cross(d.x, d.y, all[k+1].x, all[k+1].y) != 0 {
			w.judge(p, all, k, left, right, here, origin)
		}
	}
}

func move(from, to *[2]int, n [2]int) {
	for c := range n {
		from[c] -= n[c]
		to[c] += n[c]
	}
}

// judge counts the errors of the line that has just met direction k.
func (w *sweep) judge(p place, all []direction, k int, left, right, here [2]int, origin bool) {
	own := min(here[0], here[1])
	if origin {
		own = here[0] + here[1] // on every line
	}
	errors, flip := left[1]+right[0]+own, false
	if other := left[0] + right[1] + own; other < errors {
		errors, flip = other, true
	}
	if errors >= w.errors {
		return
	}
	w.errors, w.around, w.flip, w.origin = errors, p, flip, origin
	w.left = (here[0] >= here[1]) != flip // the larger class of the place to its own side
	w.x, w.y = between(all, k)
}

// between is a direction after direction k and before the next.
func between(all []direction, k int) (x, y int64) {
	if len(all) == 0 {
		return 1, 0
	}
	first, last := all[0], all[len(all)-1]
	switch parallel := cross(first.x, first.y, last.x, last.y) == 0; {
	case parallel && k < 0:
		return first.y, -first.x
	case parallel:
		return -first.y, first.x
	case k < 0:
		return first.x - last.x, first.y - last.y
	case k == len(all)-1:
		return last.x - first.x, last.y - first.y
	}
	return all[k].x + all[k+1].x, all[k].y + all[k+1].y
}

// least is the best line in the units of the features.
func (w *sweep) least(scale [2]int) *Least {
	a, b := big.NewInt(-w.y), big.NewInt(w.x) // the left side is positive
	c := new(big.Int).Mul(a, big.NewInt(w.around.x))
	c.Add(c, new(big.Int).Mul(b, big.NewInt(w.around.y)))
	c.Neg(c)
	for _, n := range []*big.Int{a, b, c} {
		n.Lsh(n, 1) // so that half a unit, less than any score of another point, is 1
	}
	switch {
	case w.origin:
	case w.left:
		c.Add(c, one)
	default:
		c.Sub(c, one)
	}
	if w.flip {
		a.Neg(a)
		b.Neg(b)
		c.Neg(c)
	}
	l := &Least{Errors: w.errors, Bias: toFloat(c, 0)}
	l.W = [2]float64{toFloat(a, -scale[0]), toFloat(b, -scale[1])}
	return l
}

// toFloat is n·10^exp.
func toFloat(n *big.Int, exp int) float64 {
	r := new(big.Rat).SetInt(n)
	if exp < 0 {
		r.Quo(r, new(big.Rat).SetInt(power10(-exp)))
	} else {
		r.Mul(r, new(big.Rat).SetInt(power10(exp)))
	}
	f, _ := r.Float64()
	return f
}
