// Package logistic is the negative log-likelihood of an example as a function
// of its scores, safe from overflow.
package logistic

import "math"

// Slope is the loss of an example with the given scores, which become its
// derivatives: ln(1 + e^(−y·z)) of one score, −ln softmax of many.
func Slope(scores []float64, class int) float64 {
	if len(scores) == 1 {
		y := 1.0
		if class != 0 {
			y = -1
		}
		m := y * scores[0]
		scores[0] = -y / (1 + math.Exp(m))
		return max(0, -m) + math.Log1p(math.Exp(-math.Abs(m)))
	}
	best := 0
	for k, s := range scores {
		if s > scores[best] {
			best = k
		}
	}
	top, own := scores[best], scores[class]
	others := 0.0 // Σ e^(s − top), but for the best itself
	for k, s := range scores {
		scores[k] = math.Exp(s - top)
		if k != best {
			others += scores[k]
		}
	}
	for k := range scores {
		scores[k] /= 1 + others
	}
	scores[class] = 0 // p − 1 as −Σ of the others keeps its digits
	rest := 0.0
	for _, q := range scores {
		rest += q
	}
	scores[class] = -rest
	return top - own + math.Log1p(others)
}
