package multi_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/learn/multi"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/learntest"
	"github.com/halfspace-ml/halfspace/vec"
)

// noise is examples whose features say nothing of their classes.
func noise(n, features, classes int) *data.Set {
	r := rand.New(rand.NewPCG(31, 1))
	b := data.NewBuilder(nil)
	for i := range n {
		x := make([]float64, features)
		for j := range x {
			x[j] = r.NormFloat64()
		}
		b.Add(vec.Dense(x...), []byte{byte('a' + i%classes)}, 1)
	}
	return b.Set(data.Input{})
}

// The engine's perceptron of many classes is the perceptron of two classes fed,
// for each example, with the vector of Kesler's construct for its strongest
// rival: the same weights, bit for bit.
func TestEngineEqualsKeslersVectors(t *testing.T) {
	for name, s := range map[string]*data.Set{
		"iris": builtin(t, "@iris").Shuffle(3), "noise": noise(300, 7, 5),
	} {
		for _, l := range []halfspace.Streamer{&online.Perceptron{}, &online.Averaged{}} {
			many, err := l.Start(&halfspace.Model{Weights: halfspace.NewWeights(len(s.Classes()), s.Dim()), Report: halfspace.Report{Bias: true}})
			if err != nil {
				t.Fatal(err)
			}
			duels := s.Duels(true)
			two, err := l.Start(&halfspace.Model{Weights: halfspace.NewWeights(2, duels.Dim())})
			if err != nil {
				t.Fatal(err)
			}
			mistakes := 0
			for range 5 {
				for i := range s.Len() {
					v := many.Learn(s.Row(i), s.Class(i))
					rank := v.Rival
					if rank > s.Class(i) {
						rank--
					}
					p := i*(len(s.Classes())-1) + rank
					u := two.Learn(duels.Row(p), duels.Class(p))
					if v.Mistake != u.Mistake {
						t.Fatalf("%s, %s: example %d is wrong for one only: %+v and %+v", l.Name(), name, i, v, u)
					}
					if v.Mistake {
						mistakes++
					}
				}
			}
			a, b := many.Snapshot().Weights, two.Snapshot().Weights.W[0]
			for k := range a.W {
				block := b[k*(s.Dim()+1) : (k+1)*(s.Dim()+1)]
				if !slices.Equal(append(slices.Clone(a.W[k]), a.Bias[k]), block) {
					t.Errorf("%s, %s: class %d has %v, %v; its block is %v", l.Name(), name, k, a.W[k], a.Bias[k], block)
				}
			}
			if mistakes < 100 {
				t.Errorf("%s: only %d mistakes: the test sees nothing", name, mistakes)
			}
		}
	}
}

// On separable classes the learners of two classes end with none wrong, with and
// without a bias.
func TestKeslerSeparates(t *testing.T) {
	s := learntest.Cloud(400, 6, 4, 41)
	for _, l := range []halfspace.Learner{
		&online.Perceptron{Options: online.Options{Epochs: 100}},
		&online.PassiveAggressive{Options: online.Options{Epochs: 100}},
		&online.PLA{Options: online.Options{Epochs: 10000}},
	} {
		for _, noBias := range []bool{false, true} {
			m := learntest.Fit(t, multi.New(multi.Kesler, l), halfspace.Run{Set: s, NoBias: noBias})
			if m.Report.Train.Errors != 0 || m.Report.Train.Boundary != 0 || len(m.Weights.W) != 4 || m.Decision != halfspace.Joint {
				t.Errorf("%s: %+v", l.Name(), m.Report.Train)
			}
		}
	}
}

// Start weights are those of the classes: from an answer there is nothing left
// to do.
func TestKeslerStarts(t *testing.T) {
	s := learntest.Cloud(200, 4, 3, 42)
	first := learntest.Fit(t, multi.New(multi.Kesler, &online.Perceptron{Options: online.Options{Epochs: 100}}), halfspace.Run{Set: s})
	again := learntest.Fit(t, multi.New(multi.Kesler, &online.Perceptron{}), halfspace.Run{Set: s, Init: first.Weights})
	if first.Report.Updates == 0 || again.Report.Updates != 0 {
		t.Errorf("%d updates, then %d", first.Report.Updates, again.Report.Updates)
	}
	for k := range first.Weights.W {
		same(t, again, k, &halfspace.Model{Weights: &halfspace.Weights{W: first.Weights.W[k : k+1], Bias: first.Weights.Bias[k : k+1]}})
	}
}

// Vectors that would not fit are refused before they are made.
func TestKeslerTooLarge(t *testing.T) {
	b := data.NewBuilder(nil)
	idx := make([]uint32, 2000)
	for j := range idx {
		idx[j] = uint32(j)
	}
	for i := range 200 {
		b.Add(vec.Row{Idx: idx}, []byte{byte('!' + i/2%90), byte('0' + i/180)}, 1)
	}
	s := b.Set(data.Input{})
	views := make([]uint32, 2000)
	for i := range views {
		views[i] = uint32(i % 200)
	}
	_, err := halfspace.Fit(context.Background(), multi.New(multi.Kesler, &online.Perceptron{}), halfspace.Run{Set: s.Pick(views)})
	if !errors.Is(err, halfspace.ErrTooWide) {
		t.Errorf("got %v", err)
	}
}
