// Package loss has the losses of a linear classifier: convex functions ℓ(m) of
// the margin m = y·z of one example. Adding one is its type and one line in
// All.
package loss

import "math"

// Loss is a convex function of the margin.
type Loss interface {
	Name() string
	Value(m float64) float64
	// Slope is ℓ′(m), one of the subgradients where there are several.
	Slope(m float64) float64
	// Curve is ℓ″(m), from the right where it jumps.
	Curve(m float64) float64
	// Conj is ℓ*(−a), the conjugate at the dual variable a = −ℓ′(m): for every
	// margin, ℓ(m) + ℓ*(−a) ≥ −a·m. Infinite outside Domain.
	Conj(a float64) float64
	// Domain is the interval of a in which Conj is finite. It contains 0.
	Domain() (low, high float64)
	// Smooth tells whether ℓ′ is continuous.
	Smooth() bool
}

// Quadratic is a loss whose conjugate is −Lift·a + Bend·a² on its domain: the
// best step along one dual variable is then a formula.
type Quadratic interface {
	Loss
	Dual() (lift, bend float64)
}

// All is the list of losses.
var All = []Loss{Hinge{}, SquaredHinge{}, Logistic{}, Squared{}, ModifiedHuber{}, Perceptron{}}

// Names are the names of all losses.
func Names() []string {
	var names []string
	for _, l := range All {
		names = append(names, l.Name())
	}
	return names
}

// Named is the loss of that name, nil if there is none.
func Named(name string) Loss {
	for _, l := range All {
		if l.Name() == name {
			return l
		}
	}
	return nil
}

// within is v if a is in [low, high], else infinite.
func within(a, low, high, v float64) float64 {
	if a >= low && a <= high {
		return v
	}
	return math.Inf(1)
}

// Hinge is max(0, 1 − m): the soft-margin SVM.
type Hinge struct{}

func (Hinge) Name() string            { return "hinge" }
func (Hinge) Value(m float64) float64 { return max(0, 1-m) }
func (Hinge) Slope(m float64) float64 {
	if m < 1 {
		return -1
	}
	return 0
}
func (Hinge) Curve(float64) float64       { return 0 }
func (Hinge) Conj(a float64) float64      { return within(a, 0, 1, -a) }
func (Hinge) Domain() (low, high float64) { return 0, 1 }
func (Hinge) Smooth() bool                { return false }
func (Hinge) Dual() (lift, bend float64)  { return 1, 0 }

// SquaredHinge is max(0, 1 − m)².
type SquaredHinge struct{}

func (SquaredHinge) Name() string { return "squared-hinge" }
func (SquaredHinge) Value(m float64) float64 {
	h := max(0, 1-m)
	return h * h
}
func (SquaredHinge) Slope(m float64) float64 { return -2 * max(0, 1-m) }
func (SquaredHinge) Curve(m float64) float64 {
	if m < 1 {
		return 2
	}
	return 0
}
func (SquaredHinge) Conj(a float64) float64      { return within(a, 0, math.Inf(1), a*(a/4-1)) }
func (SquaredHinge) Domain() (low, high float64) { return 0, math.Inf(1) }
func (SquaredHinge) Smooth() bool                { return true }
func (SquaredHinge) Dual() (lift, bend float64)  { return 1, 0.25 }

// Logistic is ln(1 + e^−m): the negative log-likelihood of logistic regression.
type Logistic struct{}

func (Logistic) Name() string { return "logistic" }
func (Logistic) Value(m float64) float64 {
	if m > 0 {
		return math.Log1p(math.Exp(-m))
	}
	return math.Log1p(math.Exp(m)) - m
}
func (Logistic) Slope(m float64) float64     { return -Sigmoid(-m) }
func (Logistic) Curve(m float64) float64     { return Sigmoid(m) * Sigmoid(-m) }
func (Logistic) Conj(a float64) float64      { return within(a, 0, 1, xlogx(a)+xlogx(1-a)) }
func (Logistic) Domain() (low, high float64) { return 0, 1 }
func (Logistic) Smooth() bool                { return true }

// Sigmoid is 1/(1 + e^−t).
func Sigmoid(t float64) float64 {
	if t >= 0 {
		return 1 / (1 + math.Exp(-t))
	}
	e := math.Exp(t)
	return e / (1 + e)
}

func xlogx(a float64) float64 {
	if a <= 0 {
		return 0
	}
	return a * math.Log(a)
}

// Squared is (1 − m)² = (y − z)²: least squares.
type Squared struct{}

func (Squared) Name() string                { return "squared" }
func (Squared) Value(m float64) float64     { return (1 - m) * (1 - m) }
func (Squared) Slope(m float64) float64     { return -2 * (1 - m) }
func (Squared) Curve(float64) float64       { return 2 }
func (Squared) Conj(a float64) float64      { return a * (a/4 - 1) }
func (Squared) Domain() (low, high float64) { return math.Inf(-1), math.Inf(1) }
func (Squared) Smooth() bool                { return true }
func (Squared) Dual() (lift, bend float64)  { return 1, 0.25 }

// ModifiedHuber is the squared hinge down to m = −1 and its tangent −4m below
// (Zhang 2004): smooth, and outliers pull no harder than 4.
type ModifiedHuber struct{}

func (ModifiedHuber) Name() string { return "modified-huber" }
func (ModifiedHuber) Value(m float64) float64 {
	if m < -1 {
		return -4 * m
	}
	return SquaredHinge{}.Value(m)
}
func (ModifiedHuber) Slope(m float64) float64 { return max(-4, SquaredHinge{}.Slope(m)) }
func (ModifiedHuber) Curve(m float64) float64 {
	if m < -1 {
		return 0
	}
	return SquaredHinge{}.Curve(m)
}
func (ModifiedHuber) Conj(a float64) float64      { return within(a, 0, 4, a*(a/4-1)) }
func (ModifiedHuber) Domain() (low, high float64) { return 0, 4 }
func (ModifiedHuber) Smooth() bool                { return true }
func (ModifiedHuber) Dual() (lift, bend float64)  { return 1, 0.25 }

// Perceptron is max(0, −m), the perceptron cost. With any penalty its least
// value is at zero weights.
type Perceptron struct{}

func (Perceptron) Name() string            { return "perceptron" }
func (Perceptron) Value(m float64) float64 { return max(0, -m) }
func (Perceptron) Slope(m float64) float64 {
	if m < 0 {
		return -1
	}
	return 0
}
func (Perceptron) Curve(float64) float64       { return 0 }
func (Perceptron) Conj(a float64) float64      { return within(a, 0, 1, 0) }
func (Perceptron) Domain() (low, high float64) { return 0, 1 }
func (Perceptron) Smooth() bool                { return false }
func (Perceptron) Dual() (lift, bend float64)  { return 0, 0 }
