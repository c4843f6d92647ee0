package experiment_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/judge/experiment"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/learn/risk"
	"github.com/halfspace-ml/halfspace/vec"
)

// coarse is two classes whose examples overlap, drawn from a fixed table.
func coarse() *data.Set {
	b := data.NewBuilder(nil)
	for i := range 240 {
		v := float64(i*7919%241)/120 - 1 // in [-1, 1], no order
		u := float64(i*104729%239)/120 - 1
		class := "a"
		if v+0.8*u < 0 {
			class = "b"
		}
		if i%11 == 0 {
			class = map[string]string{"a": "b", "b": "a"}[class]
		}
		b.Add(vec.Dense(v, u, float64(i%5)-2), []byte(class), 1)
	}
	return b.Set(data.Input{})
}

// The table is that of plain fits on the same folds, the choice follows from it,
// and no number of workers changes it.
func TestChooseC(t *testing.T) {
	s := coarse()
	cs := []float64{0.001, 0.01, 0.1, 1, 10}
	start := func(part *data.Set) (halfspace.Learner, halfspace.Run, error) {
		return &risk.SVM{Loss: "squared-hinge", Options: risk.Options{Tol: 1e-10}}, halfspace.Run{Set: part}, nil
	}
	ctx := context.Background()
	got, err := experiment.ChooseC(ctx, s, 5, 3, 1, cs, start, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{2, 8} {
		again, err := experiment.ChooseC(ctx, s, 5, 3, workers, cs, start, nil)
		if err != nil || !reflect.DeepEqual(got, again) {
			t.Errorf("%d workers: %+v, %v; one worker: %+v", workers, again, err, got)
		}
	}
	best := math.Inf(1)
	limit := 0.0
	for k, c := range cs {
		mean, square := 0.0, 0.0
		for _, f := range s.Folds(5, 3) {
			m, err := halfspace.Fit(ctx, &risk.SVM{Loss: "squared-hinge", Options: risk.Options{Tol: 1e-10, C: c}}, halfspace.Run{Set: f.Train})
			if err != nil {
				t.Fatal(err)
			}
			e := m.Tally(f.Test, 1).Error
			mean += e / 5
			square += e * e / 5
		}
		se := math.Sqrt((square - mean*mean) / 4)
		p := got.Points[k]
		if p.C != c || math.Abs(p.Error-mean) > 1e-12 || math.Abs(p.SE-se) > 1e-9 {
			t.Errorf("C = %v: %+v, plain fits have %v ± %v", c, p, mean, se)
		}
		if mean < best-1e-12 {
			best, limit = mean, mean+se
		}
	}
	for _, p := range got.Points {
		if p.Error <= limit+1e-12 {
			if got.C != p.C {
				t.Errorf("chose C = %v; the smallest within %v is %v", got.C, limit, p.C)
			}
			break
		}
	}
	if got.C == got.Best || got.C == cs[0] {
		t.Errorf("the rule has nothing to choose here: %+v", got)
	}
}

func TestChooseCRefuses(t *testing.T) {
	perceptron := func(part *data.Set) (halfspace.Learner, halfspace.Run, error) {
		return &online.Perceptron{}, halfspace.Run{Set: part}, nil
	}
	_, err := experiment.ChooseC(context.Background(), coarse(), 5, 1, 1, experiment.Cs, perceptron, nil)
	if want := "learner perceptron has no C to choose; it is for svm, logistic and risk"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	svm := func(part *data.Set) (halfspace.Learner, halfspace.Run, error) {
		return &risk.SVM{}, halfspace.Run{Set: part}, nil
	}
	if _, err := experiment.ChooseC(ctx, coarse(), 5, 1, 1, experiment.Cs, svm, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
