package prep

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// Activation is what a unit makes of its score z.
type Activation string

// The activations.
const (
	Sigmoid Activation = "sigmoid" // 1/(1 + e^−z)
	Tanh    Activation = "tanh"
	ReLU    Activation = "relu" // max(0, z)
	Step    Activation = "step" // 1 where z ≥ 0, else 0: a threshold unit
)

// Activations are the names of all.
var Activations = []string{string(Sigmoid), string(Tanh), string(ReLU), string(Step)}

// Value is the unit's output at score z.
func (a Activation) Value(z float64) float64 {
	switch a {
	case Tanh:
		return math.Tanh(z)
	case ReLU:
		return max(0, z)
	case Step:
		if z >= 0 {
			return 1
		}
		return 0
	}
	return 1 / (1 + math.Exp(-z))
}

// Slope is the derivative of Value, given the value. That of ReLU at 0 is 0,
// that of Step is 0 everywhere.
func (a Activation) Slope(value float64) float64 {
	switch {
	case a == Tanh:
		return 1 - float64(value*value)
	case a == ReLU && value > 0:
		return 1
	case a == ReLU, a == Step:
		return 0
	}
	return value * (1 - value)
}

// Layer is a layer of hidden units: the features after it are h1, h2, …,
//
//	h_k = activation(w_k·x + b_k).
//
// It is what makes a linear classifier a network. A learner makes it and hands
// it over with its model; no set alone tells its weights, so Fit only checks.
type Layer struct {
	Activation Activation  `json:"activation"`
	In         int         `json:"in"`
	Bias       []float64   `json:"bias"`
	W          [][]float64 `json:"weights"` // a vector a unit
}

var layerKind = Kind{
	Name:  "hidden",
	Doc:   "the hidden units of a network",
	blank: func() saved { return &Layer{} },
}

// NewLayer is a layer of zero weights.
func NewLayer(a Activation, features, units int) *Layer {
	m := &Layer{Activation: a, In: features, Bias: make([]float64, units), W: make([][]float64, units)}
	for k := range m.W {
		m.W[k] = make([]float64, features)
	}
	return m
}

// Fit implements Map.
func (m *Layer) Fit(s *data.Set) error {
	if s.Dim() != m.In {
		return fmt.Errorf("hidden units for %d features, found %d", m.In, s.Dim())
	}
	return m.check()
}

// Outputs sets dst to the outputs of the units.
func (m *Layer) Outputs(dst []float64, x vec.Row) {
	x = x.Trim(m.In)
	for k := range m.W {
		dst[k] = m.output(k, x)
	}
}

func (m *Layer) output(k int, x vec.Row) float64 {
	return m.Activation.Value(score(m.W[k], m.Bias[k], x))
}

// score is w·x + b, cut to the largest number where it is too large for one.
func score(w []float64, b float64, x vec.Row) float64 {
	z := vec.Dot(w, x) + b
	if z-z == 0 {
		return z
	}
	// Some term, or the sum of terms of either sign, overflowed: once more, small.
	const small = 0x1p-540
	sum := float64(b * small * small)
	for j, v := range x.All() {
		sum += float64(float64(w[j]*small) * float64(v*small))
	}
	return finite(sum / small / small)
}

// Apply implements Map.
func (m *Layer) Apply(dst *vec.Buffer, x vec.Row) {
	x = x.Trim(m.In)
	for k := range m.W {
		dst.Add(uint32(k), m.output(k, x))
	}
}

// Features implements Map.
func (m *Layer) Features(*data.Features) *data.Features {
	return data.DerivedFeatures(len(m.W), func(k int) string { return "h" + strconv.Itoa(k+1) })
}

func (m *Layer) kind() string        { return layerKind.Name }
func (m *Layer) dims() (in, out int) { return m.In, len(m.W) }
func (m *Layer) entries(int) int     { return len(m.W) }

func (m *Layer) check() error {
	if err := checkIn(m.In); err != nil {
		return err
	}
	switch {
	case !slices.Contains(Activations, string(m.Activation)):
		return fmt.Errorf("no activation %q; there are %s", m.Activation, strings.Join(Activations, ", "))
	case len(m.W) == 0:
		return errors.New("no units")
	case len(m.Bias) != len(m.W):
		return fmt.Errorf("%d biases for %d units", len(m.Bias), len(m.W))
	case !vec.Finite(m.Bias):
		return errors.New("a bias is not finite")
	}
	for k, w := range m.W {
		if len(w) != m.In {
			return fmt.Errorf("unit %d has %d weights for %d features", k+1, len(w), m.In)
		}
		if !vec.Finite(w) {
			return fmt.Errorf("unit %d has a weight that is not finite", k+1)
		}
	}
	return nil
}
