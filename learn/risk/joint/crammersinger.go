package joint

import (
	"context"
	"math"

	"github.com/halfspace-ml/halfspace/vec"
)

// crammerSinger is max(0, 1 − z_y + z_k over k ≠ y). Its bonus is 1 − q_y.
type crammerSinger struct{}

func (crammerSinger) slope(z []float64, class int) float64 {
	best := class
	own, most := z[class], z[class]
	for k, v := range z {
		if k != class && v+1 > most {
			best, most = k, v+1
		}
	}
	clear(z)
	if best != class {
		z[best], z[class] = 1, -1
	}
	return most - own
}

func (crammerSinger) bonus(s []float64, class int) float64 { return -s[class] }

// rounded is the loss of Crammer and Singer with its edges rounded off over a
// width of C/σ, since each C·q is drawn to its last value a:
//
//	e(z) = max over q of  C·(q·z − z_y + 1 − q_y) − ‖C·q − a‖²/2σ
//
// The best C·q is the projection of a + σ·(z + 1 − e_y) on the shares, times C,
// and the curvature is σ·(diag 1 − 1·1ᵀ/m) over the m classes with a share.
type rounded struct {
	*problem
	sigma float64
	a     []float64 // by example and class: C·(q − e_y)
}

func (r *rounded) slope(i int, z []float64) float64 {
	c, class, a := r.c[i], r.set.Class(i), r.row(r.a, i)
	top := z[class]
	for k, v := range z {
		if k != class {
			top = max(top, v+1)
		}
	}
	// Scores less the best keep the digits, and the projection forgives it.
	own := top - z[class]
	for k, v := range z {
		if k != class {
			v++
		}
		z[k] = a[k] + float64(r.sigma*(v-top))
	}
	z[class] += c
	// worth is Σ C·q·(z − top) from the projection.
	worth, apart := 0.0, 0.0
	level := waterline(z, c)
	rest := 0.0
	for k, v := range z {
		to := max(0, v-level)
		from := a[k]
		if k == class {
			from += c
		} else {
			rest += to
		}
		// v − from is σ·(z − top) of the class
		worth += float64(to*(v-from)) / r.sigma
		apart += float64((to - from) * (to - from))
		z[k] = to
	}
	z[class] = -min(rest, c)
	return float64(c*own) + worth - apart/(2*r.sigma)
}

// waterline is the level above which v has a volume of c: max(0, v − level) is
// the projection of v on the numbers ≥ 0 whose sum is c.
func waterline(v []float64, c float64) float64 {
	// The level only rises when a number below it is left out, but for rounding.
	level, count := math.Inf(-1), len(v)+1
	for {
		sum, n := -c, 0
		for _, u := range v {
			if u > level {
				sum += u
				n++
			}
		}
		if n >= count || n == 0 {
			return level
		}
		level, count = sum/float64(n), n
	}
}

func (r *rounded) curve(i int, u, s []float64) float64 {
	class, m := r.set.Class(i), 0.0
	for k, v := range s {
		u[k] = 0
		if k == class && v > -r.c[i] || k != class && v > 0 {
			u[k] = 1
			m++
		}
	}
	if m < 2 {
		return 0
	}
	for k := range u {
		u[k] /= m
	}
	return r.sigma * m
}

// multipliersSolve is the method of multipliers: Newton's method minimises the
// rounded objective, whose curvature sits in the few examples between two
// classes or more; then each a becomes the C·q that was found. σ grows only
// while Newton's method follows in a few steps: a σ too large costs it many. All
// in all it needs tens of steps where the sequential dual method (Keerthi and
// others 2008) needs many thousands of loops, and free biases are nothing
// special.
//
// Source: Rockafellar 1976 (proximal points and multipliers); Li, Sun and Toh
// 2018 (semismooth Newton inside). Its trace shows every example before each
// step of Newton's method.
func multipliersSolve(ctx context.Context, p *problem, x []float64, look func(progress) bool) {
	r := &rounded{problem: p, sigma: firstSigma(p), a: make([]float64, p.set.Len()*p.classes)}
	n := newNewton(p, r, x, 0.01/float64(p.classes*p.classes))
	for steps, stuck := 1, 0; ; steps++ {
		moved := n.step(ctx)
		if ctx.Err() != nil || look(n.progress()) {
			return
		}
		if moved && dot(n.g, n.g)/2 > 0.3*r.apart(n) {
			continue
		}
		if stuck++; moved {
			stuck = 0
		}
		if stuck > 3 || r.sigma > math.MaxFloat64/16 {
			return
		}
		copy(r.a, n.s)
		switch {
		case steps <= 2:
			r.sigma *= 4
		case steps <= 4:
			r.sigma *= 2
		}
		steps = 0
		n.slopes()
		n.first = max(n.first, norm(n.g))
	}
}

// firstSigma rounds so wide that an example moves about as far as it would if
// it were alone: σ = 1/‖x‖², and no further than the largest C.
func firstSigma(p *problem) float64 {
	most, mean := 0.0, 0.0
	for i, c := range p.c {
		most = max(most, c)
		mean += vec.SquaredNorm(p.set.Row(i)) / float64(len(p.c))
	}
	sigma := min(most, 1/mean)
	if sigma > 0 {
		return sigma
	}
	return 1 // C = 0
}

// apart is how far the multipliers are from fitting the scores: their part of
// the duality gap.
func (r *rounded) apart(n *newton) float64 {
	return r.total(func(i int, buf []float64) float64 {
		copy(buf, r.row(n.z, i))
		s, class := r.row(n.s, i), r.set.Class(i)
		fits := float64(r.c[i] * r.loss.bonus(s, class)) // of C·s, linear
		if r.c[i] > 0 {
			fits /= r.c[i]
		}
		fits += dot(s, buf)
		return r.c[i]*r.loss.slope(buf, class) - fits
	})
}
