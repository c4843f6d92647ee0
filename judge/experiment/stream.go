package experiment

import (
	"context"
	"errors"
	"fmt"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
)

// Passed is how a stream went until some example.
type Passed struct {
	N      int     `json:"n"`
	Wrong  int     `json:"wrong"`
	Error  float64 `json:"error"`  // of all until here
	Recent float64 `json:"recent"` // of those since the point before
}

// Progressive predicts each example before it learns from it, in order, so that
// every one is a test example first (Blum, Kalai and Langford 1999). What counts
// is the answer the learner would give: of the averaged and the voted perceptron
// that of the mean and of the vote. at says after which numbers of examples to
// take stock, in rising order.
func Progressive(ctx context.Context, start Start, s *data.Set, at []int) ([]Passed, error) {
	s = s.Labelled()
	l, run, err := start(s)
	if err != nil {
		return nil, err
	}
	learner, ok := l.(halfspace.Streamer)
	if !ok {
		return nil, fmt.Errorf("learner %s needs all examples at once and cannot learn one at a time; use e.g. perceptron, averaged or passive-aggressive", l.Name())
	}
	switch _, folders := run.Maps.Unfolded(); {
	case len(folders) > 0:
		return nil, errors.New("scaling needs all examples beforehand, which a stream has not; leave it out")
	case run.Init != nil || run.RandomInit:
		return nil, errors.New("a stream begins with nothing learned; leave the start weights out")
	case run.Set.Weighted():
		return nil, errors.New("examples that come one at a time all weigh the same; leave the weights out")
	}
	if s, err = run.Maps.Fit(run.Set); err != nil {
		return nil, fmt.Errorf("%w: %w", halfspace.ErrMaps, err)
	}
	st := &stream{s: s, class: map[int]int{}}
	if st.online, err = learner.Start(halfspace.EmptyModel(tieOf(l), !run.NoBias)); err != nil {
		return nil, err
	}
	var points []Passed
	for i := 0; i < s.Len() && len(points) < len(at); i++ {
		if i%1024 == 0 && ctx.Err() != nil {
			return points, ctx.Err()
		}
		st.take(i)
		if i+1 == at[len(points)] {
			points = append(points, st.stock(points))
		}
	}
	return points, nil
}

func tieOf(l halfspace.Learner) halfspace.Tie {
	if v, ok := halfspace.Values(l.Params())["tie"].(string); ok {
		return halfspace.Tie(v)
	}
	return halfspace.TieWrong
}

// stream is a learner and how it has done.
type stream struct {
	s       *data.Set
	online  halfspace.Online
	class   map[int]int // of the set, numbered in order of appearance
	names   []string
	seen    int
	wrong   int
	answers bool // its answer is not that of its latest weights
}

// take predicts example i and learns from it.
func (st *stream) take(i int) {
	x, name := st.s.Row(i), st.s.Classes()[st.s.Class(i)]
	class, known := st.class[st.s.Class(i)]
	if !known {
		class = len(st.names)
		st.class[st.s.Class(i)] = class
		st.names = append(st.names, name)
	}
	wrong := !known
	if known && st.answers {
		m := st.model()
		wrong, _ = m.Wrong(m.Scorer().Scores(x), class)
	}
	v := st.online.Learn(x, class)
	if known && !st.answers {
		wrong = v.Mistake && len(st.names) > 1 // one class has nothing to be mistaken for
	}
	st.seen++
	if wrong {
		st.wrong++
	}
	if st.seen == 1 {
		m := st.online.Snapshot()
		st.answers = m.State != nil || len(m.Voters) > 0
	}
}

// model is what has been learned until now.
func (st *stream) model() *halfspace.Model {
	m := st.online.Snapshot()
	m.Classes, m.Features = st.names, st.s.Features()
	return m
}

func (st *stream) stock(before []Passed) Passed {
	p := Passed{N: st.seen, Wrong: st.wrong, Error: float64(st.wrong) / float64(st.seen)}
	last := Passed{}
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	p.Recent = float64(p.Wrong-last.Wrong) / float64(p.N-last.N)
	return p
}
