package multi_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/learn/closed"
	"github.com/halfspace-ml/halfspace/learn/multi"
	"github.com/halfspace-ml/halfspace/learntest"
)

func shared(t *testing.T, name string) *data.Set {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "data", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not here; the test needs it", path)
	}
	s, err := format.ReadFile(context.Background(), path, &format.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// scikit-learn 1.9.1: OneVsRestClassifier and OneVsOneClassifier of
// RidgeClassifier(alpha=1, solver="cholesky"), whose objective is that of ridge
// with λ = 1. Its duels are positive for the second class; here for the first.
// Undecided: its decision functions, counted by numpy. answers is Σ i·class over
// the rows i = 1, 2, … and the classes 0, 1, …, so that no answer may differ.
var references = []struct {
	set       string
	scheme    multi.Scheme
	errors    int
	undecided int
	answers   int
	w         []float64 // of the last vector
	bias      float64
}{
	{"iris.csv", multi.OVR, 22, 29, 16913, []float64{-0.09966119026236422, 0.40715141518899817, 0.07336981284610872, 0.9540788797297358}, -2.415759731369623},
	{"iris.csv", multi.OVO, 3, 0, 16346, []float64{0.382557915802962, 0.49143106832109895, -0.8022434226873555, -1.181861142467025}, 2.1096378095025567},
	{"digits8x8.csv", multi.OVR, 95, 255, 7280304, nil, 0},
	{"digits8x8.csv", multi.OVO, 9, 5, 7266390, []float64{0, 0.008816315348461334, 0.007097465476052186, -0.019211699337918928}, 0.03472843},
}

func TestEqualsScikitLearn(t *testing.T) {
	for _, r := range references {
		t.Run(r.set+" "+string(r.scheme), func(t *testing.T) {
			s := shared(t, r.set)
			m := learntest.Fit(t, multi.New(r.scheme, &closed.Ridge{}), halfspace.Run{Set: s})
			if got := *m.Report.Train; got.Errors != r.errors || got.Undecided != r.undecided {
				t.Errorf("%d errors, %d undecided; want %d, %d", got.Errors, got.Undecided, r.errors, r.undecided)
			}
			answers := 0
			scorer := m.Scorer()
			for i := range s.Len() {
				class, _ := scorer.Classify(s.Row(i))
				answers += (i + 1) * class
			}
			if answers != r.answers {
				t.Errorf("other answers: %d, want %d", answers, r.answers)
			}
			last := len(m.Weights.W) - 1
			for j, v := range r.w {
				if math.Abs(m.Weights.W[last][j]-v) > 1e-9 {
					t.Errorf("weight %d is %v, want %v", j, m.Weights.W[last][j], v)
				}
			}
			if r.w != nil && math.Abs(m.Weights.Bias[last]-r.bias) > 1e-8 {
				t.Errorf("bias %v, want %v", m.Weights.Bias[last], r.bias)
			}
		})
	}
}
