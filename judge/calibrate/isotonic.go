package calibrate

import (
	"cmp"
	"slices"
)

// Isotonic fits the probability that never falls with the score and is nearest
// to the examples in weighted squares, and gives its knots: scores rising,
// probabilities not falling. Equal scores are one point with their mean. Between
// knots the probability goes in a straight line, outside of them it is level.
// Examples of weight 0 are as if they were not there.
//
// Pool adjacent violators: M. Ayer and others, An empirical distribution
// function for sampling with incomplete information, 1955; B. Zadrozny and
// C. Elkan, 2002. Cost of a sort. A nil weight is all ones.
func Isotonic(scores []float64, positive []bool, weight []float64) (x, y []float64, err error) {
	if err := check(scores, positive, weight); err != nil {
		return nil, nil, err
	}
	points := distinct(scores, positive, weight)
	var blocks []pool
	for i, p := range points {
		b := pool{i, i, p.weight, p.hits}
		for len(blocks) > 0 && blocks[len(blocks)-1].mean() >= b.mean() {
			last := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			b = pool{last.first, i, last.weight + b.weight, last.hits + b.hits}
		}
		blocks = append(blocks, b)
	}
	for _, b := range blocks { // a level stretch is its two ends
		x, y = append(x, points[b.first].score), append(y, b.mean())
		if b.last > b.first {
			x, y = append(x, points[b.last].score), append(y, b.mean())
		}
	}
	return x, y, nil
}

// point is all examples of one score.
type point struct{ score, weight, hits float64 }

// distinct is the scores in order, each once.
func distinct(scores []float64, positive []bool, weight []float64) []point {
	var all []point
	for i, s := range scores {
		p := point{score: s + 0, weight: 1} // minus zero is zero
		if weight != nil {
			p.weight = weight[i]
		}
		if p.weight == 0 {
			continue
		}
		if positive[i] {
			p.hits = p.weight
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b point) int { return cmp.Compare(a.score, b.score) })
	merged := all[:0]
	for _, p := range all {
		if n := len(merged); n > 0 && merged[n-1].score == p.score {
			merged[n-1].weight += p.weight
			merged[n-1].hits += p.hits
		} else {
			merged = append(merged, p)
		}
	}
	return merged
}

// pool is points first … last on one level.
type pool struct {
	first, last  int
	weight, hits float64
}

func (p *pool) mean() float64 { return min(1, p.hits/p.weight) }
