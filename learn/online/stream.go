package online

import (
	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/vec"
)

// Stream is an engine fed one example at a time. Classes and features that
// were never seen appear on the way.
type Stream struct {
	e       *engine
	visits  int
	updates int
	wrong   int
}

// Learn judges the example, learns from it if need be, and tells the visit. A
// class number may be at most one more than the largest so far.
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
	grow(s.e.w, class, dim)
	if s.e.average != nil {
		grow(s.e.average, class, dim)
	}
}

// grow makes w large enough. One vector for two classes becomes one a class:
// w/2 and −w/2, so that their difference, which decides, stays w.
func grow(w *halfspace.Weights, class, dim int) {
	if d := dim - w.Dim(); d > 0 {
		for k := range w.W {
			w.W[k] = append(w.W[k], make([]float64, d)...)
		}
	}
	if class <= 1 || class < len(w.W) {
		return
	}
	if len(w.W) == 1 {
		second := make([]float64, w.Dim())
		for j := range second {
			w.W[0][j] /= 2
			second[j] = -w.W[0][j]
		}
		w.Bias[0] /= 2
		w.W, w.Bias = append(w.W, second), append(w.Bias, -w.Bias[0])
	}
	for len(w.W) <= class {
		w.W, w.Bias = append(w.W, make([]float64, w.Dim())), append(w.Bias, 0)
	}
}
