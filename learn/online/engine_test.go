package online

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/vec"
)

// A loop over the examples allocates nothing, whatever the rule and the number
// of classes. (Voting copies the weights that it keeps.)
func TestPassDoesNotAllocate(t *testing.T) {
	for _, name := range []string{"@separable:n=3000,d=8,margin=0.01,seed=1", "@iris"} {
		s, err := sample.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		for rule, keep := range map[Rule]func(*engine){
			&Perceptron{}: nil, &Averaged{}: averaging, &Margin{Margin: 1}: nil, &PassiveAggressive{Variant: "pa"}: nil,
		} {
			e := newEngine(Options{Rate: 1, Tie: halfspace.TieWrong}, rule, halfspace.NewWeights(len(s.Classes()), s.Dim()), true)
			if keep != nil {
				keep(e)
			}
			if n := testing.AllocsPerRun(3, func() { e.pass(context.Background(), s, nil, 0, nil) }); n != 0 {
				t.Errorf("%T on %s: %v allocations a loop", rule, name, n)
			}
		}
	}
}

// Had a perceptron known the third class from the start, it would have stood
// at w, −w and 0 when the first example of it came: no tie or mistake between
// the first two is ever against the third. A class that comes late must
// therefore leave the same bits as one that was declared.
func TestLateClassEqualsDeclaredClass(t *testing.T) {
	two, err := sample.Read("@gauss:n=300,d=3,distance=1,seed=4")
	if err != nil {
		t.Fatal(err)
	}
	three, err := sample.Read("@iris")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []halfspace.Streamer{&Perceptron{}, &Averaged{}, &Voted{}} {
		late, err := l.Start(halfspace.EmptyModel(halfspace.TieWrong, true))
		if err != nil {
			t.Fatal(err)
		}
		declared, err := l.Start(&halfspace.Model{Weights: halfspace.NewWeights(3, 4), Report: halfspace.Report{Bias: true}})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []halfspace.Online{late, declared} {
			for i := range two.Len() {
				o.Learn(two.Row(i), two.Class(i))
			}
			for i := range three.Len() {
				o.Learn(three.Row(i), three.Class(i))
			}
		}
		a, b := late.Snapshot(), declared.Snapshot()
		if !reflect.DeepEqual(a.Weights, b.Weights) || !reflect.DeepEqual(a.State, b.State) || !reflect.DeepEqual(a.Voters, b.Voters) {
			t.Errorf("%s: %v when the class comes late, %v when declared", l.Name(), a.Weights, b.Weights)
		}
	}
}

// A passive-aggressive step makes the margin 1, and a class that comes later
// leaves the difference of the first two, on which it is measured, as it was.
func TestLateClassKeepsTheMargin(t *testing.T) {
	o, err := (&PassiveAggressive{Variant: "pa"}).Start(halfspace.EmptyModel(halfspace.TieWrong, true))
	if err != nil {
		t.Fatal(err)
	}
	x := vec.Dense(3, 4)
	o.Learn(x, 0)
	o.Learn(vec.Row{}, 1)
	before := o.Snapshot().Weights.Score(0, x)
	o.(*Stream).makeRoom(2, 2)
	w := o.Snapshot().Weights
	if after := w.Score(0, x) - w.Score(1, x); after != before {
		t.Errorf("the score %v became %v", before, after)
	}
}

// What a snapshot holds does not change when the stream goes on.
func TestSnapshotStays(t *testing.T) {
	for _, l := range []halfspace.Streamer{&Perceptron{}, &Averaged{}, &Voted{}, &Margin{}, &PassiveAggressive{}} {
		o, err := l.Start(halfspace.EmptyModel(halfspace.TieWrong, true))
		if err != nil {
			t.Fatal(err)
		}
		o.Learn(vec.Dense(1, 2), 0)
		o.Learn(vec.Dense(2, 1), 1)
		o.Learn(vec.Dense(1, 2), 0)
		first := o.Snapshot()
		want := [][]float64{append([]float64{}, first.Weights.W[0]...)}
		for _, v := range first.Voters {
			want = append(want, append([]float64{}, v.Weights.W[0]...))
		}
		o.Learn(vec.Dense(1, 1, 7), 2)
		o.Snapshot()
		got := append([][]float64{}, first.Weights.W...)
		for _, v := range first.Voters {
			got = append(got, v.Weights.W...)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v became %v", l.Name(), want, got)
		}
	}
}

// A stream that has seen nothing has no voter, so that going on from its
// snapshot gives no vote for nothing.
func TestNoVoteForNothing(t *testing.T) {
	l := &Voted{}
	o, err := l.Start(halfspace.EmptyModel(halfspace.TieWrong, true))
	if err != nil {
		t.Fatal(err)
	}
	if m := o.Snapshot(); len(m.Voters) != 0 {
		t.Errorf("voters %v", m.Voters)
	}
}

// Every loop has an order of its own, and no seed repeats the orders of the
// next one a loop later.
func TestShuffledOrders(t *testing.T) {
	s, err := sample.Read("@gauss:n=40,d=2,distance=0.5,seed=1")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	for seed := range uint64(4) {
		orders := make([][]int, 4)
		run := halfspace.Run{Set: s, Seed: seed, Hooks: halfspace.Hooks{Step: func(st *halfspace.Step) {
			orders[st.Epoch] = append(orders[st.Epoch], st.Index)
		}}}
		l := &Perceptron{Options{Epochs: len(orders), Shuffle: true}}
		if _, err := halfspace.Fit(context.Background(), l, run); err != nil {
			t.Fatal(err)
		}
		for epoch, order := range orders {
			here, key := fmt.Sprintf("seed %d, loop %d", seed, epoch), fmt.Sprint(order)
			if len(order) != s.Len() {
				t.Fatalf("%s: %d visits", here, len(order))
			}
			if there, twice := seen[key]; twice {
				t.Errorf("%s has the order of %s", here, there)
			}
			seen[key] = here
		}
	}
}
