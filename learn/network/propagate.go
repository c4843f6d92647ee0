package network

import (
	"context"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/internal/logistic"
	"github.com/halfspace-ml/halfspace/vec"
)

// propagation is one network, the examples, and what runs between them. The
// workers share rows forward and units backward: every number is made by one of
// them, in file order.
type propagation struct {
	set    *data.Set
	layer  *prep.Layer
	out    *halfspace.Weights
	visits []halfspace.Visit
	y      []float64
	losses []float64
	hidden []float64 // outputs of the hidden units, row by row
	delta  []float64 // ∂L/∂z of every example and score
	back   []float64 // ∂L/∂(score of a hidden unit)
	weight float64   // of all examples
	loss   float64
	inner  *halfspace.Weights // ∇L by the hidden units' weights
	outer  *halfspace.Weights // ∇L by the output's
}

func newPropagation(s *data.Set, layer *prep.Layer, out *halfspace.Weights) *propagation {
	n, units := s.Len(), len(layer.W)
	p := &propagation{
		set: s, layer: layer, out: out,
		visits: make([]halfspace.Visit, n), y: make([]float64, n), losses: make([]float64, n),
		hidden: make([]float64, n*units), delta: make([]float64, n*len(out.W)), back: make([]float64, n*units),
		inner: halfspace.HiddenWeights(layer).Clone(), outer: out.Clone(),
	}
	for i := range n {
		p.weight += s.Weight(i)
	}
	return p
}

// of is the numbers of example i, where each has n.
func of(v []float64, i, n int) []float64 { return v[i*n : (i+1)*n : (i+1)*n] }

// forward takes every example through the network, and its loss back to the
// scores of the hidden units, unless ctx ends.
func (p *propagation) forward(ctx context.Context, tie halfspace.Tie, workers int) {
	units, scores := len(p.layer.W), len(p.out.W)
	block.Each(p.set.Len(), workers, func(_, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		var buf vec.Buffer
		for i := lo; i < hi; i++ {
			h, delta, back := of(p.hidden, i, units), of(p.delta, i, scores), of(p.back, i, units)
			p.layer.Outputs(h, p.set.Row(i))
			x := row(&buf, h)
			p.visits[i], p.y[i] = p.judge(x, p.set.Class(i), tie)
			for k := range delta {
				delta[k] = p.out.Score(k, x)
			}
			p.losses[i] = logistic.Slope(delta, p.set.Class(i))
			if scores == 1 {
				p.visits[i].Tau = -delta[0]
			} else {
				p.visits[i].Tau = -delta[p.set.Class(i)]
			}
			share := p.set.Weight(i) / p.weight
			clear(back)
			for k, v := range p.out.W {
				delta[k] *= share
				vec.Axpy(back, delta[k], vec.Row{Val: v})
			}
			for j, a := range h {
				back[j] *= p.layer.Activation.Slope(a)
			}
		}
	})
}

// row is the outputs as the model's scorer sees them: without zeros.
func row(buf *vec.Buffer, h []float64) vec.Row {
	buf.Reset()
	for j, v := range h {
		buf.Add(uint32(j), v)
	}
	return buf.Row()
}

func (p *propagation) judge(x vec.Row, class int, tie halfspace.Tie) (halfspace.Visit, float64) {
	y, z, rival := p.out.Judge(x, class, tie)
	return halfspace.Visit{Score: z, Rival: rival, Mistake: y*tie.Settle(y, z, class, rival) < 0}, y
}

func (p *propagation) watch(run *halfspace.Run, epoch int, rate float64) {
	if run.Hooks.Step == nil {
		return
	}
	rateBias := rate
	if run.NoBias {
		rateBias = 0
	}
	var buf vec.Buffer
	for i, v := range p.visits {
		run.Hooks.Step(&halfspace.Step{
			Visit: v, Epoch: epoch, Index: i, Class: p.set.Class(i), Y: p.y[i], X: p.set.Row(i), Rate: rate, RateBias: rateBias, W: p.out, Deferred: true,
			Layer: p.layer, Hidden: row(&buf, of(p.hidden, i, len(p.layer.W))), Loss: p.losses[i], HasLoss: true,
		})
	}
}

// sum makes the mean loss and returns the number of errors.
func (p *propagation) sum() (errors int) {
	p.loss = 0
	for i, v := range p.visits {
		if v.Mistake {
			errors++
		}
		p.loss += float64(p.set.Weight(i) / p.weight * p.losses[i])
	}
	return errors
}

// backward makes the gradient.
func (p *propagation) backward(workers int) {
	units, scores := len(p.layer.W), len(p.out.W)
	// One block a vector.
	block.Each((units+scores)*block.Size, workers, func(b, _, _ int) {
		if b < units {
			p.inner.Bias[b] = slope(p.inner.W[b], p.back, b, units, p.set.Row)
			return
		}
		b -= units
		p.outer.Bias[b] = slope(p.outer.W[b], p.delta, b, scores, func(i int) vec.Row { return vec.Row{Val: of(p.hidden, i, units)} })
	})
}

// slope sums factor·x over all rows into g and returns the sum of the factors.
// An example has n factors; this vector's is number k.
func slope(g, factors []float64, k, n int, x func(i int) vec.Row) (bias float64) {
	clear(g)
	for i := range len(factors) / n {
		if f := factors[i*n+k]; f != 0 {
			vec.Axpy(g, f, x(i))
			bias += f
		}
	}
	return bias
}

// descent moves weights that see features of the given size.
type descent struct {
	w, gradient, last *halfspace.Weights // last is Δ
	size              float64
}

func newDescent(w, gradient *halfspace.Weights, size float64) *descent {
	last := w.Clone()
	last.Each(func(v []float64) { clear(v) })
	return &descent{w, gradient, last, size}
}

// step is Δ ← μ·Δ − η·∇L, w ← w + Δ. The biases see a 1.
func (d *descent) step(rate, momentum float64, noBias bool) {
	for k := range d.w.W {
		move(d.w.W[k], d.gradient.W[k], d.last.W[k], rate/d.size, d.size, momentum)
	}
	if !noBias {
		move(d.w.Bias, d.gradient.Bias, d.last.Bias, rate, 1, momentum)
	}
}

func move(w, g, last []float64, rate, size, momentum float64) {
	for j, v := range g {
		last[j] = float64(momentum*last[j]) - float64(rate*float64(v/size))
		w[j] += last[j]
	}
}
