package halfspace

import "math"

// Decision is how a model of more than two classes comes to one from the scores
// of its weight vectors. With two classes there is one score, and its sign
// decides, whatever the rule.
type Decision string

const (
	// Joint is one vector a class, made for one another; the largest score
	// decides. Every point has a class.
	Joint Decision = ""
	// OneVsRest is one vector a class, each made to be positive for its class
	// and negative for all others; the largest score decides. Where not exactly
	// one is positive there is no decision by the parts themselves (document
	// 004).
	OneVsRest Decision = "ovr"
	// OneVsOne is one vector for every two classes, (0,1), (0,2), …, (1,2), …,
	// positive for the first: a duel. The class that wins most duels is the
	// answer; of several, the one with the largest sum of scores. Where none
	// wins all of its own there is no decision by the parts.
	OneVsOne Decision = "ovo"
)

// Decisions are the names of all rules.
var Decisions = []string{string(Joint), string(OneVsRest), string(OneVsOne)}

// Vectors is the number of weight vectors of a model of that many classes.
func (d Decision) Vectors(classes int) int {
	switch {
	case classes <= 2:
		return 1
	case d == OneVsOne:
		return classes * (classes - 1) / 2
	}
	return classes
}

// Duel is the position among the vectors of OneVsOne of the one that tells
// class a from b, a < b.
func (Decision) Duel(a, b, classes int) int { return a*(2*classes-a-1)/2 + b - a - 1 }

// count turns the scores of duels into one score a class: the number of duels
// it wins, half a one for a draw, and a fraction below 1/8 by the sum of its
// scores beside those of the others, which settles equal numbers. sum is
// scratch, one a class.
func (d Decision) count(duels, scores, sum []float64) {
	clear(scores)
	clear(sum)
	largest := 0.0
	for a := range scores {
		for b := a + 1; b < len(scores); b++ {
			z := duels[d.Duel(a, b, len(scores))]
			sum[a] += z
			sum[b] -= z
			switch {
			case z > 0:
				scores[a]++
			case z < 0:
				scores[b]++
			default:
				scores[a] += 0.5
				scores[b] += 0.5
			}
		}
	}
	for _, s := range sum {
		largest = max(largest, math.Abs(s))
	}
	for k, s := range sum {
		if s != 0 {
			scores[k] += s / largest / 8
		}
	}
}

// worst writes for each class the score of the duel that it wins least clearly,
// or loses most: above 0 only for a class that wins all of its own.
func (d Decision) worst(dst, duels []float64) {
	for k := range dst {
		dst[k] = math.Inf(1)
	}
	for a := range dst {
		for b := a + 1; b < len(dst); b++ {
			z := duels[d.Duel(a, b, len(dst))]
			dst[a] = min(dst[a], z)
			dst[b] = min(dst[b], -z)
		}
	}
}

// Undecided reports whether a point with these scores of classes lies in a
// region where the parts that the model is made of name no class, or several.
func (m *Model) Undecided(scores []float64) bool {
	switch {
	case len(scores) == 1:
		return false
	case m.Decision == OneVsRest:
		positive := 0
		for _, s := range scores {
			if s > 0 {
				positive++
			}
		}
		return positive != 1
	case m.Decision == OneVsOne:
		all := float64(len(scores)-1) - 0.25 // a draw costs half a duel
		for _, s := range scores {
			if s > all {
				return false
			}
		}
		return true
	}
	return false
}

// HasUndecided reports whether there may be points that the model's parts leave
// undecided.
func (m *Model) HasUndecided() bool { return m.Decision != Joint && len(m.Classes) > 2 }

// Plane is the one between two classes, positive for the first. It is borrowed
// or new: do not change it.
func (m *Model) Plane(class, rival int) (w []float64, bias float64) {
	switch {
	case len(m.Weights.W) == 1:
		return turned(m.Weights, 0, class == 1)
	case m.Decision == OneVsOne:
		return turned(m.Weights, m.Decision.Duel(min(class, rival), max(class, rival), len(m.Classes)), class > rival)
	}
	w = append(w, m.Weights.W[class]...)
	for j, v := range m.Weights.W[rival] {
		w[j] -= v
	}
	return w, m.Weights.Bias[class] - m.Weights.Bias[rival]
}

// turned is vector k, or the same the other way round.
func turned(from *Weights, k int, round bool) (w []float64, bias float64) {
	if !round {
		return from.W[k], from.Bias[k]
	}
	for _, v := range from.W[k] {
		w = append(w, -v)
	}
	return w, -from.Bias[k]
}

// VectorName is what weight vector k stands for: a class, or a duel.
func (m *Model) VectorName(k int) string {
	if m.Decision != OneVsOne || len(m.Classes) <= 2 {
		return m.Classes[k]
	}
	n, a := len(m.Classes), 0
	for k >= m.Decision.Duel(a+1, a+2, n) {
		a++
	}
	return m.Classes[a] + " against " + m.Classes[a+1+k-m.Decision.Duel(a, a+1, n)]
}
