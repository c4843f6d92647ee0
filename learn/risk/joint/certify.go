package joint

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/vec"
)

// certificate bounds the least value of the objective from both sides: primal
// is its value at a point, and no point at all gives less than dual (weak
// duality), up to rounding. Solvers have no part in it.
type certificate struct {
	primal, dual float64
	supports     int // examples with a multiplier
}

func (c *certificate) gap() float64 { return max(0, c.primal-c.dual) }

// relative is the gap as a share of the objective.
func (c *certificate) relative() float64 {
	if c.gap() == 0 {
		return 0
	}
	return c.gap() / c.primal
}

// report is the certificate as a report keeps it.
func (c *certificate) report() *halfspace.Objective {
	dual, gap, relative := c.dual, c.gap(), c.relative()
	return &halfspace.Objective{Primal: c.primal, Dual: &dual, Gap: &gap, RelativeGap: &relative}
}

// certify works out the certificate of a point from the data alone. For any
// shares q of the classes, with s = q − e_y and V = −Σ C·s ⊗ x̃,
//
//	½‖W‖² + Σ C·ℓ ≥ ½‖W‖² + Σ C·(s·z + bonus) = ½‖W‖² − V·W + Σ C·bonus ≥ Σ C·bonus − ½‖V‖²
//
// where a free bias needs Σ C·s = 0. The given s are C·(q − e_y), mended if
// they break a rule; nil s is made from the scores.
func certify(p *problem, x, given []float64) certificate {
	z := make([]float64, p.set.Len()*p.classes)
	p.scores(z, x)
	c := certificate{}
	c.primal = p.penalty(x) + p.total(func(i int, _ []float64) float64 {
		return p.c[i] * p.loss.slope(p.row(z, i), p.set.Class(i)) // z becomes s
	})
	s := z
	if given != nil {
		p.each(func(i int) {
			for k, v := range p.row(given, i) {
				s[i*p.classes+k] = v / p.c[i]
			}
			share(p.row(s, i), p.set.Class(i))
		})
	}
	for i := range p.set.Len() {
		if s[i*p.classes+p.set.Class(i)] != 0 {
			c.supports++
		}
	}
	if p.bias == free {
		balance(p, s)
	}
	v := make([]float64, p.size())
	p.combine(v, p.set.Len(), func(i int, a []float64) vec.Row {
		for k, t := range p.row(s, i) {
			a[k] = -p.c[i] * t
		}
		return p.set.Row(i)
	})
	c.dual = p.total(func(i int, _ []float64) float64 { return p.c[i] * p.loss.bonus(p.row(s, i), p.set.Class(i)) }) - p.penalty(v)
	return c
}

// share makes s = q − e_y of shares q again.
func share(s []float64, class int) {
	sum := 0.0
	for k, v := range s {
		if k != class {
			if !(v > 0) { // NaN, too: C = 0
				s[k] = 0
			}
			sum += s[k]
		}
	}
	if sum > 1 {
		for k := range s {
			s[k] /= sum
		}
		sum = 1
	}
	s[class] = -sum
}

// balance makes Σ C·s zero in every class, as free biases demand, with q still
// shares. First along q·(δ − q·δ), where the bound hardly notices; then what is
// left over in one class goes to those that lack it.
func balance(p *problem, s []float64) {
	if delta := shift(p, s); delta != nil {
		p.eachShares(s, func(q []float64) {
			mean := dot(q, delta)
			for k := range q {
				q[k] += float64(q[k] * (delta[k] - mean))
			}
		})
	}
	over, sum := make([]float64, p.classes), make([]float64, p.classes) // Σ C·s and Σ C·q
	p.sums(s, over, sum)
	lack := 0.0
	for _, v := range over {
		lack += max(0, -v)
	}
	if lack == 0 {
		return
	}
	p.eachShares(s, func(q []float64) {
		taken := 0.0
		for k, v := range over {
			if v > 0 {
				t := q[k] * (v / sum[k])
				q[k] -= t
				taken += t
			}
		}
		for k, v := range over {
			q[k] += float64(taken * (max(0, -v) / lack))
		}
	})
}

// eachShares lets change see, and change, the shares q of every example.
func (p *problem) eachShares(s []float64, change func(q []float64)) {
	p.each(func(i int) {
		q, class := p.row(s, i), p.set.Class(i)
		q[class]++
		change(q)
		share(q, class)
	})
}

// sums are Σ C·s and Σ C·q of every class.
func (p *problem) sums(s, over, sum []float64) {
	for i, c := range p.c {
		for k, v := range p.row(s, i) {
			over[k] += float64(c * v)
			sum[k] += float64(c * v)
		}
		sum[p.set.Class(i)] += c
	}
}

// shift is the δ for which moving every q by q·(δ − q·δ) balances them: K
// equations, whose matrix Σ C·(diag q − q·qᵀ) is singular only along (1, …, 1)
// unless classes never meet. nil if there is none that leaves every q ≥ 0.
func shift(p *problem, s []float64) []float64 {
	n := p.classes
	over, sum := make([]float64, n), make([]float64, n)
	p.sums(s, over, sum)
	parts := make([][]float64, block.Count(p.set.Len()))
	block.Each(p.set.Len(), p.workers, func(b, lo, hi int) {
		h, q := make([]float64, n*n), make([]float64, n)
		for i := lo; i < hi; i++ {
			copy(q, p.row(s, i))
			q[p.set.Class(i)]++
			for k, u := range q {
				if u == 0 {
					continue
				}
				h[k*n+k] += float64(p.c[i] * u)
				for l, v := range q {
					h[k*n+l] -= float64(p.c[i] * u * v)
				}
			}
		}
		parts[b] = h
	})
	h := parts[0]
	for _, part := range parts[1:] {
		vec.Axpy(h, 1, vec.Row{Val: part})
	}
	trace := 0.0
	for k := range n {
		trace += h[k*n+k] / float64(n)
	}
	for j := range h {
		h[j] += trace
	}
	var f mat.Cholesky
	delta := make([]float64, n)
	if !f.Factorize(mat.NewSymDense(n, h)) || f.Cond() > 1e12 || f.SolveVecTo(mat.NewVecDense(n, delta), mat.NewVecDense(n, over)) != nil {
		return nil
	}
	low, high := 0.0, 0.0
	for k := range delta {
		delta[k] = -delta[k]
		low, high = min(low, delta[k]), max(high, delta[k])
	}
	if !(high-low <= 1) {
		return nil
	}
	return delta
}

func dot(a, b []float64) float64 { return vec.Dot(a, vec.Row{Val: b}) }

func norm(v []float64) float64 { return math.Sqrt(dot(v, v)) }
