package learn_test

import (
	"testing"

	"github.com/halfspace-ml/halfspace/learn"
	"github.com/halfspace-ml/halfspace/learntest"
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
