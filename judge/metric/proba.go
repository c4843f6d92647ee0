package metric

import "math"

// eps is how near to 0 and 1 a probability may be for a logarithm.
const eps = 0x1p-52

// LogLoss is the mean of −log p of the true class. Probabilities are first
// moved into [2⁻⁵², 1 − 2⁻⁵²], so that one certain mistake costs 36, not all.
func LogLoss(truth []int, proba [][]float64, weight []float64) (float64, error) {
	if proba == nil {
		return 0, NoProba
	}
	return mean(len(truth), weight, func(i int) float64 { return logLossOf(proba[i], truth[i]) })
}

func logLossOf(p []float64, class int) float64 { return -math.Log(min(max(p[class], eps), 1-eps)) }

// Brier is the mean squared difference of the probabilities from the truth:
// with two classes of that of class 0, from 0 to 1; with more the sum over the
// classes, from 0 to 2.
func Brier(truth []int, proba [][]float64, weight []float64) (float64, error) {
	if proba == nil {
		return 0, NoProba
	}
	return mean(len(truth), weight, func(i int) float64 { return brierOf(proba[i], truth[i]) })
}

func brierOf(p []float64, class int) float64 {
	sum := 0.0
	for k, v := range p {
		if k == class {
			v = 1 - v
		}
		sum += float64(v * v)
	}
	if len(p) == 2 {
		sum /= 2
	}
	return sum
}

// Bin is the examples whose probability is in (Low, High], or is 0 in the first.
type Bin struct {
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	Weight float64 `json:"weight"` // the number of examples, where all weigh 1
	Proba  float64 `json:"proba"`  // their mean probability
	Share  float64 `json:"share"`  // the share of them where it came true
}

// Reliability compares probabilities with what came true, in bins of equal
// width; those without examples are left out.
func Reliability(proba []float64, happened []bool, weight []float64, bins int) ([]Bin, error) {
	table := make([]Bin, bins)
	for b := range table {
		table[b].Low, table[b].High = float64(b)/float64(bins), float64(b+1)/float64(bins)
	}
	for i, p := range proba {
		b := min(int(p*float64(bins)), bins-1) // or, by rounding, the next
		for b > 0 && p <= table[b].Low {
			b--
		}
		for b < bins-1 && p > table[b].High {
			b++
		}
		w := weightOf(weight, i)
		table[b].Weight += w
		table[b].Proba += float64(w * p)
		if happened[i] {
			table[b].Share += w
		}
	}
	kept := table[:0]
	for _, b := range table {
		if b.Weight > 0 {
			b.Proba /= b.Weight
			b.Share /= b.Weight
			kept = append(kept, b)
		}
	}
	if len(kept) == 0 {
		return nil, Nothing
	}
	return kept, nil
}

// CalibrationError is the expected one: the mean distance of a bin's mean
// probability from its share, by weight.
func CalibrationError(bins []Bin) (float64, error) {
	var sum, total float64
	for _, b := range bins {
		sum += float64(b.Weight * math.Abs(b.Proba-b.Share))
		total += b.Weight
	}
	if !(total > 0) {
		return 0, Nothing
	}
	return sum / total, nil
}

// Reliability is that of the probability of class 0 of two; with more classes,
// of the largest probability, which comes true if its class is the true one.
func (o *Outcomes) Reliability(bins int) ([]Bin, error) {
	if o.Proba == nil {
		return nil, NoProba
	}
	proba := make([]float64, len(o.Proba))
	happened := make([]bool, len(o.Proba))
	for i, p := range o.Proba {
		k := 0
		for c := range p {
			if len(p) > 2 && p[c] > p[k] {
				k = c
			}
		}
		proba[i], happened[i] = p[k], o.True[i] == k
	}
	return Reliability(proba, happened, o.Weight, bins)
}
