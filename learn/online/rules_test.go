package online_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/learntest"
	"github.com/halfspace-ml/halfspace/vec"
)

func TestRules(t *testing.T) {
	for _, c := range []struct {
		name    string
		rule    online.Rule
		y, z, q float64
		want    float64
	}{
		{"perceptron wrong", &online.Perceptron{}, 1, -2, 0, 1},
		{"perceptron wrong, negative", &online.Perceptron{}, -1, 2, 0, -1},
		{"perceptron right", &online.Perceptron{}, -1, -2, 0, 0},
		{"margin not reached", &online.Margin{Margin: 1}, 1, 1, 0, 1},
		{"margin reached", &online.Margin{Margin: 1}, -1, -1.5, 0, 0},
		{"pa", &online.PassiveAggressive{Variant: "pa"}, 1, -1, 4, 0.5},
		{"pa right by the margin", &online.PassiveAggressive{Variant: "pa"}, 1, 1, 4, 0},
		{"pa-1 bounded", &online.PassiveAggressive{Variant: "pa-1", C: 0.25}, -1, 1, 4, -0.25},
		{"pa-2 softened", &online.PassiveAggressive{Variant: "pa-2", C: 0.5}, 1, -1, 4, 0.4},
		{"pa without features", &online.PassiveAggressive{Variant: "pa"}, 1, 0, 0, 0},
	} {
		if got := c.rule.Step(c.y, c.z, c.q); got != c.want {
			t.Errorf("%s: τ = %v, want %v", c.name, got, c.want)
		}
	}
}

// After a PA step the example has a margin of exactly 1: that is its meaning.
// With many classes the margin is over the rival of that step (Kesler's vector
// has twice the squared length).
func TestPassiveAggressiveReachesItsMargin(t *testing.T) {
	for _, classes := range []int{2, 3} {
		l := &online.PassiveAggressive{Variant: "pa"}
		o, err := l.Start(&halfspace.Model{Weights: halfspace.NewWeights(classes, 2), Report: halfspace.Report{Bias: true}})
		if err != nil {
			t.Fatal(err)
		}
		x := vec.Dense(3, -2)
		rival := o.Learn(x, 1).Rival
		w := o.Snapshot().Weights
		if classes == 2 {
			near(t, -w.Score(0, x), 1)
		} else {
			near(t, w.Score(1, x)-w.Score(rival, x), 1)
		}
	}
}

// The averaged perceptron is the mean of the weights after every visit, which
// the hook can see: before visit t+1 they are those after visit t.
func TestAveragedIsTheMean(t *testing.T) {
	s := builtin(t, "@gauss:n=400,d=3,distance=1,seed=8")
	sum := halfspace.NewWeights(2, 3)
	visits := 0
	add := func(w *halfspace.Weights) {
		for j, v := range w.W[0] {
			sum.W[0][j] += v
		}
		sum.Bias[0] += w.Bias[0]
		visits++
	}
	skip := true // the start weights are before any visit
	run := halfspace.Run{Set: s, Hooks: halfspace.Hooks{Step: func(st *halfspace.Step) {
		if !skip {
			add(st.W)
		}
		skip = false
	}}}
	m := learntest.Fit(t, &online.Averaged{Perceptron: online.Perceptron{Options: online.Options{Epochs: 3}}}, run)
	add(m.State.Weights)
	if visits != 1200 {
		t.Fatalf("%d visits", visits)
	}
	for j := range sum.W[0] {
		near(t, m.Weights.W[0][j], sum.W[0][j]/float64(visits))
	}
	near(t, m.Weights.Bias[0], sum.Bias[0]/float64(visits))
}

// All votes are visits survived: one for each vector that is made, and one for
// each right visit after.
func TestVotes(t *testing.T) {
	s := builtin(t, "@gauss:n=300,d=2,distance=2,seed=1")
	m := learntest.Fit(t, &online.Voted{Perceptron: online.Perceptron{Options: online.Options{Epochs: 2}}}, halfspace.Run{Set: s})
	total := 0
	for _, v := range m.Voters {
		total += v.Votes
	}
	if total != 600 || len(m.Voters) != m.Report.Updates { // the zero vector errs at once and gets no vote
		t.Errorf("%d votes by %d voters after %d updates", total, len(m.Voters), m.Report.Updates)
	}
	few := learntest.Fit(t, &online.Voted{Perceptron: online.Perceptron{Options: online.Options{Epochs: 2}}, Voters: 5}, halfspace.Run{Set: s})
	if len(few.Voters) != 6 || len(few.Report.Warnings) != 1 {
		t.Errorf("%d voters of at most 5 and the latest, warnings %q", len(few.Voters), few.Report.Warnings)
	}
}

// Two vectors for two classes in Kesler's form decide as one vector does: with
// start 0, w of class 0 is w and that of class 1 is −w.
func TestKeslerWithTwoClasses(t *testing.T) {
	s := builtin(t, "@gauss:n=500,d=4,distance=1.5,seed=6")
	one := learntest.Fit(t, &online.Perceptron{}, halfspace.Run{Set: s})
	third := s.Relabel(func(c string) string { return c })
	b := data.NewBuilder(nil)
	b.Declare(append(append([]string{}, s.Classes()...), "never")...)
	for i := range third.Len() {
		b.Add(s.Row(i), []byte(s.Classes()[s.Class(i)]), 1)
	}
	// The third class never wins here, so that the rival is always the other.
	far := &halfspace.Weights{W: [][]float64{make([]float64, 4), make([]float64, 4), make([]float64, 4)}, Bias: []float64{0, 0, -1e9}}
	three := learntest.Fit(t, &online.Perceptron{}, halfspace.Run{Set: b.Set(data.Input{}), Init: far})
	for j, w := range one.Weights.W[0] {
		near(t, three.Weights.W[0][j], w)
		near(t, three.Weights.W[1][j], -w)
	}
	if one.Report.Mistakes != three.Report.Mistakes {
		t.Errorf("%d mistakes with one vector, %d with three", one.Report.Mistakes, three.Report.Mistakes)
	}
}

func TestSchedules(t *testing.T) {
	for _, c := range []struct {
		s    online.Schedule
		t    int
		want float64
	}{{"constant", 4, 1}, {"1/t", 4, 0.25}, {"1/sqrt", 4, 0.5}, {"", 4, 1}} {
		if got := c.s.At(c.t); got != c.want {
			t.Errorf("%s at %d: %v", c.s, c.t, got)
		}
	}
}

// Classes and features that were never seen appear in a stream.
func TestStreamGrows(t *testing.T) {
	for _, l := range []halfspace.Streamer{&online.Perceptron{}, &online.Averaged{}, &online.Voted{}, &online.Margin{}, &online.PassiveAggressive{}} {
		o, err := l.Start(halfspace.EmptyModel(halfspace.TieWrong, true))
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			o.Learn(vec.Dense(3), 0)
			o.Learn(vec.Dense(-3, 1), 1)
			o.Learn(vec.Row{Idx: []uint32{7}, Val: []float64{5}}, 2)
			o.Learn(vec.Row{}, 1)
		}
		m := o.Snapshot()
		if len(m.Weights.W) != 3 || m.Weights.Dim() != 8 {
			t.Fatalf("%s: %d vectors of %d features", l.Name(), len(m.Weights.W), m.Weights.Dim())
		}
		m.Classes, m.Features = []string{"a", "b", "c"}, data.RestoreFeatures(nil, 8, 0)
		for class, x := range []vec.Row{vec.Dense(3), vec.Dense(-3, 1), {Idx: []uint32{7}, Val: []float64{5}}} {
			if got, _ := m.Scorer().Classify(x); got != class {
				t.Errorf("%s: class %d is taken for %d", l.Name(), class, got)
			}
		}
	}
}

// The rate of the bias is its own when given.
func TestBiasRate(t *testing.T) {
	l := &online.Perceptron{Options: online.Options{Rate: 0.5, RateBias: 3, Epochs: 1}}
	m := learntest.Fit(t, l, halfspace.Run{Set: builtin(t, "@slide"), Init: start(-0.5, 1, 1)})
	// (0.4, 0.05) of class 1 has z = −0.05: wrong; b = −0.5 + 3 = 2.5, w = (1.2, 1.025);
	// then (−0.2, 0.75) of class 2 has z > 0: wrong; b = −0.5, w = (1.3, 0.65).
	near(t, m.Weights.Bias[0], -0.5)
	near(t, m.Weights.W[0][0], 1.3)
	near(t, m.Weights.W[0][1], 0.65)
}

// Weights that overflow are an error, not a model.
func TestOverflow(t *testing.T) {
	b := data.NewBuilder(nil)
	b.Add(vec.Dense(1e308), []byte("a"), 1)
	b.Add(vec.Dense(1e308), []byte("b"), 1)
	_, err := halfspace.Fit(context.Background(), &online.Perceptron{Options: online.Options{Rate: math.MaxFloat64}}, halfspace.Run{Set: b.Set(data.Input{})})
	if err == nil {
		t.Error("accepted")
	}
}

func BenchmarkPerceptronIMDB(b *testing.B) {
	s := shared(b, "imdb.train.svm.bz2")
	l := &online.Perceptron{Options: online.Options{Epochs: 1}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Fit(context.Background(), &halfspace.Run{Set: s}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(s.Nonzeros())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mnonzeros/s")
}

// BenchmarkVisit is one example of the training loop: it must not allocate.
func BenchmarkVisit(b *testing.B) {
	s := builtin(b, "@digits35")
	for _, l := range []halfspace.Streamer{&online.Perceptron{}, &online.Averaged{}, &online.Margin{}, &online.PassiveAggressive{}} {
		b.Run(l.Name(), func(b *testing.B) {
			o, err := l.Start(&halfspace.Model{Weights: halfspace.NewWeights(2, s.Dim()), Report: halfspace.Report{Bias: true}})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				o.Learn(s.Row(i), s.Class(i))
				if i++; i == s.Len() {
					i = 0
				}
			}
		})
	}
}

// BenchmarkPerceptronShortRows is a loop over rows as short as those of census
// data (14 ones of 123), where the cost of a visit shows.
func BenchmarkPerceptronShortRows(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	builder := data.NewBuilder(nil)
	for range 32768 {
		var x vec.Row
		sum := 0
		for j := range 14 {
			pick := r.IntN(9)
			sum += pick % 2
			x.Idx = append(x.Idx, uint32(j*9+pick))
		}
		builder.Add(x, []byte{"ab"[sum/7%2]}, 1)
	}
	set := builder.Set(data.Input{})
	for name, s := range map[string]*data.Set{"whole": set, "view": set.Shuffle(1)} {
		b.Run(name, func(b *testing.B) {
			l := &online.Perceptron{Options: online.Options{Epochs: 1}}
			for b.Loop() {
				if _, err := l.Fit(context.Background(), &halfspace.Run{Set: s}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(s.Len()), "ns/example")
		})
	}
}
