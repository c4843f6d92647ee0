// Package trace prints every step of a learner, as text the way document 000
// writes its worked example, or as JSON lines.
package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// wide is the number of features up to which rows and weights are printed
// whole; beyond it, only the features that the example has.
const wide = 100

// Printer writes steps. Make the hooks with Hooks, then call Flush.
type Printer struct {
	NoRate bool // the learner has no rate of its own: tell none

	out   *bufio.Writer
	set   *data.Set
	bias  bool
	epoch int    // of the last heading
	part  string // of the last heading
	buf   []byte
}

// New prints to w the steps of a training on set.
func New(w io.Writer, set *data.Set, bias bool) *Printer {
	return &Printer{out: bufio.NewWriter(w), set: set, bias: bias, epoch: -1}
}

// Flush writes out what is buffered.
func (p *Printer) Flush() error { return p.out.Flush() }

// Text is hooks that print as the document does.
func (p *Printer) Text() halfspace.Hooks {
	return halfspace.Hooks{Step: p.step, Pass: p.pass}
}

func (p *Printer) step(s *halfspace.Step) {
	if s.Part != p.part {
		p.part, p.epoch = s.Part, -1
		fmt.Fprintf(p.out, "\n%s\n\n", s.Part)
	}
	if s.Epoch != p.epoch {
		p.heading(s.Epoch, s.Rate)
	}
	p.buf = fmt.Appendf(p.buf[:0], "i=%d: ", s.Index)
	if len(s.W.W) == 1 {
		p.buf = p.vector(append(p.buf, "w="...), s.W, 0, seen(s))
		p.buf = p.row(append(p.buf, " x="...), s.X)
		p.buf = hidden(p.buf, s)
		p.buf = fmt.Appendf(p.buf, " y=%g z=%.6f", s.Y, s.Score)
	} else {
		names := p.set.Classes()
		p.buf = p.row(append(p.buf, "x="...), s.X)
		p.buf = hidden(p.buf, s)
		p.buf = fmt.Appendf(p.buf, " class=%s rival=%s z=%.6f", names[s.Class], names[s.Rival], s.Score)
	}
	if s.HasLoss {
		p.buf = fmt.Appendf(p.buf, " loss=%.6f", s.Loss)
	}
	if s.Mistake {
		p.buf = append(p.buf, " wrong"...)
	}
	p.out.Write(append(p.buf, '\n'))
	if s.Tau != 0 && !s.Deferred {
		p.update(s)
	}
}

// seen is what the weights see of an example.
func seen(s *halfspace.Step) vec.Row {
	if s.Layer != nil {
		return s.Hidden
	}
	return s.X
}

// hidden writes the outputs of the hidden units, of many only those not zero.
func hidden(b []byte, s *halfspace.Step) []byte {
	if s.Layer == nil {
		return b
	}
	b = append(b, " h=["...)
	if len(s.Layer.W) <= wide {
		for _, v := range dense(s.Hidden, len(s.Layer.W)) {
			b = strconv.AppendFloat(separate(b), v, 'f', 6, 64)
		}
		return append(b, ']')
	}
	for j, v := range s.Hidden.All() {
		b = fmt.Appendf(separate(b), "%d:%.6f", j+1, v)
	}
	return append(b, ']')
}

func (p *Printer) heading(epoch int, rate float64) {
	if p.epoch < 0 && rate != 0 && !p.NoRate {
		fmt.Fprintf(p.out, "Learning rate = %g\n", rate)
	}
	p.epoch = epoch
	fmt.Fprintf(p.out, "\nIteration %d\n\n", epoch)
}

// update writes a step out: "update w0 = w0 - 0.01, w1 = w1 - 27*0.01, …".
func (p *Printer) update(s *halfspace.Step) {
	p.buf = append(p.buf[:0], "update "...)
	if len(s.W.W) == 1 {
		p.buf = p.assign(p.buf, "w", s, 1)
	} else {
		names := p.set.Classes()
		p.buf = p.assign(p.buf, "w["+names[s.Class]+"]", s, 1)
		p.buf = p.assign(append(p.buf, "; "...), "w["+names[s.Rival]+"]", s, -1)
	}
	p.out.Write(append(p.buf, '\n'))
}

func (p *Printer) assign(b []byte, w string, s *halfspace.Step, side float64) []byte {
	separator := ""
	if p.bias {
		b = fmt.Appendf(b, "%s0 = %s0 %s", w, w, signed(side*s.Tau*s.RateBias))
		separator = ", "
	}
	shown := 0
	for j, v := range s.X.All() {
		if shown == wide {
			return fmt.Appendf(b, ", … (%d in all)", s.X.Len())
		}
		shown++
		step := side * s.Tau * s.Rate
		sign := "+"
		if step*v < 0 {
			sign = "-"
		}
		b = fmt.Appendf(b, "%s%s%d = %s%d %s %g*%g", separator, w, j+1, w, j+1, sign, abs(v), abs(step))
		separator = ", "
	}
	return b
}

func signed(v float64) string {
	if v < 0 {
		return fmt.Sprintf("- %g", -v)
	}
	return fmt.Sprintf("+ %g", v)
}

func abs(v float64) float64 {
	if v < 0 {
		return -v
	}
	return v
}

// vector writes [bias w1 w2 …], of a wide one only the features of x.
func (p *Printer) vector(b []byte, w *halfspace.Weights, k int, x vec.Row) []byte {
	b = append(b, '[')
	if p.bias {
		b = strconv.AppendFloat(b, w.Bias[k], 'f', 6, 64)
	}
	if w.Dim() <= wide {
		for _, v := range w.W[k] {
			b = separate(b)
			b = strconv.AppendFloat(b, v, 'f', 6, 64)
		}
		return append(b, ']')
	}
	for j := range x.All() {
		b = separate(b)
		b = fmt.Appendf(b, "%d:%.6f", j+1, w.W[k][j])
	}
	return append(b, ']')
}

// row writes [1 x1 x2 …], of a wide one only the features it has.
func (p *Printer) row(b []byte, x vec.Row) []byte {
	b = append(b, '[')
	if p.bias {
		b = append(b, '1')
	}
	narrow := p.set.Dim() <= wide
	next := 0
	zeros := func(upTo int) {
		for ; narrow && next < upTo; next++ {
			b = append(separate(b), '0')
		}
	}
	for j, v := range x.All() {
		zeros(j)
		b = separate(b)
		if !narrow {
			b = fmt.Appendf(b, "%d:", j+1)
		}
		b = strconv.AppendFloat(b, v, 'g', -1, 64)
		next = j + 1
	}
	zeros(p.set.Dim())
	return append(b, ']')
}

// separate adds a blank unless a bracket was just opened.
func separate(b []byte) []byte {
	if b[len(b)-1] == '[' {
		return b
	}
	return append(b, ' ')
}

func (p *Printer) pass(s *halfspace.Pass) {
	if s.HasLoss {
		p.gradient(s)
	}
	if s.Done && s.Mistakes == 0 && (s.Updates == 0 || s.After) {
		fmt.Fprint(p.out, "\nAll classified correctly\n")
	}
}

// gradient writes the end of a batch iteration: E, L, and the step by ∇L.
func (p *Printer) gradient(s *halfspace.Pass) {
	share := s.Error()
	if s.After {
		share = float64(s.Mistakes) / float64(s.Examples)
	}
	fmt.Fprintf(p.out, "E=%.6f L=%.6f\n", share, s.Loss)
	if s.Gradient == nil {
		return
	}
	for k := range s.Gradient.W {
		name := ""
		if len(s.Gradient.W) > 1 {
			name = "[" + p.set.Classes()[k] + "]"
		}
		p.buf = p.vector(fmt.Appendf(p.buf[:0], "update w%s = w%s - %g*", name, name, s.Rate), s.Gradient, k, vec.Row{})
		p.out.Write(append(p.buf, '\n'))
	}
}

// JSON is hooks that print one JSON object a step.
func (p *Printer) JSON() halfspace.Hooks {
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	return halfspace.Hooks{Step: func(s *halfspace.Step) {
		line := jsonStep{
			Epoch: s.Epoch, Index: s.Index, Class: p.set.Classes()[s.Class], X: jsonRow(s.X, p.set.Dim()),
			Part: s.Part, Y: s.Y, Z: s.Score, Mistake: s.Mistake, Tau: s.Tau, Rate: s.Rate,
		}
		if len(s.W.W) > 1 {
			line.Rival = p.set.Classes()[s.Rival]
		}
		line.W = p.jsonWeights(s.W, seen(s))
		if s.Layer != nil {
			line.H = jsonRow(s.Hidden, len(s.Layer.W))
		}
		if s.HasLoss {
			line.Loss = &s.Loss
		}
		enc.Encode(line)
	}}
}

type jsonStep struct {
	Part    string   `json:"part,omitempty"` // many classes by parts: which of them
	Epoch   int      `json:"epoch"`
	Index   int      `json:"index"`
	Class   string   `json:"class"`
	Rival   string   `json:"rival,omitempty"`
	X       any      `json:"x"`
	H       any      `json:"h,omitempty"` // networks: the outputs of the hidden units, which w sees
	Y       float64  `json:"y"`
	Z       float64  `json:"z"`
	Loss    *float64 `json:"loss,omitempty"`
	Mistake bool     `json:"mistake"`
	Tau     float64  `json:"tau"`
	Rate    float64  `json:"rate"`
	W       any      `json:"w"`
}

// jsonWide is the number of features beyond which only those of the example
// are written, by number from 1.
const jsonWide = 1000

func jsonRow(x vec.Row, dim int) any {
	if dim > jsonWide {
		return sparse(x, func(j int, v float64) float64 { return v })
	}
	return dense(x, dim)
}

// dense is x with its zeros.
func dense(x vec.Row, dim int) []float64 {
	v := make([]float64, dim)
	for j, value := range x.All() {
		v[j] = value
	}
	return v
}

func sparse(x vec.Row, value func(j int, v float64) float64) map[string]float64 {
	m := map[string]float64{}
	for j, v := range x.All() {
		m[strconv.Itoa(j+1)] = value(j, v)
	}
	return m
}

func (p *Printer) jsonWeights(w *halfspace.Weights, x vec.Row) any {
	all := make([]any, len(w.W))
	for k := range w.W {
		if w.Dim() > jsonWide {
			m := sparse(x, func(j int, _ float64) float64 { return w.W[k][j] })
			if p.bias {
				m["0"] = w.Bias[k]
			}
			all[k] = m
			continue
		}
		var v []float64
		if p.bias {
			v = append(v, w.Bias[k])
		}
		all[k] = append(v, w.W[k]...)
	}
	if len(all) == 1 {
		return all[0]
	}
	return all
}
