package main

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learn/multi"
)

// Ctrl-C while the folds are trained leaves the model as it is.
func TestCalibrationInterrupted(t *testing.T) {
	s, err := sample.Read("@digits35")
	if err != nil {
		t.Fatal(err)
	}
	c := fitCommand()
	ctx, stop := context.WithCancel(context.Background())
	c.SetContext(ctx)
	c.SetErr(io.Discard)
	k := calibration{kind: "platt", folds: 5}
	run := &training{learner: "averaged", multi: multi.Auto}
	m := &halfspace.Model{}
	if _, interrupted, err := k.give(c, run, m, s); interrupted || err != nil || m.Proba == nil {
		t.Fatalf("interrupted %v, error %v, probabilities %v; nobody stopped it", interrupted, err, m.Proba)
	}
	m.Proba = nil
	stop()
	if _, interrupted, err := k.give(c, run, m, s); !interrupted || err != nil || m.Proba != nil {
		t.Errorf("interrupted %v, error %v, probabilities %v", interrupted, err, m.Proba)
	}
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Error("the test did not stop it")
	}
}
