package experiment_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/judge/experiment"
	"github.com/halfspace-ml/halfspace/learn/closed"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/learn/risk"
	"github.com/halfspace-ml/halfspace/learn/risk/margin"
)

var ctx = context.Background()

// way makes a learner anew for every training.
func way(l func() halfspace.Learner) experiment.Way {
	return experiment.Plain(func(part *data.Set) (halfspace.Learner, halfspace.Run, error) {
		return l(), halfspace.Run{Set: part}, nil
	})
}

func perceptron() halfspace.Learner { return &online.Perceptron{} }
func leastSquares() halfspace.Learner {
	return &closed.LeastSquares{}
}

func three() []experiment.Candidate {
	return []experiment.Candidate{
		{Name: "perceptron", Way: way(perceptron)},
		{Name: "least-squares", Way: way(leastSquares)},
		{Name: "svm", Way: way(func() halfspace.Learner { return &risk.SVM{} })},
	}
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// clockless is a comparison without what a clock measured.
func clockless(c *experiment.Comparison) *experiment.Comparison {
	for i := range c.Rows {
		c.Rows[i].Seconds = 0
	}
	return c
}

// Every example is left out once in each repeat; the first repeat is the folds
// of the set itself, and another repeat has others.
func TestFolds(t *testing.T) {
	s := coarse()
	plan := must[experiment.Plan](t)(experiment.Folds(s, 7, 3, 5))
	if len(plan.Parts) != 21 || plan.Name != "7 folds, 3 times" {
		t.Fatalf("%d parts, %s", len(plan.Parts), plan.Name)
	}
	left := make([]map[int]bool, 3)
	var firsts []string
	for i, p := range plan.Parts {
		if i%7 == 0 {
			left[p.Repeat] = map[int]bool{}
		}
		train, test := p.Sets()
		if train.Len()+test.Len() != s.Len() {
			t.Errorf("%s has %d and %d of %d", p.Name, train.Len(), test.Len(), s.Len())
		}
		for k := range test.Len() {
			left[p.Repeat][test.Number(k)] = true
		}
		if i%7 == 0 {
			firsts = append(firsts, test.Digest())
		}
	}
	for r, l := range left {
		if len(l) != s.Len() {
			t.Errorf("repeat %d leaves out %d of %d", r, len(l), s.Len())
		}
	}
	if firsts[0] != s.Folds(7, 5)[0].Test.Digest() || firsts[0] == firsts[1] || firsts[1] == firsts[2] {
		t.Error("the repeats are not what they should be")
	}
}

func TestLeaveOneOut(t *testing.T) {
	s := coarse().First(20)
	plan := must[experiment.Plan](t)(experiment.Folds(s, s.Len(), 4, 1))
	if len(plan.Parts) != 20 || plan.Repeats != 1 || plan.Name != "one left out at a time" {
		t.Fatalf("%d parts, %d repeats, %s", len(plan.Parts), plan.Repeats, plan.Name)
	}
	c := must[*experiment.Comparison](t)((&experiment.Bench{}).Compare(ctx, three()[1:2], plan, 0.95))
	wrong := 0
	for i := range s.Len() {
		var others []uint32
		for k := range s.Len() {
			if k != i {
				others = append(others, uint32(k))
			}
		}
		m := must[*halfspace.Model](t)(halfspace.Fit(ctx, leastSquares(), halfspace.Run{Set: s.Pick(others)}))
		wrong += m.Tally(s.Pick([]uint32{uint32(i)}), 1).Errors
	}
	if r := c.Rows[0]; r.Errors != wrong || r.Examples != 20 || wrong == 0 {
		t.Errorf("%d of %d wrong, by hand %d", r.Errors, r.Examples, wrong)
	}
}

func TestPlansRefuse(t *testing.T) {
	s := coarse().First(12)
	var rows []uint32 // all of one class, and one of the other
	others := 0
	for i := range s.Len() {
		others += s.Class(i)
		if s.Class(i) == 0 || others == 1 {
			rows = append(rows, uint32(i))
		}
	}
	lonely := s.Pick(rows)
	if n, _ := lonely.Counts(); min(n[0], n[1]) != 1 {
		t.Fatalf("the classes have %v", n)
	}
	for _, test := range []struct {
		what func() (experiment.Plan, error)
		want string
	}{
		{func() (experiment.Plan, error) { return experiment.Folds(s, 1, 1, 1) }, "12 examples cannot be left out in 1 parts; it must be from 2 to 12"},
		{func() (experiment.Plan, error) { return experiment.Folds(s, 13, 1, 1) }, "12 examples cannot be left out in 13 parts; it must be from 2 to 12"},
		{func() (experiment.Plan, error) { return experiment.Folds(lonely, 2, 1, 1) }, "has one example, and while it is left out there is none to learn from"},
		{func() (experiment.Plan, error) { return experiment.HoldOut(s, 1, 1, 1) }, "a share of 1 cannot be left out; it must be a number between 0 and 1"},
		{func() (experiment.Plan, error) { return experiment.HoldOut(s, 0.01, 1, 1) }, "a share of 0.01 of 12 examples leaves none to test on"},
		{func() (experiment.Plan, error) { return experiment.HoldOut(s, 0.99, 1, 1) }, "with a share of 0.99 left out there is none to learn from"},
	} {
		if _, err := test.what(); err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}

// A curve over n is plain fits on the first n; the training error is on those n.
func TestOverFirst(t *testing.T) {
	s := coarse()
	train, test := s.First(180), s.Pick(span(180, 240))
	sizes := []int{3, 20, 180, 181}
	points := must[[]experiment.Point](t)((&experiment.Bench{}).OverFirst(ctx, way(perceptron), experiment.Given(train, test, 1, 1), sizes))
	for k, n := range sizes[1:3] {
		m := must[*halfspace.Model](t)(halfspace.Fit(ctx, perceptron(), halfspace.Run{Set: s.First(n)}))
		p := points[k+1]
		if *p.Train != m.Tally(s.First(n), 1).Error || *p.Test != m.Tally(test, 1).Error || p.Runs != 1 || p.TestSD != nil {
			t.Errorf("n = %d: %+v", n, p)
		}
	}
	if last := points[3]; last.Runs != 0 || last.Train != nil || last.Refused != "there are only 180 examples to learn from" {
		t.Errorf("%+v", last)
	}
}

func span(from, to uint32) []uint32 {
	var out []uint32
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

// No number of workers changes a bit of a curve or a comparison.
func TestWorkers(t *testing.T) {
	s := coarse()
	folds := must[experiment.Plan](t)(experiment.Folds(s, 5, 2, 1))
	hold := must[experiment.Plan](t)(experiment.HoldOut(s, 0.3, 4, 1))
	var curve []experiment.Point
	var comparison *experiment.Comparison
	for _, workers := range []int{1, 2, 8} {
		b := &experiment.Bench{Workers: workers}
		c := clockless(must[*experiment.Comparison](t)(b.Compare(ctx, three(), folds, 0.95)))
		p := must[[]experiment.Point](t)(b.OverSample(ctx, way(perceptron), hold, []int{10, 50, 150}))
		if curve == nil {
			curve, comparison = p, c
			continue
		}
		if !reflect.DeepEqual(p, curve) || !reflect.DeepEqual(c, comparison) {
			t.Errorf("%d workers give another result", workers)
		}
	}
	if curve[0].TestSD == nil || *curve[0].TestSD == 0 || curve[0].Runs != 4 {
		t.Errorf("no spread: %+v", curve[0])
	}
}

// The errors of a comparison are those of plain fits on the folds, and its test
// with one repeat is McNemar's on all predictions.
func TestCompare(t *testing.T) {
	s := coarse()
	plan := must[experiment.Plan](t)(experiment.Folds(s, 5, 1, 3))
	c := must[*experiment.Comparison](t)((&experiment.Bench{}).Compare(ctx, three(), plan, 0.95))
	wrong := 0
	for _, f := range s.Folds(5, 3) {
		m := must[*halfspace.Model](t)(halfspace.Fit(ctx, perceptron(), halfspace.Run{Set: f.Train}))
		wrong += m.Tally(f.Test, 1).Errors
	}
	if r := c.Rows[0]; r.Errors != wrong || r.Examples != 240 || len(r.Parts) != 5 {
		t.Errorf("perceptron: %+v, by hand %d wrong", r, wrong)
	}
	if len(c.Differences) != 3 || c.Test != experiment.ByMcNemar || c.Rows[2].Gap == nil {
		t.Errorf("%+v", c)
	}
	for _, d := range c.Differences {
		if d.By < 0 || d.Adjusted < d.P {
			t.Errorf("%+v", d)
		}
	}
}

// A learner that refuses a part is a row without figures, and the others stand.
func TestRefusal(t *testing.T) {
	hard := experiment.Candidate{Name: "svm-hard", Way: way(func() halfspace.Learner { return &margin.Hard{} })}
	plan := must[experiment.Plan](t)(experiment.Folds(coarse(), 5, 1, 3))
	c := must[*experiment.Comparison](t)((&experiment.Bench{}).Compare(ctx, append(three(), hard), plan, 0.95))
	if r := c.Rows[3]; !strings.HasPrefix(r.Refused, "no plane separates the classes") || r.Trained != 0 {
		t.Errorf("%+v", r)
	}
	if len(c.Differences) != 3 || c.Rows[0].Trained != 5 {
		t.Errorf("the others: %+v", c)
	}
	// What is wrong with the question is no outcome.
	bad := experiment.Plain(func(part *data.Set) (halfspace.Learner, halfspace.Run, error) {
		return perceptron(), halfspace.Run{Set: part, Init: &halfspace.Weights{W: [][]float64{{1}}, Bias: []float64{0}}}, nil
	})
	_, err := (&experiment.Bench{}).Compare(ctx, []experiment.Candidate{{Name: "bad", Way: bad}}, plan, 0.95)
	if !errors.Is(err, halfspace.ErrInit) {
		t.Errorf("got %v", err)
	}
}

// An experiment that was interrupted goes on where it was and ends the same.
func TestJournal(t *testing.T) {
	s := coarse()
	plan := must[experiment.Plan](t)(experiment.Folds(s, 5, 1, 3))
	want := clockless(must[*experiment.Comparison](t)((&experiment.Bench{}).Compare(ctx, three(), plan, 0.95)))
	path := filepath.Join(t.TempDir(), "journal")
	head := experiment.Header{Program: "p", Data: s.Digest(), Settings: map[string]string{"--seed": "3"}}

	j := must[*experiment.Journal](t)(experiment.OpenJournal(path, head))
	stopped, stop := context.WithCancel(ctx)
	b := &experiment.Bench{Workers: 1, Journal: j, Progress: func(p experiment.Progress) {
		if p.Done == 4 {
			stop()
		}
	}}
	_, err := b.Compare(stopped, three(), plan, 0.95)
	var cut *experiment.Interrupted
	if !errors.As(err, &cut) || !errors.Is(err, context.Canceled) || cut.Done != 4 || cut.All != 15 {
		t.Fatalf("got %v", err)
	}
	must[any](t)(nil, j.Close())

	// A line that was cut short is done again.
	text := must[[]byte](t)(os.ReadFile(path))
	if bytes.Count(text, []byte("\n")) != 5 {
		t.Fatalf("the journal has not a header and four lines:\n%s", text)
	}
	must[any](t)(nil, os.WriteFile(path, text[:len(text)-30], 0o644))
	j = must[*experiment.Journal](t)(experiment.OpenJournal(path, head))
	var last experiment.Progress
	b = &experiment.Bench{Workers: 2, Journal: j, Progress: func(p experiment.Progress) { last = p }}
	got := clockless(must[*experiment.Comparison](t)(b.Compare(ctx, three(), plan, 0.95)))
	must[any](t)(nil, j.Close())
	if !reflect.DeepEqual(got, want) {
		t.Errorf("after the interruption %+v, without %+v", got, want)
	}
	if want := (experiment.Progress{Done: 15, Restored: 3, All: 15}); last != want {
		t.Errorf("%+v, want %+v", last, want)
	}

	// Now all is there, and nothing is trained.
	j = must[*experiment.Journal](t)(experiment.OpenJournal(path, head))
	done := three()
	for i := range done {
		done[i].Way = way(func() halfspace.Learner { t.Error("trained again"); return perceptron() })
	}
	got = clockless(must[*experiment.Comparison](t)((&experiment.Bench{Journal: j}).Compare(ctx, done, plan, 0.95)))
	must[any](t)(nil, j.Close())
	if !reflect.DeepEqual(got, want) {
		t.Errorf("from the journal %+v, without %+v", got, want)
	}
}

func TestJournalRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "journal")
	head := experiment.Header{Program: "p", Data: "d", Settings: map[string]string{"--seed": "3", "--tie": "positive"}}
	must[any](t)(nil, must[*experiment.Journal](t)(experiment.OpenJournal(path, head)).Close())
	other := func(change func(h *experiment.Header)) experiment.Header {
		h := head
		h.Settings = map[string]string{"--seed": "3", "--tie": "positive"}
		change(&h)
		return h
	}
	tests := []struct {
		h    experiment.Header
		want string
	}{
		{other(func(h *experiment.Header) { h.Program = "q" }), "it was begun by p, and this is q"},
		{other(func(h *experiment.Header) { h.Data = "e" }), "its data has other examples"},
		{other(func(h *experiment.Header) { h.Test = "e" }), "its test data has other examples, or one of both has none"},
		{other(func(h *experiment.Header) { h.Settings["--seed"] = "4" }), "there --seed is 3, here 4"},
		{other(func(h *experiment.Header) { delete(h.Settings, "--tie") }), "there --tie is positive, here not given"},
		{other(func(h *experiment.Header) { h.Settings["--c"] = "4" }), "there --c is not given, here 4"},
	}
	for _, test := range tests {
		want := fmt.Sprintf("the journal %s is of other settings: %s; give it those, or name another file", path, test.want)
		if _, err := experiment.OpenJournal(path, test.h); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for name, content := range map[string]string{"a": "notes\n", "b": "notes", "c": `{"piece":"x"}` + "\n"} {
		file := filepath.Join(dir, name)
		must[any](t)(nil, os.WriteFile(file, []byte(content), 0o644))
		if _, err := experiment.OpenJournal(file, head); err == nil || !strings.HasSuffix(err.Error(), "is another kind of file; name another") {
			t.Errorf("%q: %v", content, err)
		}
		if now := must[[]byte](t)(os.ReadFile(file)); string(now) != content {
			t.Errorf("%q became %q", content, now)
		}
	}
	text := must[[]byte](t)(os.ReadFile(path))
	must[any](t)(nil, os.WriteFile(path, append(text, "{\n{}\n"...), 0o644))
	if _, err := experiment.OpenJournal(path, head); err == nil || !strings.Contains(err.Error(), "is damaged in line 2") {
		t.Errorf("got %v", err)
	}
}

// The search chooses what plain cross-validation finds best, within the part it
// is given, and trains with it.
func TestSearch(t *testing.T) {
	s := coarse()
	grid := must[[]experiment.Setting](t)(experiment.Grid([]experiment.Axis{{Name: "c", Values: []string{"0.001", "0.03", "1"}}, {Name: "loss", Values: []string{"hinge", "squared-hinge"}}}))
	if len(grid) != 6 || grid[1].String() != "c=0.001 loss=squared-hinge" || grid[5].String() != "c=1 loss=squared-hinge" {
		t.Fatalf("the grid is %v", grid)
	}
	start := func(set experiment.Setting) experiment.Start {
		return func(part *data.Set) (halfspace.Learner, halfspace.Run, error) {
			l := &risk.SVM{}
			for _, p := range l.Params() {
				for _, v := range set {
					if v.Name == p.Name {
						if err := p.Set(v.Text); err != nil {
							return nil, halfspace.Run{}, err
						}
					}
				}
			}
			return l, halfspace.Run{Set: part}, nil
		}
	}
	search := &experiment.Search{Settings: grid, Start: start, Folds: 4, Seed: 9}
	train := s.First(200)
	best, least := "", 2.0
	for _, set := range grid {
		mean := 0.0
		for _, f := range train.Folds(4, 9) {
			l, run, _ := start(set)(f.Train)
			m := must[*halfspace.Model](t)(halfspace.Fit(ctx, l, run))
			mean += m.Tally(f.Test, 1).Error
		}
		if mean < least {
			best, least = set.String(), mean
		}
	}
	m, chosen, err := search.Way()(ctx, train, 1)
	if err != nil || chosen.String() != best {
		t.Fatalf("chose %v, by hand %v; %v", chosen, best, err)
	}
	for _, v := range chosen {
		if fmt.Sprint(m.Report.Parameters[v.Name]) != v.Text {
			t.Errorf("trained with %v, chosen %v", m.Report.Parameters, chosen)
		}
	}

	// Nested: no search sees an example that its choice is tested on.
	var looked atomic.Int64
	plan := must[experiment.Plan](t)(experiment.Folds(s, 3, 1, 1))
	for _, part := range plan.Parts {
		_, test := part.Sets()
		left := map[int]bool{}
		for i := range test.Len() {
			left[test.Number(i)] = true
		}
		nosy := &experiment.Search{Settings: grid[:2], Folds: 3, Start: func(set experiment.Setting) experiment.Start {
			return func(p *data.Set) (halfspace.Learner, halfspace.Run, error) {
				for i := range p.Len() {
					if looked.Add(1); left[p.Number(i)] {
						t.Errorf("row %d is learned from and tested on", p.Number(i))
					}
				}
				return start(set)(p)
			}
		}}
		one := experiment.Plan{Name: "one", Repeats: 1, Parts: []experiment.Part{part}}
		c := must[*experiment.Comparison](t)((&experiment.Bench{}).Compare(ctx, []experiment.Candidate{{Name: "tuned", Way: nosy.Way()}}, one, 0.95))
		if len(c.Rows[0].Chosen) != 1 {
			t.Errorf("chosen %v", c.Rows[0].Chosen)
		}
	}
	if looked.Load() == 0 {
		t.Error("nothing was looked at")
	}
}

func TestAxes(t *testing.T) {
	for text, want := range map[string]string{
		"c":        `"c" is nothing to search; write NAME=A,B,C or NAME=LOW..HIGH`,
		"c=":       `"c=" is nothing to search; write NAME=A,B,C or NAME=LOW..HIGH`,
		"c=3..1":   `"c=3..1" is no range; write NAME=LOW..HIGH with two numbers, the smaller first`,
		"c=1..inf": `"c=1..inf" is no range; write NAME=LOW..HIGH with two numbers, the smaller first`,
		"c=1..x":   `"c=1..x" is no range; write NAME=LOW..HIGH with two numbers, the smaller first`,
	} {
		if _, err := experiment.ParseAxis(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	c := must[experiment.Axis](t)(experiment.ParseAxis("c = 0.01..100"))
	epochs := must[experiment.Axis](t)(experiment.ParseAxis("epochs=1..50"))
	epochs.Whole = true
	tie := must[experiment.Axis](t)(experiment.ParseAxis("tie=wrong, positive"))
	drawn := experiment.Draw([]experiment.Axis{c, epochs, tie}, 200, 1)
	if !reflect.DeepEqual(drawn, experiment.Draw([]experiment.Axis{c, epochs, tie}, 200, 1)) {
		t.Error("one seed gave two draws")
	}
	below := 0
	for _, s := range drawn {
		var v float64
		var n int
		if _, err := fmt.Sscan(s[0].Text, &v); err != nil || v < 0.01 || v > 100 {
			t.Errorf("c = %s", s[0].Text)
		}
		if _, err := fmt.Sscan(s[1].Text, &n); err != nil || n < 1 || n > 50 || fmt.Sprint(n) != s[1].Text {
			t.Errorf("epochs = %s", s[1].Text)
		}
		if v < 1 {
			below++
		}
	}
	if below < 70 || below > 130 { // by magnitudes, half; evenly, one in a hundred
		t.Errorf("%d of 200 draws from 0.01 to 100 are below 1", below)
	}
	if _, err := experiment.Grid([]experiment.Axis{c}); err == nil {
		t.Error("a grid of a range")
	}
}

// A stream's mistakes are those of a first loop; the averaged and the voted
// perceptron are judged by the answer they would give.
func TestProgressive(t *testing.T) {
	s := coarse().First(60)
	at := []int{1, 10, 60}
	start := func(l func() halfspace.Learner) experiment.Start {
		return func(part *data.Set) (halfspace.Learner, halfspace.Run, error) {
			return l(), halfspace.Run{Set: part}, nil
		}
	}
	for _, l := range []func() halfspace.Learner{
		func() halfspace.Learner { return &online.Perceptron{Options: online.Options{Epochs: 1}} },
		func() halfspace.Learner { l := &online.Averaged{}; l.Epochs = 1; return l },
		func() halfspace.Learner { l := &online.Voted{}; l.Epochs = 1; return l },
		func() halfspace.Learner { return &online.PassiveAggressive{Options: online.Options{Epochs: 1}} },
	} {
		points := must[[]experiment.Passed](t)(experiment.Progressive(ctx, start(l), s, at))
		name := l().Name()
		wrong, two := 0, false
		for i := range s.Len() {
			known := false
			for k := range i {
				known = known || s.Class(k) == s.Class(i)
				two = two || s.Class(k) != s.Class(0)
			}
			switch {
			case !known:
				wrong++
			case two:
				m := must[*halfspace.Model](t)(halfspace.Fit(ctx, l(), halfspace.Run{Set: s.First(i)}))
				wrong += m.Tally(s.Pick([]uint32{uint32(i)}), 1).Errors
			}
			for _, p := range points {
				if p.N == i+1 && p.Wrong != wrong {
					t.Errorf("%s: %d wrong after %d, by fits %d", name, p.Wrong, p.N, wrong)
				}
			}
		}
		last := points[2]
		if len(points) != 3 || last.Error != float64(wrong)/60 || last.Recent != float64(wrong-points[1].Wrong)/50 {
			t.Errorf("%s: %+v", name, points)
		}
	}
	if _, err := experiment.Progressive(ctx, start(leastSquares), s, at); err == nil || !strings.Contains(err.Error(), "cannot learn one at a time") {
		t.Errorf("got %v", err)
	}
	for want, run := range map[string]halfspace.Run{
		"scaling needs all examples beforehand": {Set: s, Maps: prep.Pipeline{&prep.Standardise{}}},
		"leave the start weights out":           {Set: s, RandomInit: true},
		"leave the weights out":                 {Set: s.WithWeights(func(int) float64 { return 2 })},
	} {
		start := func(*data.Set) (halfspace.Learner, halfspace.Run, error) { return perceptron(), run, nil }
		if _, err := experiment.Progressive(ctx, start, s, at); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
