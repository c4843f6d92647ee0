package solve

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/halfspace-ml/halfspace/learn/risk/penalty"
)

// model prepares the parabola at x, for the weights that may move: those that
// are not zero, and those that would not stay so, by their slopes: the order of
// the features is to play no part.
func (c *coordinate) model() {
	c.bend.reset(c.bow)
	copy(c.w, c.x)
	c.work = c.work[:0]
	for j, x := range c.x {
		if c.most[j] == 0 || x == 0 && math.Abs(c.g[j]) <= 0.9*c.l1(j) {
			continue
		}
		if c.h[j] = c.bend.diagonal(j) + c.rest(j); c.h[j] > 0 {
			c.work = append(c.work, uint32(j))
		}
	}
	slices.SortStableFunc(c.work, func(a, b uint32) int { return cmp.Compare(math.Abs(c.g[b]), math.Abs(c.g[a])) })
}

// slopeAt is the slope of the model in weight j, but for the L1 penalty.
func (c *coordinate) slopeAt(j int) float64 {
	return c.g[j] + c.bend.slope(j) + float64(c.rest(j)*(c.w[j]-c.x[j]))
}

// set changes weight j of the model.
func (c *coordinate) set(j int, to float64) {
	if by := to - c.w[j]; by != 0 {
		c.w[j] = to
		c.bend.add(j, by)
	}
}

// descend goes to the least value of the model, the nearer to the end the more
// exactly, but no further than the gap asked for can tell.
func (c *coordinate) descend(ctx context.Context) {
	fell := c.worst / c.last // infinite at first
	c.last = c.worst
	enough := max(c.worst*max(1e-3, min(0.1, fell*fell)), c.tells())
	for range 100 {
		if c.sweep(c.work) <= enough || ctx.Err() != nil {
			return
		}
		c.some = append(c.some[:0], c.work...)
		c.dropZeros()
		left := 0.0
		for range 20 {
			if left = c.sweep(c.some); left <= enough {
				break
			}
		}
		if left > enough {
			c.dropZeros()
			c.conjugate(ctx, enough/2)
			if c.project() {
				c.patience *= 2
			} else {
				c.patience = c.haste
			}
		}
	}
}

// dropZeros leaves some those that no kink holds.
func (c *coordinate) dropZeros() {
	c.some = slices.DeleteFunc(c.some, func(j uint32) bool { return c.w[j] == 0 && c.l1(int(j)) > 0 })
}

// tells is how much a slope may be off for a fifth of the gap asked for: dual
// variables that are too large by that share are so much worse.
func (c *coordinate) tells() float64 {
	sum := 0.0
	for j, x := range c.x {
		sum += float64(c.l1(j) * math.Abs(x))
	}
	if sum == 0 {
		return 0
	}
	return 0.2 * c.Tol * c.value / sum * c.Penalty.L1
}

// sweep makes each of some weights the best it can be and returns how far the
// worst was from it.
func (c *coordinate) sweep(some []uint32) float64 {
	c.rand.Shuffle(len(some), func(a, b int) { some[a], some[b] = some[b], some[a] })
	worst := 0.0
	for _, j := range some {
		slope, w, l1 := c.slopeAt(int(j)), c.w[j], c.l1(int(j))
		worst = max(worst, math.Abs(penalty.Kink(slope, w, l1)))
		c.set(int(j), soft(float64(c.h[j]*w)-slope, l1)/c.h[j])
	}
	return worst
}

func soft(v, by float64) float64 {
	switch {
	case v > by:
		return v - by
	case v < -by:
		return v + by
	}
	return 0
}

// conjugate finds the step from w to the least value of the model in the weights
// that are not zero, if their signs stay, by conjugate gradients.
func (c *coordinate) conjugate(ctx context.Context, enough float64) {
	r, p, q, to := c.cg.r, c.cg.p, c.cg.q, c.cg.to
	rz := 0.0
	for _, j := range c.some {
		r[j] = -penalty.Kink(c.slopeAt(int(j)), c.w[j], c.l1(int(j)))
		p[j], to[j] = r[j]/c.h[j], 0
		rz += float64(r[j] * p[j])
	}
	for range c.patience {
		if ctx.Err() != nil {
			return
		}
		c.bend.times(q, p, c.some)
		php := 0.0
		for _, j := range c.some {
			q[j] += float64(c.rest(int(j)) * p[j])
			php += float64(p[j] * q[j])
		}
		if !(php > 0) {
			return
		}
		step := rz / php
		next, worst := 0.0, 0.0
		for _, j := range c.some {
			to[j] += float64(step * p[j])
			r[j] -= float64(step * q[j])
			next += float64(r[j] * r[j] / c.h[j])
			worst = max(worst, math.Abs(r[j]))
		}
		if worst <= enough {
			return
		}
		beta := next / rz
		rz = next
		for _, j := range c.some {
			p[j] = r[j]/c.h[j] + float64(beta*p[j])
		}
	}
}

// project takes the step that conjugate found. A weight that would change its
// sign stops at zero; should that raise the model, all stop where the first one
// does. It reports whether all signs stay: then more steps are worth their time.
func (c *coordinate) project() bool {
	first := 1.0
	for _, j := range c.some {
		if d := c.cg.to[j]; c.crosses(int(j), d) {
			first = min(first, -c.w[j]/d)
		}
	}
	if first == 1 {
		c.advance(1)
		return true
	}
	before := c.height()
	copy(c.cg.old, c.w)
	c.advance(1)
	if !(c.height() < before) {
		for _, j := range c.some {
			c.set(int(j), c.cg.old[j])
		}
		c.advance(first)
	}
	return false
}

// advance moves the weights by a share of the step.
func (c *coordinate) advance(share float64) {
	for _, j := range c.some {
		d := float64(share * c.cg.to[j])
		if c.crosses(int(j), d) {
			d = -c.w[j]
		}
		c.set(int(j), c.w[j]+d)
	}
}

// crosses reports whether a penalised weight would change its sign.
func (c *coordinate) crosses(j int, d float64) bool {
	return c.l1(j) > 0 && c.w[j]*(c.w[j]+d) < 0
}

// height is the value of the model.
func (c *coordinate) height() float64 {
	s := 0.0
	for _, j := range c.work {
		d := c.w[j] - c.x[j]
		s += float64((c.g[j]+c.slopeAt(int(j)))/2*d) + float64(c.l1(int(j))*math.Abs(c.w[j]))
	}
	return s
}
