package online

import (
	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/vec"
)

// Stream is an engine fed one example at a time. Classes and features that
// were never seen appear on the way. A stream is one loop that does not end:
// its rate is that of the first loop, whatever the schedule.
type Stream struct {
	e       *engine
	visits  int
	updates int
	wrong   int
}

// Learn judges the example, learns from it if need be, and tells the visit. A
// class number is not negative and at most one more than the largest so far.
func (s *Stream) Learn(x vec.Row, class int) halfspace.Visit {
	s.makeRoom(class, x.Dim())
	v := s.e.visit(x, class)
	if v.Tau != 0 {
		s.updates++
	}
	if v.Mistake {
		s.wrong++
	}
	s.e.learn(x, class, v, 1)
	s.visits++
	return v
}

// Snapshot is what has been learned; its report counts since the start of the
// stream.
func (s *Stream) Snapshot() *halfspace.Model {
	return s.e.model(halfspace.Report{Updates: s.updates, Mistakes: s.wrong, Learned: s.visits})
}

// makeRoom grows the weights for a class or features not seen before.
func (s *Stream) makeRoom(class, dim int) {
	s.e.grow(s.e.w, class, dim)
	if s.e.average != nil {
		s.e.grow(s.e.average, class, dim)
	}
}

// grow makes w large enough. One vector w for two classes becomes one a class:
//
//   - w and −w for a rule that ignores the length: it steps by the same τ in
//     Kesler's form, and would have these had it known all classes from the
//     start;
//   - w/2 and −w/2 for a rule that heeds it: its step is half as large in
//     Kesler's form, and its margin is measured on their difference, w.
func (e *engine) grow(w *halfspace.Weights, class, dim int) {
	if d := dim - w.Dim(); d > 0 {
		for k := range w.W {
			w.W[k] = append(w.W[k], make([]float64, d)...)
		}
	}
	if class <= 1 || class < len(w.W) {
		return
	}
	if len(w.W) == 1 {
		share := 1.0
		if e.withLength {
			share = 0.5
		}
		second := make([]float64, w.Dim())
		for j := range second {
			w.W[0][j] *= share
			second[j] = -w.W[0][j]
		}
		w.Bias[0] *= share
		w.W, w.Bias = append(w.W, second), append(w.Bias, -w.Bias[0])
	}
	for len(w.W) <= class {
		w.W, w.Bias = append(w.W, make([]float64, w.Dim())), append(w.Bias, 0)
	}
}
