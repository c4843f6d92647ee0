package calibrate_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/judge/calibrate"
	"github.com/halfspace-ml/halfspace/judge/metric"
	"github.com/halfspace-ml/halfspace/learn/online"
)

// On 16,281 people that neither the model nor the curve has seen, what has the
// probability p happens to within 0.02 of p; the bare score taken for log-odds
// is far off.
func TestCalibratedOnPeopleNotSeen(t *testing.T) {
	read := func(name string, spec *format.Spec) *data.Set {
		path := filepath.Join("..", "..", "..", "shared", "data", name)
		if _, err := os.Stat(path); err != nil {
			t.Skipf("the public data set %s is not here", name)
		}
		s, err := format.ReadFile(context.Background(), path, spec)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	train := read("a9a.gz", &format.Spec{})
	input := train.Input()
	test, err := read("a9a.t.gz", &format.Spec{Known: &input, Features: train.Features().Frozen()}).WithClasses(train.Classes())
	if err != nil {
		t.Fatal(err)
	}
	m, err := halfspace.Fit(context.Background(), &online.Averaged{}, halfspace.Run{Set: train})
	if err != nil {
		t.Fatal(err)
	}
	off := func() float64 { return *metric.Summarise(metric.Predict(m, test, 0)).CalibrationError }
	m.Proba = &halfspace.Calibration{Kind: halfspace.LinkLogistic}
	if e := off(); e < 0.05 {
		t.Errorf("the scores are log-odds as they are (calibration error %v): the test proves nothing", e)
	}
	for _, kind := range []halfspace.Link{halfspace.LinkPlatt, halfspace.LinkIsotonic} {
		m.Proba, err = calibrate.CrossFit(context.Background(), kind, train, 3, 1, func(_ int, part *data.Set) (halfspace.Learner, halfspace.Run, error) {
			return &online.Averaged{}, halfspace.Run{Set: part}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if e := off(); e > 0.02 {
			t.Errorf("%s: calibration error %v, want at most 0.02", kind, e)
		}
	}
}
