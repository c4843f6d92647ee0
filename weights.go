package halfspace

import (
	"fmt"
	"math"

	"github.com/halfspace-ml/halfspace/vec"
)

// Weights are those of one linear classifier: one vector for two classes
// (its score is positive for class 0), one vector a class for more.
type Weights struct {
	W    [][]float64
	Bias []float64
}

// NewWeights are zero weights for that many classes and features.
func NewWeights(classes, features int) *Weights {
	n := classes
	if classes <= 2 {
		n = 1
	}
	w := &Weights{W: make([][]float64, n), Bias: make([]float64, n)}
	for k := range w.W {
		w.W[k] = make([]float64, features)
	}
	return w
}

// Clone is a copy.
func (w *Weights) Clone() *Weights {
	c := &Weights{W: make([][]float64, len(w.W)), Bias: append([]float64(nil), w.Bias...)}
	for k := range w.W {
		c.W[k] = append([]float64(nil), w.W[k]...)
	}
	return c
}

// Dim is the number of features.
func (w *Weights) Dim() int { return len(w.W[0]) }

// Score is w·x + bias of vector k.
func (w *Weights) Score(k int, x vec.Row) float64 { return vec.Dot(w.W[k], x) + w.Bias[k] }

// Judge looks at an example of a known class. With two classes y is +1 for
// class 0 and −1 for class 1, and z the score. With more, by Kesler's
// construct, the example is positive (y = 1) and z is the score of its class
// less that of the best other class, the rival; of equal ones, that is the one
// the tie rule would decide for. Either way y·z > 0 is right.
func (w *Weights) Judge(x vec.Row, class int, tie Tie) (y, z float64, rival int) {
	if len(w.W) == 1 {
		z = w.Score(0, x)
		if class == 0 {
			return 1, z, 1
		}
		return -1, z, 0
	}
	own, best := 0.0, 0.0
	rival = -1
	for k := range w.W {
		s := w.Score(k, x)
		if k == class {
			own = s
		} else if rival < 0 || tie.beats(s, best) {
			best, rival = s, k
		}
	}
	return 1, own - best, rival
}

// Add moves the weights along an example: step·x on the side of its class,
// against the rival. step carries the sign y of Judge.
func (w *Weights) Add(x vec.Row, class, rival int, step, biasStep float64) {
	if len(w.W) == 1 {
		vec.Axpy(w.W[0], step, x)
		w.Bias[0] += biasStep
		return
	}
	vec.Axpy(w.W[class], step, x)
	vec.Axpy(w.W[rival], -step, x)
	w.Bias[class] += biasStep
	w.Bias[rival] -= biasStep
}

// Finite reports whether no weight is infinite or not a number.
func (w *Weights) Finite() bool {
	for _, v := range w.W {
		if !vec.Finite(v) {
			return false
		}
	}
	return vec.Finite(w.Bias)
}

// Each calls do for every vector, and for the vector of biases.
func (w *Weights) Each(do func(v []float64)) {
	for _, v := range w.W {
		do(v)
	}
	do(w.Bias)
}

// fits returns an error if w is not of the given shape.
func (w *Weights) fits(classes, features int) error {
	want := NewWeights(classes, 0)
	if len(w.W) != len(want.W) || len(w.Bias) != len(want.Bias) {
		return fmt.Errorf("%w: %d vectors where %d classes need %d", ErrInit, len(w.W), classes, len(want.W))
	}
	for _, v := range w.W {
		if len(v) != features {
			return fmt.Errorf("%w: %d of them besides the bias, and %d features in the data", ErrInit, len(v), features)
		}
	}
	if !w.Finite() {
		return fmt.Errorf("%w: they must be finite", ErrInit)
	}
	return nil
}

// Tie says what a score of exactly zero means. The documents differ; each of
// their conventions has a name here.
type Tie string

const (
	// TieWrong counts a zero score as a mistake for either class (documents
	// 000, 001 and 002: wrong if y·z ≤ 0). It predicts the positive class.
	TieWrong Tie = "wrong"
	// TieRight never counts it as a mistake (document 004: wrong if y·z < 0).
	TieRight Tie = "right"
	// TiePositive decides for the positive class (document 003), with more
	// than two classes for the first.
	TiePositive Tie = "positive"
	// TieNegative decides for the negative class (document 001's threshold
	// example), with more than two classes for the last.
	TieNegative Tie = "negative"
)

// Ties are the names of all tie rules.
var Ties = []string{string(TieWrong), string(TieRight), string(TiePositive), string(TieNegative)}

// beats reports whether a class with score s is preferred to an earlier one
// with score best.
func (t Tie) beats(s, best float64) bool { return s > best || s == best && t == TieNegative }

// Settle moves a zero score to the side that the tie rule says, by the least
// amount there is, so that y·z < 0 means "wrong" for every rule. A score that
// overflowed to NaN is wrong for every rule.
func (t Tie) Settle(y, z float64, class, rival int) float64 {
	if z > 0 || z < 0 {
		return z
	}
	right := false
	if z == 0 {
		switch t {
		case TieRight:
			right = true
		case TiePositive:
			right = class < rival
		case TieNegative:
			right = class > rival
		}
	}
	if right {
		return math.Copysign(math.SmallestNonzeroFloat64, y)
	}
	return math.Copysign(math.SmallestNonzeroFloat64, -y)
}
