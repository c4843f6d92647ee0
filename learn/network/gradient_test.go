package network

import (
	"context"
	"math"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/learntest"
)

// The gradient against central differences (L(w+ε) − L(w−ε))/2ε, whose error is
// some ε² + 10⁻¹⁶/ε: with ε = 1e-5 about 1e-10.
func TestGradient(t *testing.T) {
	const eps, tol = 1e-5, 1e-8
	for _, a := range trainable {
		for _, classes := range []int{2, 3} {
			s := learntest.Cloud(30, 4, classes, 5).WithWeights(func(i int) float64 { return 1 + float64(i%3) })
			b := &BackPropagation{Activation: prep.Activation(a)}
			if err := halfspace.Complete(b.Params()); err != nil {
				t.Fatal(err)
			}
			layer, out := b.start(&halfspace.Run{Set: s, Seed: 4}, rowSize(s))
			p := newPropagation(s, layer, out)
			loss := func() float64 {
				p.forward(context.Background(), halfspace.TieWrong, 1)
				p.sum()
				return p.loss
			}
			loss()
			loss() // nothing is left over from the loop before
			p.backward(1)
			checked := 0
			compare := func(what string, w, gradient []float64) {
				for j, g := range gradient {
					was := w[j]
					w[j] = was + eps
					above := loss()
					w[j] = was - eps
					below := loss()
					w[j] = was
					if d := (above - below) / (2 * eps); math.Abs(d-g) > tol {
						t.Errorf("%s, %d classes, %s %d: gradient %v, differences %v", a, classes, what, j, g, d)
					}
					if g != 0 {
						checked++
					}
				}
			}
			hidden := halfspace.HiddenWeights(layer)
			for k := range hidden.W {
				compare("hidden weight", hidden.W[k], p.inner.Clone().W[k])
			}
			compare("hidden bias", hidden.Bias, p.inner.Clone().Bias)
			for k := range out.W {
				compare("weight", out.W[k], p.outer.Clone().W[k])
			}
			compare("bias", out.Bias, p.outer.Clone().Bias)
			if checked < 20 {
				t.Errorf("%s, %d classes: only %d weights have a gradient", a, classes, checked)
			}
		}
	}
}
