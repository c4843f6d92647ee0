package metric

import "math"

// Confusion is the weight of the examples by [true][predicted] class.
type Confusion [][]float64

// Confuse counts. Class numbers are from 0.
func Confuse(truth, predicted []int, weight []float64, classes int) Confusion {
	c := make(Confusion, classes)
	for k := range c {
		c[k] = make([]float64, classes)
	}
	for i, t := range truth {
		c[t][predicted[i]] += weightOf(weight, i)
	}
	return c
}

// sums are the weights of each class in truth and in the predictions, of what
// is right, and of all.
func (c Confusion) sums() (truth, predicted []float64, right, all float64) {
	truth, predicted = make([]float64, len(c)), make([]float64, len(c))
	for t, row := range c {
		for p, w := range row {
			truth[t] += w
			predicted[p] += w
			all += w
		}
		right += row[t]
	}
	return truth, predicted, right, all
}

// Accuracy is the share that is right.
func (c Confusion) Accuracy() (float64, error) {
	_, _, right, all := c.sums()
	if !(all > 0) {
		return 0, Nothing
	}
	return right / all, nil
}

// Balanced is the balanced accuracy: the mean recall of the classes that occur.
func (c Confusion) Balanced() (float64, error) {
	truth, _, _, _ := c.sums()
	sum, n := 0.0, 0
	for k, t := range truth {
		if t > 0 {
			sum += c[k][k] / t
			n++
		}
	}
	if n == 0 {
		return 0, Nothing
	}
	return sum / float64(n), nil
}

// Matthews is the correlation of truth and prediction, from −1 to 1, for any
// number of classes (Matthews 1975; Gorodkin 2004). Where one of them is all of
// one class it tells nothing, and is 0.
func (c Confusion) Matthews() (float64, error) {
	truth, predicted, right, all := c.sums()
	if !(all > 0) {
		return 0, Nothing
	}
	var both, ofTruth, ofPredicted float64 // as shares, lest a square overflows
	for k := range c {
		t, p := truth[k]/all, predicted[k]/all
		both += float64(t * p)
		ofTruth += float64(t * (1 - t))
		ofPredicted += float64(p * (1 - p))
	}
	if ofTruth == 0 || ofPredicted == 0 {
		return 0, nil
	}
	return (right/all - both) / math.Sqrt(float64(ofTruth*ofPredicted)), nil
}

// Kappa is Cohen's: how far the accuracy is above that of chance, 1 being all
// the way (Cohen 1960).
func (c Confusion) Kappa() (float64, error) {
	truth, predicted, right, all := c.sums()
	if !(all > 0) {
		return 0, Nothing
	}
	chance := 0.0
	for k := range c {
		chance += float64(truth[k] / all * (predicted[k] / all))
	}
	if !(chance < 1) {
		return 0, OneAnswer
	}
	return (right/all - chance) / (1 - chance), nil
}

// Rates are of one class, or means over classes. One without a denominator is 0.
type Rates struct {
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// Rates are the figures of every class.
func (c Confusion) Rates() []Rates {
	truth, predicted, _, _ := c.sums()
	rates := make([]Rates, len(c))
	for k := range c {
		hit := c[k][k]
		rates[k] = Rates{ratio(hit, predicted[k]), ratio(hit, truth[k]), ratio(2*hit, truth[k]+predicted[k])}
	}
	return rates
}

// Macro is the mean over the classes that occur, in truth or prediction.
func (c Confusion) Macro() Rates {
	truth, predicted, _, _ := c.sums()
	return c.meanRates(func(k int) float64 {
		if truth[k]+predicted[k] > 0 {
			return 1
		}
		return 0
	})
}

// ByWeight is the mean over classes by what they weigh in truth.
func (c Confusion) ByWeight() Rates {
	truth, _, _, _ := c.sums()
	return c.meanRates(func(k int) float64 { return truth[k] })
}

func (c Confusion) meanRates(weight func(k int) float64) Rates {
	var m Rates
	total := 0.0
	for k, r := range c.Rates() {
		w := weight(k)
		m.Precision += float64(w * r.Precision)
		m.Recall += float64(w * r.Recall)
		m.F1 += float64(w * r.F1)
		total += w
	}
	return Rates{ratio(m.Precision, total), ratio(m.Recall, total), ratio(m.F1, total)}
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
