package metric

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/halfspace-ml/halfspace/internal/block"
)

// Interval is where a figure may well be, given that the examples are a sample.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Wilson is the interval of a rate of hits among n examples at a level such as
// 0.95 (Wilson 1927). Weighted examples count as Effective many.
func Wilson(rate, n, level float64) (Interval, error) {
	if !(n > 0) {
		return Interval{}, Nothing
	}
	z := math.Sqrt2 * math.Erfinv(level)
	zz := float64(z * z)
	middle := rate + zz/(2*n)
	half := z * math.Sqrt(float64(rate*(1-rate))/n+zz/float64(4*n)/n)
	low, high := (middle-half)/(1+zz/n), (middle+half)/(1+zz/n)
	if rate == 0 {
		low = 0 // but for rounding
	}
	if rate == 1 {
		high = 1
	}
	return Interval{max(0, low), min(1, high)}, nil
}

// Effective is how many examples of equal weight tell as much: (Σw)²/Σw² over
// those that count (Kish 1965).
func Effective(n int, weight []float64, counts func(i int) bool) float64 {
	var sum, squares float64
	for i := range n {
		if counts(i) {
			w := weightOf(weight, i)
			sum += w
			squares += float64(w * w)
		}
	}
	return ratio(float64(sum*sum), squares)
}

// Bootstrap is a way to draw samples of examples.
type Bootstrap struct {
	Samples int
	Level   float64 // such as 0.95
	Seed    uint64
	Workers int // 0: one a processor; never changes a result

	Progress func(drawn int) // called now and then, by one goroutine at a time; nil: not at all
}

// batch is how many samples share working memory.
const batch = 16

// Intervals draws samples of n examples with replacement, and gives the span of
// the middle share Level of each figure (percentile bootstrap; Efron 1979).
// figures writes its values under given weights to out, NaN where one does not
// exist; it is called by several goroutines. A figure that is missing in half
// of the samples or more has no interval: nil.
func (b Bootstrap) Intervals(ctx context.Context, n int, weight []float64, count int, figures func(weight, out []float64)) ([]*Interval, error) {
	values := make([][]float64, count)
	for f := range values {
		values[f] = make([]float64, b.Samples)
	}
	var mu sync.Mutex
	done := 0
	block.Tasks((b.Samples+batch-1)/batch, b.Workers, func(task int) {
		drawn, out := make([]float64, n), make([]float64, count)
		for s := task * batch; s < min(b.Samples, (task+1)*batch) && ctx.Err() == nil; s++ {
			draw(drawn, weight, rand.New(rand.NewPCG(b.Seed, uint64(s))))
			figures(drawn, out)
			for f, v := range out {
				values[f][s] = v
			}
		}
		if b.Progress != nil {
			mu.Lock()
			defer mu.Unlock()
			done += batch
			b.Progress(min(done, b.Samples))
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	intervals := make([]*Interval, count)
	for f, v := range values {
		v = slices.DeleteFunc(v, math.IsNaN)
		if 2*len(v) <= b.Samples {
			continue
		}
		slices.Sort(v)
		tail := (1 - b.Level) / 2
		intervals[f] = &Interval{quantile(v, tail), quantile(v, 1-tail)}
	}
	return intervals, nil
}

// draw makes the weights of a sample: how often each example came, times what
// it weighs.
func draw(drawn, weight []float64, r *rand.Rand) {
	clear(drawn)
	for range drawn {
		drawn[r.IntN(len(drawn))]++
	}
	for i := range drawn {
		drawn[i] *= weightOf(weight, i)
	}
}

// quantile of sorted values, in a straight line between neighbours.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	next := min(i+1, len(sorted)-1)
	return sorted[i] + float64((at-float64(i))*(sorted[next]-sorted[i]))
}
