package online

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/vec"
)

// spotted is blocks of examples of which only those at the given positions are
// wrong for w = 1 without a bias.
func spotted(blocks int, wrong ...int) *data.Set {
	b := data.NewBuilder(nil)
	b.Declare("+", "-")
	at := map[int]bool{}
	for _, i := range wrong {
		at[i] = true
	}
	for i := range blocks * block.Size {
		label := "+"
		if at[i] {
			label = "-"
		}
		b.Add(vec.Dense(float64(i+1)), []byte(label), 1)
	}
	return b.Set(data.Input{})
}

func looker() *engine {
	w := halfspace.NewWeights(2, 1)
	w.W[0][0] = 1
	return newEngine(Options{Rate: 1, Tie: halfspace.TieWrong}, &Perceptron{}, w, false)
}

// A look that may end early tells the same on any number of workers: the
// blocks up to the one with the bound-th wrong example, no more and no less.
func TestScanEndsAtTheSameBlock(t *testing.T) {
	const s = block.Size
	set := spotted(8, 2*s+5, 3*s+1, 3*s+2, 7*s)
	for _, c := range []struct {
		bound, errors int
		complete      bool
	}{{1, 1, false}, {2, 3, false}, {3, 3, false}, {4, 4, true}, {5, 4, true}} {
		for _, workers := range []int{1, 2, 8} {
			for range 50 {
				f, err := looker().scan(context.Background(), set, workers, c.bound)
				if err != nil || f.errors != c.errors || f.complete != c.complete || f.first != 2*s+5 {
					t.Fatalf("bound %d, %d workers: %d errors, complete %v, first %d, %v", c.bound, workers, f.errors, f.complete, f.first, err)
				}
			}
		}
	}
}

// Blocks that end out of order do not end the look before an earlier one that
// is still at work: the first wrong example may be there.
func TestPrefixWaitsForTheGap(t *testing.T) {
	p := newPrefix(4, 2)
	p.end(1, 5)
	p.end(2, 5)
	if p.enough.Load() {
		t.Error("enough, although block 0 is still at work")
	}
	p.end(0, 1)
	if !p.enough.Load() || p.next != 2 || p.total != 6 {
		t.Errorf("enough %v, next %d, total %d; want true, 2, 6", p.enough.Load(), p.next, p.total)
	}
	p.end(3, 7) // was begun before; too late to count
	if p.next != 2 || p.total != 6 {
		t.Errorf("next %d, total %d; want 2, 6", p.next, p.total)
	}
}

func TestScanHeedsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := looker().scan(ctx, spotted(3, 7), 2, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// The stop error is met by the whole count, also where the pick needs only the
// first wrong example: two of 8192 are wrong at the start, less than 1 in 1000.
func TestStopErrorOfPicks(t *testing.T) {
	set := spotted(8, 3, 5000)
	for _, l := range []halfspace.Learner{&PLA{Pick: "first"}, &PLA{Pick: "random"}, &Pocket{Pick: "first"}} {
		for _, p := range l.Params() {
			if p.Name == "stop-error" {
				if err := p.Set("0.001"); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, workers := range []int{1, 8} {
			init := halfspace.NewWeights(2, 1)
			init.W[0][0] = 1
			m, err := halfspace.Fit(context.Background(), l, halfspace.Run{Set: set, Init: init, NoBias: true, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if !m.Report.Converged || m.Report.Updates != 0 || !reflect.DeepEqual(m.Weights, init) {
				t.Errorf("%s, %d workers: converged %v after %d updates", l.Name(), workers, m.Report.Converged, m.Report.Updates)
			}
		}
	}
}
