package proof

import (
	"cmp"
	"context"
	"math"
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
const maxPlaces = 3000

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
	places, scale := placesOf(s)
	if len(places) > maxPlaces {
		return nil, nil
	}
	best := newSweep(places, s.Len()+1)
	if err := best.run(ctx, noBias); err != nil {
		return nil, err
	}
	return best.least(scale), nil
}

// place is a point with the number of examples of each class there, each
// feature in a power of ten that makes its values whole.
type place struct {
	x, y *big.Int
	n    [2]int
}

// placesOf are the different points, and the powers of ten.
func placesOf(s *data.Set) (places []place, scale [2]int) {
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
		p := place{x: new(big.Int), y: new(big.Int)}
		for _, e := range v {
			if e.key == 0 {
				p.x = e.n
			} else {
				p.y = e.n
			}
		}
		p.n[classes[i]] = 1
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Or(a.x.Cmp(b.x), a.y.Cmp(b.y)) })
	merged := places[:0]
	for _, p := range places {
		if m := len(merged); m > 0 && merged[m-1].x.Cmp(p.x) == 0 && merged[m-1].y.Cmp(p.y) == 0 {
			merged[m-1].n[0] += p.n[0]
			merged[m-1].n[1] += p.n[1]
			continue
		}
		merged = append(merged, p)
	}
	return merged, [2]int{least[0], least[1]}
}

// direction is where another point lies, turned into the upper half plane:
// in whole numbers if they are short, and nearly. Long ones are made again from
// the places when nearly is not enough.
type direction struct {
	x, y   int64
	fx, fy float64
	to     *place
	turned bool
}

// sweep turns lines and remembers the best.
type sweep struct {
	places []place
	long   bool // differences of coordinates do not fit into 62 bits
	errors int
	around place
	x, y   *big.Int // direction of the line
	flip   bool     // the positive side is the right one
	left   bool     // the point it turns around is to the left
	origin bool     // it goes through the point
	all    []direction
	p      *place // of the sweep at work
}

func newSweep(places []place, worst int) *sweep {
	w := &sweep{places: places, errors: worst}
	for _, p := range places {
		w.long = w.long || p.x.BitLen() > 60 || p.y.BitLen() > 60
	}
	return w
}

// run turns lines around all places, or around the origin.
func (w *sweep) run(ctx context.Context, noBias bool) error {
	if noBias {
		w.through(&place{x: new(big.Int), y: new(big.Int)}, true)
		return nil
	}
	for k := range w.places {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.through(&w.places[k], false)
	}
	return nil
}

// direction is that from p to q; false if they are at the same place.
func (w *sweep) direction(p, q *place) (direction, bool) {
	d := direction{to: q}
	if w.long {
		dx, dy := new(big.Int).Sub(q.x, p.x), new(big.Int).Sub(q.y, p.y)
		d.fx, d.fy = nearly(dx), nearly(dy)
		d.x, d.y = int64(dx.Sign()), int64(dy.Sign())
	} else {
		d.x, d.y = q.x.Int64()-p.x.Int64(), q.y.Int64()-p.y.Int64()
	}
	if d.x == 0 && d.y == 0 {
		return d, false
	}
	if d.y < 0 || d.y == 0 && d.x < 0 {
		d.x, d.y, d.fx, d.fy, d.turned = -d.x, -d.y, -d.fx, -d.fy, true
	}
	return d, true
}

func nearly(n *big.Int) float64 {
	f, _ := new(big.Float).SetInt(n).Float64()
	return f
}

// whole is a direction in whole numbers.
func (w *sweep) whole(d *direction) (x, y *big.Int) {
	x, y = new(big.Int).Sub(d.to.x, w.p.x), new(big.Int).Sub(d.to.y, w.p.y)
	if d.turned {
		x.Neg(x)
		y.Neg(y)
	}
	return x, y
}

// cross is the sign of the angle from a to b.
func (w *sweep) cross(a, b *direction) int {
	if !w.long {
		return cross(a.x, a.y, b.x, b.y)
	}
	p, q := a.fx*b.fy, a.fy*b.fx
	if off := 0x1p-50 * (math.Abs(p) + math.Abs(q)); math.Abs(p-q) > off && off < math.MaxFloat64 && off > 1e-290 {
		if p > q {
			return 1
		}
		return -1
	}
	ax, ay := w.whole(a)
	bx, by := w.whole(b)
	return ax.Mul(ax, by).Cmp(ay.Mul(ay, bx))
}

// cross is the sign of ax·by - ay·bx, for numbers below 2^62.
func cross(ax, ay, bx, by int64) int {
	const half = 1 << 31
	if ax < half && ax > -half && ay < half && ay > -half && bx < half && bx > -half && by < half && by > -half {
		return cmp.Compare(ax*by, ay*bx)
	}
	return compareProducts(ax, by, ay, bx)
}

// compareProducts compares a·b with c·d in 128 bits.
func compareProducts(a, b, c, d int64) int {
	s, t := sign(a)*sign(b), sign(c)*sign(d)
	if s != t || s == 0 {
		return cmp.Compare(s, t)
	}
	h1, l1 := bits.Mul64(magnitude(a), magnitude(b))
	h2, l2 := bits.Mul64(magnitude(c), magnitude(d))
	return s * cmp.Or(cmp.Compare(h1, h2), cmp.Compare(l1, l2))
}

func sign(a int64) int { return cmp.Compare(a, 0) }

func magnitude(a int64) uint64 {
	if a < 0 {
		return uint64(-a)
	}
	return uint64(a)
}

// through turns a line around p.
func (w *sweep) through(p *place, origin bool) {
	w.p = p
	all := w.all[:0]
	var left, right, here [2]int // examples by class
	for k := range w.places {
		q := &w.places[k]
		d, apart := w.direction(p, q)
		switch {
		case !apart:
			here = q.n
			continue
		case d.turned:
			right[0] += q.n[0]
			right[1] += q.n[1]
		default:
			left[0] += q.n[0]
			left[1] += q.n[1]
		}
		all = append(all, d)
	}
	w.all = all
	slices.SortFunc(all, func(a, b direction) int { return -w.cross(&a, &b) })
	w.judge(-1, left, right, here, origin)
	for k := range all {
		d := &all[k]
		if d.turned {
			move(&right, &left, d.to.n)
		} else {
			move(&left, &right, d.to.n)
		}
		if k+1 == len(all) || w.cross(d, &all[k+1]) != 0 {
			w.judge(k, left, right, here, origin)
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
func (w *sweep) judge(k int, left, right, here [2]int, origin bool) {
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
	w.errors, w.around, w.flip, w.origin = errors, *w.p, flip, origin
	w.left = (here[0] >= here[1]) != flip // the larger class of the place to its own side
	w.x, w.y = w.between(k)
}

// between is a direction after direction k and before the next.
func (w *sweep) between(k int) (x, y *big.Int) {
	n := len(w.all)
	if n == 0 {
		return big.NewInt(1), new(big.Int)
	}
	first, last := &w.all[0], &w.all[n-1]
	switch parallel := w.cross(first, last) == 0; {
	case parallel && k < 0:
		x, y = w.whole(first)
		return y, x.Neg(x)
	case parallel:
		x, y = w.whole(first)
		return y.Neg(y), x
	case k < 0:
		return w.sum(first, 1, last, -1)
	case k == n-1:
		return w.sum(last, 1, first, -1)
	}
	return w.sum(&w.all[k], 1, &w.all[k+1], 1)
}

// sum is a direction and another, with signs.
func (w *sweep) sum(a *direction, s int64, b *direction, t int64) (x, y *big.Int) {
	ax, ay := w.whole(a)
	bx, by := w.whole(b)
	m, n := big.NewInt(s), big.NewInt(t)
	return ax.Add(ax.Mul(ax, m), bx.Mul(bx, n)), ay.Add(ay.Mul(ay, m), by.Mul(by, n))
}

// least is the best line in the units of the features.
func (w *sweep) least(scale [2]int) *Least {
	a, b := new(big.Int).Neg(w.y), new(big.Int).Set(w.x) // the left side is positive
	c := new(big.Int).Mul(a, w.around.x)
	c.Add(c, new(big.Int).Mul(b, w.around.y))
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
