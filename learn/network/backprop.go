package network

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/vec"
)

// BackPropagation is gradient descent with momentum, over all examples at each
// step, on the mean loss of a network of one hidden layer:
//
//	h = f(W·x + b)    z = v·h + c    L = Σ ln(1 + e^(−y·z)) / n
//	Δ ← μ·Δ − η·∇L    w ← w + Δ
//
// where f is the sigmoid, tanh or ReLU; with more than two classes there is a z
// for each and the loss is that of the softmax. Weighted examples count by
// their weight. The gradient is propagated back from the output:
//
//	δ = ∂L/∂z    ∂L/∂v = Σ δ·h    ε = δ·v·f′    ∂L/∂W = Σ ε·x
//
// Hidden weights start uniform with a score of variance 1 on an average
// example, and their rate is η over the mean ‖x‖²: so η means the same in any
// unit of the features. The outcome depends on the start, thus on the seed.
//
// It stops when L is below the limit, or, if asked to, the share of errors.
//
// Source: Rumelhart, Hinton and Williams 1986 (with momentum); document 004
// names it for XOR. Cost: a step takes time as H perceptron loops (H hidden
// units) and memory for H numbers an example. Its trace shows the outputs of
// the hidden units, z and the loss of each example, then E and L.
type BackPropagation struct {
	Hidden     int
	Activation prep.Activation
	Epochs     int
	Rate       float64
	Momentum   float64
	Plain      bool // no momentum
	StopLoss   float64
	StopError  float64
	Tie        halfspace.Tie
}

// Name is the learner's name.
func (*BackPropagation) Name() string { return "network" }

// Multi says that it has one output a class, and that networks cannot be parts.
func (*BackPropagation) Multi() []string { return []string{"softmax"} }

// maxUnits bounds the hidden units: a layer has them all in one row.
const maxUnits = 1 << 16

// trainable are the activations that have a slope to go down.
var trainable = []string{string(prep.Sigmoid), string(prep.Tanh), string(prep.ReLU)}

// Params is the table of parameters.
func (b *BackPropagation) Params() []halfspace.Param {
	return []halfspace.Param{
		halfspace.Int(&b.Hidden, "hidden", "16", 1, maxUnits, "number of hidden units"),
		halfspace.Word(&b.Activation, "activation", trainable, "what a hidden unit makes of its score"),
		halfspace.Int(&b.Epochs, "epochs", "2000", 1, math.MaxInt, "at most this many rounds; a round is one look at all examples and one step"),
		halfspace.Float(&b.Rate, "rate", "0.5", 0, math.Inf(1), "learning rate η"),
		halfspace.Float(&b.Momentum, "momentum", "0.9", 0, 0.9999, "share μ of a step that the next repeats"),
		halfspace.Flag(&b.Plain, "plain", "plain gradient descent, without momentum: needs some ten times the steps"),
		halfspace.Float(&b.StopLoss, "stop-loss", "0.01", 0, math.Inf(1), "stop when the mean loss is below this"),
		halfspace.Float(&b.StopError, "stop-error", "0", 0, 1, "stop when less than this share is wrong (0: look at the loss only)"),
		halfspace.Word(&b.Tie, "tie", halfspace.Ties, "what a score of exactly 0 means"),
	}
}

// Fit takes steps until the loss is small.
func (b *BackPropagation) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	if err := halfspace.Complete(b.Params()); err != nil {
		return nil, err
	}
	if run.Init != nil {
		return nil, fmt.Errorf("%w: they are those of one plane, and a network draws its own by the seed; leave them out", halfspace.ErrInit)
	}
	if n := halfspace.MaxWeights / b.Hidden; run.Set.Dim() > n || run.Set.Len() > n {
		return nil, fmt.Errorf("%w: %d hidden units for %d features and %d examples; use fewer units (--hidden), or hash the features", halfspace.ErrTooWide, b.Hidden, run.Set.Dim(), run.Set.Len())
	}
	var rep halfspace.Report
	size := rowSize(run.Set)
	layer, out := b.start(run, size)
	model := func() *halfspace.Model {
		return &halfspace.Model{Weights: out, Maps: prep.Pipeline{layer}, Tie: b.Tie, Proba: halfspace.LogOdds(len(run.Set.Classes())), Report: rep}
	}
	momentum := b.Momentum
	if b.Plain {
		momentum = 0
	}
	p := newPropagation(run.Set, layer, out)
	hidden, output := newDescent(halfspace.HiddenWeights(layer), p.inner, size), newDescent(out, p.outer, 1)
	for rep.Epochs < b.Epochs {
		p.forward(ctx, b.Tie, run.Workers)
		if err := ctx.Err(); err != nil {
			return model(), err
		}
		p.watch(run, rep.Epochs, b.Rate)
		errs := p.sum()
		rep.Mistakes += errs
		rep.Converged = p.loss < b.StopLoss || float64(errs)/float64(run.Set.Len()) < b.StopError
		if run.Hooks.Pass != nil {
			run.Hooks.Pass(&halfspace.Pass{
				Epoch: rep.Epochs, Epochs: b.Epochs, Examples: run.Set.Len(), Updates: errs, Mistakes: errs,
				Loss: p.loss, HasLoss: true, Rate: b.Rate, W: out, Layer: layer, Done: rep.Converged || rep.Epochs+1 == b.Epochs,
			})
		}
		rep.Epochs++
		if rep.Converged {
			break
		}
		p.backward(run.Workers)
		hidden.step(b.Rate, momentum, run.NoBias)
		output.step(b.Rate, momentum, run.NoBias)
		rep.Updates++
		if !out.Finite() || !hidden.w.Finite() {
			break // halfspace.Fit says so
		}
	}
	return model(), nil
}

// rowSize is the root of the mean of ‖x‖², safe from overflow.
func rowSize(s *data.Set) float64 {
	norms, total := make([]float64, s.Len()), 0.0
	for i := range norms {
		x, weight := s.Row(i), s.Weight(i)
		if norms[i] = vec.Norm(x.Val); x.Val == nil {
			norms[i] = math.Sqrt(float64(x.Len()))
		}
		norms[i] *= math.Sqrt(weight)
		total += weight
	}
	if size := vec.Norm(norms) / math.Sqrt(total); size > 0 {
		return size
	}
	return 1 // every row is empty
}

// start draws the weights. Those of the hidden units have variance 1/size².
func (b *BackPropagation) start(run *halfspace.Run, size float64) (*prep.Layer, *halfspace.Weights) {
	r := rand.New(rand.NewPCG(run.Seed, 0x6e657477))
	draw := func(v []float64, most float64) {
		for j := range v {
			v[j] = most * (2*r.Float64() - 1)
		}
	}
	layer := prep.NewLayer(b.Activation, run.Set.Dim(), b.Hidden)
	for _, w := range layer.W {
		draw(w, math.Sqrt(3)/size)
	}
	out := halfspace.NewWeights(len(run.Set.Classes()), b.Hidden)
	for _, w := range out.W {
		draw(w, math.Sqrt(3/float64(b.Hidden)))
	}
	if !run.NoBias {
		draw(layer.Bias, 1)
	}
	return layer, out
}
