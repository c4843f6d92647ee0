// Package learntest is what every learner must pass. Give Run the constructor
// of a learner; it checks what the rest of halfspace relies on.
package learntest

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// Run checks the learner that new makes.
func Run(t *testing.T, new func() halfspace.Learner) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) { c.check(t, new) })
	}
}

type maker = func() halfspace.Learner

var checks = []struct {
	name  string
	check func(t *testing.T, new maker)
}{
	{"documented", documented},
	{"separates", separates},
	{"many classes", manyClasses},
	{"same bits twice and on any number of workers", workers},
	{"dense equals sparse", denseSparse},
	{"hooks change nothing", hooks},
	{"permuted features permute the weights", permuted},
	{"no bias", noBias},
	{"start weights are not changed", startWeights},
	{"a formula makes one pass, no steps, and needs no start", formula},
	{"the data is not changed", dataKept},
	{"an example of weight zero is not there", weightZero},
	{"an example of weight two is two examples", weightTwo},
	{"the order of the examples is of no account", orderless},
	{"swapped classes negate the weights", swapped},
	{"a column of zeros changes nothing", zeroColumn},
	{"one class is refused", oneClass},
	{"unlabelled examples are refused", unlabelled},
	{"a run that has ended gives what there is", cancelled},
	{"a model file gives the same model", roundTrip},
	{"a stream equals one loop", streamed},
	{"a stream goes on where a model stands", resumed},
}

// Cloud is n examples of the given number of classes around well separated
// centres, dense, in random order.
func Cloud(n, features, classes int, seed uint64) *data.Set {
	return cloud(n, features, classes, seed, vec.Dense, nil)
}

// cloud builds rows with make, features in the given order.
func cloud(n, features, classes int, seed uint64, make func(...float64) vec.Row, order []int) *data.Set {
	r := rand.New(rand.NewPCG(seed, 1))
	b := data.NewBuilder(nil)
	names := []string{"a", "b", "c", "d", "e", "f"}
	b.Declare(names[:classes]...)
	for i := range n {
		c := i % classes
		x := sliceOf(features)
		for j := range x {
			x[j] = r.NormFloat64() / 4
			if j%classes == c {
				x[j] += 3
			}
			if r.IntN(4) == 0 && j >= classes {
				x[j] = 0
			}
		}
		if order != nil {
			y := sliceOf(features)
			for j, to := range order {
				y[to] = x[j]
			}
			x = y
		}
		b.Add(make(x...), []byte(names[c]), 1)
	}
	return b.Set(data.Input{Format: "libsvm"}).Shuffle(seed)
}

func sliceOf(n int) []float64 { return make([]float64, n) }

// Fit is halfspace.Fit where an error ends the test.
func Fit(t testing.TB, l halfspace.Learner, run halfspace.Run) *halfspace.Model {
	t.Helper()
	m, err := halfspace.Fit(context.Background(), l, run)
	if err != nil {
		t.Fatalf("Fit: %v", err)
	}
	return m
}

// text is the model as its file, which holds every bit of it.
func text(t *testing.T, m *halfspace.Model) string {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatalf("Write: %v", err)
	}
	return b.String()
}

func documented(t *testing.T, new maker) {
	l := new()
	if l.Name() == "" {
		t.Error("no name")
	}
	for _, p := range l.Params() {
		if p.Name == "" || p.Doc == "" {
			t.Errorf("parameter %+v lacks a name or a doc", p)
		}
		if err := p.Set("nonsense"); err == nil {
			t.Errorf("parameter %s takes \"nonsense\"", p.Name)
		}
		for _, c := range p.Choices {
			if err := p.Set(c); err != nil {
				t.Errorf("parameter %s refuses its choice %s: %v", p.Name, c, err)
			}
		}
	}
	zero := new()
	if err := halfspace.Complete(zero.Params()); err != nil {
		t.Errorf("the zero learner is not complete: %v", err)
	}
}

func separates(t *testing.T, new maker) {
	s := Cloud(300, 4, 2, 1)
	m := Fit(t, new(), halfspace.Run{Set: s})
	if m.Report.Train.Errors != 0 {
		t.Errorf("%d errors on separable data", m.Report.Train.Errors)
	}
	if m.Report.Epochs == 0 || m.Report.Data.Digest != s.Digest() || m.Report.Learner != new().Name() {
		t.Errorf("report not filled in: %+v", m.Report)
	}
}

func manyClasses(t *testing.T, new maker) {
	m := Fit(t, new(), halfspace.Run{Set: Cloud(300, 6, 3, 2)})
	if len(m.Weights.W) != 3 {
		t.Fatalf("%d weight vectors for 3 classes", len(m.Weights.W))
	}
	if m.Report.Train.Errors > 3 {
		t.Errorf("%d of 300 wrong on separable classes", m.Report.Train.Errors)
	}
}

func workers(t *testing.T, new maker) {
	for _, classes := range []int{2, 4} {
		s := Cloud(5000, 8, classes, 3)
		want := text(t, Fit(t, new(), halfspace.Run{Set: s, Workers: 1, Seed: 7}))
		for _, n := range []int{1, 2, 8} {
			if got := text(t, Fit(t, new(), halfspace.Run{Set: s, Workers: n, Seed: 7})); got != want {
				t.Errorf("%d classes: %d workers give another model than one", classes, n)
			}
		}
	}
}

func denseSparse(t *testing.T, new maker) {
	full := Cloud(200, 3, 3, 4) // no zeros: stored without indices
	b := data.NewBuilder(nil)
	b.Declare(full.Classes()...)
	for i := range full.Len() {
		b.Add(full.Row(i), []byte(full.Classes()[full.Class(i)]), 1)
	}
	b.Add(vec.Row{Idx: []uint32{2}, Val: []float64{1}}, []byte("a"), 1) // a gap: all are stored with indices
	gappy := b.Set(full.Input()).First(full.Len())
	if full.Sparse() || !gappy.Sparse() || full.Digest() != gappy.Digest() {
		t.Fatal("the two sets are not what this test means them to be")
	}
	if text(t, Fit(t, new(), halfspace.Run{Set: full})) != text(t, Fit(t, new(), halfspace.Run{Set: gappy})) {
		t.Error("the same examples, dense and sparse, give different models")
	}
}

func hooks(t *testing.T, new maker) {
	s := Cloud(200, 4, 2, 5)
	want := text(t, Fit(t, new(), halfspace.Run{Set: s}))
	steps, passes := 0, 0
	m := Fit(t, new(), halfspace.Run{Set: s, Hooks: halfspace.Hooks{
		Step: func(st *halfspace.Step) { steps++; _ = st.W.Dim() },
		Pass: func(p *halfspace.Pass) { passes++ },
	}})
	if text(t, m) != want {
		t.Error("watching changes the model")
	}
	if passes == 0 {
		t.Error("the pass hook was never called")
	}
	if m.Report.Updates > 0 && steps == 0 {
		t.Error("the step hook was never called")
	}
}

func permuted(t *testing.T, new maker) {
	order := []int{3, 0, 4, 1, 2}
	plain := Fit(t, new(), halfspace.Run{Set: cloud(200, 5, 2, 6, vec.Dense, nil)})
	if plain.Hidden() != nil {
		t.Skip("hidden units start from weights drawn in the order of the features, so that another order is another start")
	}
	other := Fit(t, new(), halfspace.Run{Set: cloud(200, 5, 2, 6, vec.Dense, order)})
	for j, to := range order {
		near(t, "weight", plain.Weights.W[0][j], other.Weights.W[0][to])
	}
	near(t, "bias", plain.Weights.Bias[0], other.Weights.Bias[0])
}

func near(t *testing.T, what string, a, b float64) {
	t.Helper()
	if math.Abs(a-b) > 1e-9*(1+math.Abs(a)) {
		t.Errorf("%s: %v and %v", what, a, b)
	}
}

func noBias(t *testing.T, new maker) {
	m := Fit(t, new(), halfspace.Run{Set: Cloud(200, 4, 2, 7), NoBias: true})
	if m.Weights.Bias[0] != 0 || m.Report.Bias {
		t.Errorf("bias %v without a bias", m.Weights.Bias[0])
	}
	if l := m.Hidden(); l != nil && slices.ContainsFunc(l.Bias, func(b float64) bool { return b != 0 }) {
		t.Errorf("hidden biases %v without a bias", l.Bias)
	}
}

func startWeights(t *testing.T, new maker) {
	w := &halfspace.Weights{W: [][]float64{{1, -2, 3, -4}}, Bias: []float64{5}}
	if Fit(t, new(), halfspace.Run{Set: Cloud(20, 4, 2, 8)}).Hidden() != nil { // no plane can be its start
		if _, err := halfspace.Fit(context.Background(), new(), halfspace.Run{Set: Cloud(20, 4, 2, 8), Init: w}); !errors.Is(err, halfspace.ErrInit) {
			t.Errorf("a network started from a plane: %v", err)
		}
		return
	}
	Fit(t, new(), halfspace.Run{Set: Cloud(200, 4, 2, 8), Init: w})
	if !slices.Equal(w.W[0], []float64{1, -2, 3, -4}) || w.Bias[0] != 5 {
		t.Errorf("start weights became %v", w)
	}
	w.W[0] = w.W[0][:3]
	if _, err := halfspace.Fit(context.Background(), new(), halfspace.Run{Set: Cloud(20, 4, 2, 8), Init: w}); err == nil {
		t.Error("start weights of the wrong length are accepted")
	}
}

func formula(t *testing.T, new maker) {
	if _, ok := new().(halfspace.Direct); !ok {
		t.Skip("the learner goes step by step")
	}
	s := Cloud(200, 4, 2, 15)
	var passes []halfspace.Pass
	steps := 0
	m := Fit(t, new(), halfspace.Run{Set: s, Hooks: halfspace.Hooks{
		Step: func(*halfspace.Step) { steps++ },
		Pass: func(p *halfspace.Pass) {
			passes = append(passes, *p)
			passes[len(passes)-1].W = p.W.Clone() // borrowed
		},
	}})
	if steps != 0 || len(passes) != 1 || m.Report.Epochs != 1 || m.Report.Updates != 0 || !m.Report.Converged {
		t.Fatalf("%d steps, %d passes, report %+v", steps, len(passes), m.Report)
	}
	p := passes[0]
	if !p.Done || !p.After || p.Epochs != 1 || p.Examples != s.Len() || p.Mistakes != m.Report.Train.Errors || p.Updates != 0 {
		t.Errorf("pass %+v", p)
	}
	same(t, m, &halfspace.Model{Weights: p.W}, 0)
	start := &halfspace.Weights{W: [][]float64{{1, -2, 3, -4}}, Bias: []float64{5}}
	started := Fit(t, new(), halfspace.Run{Set: s, Init: start})
	same(t, m, started, 0)
	if len(started.Report.Warnings) != len(m.Report.Warnings)+1 {
		t.Errorf("start weights are left unused without a word: %q", started.Report.Warnings)
	}
}

func dataKept(t *testing.T, new maker) {
	s := Cloud(200, 4, 2, 9)
	before := s.Digest()
	Fit(t, new(), halfspace.Run{Set: s})
	if s.Digest() != before {
		t.Error("the data changed")
	}
}

func weightZero(t *testing.T, new maker) {
	s := Cloud(200, 4, 2, 14)
	b := data.NewBuilder(nil)
	b.Declare(s.Classes()...)
	for i := range s.Len() {
		name := s.Classes()[s.Class(i)]
		b.Add(s.Row(i), []byte(name), 1)
		if i%10 == 0 { // the same row of the other class
			b.Add(s.Row(i), []byte(s.Classes()[1-s.Class(i)]), 0)
		}
	}
	want, got := Fit(t, new(), halfspace.Run{Set: s}), Fit(t, new(), halfspace.Run{Set: b.Set(s.Input())})
	same(t, want, got, 0)
	if want.Report.Epochs != got.Report.Epochs || want.Report.Updates != got.Report.Updates {
		t.Errorf("%d loops and %d updates with them, %d and %d without", got.Report.Epochs, got.Report.Updates, want.Report.Epochs, want.Report.Updates)
	}
}

func oneClass(t *testing.T, new maker) {
	b := data.NewBuilder(nil)
	b.Add(vec.Dense(1, 2), []byte("only"), 1)
	_, err := halfspace.Fit(context.Background(), new(), halfspace.Run{Set: b.Set(data.Input{})})
	if !errors.Is(err, halfspace.ErrOneClass) {
		t.Errorf("got %v", err)
	}
}

func unlabelled(t *testing.T, new maker) {
	b := data.NewBuilder(nil)
	b.Add(vec.Dense(1, 2), []byte("a"), 1)
	b.Add(vec.Dense(2, 1), []byte("b"), 1)
	b.Add(vec.Dense(2, 2), nil, 1)
	if _, err := halfspace.Fit(context.Background(), new(), halfspace.Run{Set: b.Set(data.Input{})}); err == nil {
		t.Error("accepted")
	}
}

func cancelled(t *testing.T, new maker) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m, err := halfspace.Fit(ctx, new(), halfspace.Run{Set: Cloud(200, 4, 2, 10)})
	if m == nil || !errors.Is(err, context.Canceled) || !m.Report.Interrupted {
		t.Errorf("model %v, error %v", m != nil, err)
	}
}

func roundTrip(t *testing.T, new maker) {
	for _, classes := range []int{2, 3} {
		s := Cloud(200, 5, classes, 11)
		m := Fit(t, new(), halfspace.Run{Set: s})
		file := text(t, m)
		back, err := halfspace.ReadModel(bytes.NewReader([]byte(file)), "model")
		if err != nil {
			t.Fatal(err)
		}
		if text(t, back) != file {
			t.Error("a model read and written again differs")
		}
		if back.Tally(s, 1) != m.Tally(s, 1) {
			t.Error("a model read back counts other errors")
		}
	}
}

func streamed(t *testing.T, new maker) {
	streamer, ok := new().(halfspace.Streamer)
	if !ok {
		t.Skip("the learner needs all examples at once")
	}
	for _, classes := range []int{2, 3} {
		s := Cloud(500, 4, classes, 12)
		want := Fit(t, once(t, new()), halfspace.Run{Set: s})
		online, err := streamer.Start(&halfspace.Model{Weights: halfspace.NewWeights(classes, s.Dim()), Report: halfspace.Report{Bias: true}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Len() {
			online.Learn(s.Row(i), s.Class(i))
		}
		same(t, want, online.Snapshot(), 0)
	}
}

// once is the learner with a single loop.
func once(t *testing.T, l halfspace.Learner) halfspace.Learner {
	t.Helper()
	return with(t, l, "epochs", "1")
}

func resumed(t *testing.T, new maker) {
	streamer, ok := new().(halfspace.Streamer)
	if !ok {
		t.Skip("the learner needs all examples at once")
	}
	s := Cloud(500, 4, 2, 13)
	want := Fit(t, once(t, new()), halfspace.Run{Set: s})
	half := Fit(t, once(t, new()), halfspace.Run{Set: s.First(250)})
	online, err := streamer.Start(half)
	if err != nil {
		t.Fatal(err)
	}
	for i := 250; i < s.Len(); i++ {
		online.Learn(s.Row(i), s.Class(i))
	}
	same(t, want, online.Snapshot(), 0)
}

// same compares what two models have learned.
func same(t *testing.T, a, b *halfspace.Model, tol float64) {
	t.Helper()
	if len(a.Voters) != len(b.Voters) {
		t.Fatalf("%d and %d voters", len(a.Voters), len(b.Voters))
	}
	compare := func(v, w *halfspace.Weights) {
		for k := range v.W {
			for j := range v.W[k] {
				if d := math.Abs(v.W[k][j] - w.W[k][j]); d > tol*(1+math.Abs(v.W[k][j])) {
					t.Fatalf("weights %v and %v", v.W[k][j], w.W[k][j])
				}
			}
			if d := math.Abs(v.Bias[k] - w.Bias[k]); d > tol*(1+math.Abs(v.Bias[k])) {
				t.Fatalf("biases %v and %v", v.Bias[k], w.Bias[k])
			}
		}
	}
	compare(a.Weights, b.Weights)
	if l := a.Hidden(); l != nil {
		compare(halfspace.HiddenWeights(l), halfspace.HiddenWeights(b.Hidden()))
	}
	for i, v := range a.Voters {
		if v.Votes != b.Voters[i].Votes {
			t.Fatalf("voter %d has %d and %d votes", i, v.Votes, b.Voters[i].Votes)
		}
		compare(v.Weights, b.Voters[i].Weights)
	}
}
