// Package metric tells how good predictions are.
package metric

import (
	"cmp"
	"math"
	"slices"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/block"
)

// Outcome is one prediction beside the truth.
type Outcome struct {
	True, Predicted int     // class numbers
	Score           float64 // with two classes: above 0 for class 0
	Wrong, Boundary bool    // as the model counts them
	Undecided       bool    // by the parts of a model of many classes
}

// Outcomes lets the model predict all labelled examples of a set, in order.
func Outcomes(m *halfspace.Model, s *data.Set, workers int) []Outcome {
	s = s.Labelled()
	out := make([]Outcome, s.Len())
	block.Each(s.Len(), workers, func(_, lo, hi int) {
		scorer := m.Scorer()
		for i := lo; i < hi; i++ {
			class, scores := scorer.Classify(s.Row(i))
			o := Outcome{True: s.Class(i), Predicted: class, Score: scores[0]}
			o.Wrong, o.Boundary = m.Wrong(scores, o.True)
			o.Undecided = m.Undecided(scores)
			out[i] = o
		}
	})
	return out
}

// Summary is the usual figures.
type Summary struct {
	halfspace.Tally
	Accuracy  float64    `json:"accuracy"`
	Balanced  float64    `json:"balanced_accuracy"` // mean recall of the classes that occur
	AUC       *float64   `json:"auc,omitempty"`     // two classes, both present
	Classes   []PerClass `json:"classes"`
	Confusion [][]int    `json:"confusion"` // [true][predicted]
}

// PerClass is the figures of one class. A ratio without a denominator is 0.
type PerClass struct {
	Class     string  `json:"class"`
	Examples  int     `json:"examples"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// Summarise counts outcomes over the named classes.
func Summarise(out []Outcome, classes []string) Summary {
	k := len(classes)
	sum := Summary{Confusion: make([][]int, k)}
	for c := range sum.Confusion {
		sum.Confusion[c] = make([]int, k)
	}
	for _, o := range out {
		sum.Confusion[o.True][o.Predicted]++
		sum.Examples++
		if o.Wrong {
			sum.Errors++
		}
		if o.Boundary {
			sum.Boundary++
		}
		if o.Undecided {
			sum.Undecided++
		}
	}
	sum.Error = ratio(sum.Errors, sum.Examples)
	sum.Accuracy = ratio(sum.Examples-sum.Errors, sum.Examples)
	present := 0
	for c, name := range classes {
		truth, predicted, hit := 0, 0, sum.Confusion[c][c]
		for d := range classes {
			truth += sum.Confusion[c][d]
			predicted += sum.Confusion[d][c]
		}
		p := PerClass{Class: name, Examples: truth, Precision: ratio(hit, predicted), Recall: ratio(hit, truth)}
		p.F1 = ratio(2*hit, truth+predicted)
		sum.Classes = append(sum.Classes, p)
		if truth > 0 {
			present++
			sum.Balanced += p.Recall
		}
	}
	if present > 0 {
		sum.Balanced /= float64(present)
	}
	if k == 2 {
		if auc := AUC(out); !math.IsNaN(auc) {
			sum.AUC = &auc
		}
	}
	return sum
}

func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// AUC is the area under the ROC curve of class 0 against the rest: the share of
// pairs of a positive and a negative that the score puts in order, a tie
// counting half. It is NaN when either is missing, or a score is NaN.
func AUC(out []Outcome) float64 {
	if slices.ContainsFunc(out, func(o Outcome) bool { return math.IsNaN(o.Score) }) {
		return math.NaN()
	}
	byScore := slices.Clone(out)
	slices.SortFunc(byScore, func(a, b Outcome) int { return cmp.Compare(a.Score, b.Score) })
	var positives, negatives, pairs float64
	for lo := 0; lo < len(byScore); {
		hi, pos, neg := lo, 0.0, 0.0
		for ; hi < len(byScore) && byScore[hi].Score == byScore[lo].Score; hi++ {
			if byScore[hi].True == 0 {
				pos++
			} else {
				neg++
			}
		}
		pairs += pos*negatives + pos*neg/2
		positives += pos
		negatives += neg
		lo = hi
	}
	return pairs / (positives * negatives)
}
