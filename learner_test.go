package halfspace

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/vec"
)

// scripted is a learner that does what its function says.
type scripted struct {
	settings
	fit func(ctx context.Context, run *Run) (*Model, error)
}

func (*scripted) Name() string      { return "scripted" }
func (s *scripted) Params() []Param { return s.params() }
func (s *scripted) Fit(ctx context.Context, run *Run) (*Model, error) {
	return s.fit(ctx, run)
}

// answering is a learner that answers with the given weights.
func answering(w *Weights) *scripted {
	return &scripted{fit: func(context.Context, *Run) (*Model, error) {
		return &Model{Weights: w.Clone(), Tie: TieWrong}, nil
	}}
}

// points makes a set of rows; the first letter of each label is its class, and
// "-" is none.
func points(labels string, rows ...[]float64) *data.Set {
	b := data.NewBuilder(nil)
	for i, x := range rows {
		label := []byte(labels[i : i+1])
		if labels[i] == '-' {
			label = nil
		}
		b.Add(vec.Dense(x...), label, 1)
	}
	return b.Set(data.Input{Format: "test"})
}

func TestFitRefuses(t *testing.T) {
	good := points("ab", []float64{1, 2}, []float64{2, 1})
	built := func(x vec.Row) *data.Set {
		b := data.NewBuilder(nil)
		b.Add(vec.Dense(1, 2, 3), []byte("a"), 1)
		b.Add(x, []byte("b"), 1)
		return b.Set(data.Input{})
	}
	for _, c := range []struct {
		name string
		run  Run
		want string
	}{
		{"no set", Run{}, "no examples to learn from"},
		{"an empty set", Run{Set: good.First(0)}, "no examples to learn from"},
		{"no class", Run{Set: points("ab-", []float64{1}, []float64{2}, []float64{3})}, "examples without a class: 1 of 3; a learner needs the class of each"},
		{"one class", Run{Set: points("aa", []float64{1}, []float64{2})}, `one class only: every example is of class "a"; a classifier needs examples of two classes or more`},
		{"one class in the view", Run{Set: good.First(1)}, `one class only: every example is of class "a"; a classifier needs examples of two classes or more`},
		{"start for other features", Run{Set: good, Init: NewWeights(2, 3)}, "the start weights do not fit the data: 3 of them besides the bias, and 2 features in the data"},
		{"start for other classes", Run{Set: good, Init: NewWeights(3, 2)}, "the start weights do not fit the data: 3 vectors where 2 classes need 1"},
		{"start before the maps", Run{Set: good, Init: NewWeights(2, 2), Maps: prep.Pipeline{&prep.Dummy{}}}, "the start weights do not fit the data: 2 of them besides the bias, and 3 features in the data"},
		{"a map that cannot be fitted", Run{Set: good, Maps: prep.Pipeline{&prep.RowFeatures{Width: 8}}}, "the feature maps do not fit the data: 2 features are no image of 8 columns; give the width as rows:WIDTH, and put rows before maps that add features"},
		{"not a number", Run{Set: built(vec.Dense(1, math.NaN()))}, "row 2: feature 2 has the value NaN; values must be finite"},
		{"infinity", Run{Set: built(vec.Dense(math.Inf(-1)))}, "row 2: feature 1 has the value -Inf; values must be finite"},
		{"an unsorted row", Run{Set: built(vec.Row{Idx: []uint32{2, 0}})}, "row 2: feature 1 does not come after feature 3"},
		{"a negative weight", Run{Set: good.WithWeights(func(i int) float64 { return float64(-i) })}, "row 2 has the weight -1; weights must be finite and not negative"},
		{"a weight that is no number", Run{Set: good.WithWeights(func(int) float64 { return math.NaN() })}, "row 1 has the weight NaN; weights must be finite and not negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			learner := &scripted{fit: func(context.Context, *Run) (*Model, error) {
				t.Error("the learner was called")
				return nil, nil
			}}
			m, err := Fit(context.Background(), learner, c.run)
			if m != nil || err == nil || err.Error() != c.want {
				t.Errorf("model %v, error %v\nwant %s", m, err, c.want)
			}
			for _, cause := range []error{ErrOneClass, ErrNoClass, ErrMaps, ErrInit} {
				if strings.HasPrefix(c.want, cause.Error()) != errors.Is(err, cause) {
					t.Errorf("errors.Is(%v, %v) is %v", err, cause, errors.Is(err, cause))
				}
			}
		})
	}
}

// The first bad row is named whichever worker meets one first.
func TestFitNamesTheFirstBadRow(t *testing.T) {
	b := data.NewBuilder(nil)
	for i := range 5000 {
		v := 1.0
		if i >= 2500 {
			v = math.Inf(1)
		}
		b.Add(vec.Dense(v), []byte{"ab"[i%2]}, 1)
	}
	const want = "row 2501: feature 1 has the value +Inf; values must be finite"
	for _, workers := range []int{1, 2, 5} {
		if _, err := Fit(context.Background(), answering(NewWeights(2, 1)), Run{Set: b.Set(data.Input{}), Workers: workers}); err == nil || err.Error() != want {
			t.Errorf("%d workers: error %v, want %s", workers, err, want)
		}
	}
}

func TestFitRefusesWhatGrewTooLarge(t *testing.T) {
	const want = "the weights grew beyond what numbers can hold; scale the features (--scale) or lower the rate"
	s := points("abab", []float64{1, 0}, []float64{2, 1e-250}, []float64{3, 1e-250}, []float64{4, 0})
	inf := NewWeights(2, 2)
	inf.W[0][1] = math.Inf(1)
	huge := NewWeights(2, 2)
	huge.W[0][1] = 1e100 // times 1/1e-250 when the scale is folded in: too large
	for name, c := range map[string]struct {
		l   *scripted
		run Run
	}{
		"in the learner":   {answering(inf), Run{Set: s}},
		"when folded back": {answering(huge), Run{Set: s, Maps: prep.Pipeline{&prep.Standardise{}}}},
		"a voter": {&scripted{fit: func(context.Context, *Run) (*Model, error) {
			return &Model{Weights: NewWeights(2, 2), Voters: []Voter{{1, inf}}}, nil
		}}, Run{Set: s}},
		"the state": {&scripted{fit: func(context.Context, *Run) (*Model, error) {
			return &Model{Weights: NewWeights(2, 2), State: &State{1, inf, NewWeights(2, 2)}}, nil
		}}, Run{Set: s}},
	} {
		if m, err := Fit(context.Background(), c.l, c.run); m != nil || err == nil || err.Error() != want {
			t.Errorf("%s: model %v, error %v", name, m, err)
		}
	}
}

func TestFitCompletesTheModel(t *testing.T) {
	s := points("abab", []float64{1, 2}, []float64{2, 1}, []float64{3, 5}, []float64{4, 9})
	w := &Weights{W: [][]float64{{-1, 1}}, Bias: []float64{0}}
	l := answering(w)
	l.Rate = 0.5
	m, err := Fit(context.Background(), l, Run{Set: s, Seed: 7, NoBias: true})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(m.Classes, []string{"a", "b"}) || m.Features != s.Features() || m.Input.Format != "test" || len(m.Maps) != 0 {
		t.Errorf("model %+v", m)
	}
	want := Report{
		Program: Program, Learner: "scripted", Parameters: Values(l.Params()), Bias: false, Seed: 7,
		Data: DataReport{
			Examples: 4, Features: 2, Nonzeros: 8, Classes: []string{"a", "b"}, Counts: []int{2, 2}, Digest: s.Digest(),
		},
		Train:    &Tally{Examples: 4, Errors: 1, Error: 0.25}, // (4, 9) is b and scores 5
		Warnings: []string{},
	}
	if !reflect.DeepEqual(m.Report, want) {
		t.Errorf("report %+v\nwant   %+v", m.Report, want)
	}
}

func TestFitInterrupted(t *testing.T) {
	s := points("ab", []float64{1}, []float64{2})
	stopped := &scripted{fit: func(ctx context.Context, run *Run) (*Model, error) {
		return &Model{Weights: NewWeights(2, 1), Tie: TieWrong}, context.Canceled
	}}
	m, err := Fit(context.Background(), stopped, Run{Set: s})
	if m == nil || !errors.Is(err, context.Canceled) || !m.Report.Interrupted || m.Report.Train == nil {
		t.Errorf("model %+v, error %v; want the model so far, marked", m, err)
	}
	failed := &scripted{fit: func(context.Context, *Run) (*Model, error) { return nil, errors.New("cannot") }}
	if m, err := Fit(context.Background(), failed, Run{Set: s}); m != nil || fmt.Sprint(err) != "cannot" {
		t.Errorf("model %v, error %v; want none and the learner's own", m, err)
	}
}

func TestRandomInit(t *testing.T) {
	s := points("abc", []float64{1, 2}, []float64{2, 1}, []float64{3, 3})
	start := func(seed uint64, noBias bool) *Weights {
		var got *Weights
		l := &scripted{fit: func(_ context.Context, run *Run) (*Model, error) {
			got = run.Init
			return &Model{Weights: run.Init.Clone(), Tie: TieWrong}, nil
		}}
		if _, err := Fit(context.Background(), l, Run{Set: s, RandomInit: true, Seed: seed, NoBias: noBias}); err != nil {
			t.Fatal(err)
		}
		return got
	}
	a := start(1, false)
	if !reflect.DeepEqual(a, start(1, false)) || reflect.DeepEqual(a, start(2, false)) {
		t.Error("the start does not follow from the seed")
	}
	a.Each(func(v []float64) {
		for _, x := range v {
			if x < -1 || x > 1 || x == 0 {
				t.Errorf("a start weight of %v", x)
			}
		}
	})
	if b := start(1, true).Bias; !reflect.DeepEqual(b, []float64{0, 0, 0}) {
		t.Errorf("no bias, yet it starts at %v", b)
	}
}
