// Package experiment answers questions about learners by training them many
// times: which parameter, which learner, how much data. Every answer is fixed
// by its seed and the same for any number of workers.
package experiment

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
)

// Start prepares the training of a part of the data: a learner and a run of
// its own, which no other training shares.
type Start func(part *data.Set) (halfspace.Learner, halfspace.Run, error)

// Choice is a value of C, chosen by cross-validation.
type Choice struct {
	C      float64 `json:"c"`    // the smallest within one standard error of the best
	Best   float64 `json:"best"` // with the least error
	Folds  int     `json:"folds"`
	Points []Tried `json:"points"` // in rising order of C
}

// Tried is the error of one C over the folds.
type Tried struct {
	C     float64 `json:"c"`
	Error float64 `json:"error"`
	SE    float64 `json:"standard_error"`
}

// Cs are the values tried unless others are given.
var Cs = []float64{0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000}

// ChooseC trains along a path of rising C on every fold and chooses by the
// one-standard-error rule (Breiman and others 1984): of all C whose error is
// within one standard error of the least, the smallest, which is the simplest
// model that the data cannot tell from the best. progress hears of every model
// trained; it may be nil.
func ChooseC(ctx context.Context, s *data.Set, folds int, seed uint64, workers int, cs []float64, start Start, progress func(done, all int)) (*Choice, error) {
	parts := s.Folds(folds, seed)
	learners, runs := make([]halfspace.Pather, folds), make([]halfspace.Run, folds)
	for f := range parts {
		l, run, err := start(parts[f].Train)
		if err != nil {
			return nil, err
		}
		p, ok := l.(halfspace.Pather)
		if !ok {
			return nil, fmt.Errorf("learner %s has no C to choose; it is for svm, logistic and risk", l.Name())
		}
		learners[f], runs[f] = p, run
		runs[f].Workers = 1
	}
	errs := make([][]float64, folds) // by fold and C
	var mu sync.Mutex
	done := 0
	err := each(folds, workers, func(f int) error {
		return learners[f].Path(ctx, runs[f], cs, func(_ float64, m *halfspace.Model) error {
			errs[f] = append(errs[f], m.Tally(parts[f].Test, 1).Error)
			mu.Lock()
			defer mu.Unlock()
			if done++; progress != nil {
				progress(done, folds*len(cs))
			}
			return ctx.Err()
		})
	})
	if err != nil {
		return nil, err
	}
	return choose(errs, cs), nil
}

// choose applies the rule to errors by fold and C.
func choose(errs [][]float64, cs []float64) *Choice {
	ch := &Choice{Folds: len(errs)}
	best := 0
	for k, c := range cs {
		t := Tried{C: c}
		for _, e := range errs {
			t.Error += e[k] / float64(len(errs))
		}
		for _, e := range errs {
			t.SE += (e[k] - t.Error) * (e[k] - t.Error)
		}
		t.SE = math.Sqrt(t.SE / float64((len(errs)-1)*len(errs)))
		ch.Points = append(ch.Points, t)
		if t.Error < ch.Points[best].Error {
			best = k
		}
	}
	ch.Best = cs[best]
	most := ch.Points[best].Error + ch.Points[best].SE
	for _, t := range ch.Points {
		if t.Error <= most {
			ch.C = t.C
			break
		}
	}
	return ch
}

// each runs do for 0 … n-1 on so many workers and returns the first error by
// number.
func each(n, workers int, do func(i int) error) error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	gate := make(chan struct{}, cores(workers))
	for i := range n {
		gate <- struct{}{}
		wg.Go(func() {
			errs[i] = do(i)
			<-gate
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// cores is how many goroutines a number of workers means.
func cores(workers int) int {
	if workers <= 0 {
		return runtime.GOMAXPROCS(0)
	}
	return workers
}
