// Package metric tells how good predictions are: arrays in, numbers and plain
// slices out. Every figure has weights; nil is all ones. A figure that does not
// exist is an error that says why, never NaN.
package metric

import (
	"math"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/block"
)

// Missing is why a figure does not exist.
type Missing string

func (m Missing) Error() string { return string(m) }

// The reasons.
const (
	Nothing    Missing = "there are no examples, or they weigh nothing"
	NoPositive Missing = "there is no example of the class"
	NoNegative Missing = "there is no example of another class"
	NoScore    Missing = "a score is not a number"
	NoProba    Missing = "the model gives no probabilities"
	OneAnswer  Missing = "truth and predictions are all of one class"
)

// Outcomes are predictions beside the truth, a column each.
type Outcomes struct {
	Classes         []string
	True, Predicted []int       // class numbers
	Wrong, Boundary []bool      // as the model counts them
	Undecided       []bool      // by the parts of the model; nil: it decides everywhere
	Scores          [][]float64 // one with two classes, above 0 for class 0; else one a class
	Proba           [][]float64 // of every class; nil: the model gives none
	Weight          []float64   // nil: all ones
}

// Predict lets the model predict all labelled examples of a set, in order.
func Predict(m *halfspace.Model, s *data.Set, workers int) *Outcomes {
	s = s.Labelled()
	n := s.Len()
	o := &Outcomes{
		Classes: m.Classes, True: make([]int, n), Predicted: make([]int, n),
		Wrong: make([]bool, n), Boundary: make([]bool, n), Scores: make([][]float64, n),
	}
	if m.HasUndecided() {
		o.Undecided = make([]bool, n)
	}
	if m.Proba != nil {
		o.Proba = make([][]float64, n)
	}
	if s.Weighted() {
		o.Weight = make([]float64, n)
	}
	block.Each(n, workers, func(_, lo, hi int) {
		scorer := m.Scorer()
		var kept []float64 // all scores and probabilities of the block
		for i := lo; i < hi; i++ {
			class, scores := scorer.Classify(s.Row(i))
			o.True[i], o.Predicted[i] = s.Class(i), class
			o.Wrong[i], o.Boundary[i] = m.Wrong(scores, s.Class(i))
			if o.Undecided != nil {
				o.Undecided[i] = m.Undecided(scores)
			}
			if o.Weight != nil {
				o.Weight[i] = s.Weight(i)
			}
			proba := scorer.Proba(scores)
			if kept == nil {
				kept = make([]float64, 0, (len(scores)+len(proba))*(hi-lo))
			}
			kept = append(append(kept, scores...), proba...)
			at := len(kept) - len(proba)
			o.Scores[i] = kept[at-len(scores) : at : at]
			if o.Proba != nil {
				o.Proba[i] = kept[at:]
			}
		}
	})
	return o
}

// Ranking is the examples by how much they look like a class: by the score of
// two classes, else by the margin over the best other class.
func (o *Outcomes) Ranking(class int) (*Ranking, error) { return o.ranking(class, o.tops()) }

// rankings are those of all classes, nil where there is none.
func (o *Outcomes) rankings() []*Ranking {
	tops := o.tops()
	all := make([]*Ranking, len(o.Classes))
	for k := range all {
		all[k], _ = o.ranking(k, tops)
	}
	return all
}

// top is the two best scores of an example, each the rival of all others.
type top struct {
	class        int
	best, second float64
}

func (o *Outcomes) tops() []top {
	tops := make([]top, len(o.Scores))
	for i, z := range o.Scores {
		t := top{0, z[0], math.Inf(-1)}
		for k, v := range z[1:] {
			if v > t.best {
				t = top{k + 1, v, t.best}
			} else {
				t.second = max(t.second, v)
			}
		}
		tops[i] = t
	}
	return tops
}

func (o *Outcomes) ranking(class int, tops []top) (*Ranking, error) {
	score := make([]float64, len(o.True))
	positive := make([]bool, len(o.True))
	for i, z := range o.Scores {
		positive[i] = o.True[i] == class
		switch {
		case len(z) > 1 && class == tops[i].class:
			score[i] = z[class] - tops[i].second
		case len(z) > 1:
			score[i] = z[class] - tops[i].best
		case class == 0:
			score[i] = z[0]
		default:
			score[i] = -z[0]
		}
	}
	return NewRanking(score, positive)
}

// weightOf is the weight of example i.
func weightOf(weight []float64, i int) float64 {
	if weight == nil {
		return 1
	}
	return weight[i]
}

// mean is the weighted mean of n values.
func mean(n int, weight []float64, value func(i int) float64) (float64, error) {
	var sum, total float64
	for i := range n {
		w := weightOf(weight, i)
		if w == 0 {
			continue // whatever its value
		}
		sum += float64(w * value(i))
		total += w
	}
	if !(total > 0) {
		return 0, Nothing
	}
	return sum / total, nil
}

// known is a number that JSON leaves out where it does not exist.
func known(v float64, err error) *float64 {
	if err != nil {
		return nil
	}
	return &v
}
