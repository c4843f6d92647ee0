package learn_test

import (
	"context"
	"errors"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/learn"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/learntest"
	"github.com/halfspace-ml/halfspace/vec"
)

func TestConformance(t *testing.T) {
	for _, e := range learn.All {
		t.Run(e.Name, func(t *testing.T) {
			if e.New().Name() != e.Name || e.Doc == "" || e.Source == "" {
				t.Errorf("entry %q does not fit its learner %q, or lacks a doc or a source", e.Name, e.New().Name())
			}
			learntest.Run(t, e.New)
		})
	}
}

// One line with a huge index does not take the machine's memory.
func TestTooWide(t *testing.T) {
	b := data.NewBuilder(nil)
	b.Add(vec.Row{Idx: []uint32{1<<31 - 1}, Val: []float64{1}}, []byte("a"), 1)
	b.Add(vec.Dense(1), []byte("b"), 1)
	if _, err := halfspace.Fit(context.Background(), &online.Perceptron{}, halfspace.Run{Set: b.Set(data.Input{})}); !errors.Is(err, halfspace.ErrTooWide) {
		t.Errorf("got %v", err)
	}
	if _, err := halfspace.Fit(context.Background(), &online.Perceptron{}, halfspace.Run{Set: &data.Set{}}); err == nil {
		t.Error("the zero set is accepted")
	}
}
