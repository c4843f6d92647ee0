package joint

import (
	"math"

	"github.com/halfspace-ml/halfspace/internal/logistic"
)

// softmax is −ln softmax_y(z). Its bonus is the entropy of q.
type softmax struct{}

func (softmax) slope(z []float64, class int) float64 { return logistic.Slope(z, class) }

func (softmax) bonus(s []float64, class int) float64 {
	sum := 0.0
	for k, v := range s {
		switch {
		case k == class && v > -1:
			sum -= float64((1 + v) * math.Log1p(v))
		case k != class && v > 0:
			sum -= float64(v * math.Log(v))
		}
	}
	return sum
}

// plain is softmax as Newton's method sees it: the curvature of the scores is
// C·(diag q − q·qᵀ).
type plain struct{ *problem }

func (p plain) slope(i int, z []float64) float64 {
	c := p.c[i]
	v := c * p.loss.slope(z, p.set.Class(i))
	for k := range z {
		z[k] *= c
	}
	return v
}

func (p plain) curve(i int, u, s []float64) float64 {
	c := p.c[i]
	if c == 0 {
		return 0
	}
	for k, v := range s {
		u[k] = v / c
	}
	u[p.set.Class(i)]++
	return c
}
