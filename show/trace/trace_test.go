package trace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learn"
	"github.com/halfspace-ml/halfspace/learn/batch"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/show/trace"
)

func Example() {
	set, err := sample.Read("@slide")
	if err != nil {
		fmt.Println(err)
		return
	}
	p := trace.New(os.Stdout, set, true)
	run := halfspace.Run{
		Set:   set,
		Init:  &halfspace.Weights{W: [][]float64{{1, 1}}, Bias: []float64{-0.5}},
		Hooks: p.Text(),
	}
	if _, err := halfspace.Fit(context.Background(), &online.Perceptron{Options: online.Options{Rate: 0.7, Epochs: 1}}, run); err != nil {
		fmt.Println(err)
	}
	p.Flush()
	// Output:
	// Learning rate = 0.7
	//
	// Iteration 0
	//
	// i=0: w=[-0.500000 1.000000 1.000000] x=[1 0.4 0.05] y=1 z=-0.050000 wrong
	// update w0 = w0 + 0.7, w1 = w1 + 0.4*0.7, w2 = w2 + 0.05*0.7
	// i=1: w=[0.200000 1.280000 1.035000] x=[1 -0.2 0.75] y=-1 z=0.720250 wrong
	// update w0 = w0 - 0.7, w1 = w1 + 0.2*0.7, w2 = w2 - 0.75*0.7
}

// Every learner can be traced, on narrow and wide data, two classes and more;
// a JSON line holds all that the text shows. A formula has no steps.
func TestEveryLearner(t *testing.T) {
	for _, name := range []string{"@points00", "@gauss:n=10,d=1200", "@iris"} {
		for _, e := range learn.All {
			t.Run(e.Name+name, func(t *testing.T) {
				text, lines := steps(t, name, e.New), jsonSteps(t, name, e.New)
				if _, formula := e.New().(halfspace.Direct); formula {
					if text != 0 || len(lines) != 0 {
						t.Errorf("a formula has %d steps as text, %d as JSON", text, len(lines))
					}
					return
				}
				if text != len(lines) || text == 0 {
					t.Errorf("%d steps as text, %d as JSON", text, len(lines))
				}
				for _, key := range []string{"epoch", "index", "x", "y", "z", "mistake", "w"} {
					if _, ok := lines[0][key]; !ok {
						t.Errorf("no %q in a JSON step", key)
					}
				}
			})
		}
	}
}

// run traces a learner for at most three rounds.
func run(t *testing.T, name string, l halfspace.Learner, asJSON bool) string {
	t.Helper()
	set, err := sample.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range l.Params() {
		if p.Name == "epochs" {
			if err := p.Set("3"); err != nil {
				t.Fatal(err)
			}
		}
	}
	var out bytes.Buffer
	p := trace.New(&out, set, true)
	r := halfspace.Run{Set: set, Hooks: p.Text(), Seed: 1}
	if asJSON {
		r.Hooks = p.JSON()
	}
	if _, err := halfspace.Fit(context.Background(), l, r); err != nil {
		t.Fatal(err)
	}
	if err := p.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// steps is the number of steps in the text.
func steps(t *testing.T, name string, new func() halfspace.Learner) int {
	return strings.Count(run(t, name, new(), false), "\ni=")
}

func jsonSteps(t *testing.T, name string, new func() halfspace.Learner) []map[string]any {
	var all []map[string]any
	for line := range strings.Lines(run(t, name, new(), true)) {
		step := map[string]any{}
		if err := json.Unmarshal([]byte(line), &step); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		all = append(all, step)
	}
	return all
}

// Document 000 stops before the update when E is below the limit: at the start
// one of the two points is wrong, less than the limit, and no step is printed.
func TestBatchStopsBeforeTheUpdate(t *testing.T) {
	l := &batch.Perceptron{Options: online.Options{StopError: 1}}
	set, err := sample.Read("@slide")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	p := trace.New(&out, set, true)
	init := &halfspace.Weights{W: [][]float64{{1, 0}}, Bias: []float64{-0.5}} // z = −0.1 and −0.7
	if _, err := halfspace.Fit(context.Background(), l, halfspace.Run{Set: set, Init: init, Hooks: p.Text()}); err != nil {
		t.Fatal(err)
	}
	p.Flush()
	if s := out.String(); !strings.Contains(s, "E=0.500000 L=0.050000\n") || strings.Contains(s, "update") {
		t.Errorf("printed\n%s", s)
	}
}
