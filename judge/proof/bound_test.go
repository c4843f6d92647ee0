package proof

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learn/batch"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/vec"
)

// A perceptron makes no more mistakes than the bound says, whatever its start,
// rates and order.
func TestMistakesStayBelowBound(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	closest := 0.0
	for try := range 150 {
		b := data.NewBuilder(data.NewFeatures("x", "y"))
		classes := 2 + r.IntN(2)
		b.Declare([]string{"a", "b", "c"}[:classes]...)
		n := 4 + r.IntN(12)
		for i := range n {
			x, y := 2*r.Float64()-1, 2*r.Float64()-1
			c := 0
			if classes == 2 && x+y/2-0.2 < 0 {
				c = 1
			}
			if classes == 3 {
				c = i % 3
				x, y = x/3+math.Cos(2*float64(c)), y/3+math.Sin(2*float64(c))
			}
			b.Add(vec.Dense(x, y), []byte{"abc"[c]}, 1)
		}
		s := b.Set(data.Input{})
		if counts, _ := s.Counts(); min(counts[0], counts[1]) == 0 {
			continue
		}
		rate := math.Pow(10, 2*r.Float64()-1)
		steps := Steps{Rate: rate, NoBias: r.IntN(3) == 0}
		if !steps.NoBias && r.IntN(2) == 0 {
			steps.RateBias = math.Pow(10, 2*r.Float64()-1)
		}
		if r.IntN(2) == 0 {
			steps.Start = halfspace.NewWeights(classes, 2)
			steps.Start.Each(func(v []float64) {
				for j := range v {
					v[j] = 4*r.Float64() - 2
				}
			})
			if steps.NoBias {
				clear(steps.Start.Bias)
			}
		}
		options := online.Options{Epochs: 100_000, Rate: rate, RateBias: steps.RateBias, Shuffle: r.IntN(2) == 0}
		var l halfspace.Learner = &online.Perceptron{Options: options}
		if classes == 2 && r.IntN(3) == 0 {
			options.Shuffle = false
			l = &batch.Perceptron{Options: options, Sum: true}
			steps.Batch = s.Len()
		}
		bound, err := MistakeBound(context.Background(), s, steps, 1)
		if err != nil {
			t.Fatal(err)
		}
		if bound == nil {
			continue
		}
		m, err := halfspace.Fit(context.Background(), l, halfspace.Run{Set: s, Init: steps.Start, NoBias: steps.NoBias, Seed: uint64(try)})
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(m.Report.Mistakes); got > bound.Mistakes*(1+1e-9) {
			t.Errorf("try %d: %v mistakes, at most %v are possible", try, got, bound.Mistakes)
		} else if bound.Mistakes > 0 {
			closest = max(closest, got/bound.Mistakes)
		}
	}
	if closest < 0.2 {
		t.Errorf("the bound is never near: at most %v of it was reached", closest)
	}
	t.Logf("at most %.2f of the bound", closest)
}

// R²/γ² of two points by hand: (1, 0) and (-1, 0) with the bias as a feature
// are (1, 0, 1) and, turned, (1, 0, -1); u = (1, 0, 0), γ = 1, R² = 2.
func TestMistakeBoundByHand(t *testing.T) {
	b := data.NewBuilder(data.NewFeatures("x", "y"))
	b.Add(vec.Dense(1, 0), []byte("a"), 1)
	b.Add(vec.Dense(-1, 0), []byte("b"), 1)
	s := b.Set(data.Input{})
	got, err := MistakeBound(context.Background(), s, Steps{}, 1)
	if err != nil || math.Abs(got.Mistakes-2) > 1e-12 || math.Abs(got.Margin-1) > 1e-12 {
		t.Errorf("%+v, %v; want 2 mistakes, margin 1", got, err)
	}
	// From w₀ = 3u there is none to make; from -3u, k + ... : (k - 3)² ≤ 9 + 2k, k ≤ 8.
	away := &halfspace.Weights{W: [][]float64{{3, 0}}, Bias: []float64{0}}
	if got, _ = MistakeBound(context.Background(), s, Steps{Start: away}, 1); got.Mistakes != 0 {
		t.Errorf("from 3u %v, want 0", got.Mistakes)
	}
	away.W[0][0] = -3
	if got, _ = MistakeBound(context.Background(), s, Steps{Start: away}, 1); math.Abs(got.Mistakes-8) > 1e-9 {
		t.Errorf("from -3u %v, want 8", got.Mistakes)
	}
	if rate, best := got.BestRate(); rate <= 1 || best > 3 {
		t.Errorf("best rate %v with %v mistakes; a larger rate makes little of the start", rate, best)
	}
}

// A set that is not separable has no bound.
func TestNoBoundWithoutPlane(t *testing.T) {
	s, err := sample.Read("@xor")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := MistakeBound(context.Background(), s, Steps{}, 1); b != nil || err != nil {
		t.Errorf("%+v, %v", b, err)
	}
}
