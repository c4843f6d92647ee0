package experiment

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/judge/metric"
)

// Way makes a model of a part of the data, on so many workers. A way that chose
// parameters says which.
type Way func(ctx context.Context, part *data.Set, workers int) (m *halfspace.Model, chosen Setting, err error)

// Plain trains once, as start says.
func Plain(start Start) Way {
	return func(ctx context.Context, part *data.Set, workers int) (*halfspace.Model, Setting, error) {
		l, run, err := start(part)
		if err != nil {
			return nil, nil, &setupError{err}
		}
		run.Workers = workers
		m, err := halfspace.Fit(ctx, l, run)
		return m, nil, err
	}
}

// setupError is an error before any training.
type setupError struct{ error }

func (e *setupError) Unwrap() error { return e.error }

// Trial is one training with its test.
type Trial struct {
	Piece string // its name in a journal: all that sets it apart
	Way   Way
	Sets  func() (train, test *data.Set, err error) // test may be nil
}

// Outcome is what came of a trial. All but the seconds is the same each time.
type Outcome struct {
	Examples  int                  `json:"examples"` // learned from
	Train     halfspace.Tally      `json:"train"`
	Test      *halfspace.Tally     `json:"test,omitempty"`
	Wrong     []int                `json:"wrong,omitempty"` // positions among the labelled test examples
	Chosen    string               `json:"chosen,omitempty"`
	Converged bool                 `json:"converged"`
	Objective *halfspace.Objective `json:"objective,omitempty"`
	KKT       *halfspace.KKT       `json:"kkt,omitempty"`
	Refused   string               `json:"refused,omitempty"` // why there is no model
	Seconds   float64              `json:"seconds"`           // of training, by the clock
}

// Bench runs trials.
type Bench struct {
	Workers  int      // 0: one a processor; never changes a result but the seconds
	Journal  *Journal // keeps what is done; nil: none
	Progress func(Progress)
}

// Progress is how far a bench is.
type Progress struct{ Done, Restored, All int } // Done counts those from the journal too

// Run runs the trials that the journal does not have. A training that is not
// possible on its part of the data is an outcome; an error is what spoils all.
func (b *Bench) Run(ctx context.Context, trials []Trial) ([]Outcome, error) {
	out := make([]Outcome, len(trials))
	var todo []int
	seen := map[string]bool{}
	for i, t := range trials {
		if seen[t.Piece] {
			return nil, fmt.Errorf("%s is there twice", t.Piece)
		}
		seen[t.Piece] = true
		if o, ok := b.Journal.find(t.Piece); ok {
			out[i] = o
		} else {
			todo = append(todo, i)
		}
	}
	p := Progress{Done: len(trials) - len(todo), Restored: len(trials) - len(todo), All: len(trials)}
	inner := max(1, cores(b.Workers)/max(1, len(todo)))
	var mu sync.Mutex
	var failed atomic.Bool
	err := each(len(todo), b.Workers, func(k int) error {
		if failed.Load() {
			return nil
		}
		o, err := trials[todo[k]].run(ctx, inner)
		if err == nil {
			err = b.Journal.add(trials[todo[k]].Piece, o)
		}
		if err != nil {
			failed.Store(true)
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		out[todo[k]] = o
		if p.Done++; b.Progress != nil {
			b.Progress(p)
		}
		return nil
	})
	if ctx.Err() != nil {
		return nil, &Interrupted{Progress: p, err: ctx.Err()}
	}
	return out, err
}

// Interrupted is the end of an experiment before its time.
type Interrupted struct {
	Progress
	err error
}

func (e *Interrupted) Error() string {
	return fmt.Sprintf("interrupted after %d of %d trainings", e.Done, e.All)
}

func (e *Interrupted) Unwrap() error { return e.err }

func (t *Trial) run(ctx context.Context, workers int) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	train, test, err := t.Sets()
	if err != nil {
		return Outcome{Refused: err.Error()}, nil
	}
	begun := time.Now()
	m, chosen, err := t.Way(ctx, train, workers)
	took := time.Since(begun).Seconds()
	switch {
	case ctx.Err() != nil:
		return Outcome{}, ctx.Err()
	case err != nil && spoils(err):
		return Outcome{}, err
	case err != nil:
		return Outcome{Examples: train.Len(), Refused: err.Error(), Seconds: took}, nil
	}
	r := m.Report
	o := Outcome{
		Examples: train.Len(), Train: *r.Train, Chosen: chosen.String(), Converged: r.Converged,
		Objective: r.Objective, KKT: r.KKT, Seconds: took,
	}
	if test != nil {
		o.test(metric.Predict(m, test, workers))
	}
	return o, nil
}

// test takes over how the test examples were predicted.
func (o *Outcome) test(p *metric.Outcomes) {
	o.Test = &halfspace.Tally{Examples: len(p.Wrong)}
	for i, bad := range p.Wrong {
		if bad {
			o.Wrong = append(o.Wrong, i)
		}
		if p.Boundary[i] {
			o.Test.Boundary++
		}
	}
	if o.Test.Errors = len(o.Wrong); len(p.Wrong) > 0 {
		o.Test.Error = float64(o.Test.Errors) / float64(len(p.Wrong))
	}
}

// spoils reports whether an error is about what was asked for, and so of every
// part, rather than about the examples of one.
func spoils(err error) bool {
	var setup *setupError
	var param *halfspace.ParamError
	if errors.As(err, &setup) || errors.As(err, &param) {
		return true
	}
	for _, e := range []error{halfspace.ErrInit, halfspace.ErrMaps, halfspace.ErrTooWide, halfspace.ErrNoClass} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
