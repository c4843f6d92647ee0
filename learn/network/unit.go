// Package network holds threshold units in layers: the logic gates as one unit
// each, XOR assembled from them, and a network that learns by error
// back-propagation.
package network

import (
	"errors"
	"fmt"
	"math"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
)

// Unit is a threshold unit: 1 where w·x + b ≥ 0, else 0.
//
// Source: document 004, single layer perceptron.
type Unit struct {
	W    []float64
	Bias float64
}

// Output is 1 or 0. It panics if x has more entries than the unit has weights.
func (u Unit) Output(x ...float64) float64 {
	z := u.Bias
	for j, v := range x {
		z += float64(u.W[j] * v)
	}
	if z >= 0 {
		return 1
	}
	return 0
}

// Line is where a unit of two inputs changes its mind.
func (u Unit) Line() Line { return Line{u.W[0], u.W[1], u.Bias} }

// Line is A·x1 + B·x2 + C = 0.
type Line struct{ A, B, C float64 }

// At is the x2 of the line at x1; not finite if the line is upright.
func (l Line) At(x1 float64) float64 { return -(float64(l.A*x1) + l.C) / l.B }

// String is the line as a formula: "x1 + x2 - 0.5 = 0".
func (l Line) String() string {
	text := ""
	for _, t := range []struct {
		factor float64
		name   string
	}{{l.A, "x1"}, {l.B, "x2"}, {l.C, ""}} {
		if t.factor != 0 {
			text += term(t.factor, t.name, text == "")
		}
	}
	if text == "" {
		text = "0"
	}
	return text + " = 0"
}

// term is one summand with its sign.
func term(factor float64, name string, first bool) string {
	sign := " + "
	switch {
	case factor < 0 && first:
		sign = "-"
	case factor < 0:
		sign = " - "
	case first:
		sign = ""
	}
	factor = math.Abs(factor)
	if name == "" {
		return fmt.Sprintf("%s%g", sign, factor)
	}
	if factor == 1 {
		return sign + name
	}
	return fmt.Sprintf("%s%g·%s", sign, factor, name)
}

// The gates of two inputs 0 and 1. No input lies on a line: each line runs
// midway between the inputs it tells apart.
func And() Unit { return Unit{[]float64{1, 1}, -1.5} }

// Or is 1 if an input is.
func Or() Unit { return Unit{[]float64{1, 1}, -0.5} }

// Nand is 0 if both inputs are 1.
func Nand() Unit { return Unit{[]float64{-1, -1}, 1.5} }

// Nor is 1 if neither input is.
func Nor() Unit { return Unit{[]float64{-1, -1}, 0.5} }

// Network is layers of units: the outputs of one are the inputs of the next.
type Network [][]Unit

// Outputs are those of the last layer.
func (n Network) Outputs(x ...float64) []float64 {
	for _, layer := range n {
		next := make([]float64, len(layer))
		for k, u := range layer {
			next[k] = u.Output(x...)
		}
		x = next
	}
	return x
}

// Model is the network as a model of the classes 1 and 0, which all that takes
// models can use: a table with the columns x1, x2, … The last layer must have
// one unit.
func (n Network) Model() (*halfspace.Model, error) {
	if len(n) == 0 || len(n[len(n)-1]) != 1 {
		return nil, errors.New("a model answers by one unit; the last layer must have just one")
	}
	var names []string
	input := data.Input{Format: "csv", Named: true}
	for j := range n[0][0].W {
		names = append(names, fmt.Sprintf("x%d", j+1))
		input.Columns = append(input.Columns, data.Column{Name: names[j], Kind: data.Numeric})
	}
	input.Columns = append(input.Columns, data.Column{Name: "class", Kind: data.Label})
	m := &halfspace.Model{Classes: []string{"1", "0"}, Tie: halfspace.TiePositive, Input: input, Features: data.NewFeatures(names...)}
	for _, units := range n[:len(n)-1] {
		layer := &prep.Layer{Activation: prep.Step, In: len(units[0].W)}
		for _, u := range units {
			layer.W, layer.Bias = append(layer.W, u.W), append(layer.Bias, u.Bias)
		}
		m.Maps = append(m.Maps, layer)
	}
	last := n[len(n)-1][0]
	m.Weights = &halfspace.Weights{W: [][]float64{last.W}, Bias: []float64{last.Bias}}
	m.Report = halfspace.Report{Program: halfspace.Program, Learner: "by hand", Bias: true, Warnings: []string{}}
	return m, nil
}

// Lines are those of the units of the first layer, for two inputs.
func (n Network) Lines() []Line {
	var lines []Line
	for _, u := range n[0] {
		lines = append(lines, u.Line())
	}
	return lines
}

// XOR is AND of OR and NAND. No one unit can do it; the two lines of the first
// layer cut out the band between them.
//
// Source: document 004, limitations of linear decision boundaries.
func XOR() Network { return Network{{Or(), Nand()}, {And()}} }

// Lines are the lines of the hidden units of a trained network of two
// features, where their score is 0.
func Lines(l *prep.Layer) []Line {
	var lines []Line
	for k, w := range l.W {
		lines = append(lines, Unit{w, l.Bias[k]}.Line())
	}
	return lines
}
