package metric

import (
	"cmp"
	"math"
	"slices"
)

// Ranking is examples from the highest score to the lowest, sorted once for
// curves and areas under any weights. A nil one is of scores that are no
// numbers.
type Ranking struct {
	order    []int // examples by falling score
	ends     []int // where in order each run of equal scores ends
	score    []float64
	positive []bool // in order
}

// NewRanking sorts. The scores are kept, not copied.
func NewRanking(score []float64, positive []bool) (*Ranking, error) {
	if slices.ContainsFunc(score, math.IsNaN) {
		return nil, NoScore
	}
	r := &Ranking{order: make([]int, len(score)), score: score, positive: make([]bool, len(score))}
	for i := range r.order {
		r.order[i] = i
	}
	slices.SortStableFunc(r.order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	for k, i := range r.order {
		r.positive[k] = positive[i]
		if k+1 == len(r.order) || score[r.order[k+1]] != score[i] {
			r.ends = append(r.ends, k+1)
		}
	}
	return r, nil
}

// each calls do for every run of equal scores with the weights of its positive
// and negative examples, and those of all from the top to its end.
func (r *Ranking) each(weight []float64, do func(score, pos, neg, allPos, allNeg float64)) (positives, negatives float64) {
	begin := 0
	for _, end := range r.ends {
		var pos, neg float64
		for k := begin; k < end; k++ {
			w := weightOf(weight, r.order[k])
			if r.positive[k] {
				pos += w
			} else {
				neg += w
			}
		}
		positives += pos
		negatives += neg
		if pos > 0 || neg > 0 {
			do(r.score[r.order[begin]], pos, neg, positives, negatives)
		}
		begin = end
	}
	return positives, negatives
}

// ROCPoint is what happens when all that score Threshold or more are taken for
// positive.
type ROCPoint struct {
	Threshold     float64
	FalsePositive float64 // share of the negatives
	TruePositive  float64 // share of the positives: recall
}

// ROC is the receiver operating characteristic, from (0, 0), whose threshold is
// +Inf, to (1, 1): a point for every different score.
func (r *Ranking) ROC(weight []float64) ([]ROCPoint, error) {
	if r == nil {
		return nil, NoScore
	}
	points := []ROCPoint{{Threshold: math.Inf(1)}}
	positives, negatives := r.each(weight, func(score, _, _, pos, neg float64) {
		points = append(points, ROCPoint{score, neg, pos})
	})
	if err := both(positives, negatives); err != nil {
		return nil, err
	}
	for i := range points {
		points[i].FalsePositive /= negatives
		points[i].TruePositive /= positives
	}
	return points, nil
}

func both(positives, negatives float64) error {
	switch {
	case !(positives+negatives > 0):
		return Nothing
	case positives == 0:
		return NoPositive
	case negatives == 0:
		return NoNegative
	}
	return nil
}

// AUC is the area under the ROC curve: the share of pairs of a positive and a
// negative that the score puts in order, a tie counting half.
func (r *Ranking) AUC(weight []float64) (float64, error) {
	a := r.areas(weight)
	return a.auc, a.noAUC
}

// AveragePrecision is the area under the PR curve in steps: the mean of the
// precision over the positives, Σ (Rᵢ − Rᵢ₋₁)·Pᵢ.
func (r *Ranking) AveragePrecision(weight []float64) (float64, error) {
	a := r.areas(weight)
	return a.precision, a.noPrecision
}

// areas are both, and why one does not exist.
type areas struct {
	auc, precision     float64
	noAUC, noPrecision error
}

func (r *Ranking) areas(weight []float64) areas {
	if r == nil {
		return areas{noAUC: NoScore, noPrecision: NoScore}
	}
	var pairs, above, precisions float64
	positives, negatives := r.each(weight, func(_, pos, neg, allPos, allNeg float64) {
		pairs += float64(neg*above) + float64(neg*pos)/2
		above = allPos
		precisions += float64(pos * (allPos / (allPos + allNeg)))
	})
	a := areas{noAUC: both(positives, negatives), noPrecision: onlyPositive(positives, negatives)}
	if a.noAUC == nil {
		a.auc = min(1, pairs/float64(positives*negatives))
	}
	if a.noPrecision == nil {
		a.precision = min(1, precisions/positives)
	}
	return a
}

// PRPoint is what happens when all that score Threshold or more are taken for
// positive.
type PRPoint struct {
	Threshold         float64
	Recall, Precision float64
}

// PR is precision against recall, from recall 0, where the precision is called
// 1 and the threshold is +Inf, to recall 1.
func (r *Ranking) PR(weight []float64) ([]PRPoint, error) {
	if r == nil {
		return nil, NoScore
	}
	points := []PRPoint{{math.Inf(1), 0, 1}}
	positives, negatives := r.each(weight, func(score, _, _, pos, neg float64) {
		points = append(points, PRPoint{score, pos, pos / (pos + neg)})
	})
	if err := onlyPositive(positives, negatives); err != nil {
		return nil, err
	}
	for i := range points {
		points[i].Recall /= positives
	}
	return points, nil
}

func onlyPositive(positives, negatives float64) error {
	if err := both(positives, negatives); err != NoNegative {
		return err
	}
	return nil // all precisions are 1
}
