package metric

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// outcomes pairs class numbers with predictions.
func outcomes(truth, predicted []int) []Outcome {
	out := make([]Outcome, len(truth))
	for i := range out {
		out[i] = Outcome{True: truth[i], Predicted: predicted[i], Wrong: truth[i] != predicted[i]}
	}
	return out
}

// The figures are those of scikit-learn 1.9.1: confusion_matrix,
// accuracy_score, balanced_accuracy_score and precision_recall_fscore_support
// with zero_division=0. By hand: class a has recall 3/5 and precision 3/4.
func TestSummarise(t *testing.T) {
	out := outcomes([]int{0, 0, 0, 0, 0, 1, 1, 1, 1, 2}, []int{0, 0, 0, 1, 2, 1, 1, 0, 1, 1})
	got := Summarise(out, []string{"a", "b", "c"})
	want := Summary{
		Tally:     halfspace.Tally{Examples: 10, Errors: 4, Error: 0.4},
		Accuracy:  0.6,
		Balanced:  0.45,
		Confusion: [][]int{{3, 1, 1}, {1, 3, 0}, {0, 1, 0}},
		Classes: []PerClass{
			{Class: "a", Examples: 5, Precision: 0.75, Recall: 0.6, F1: 2. / 3},
			{Class: "b", Examples: 4, Precision: 0.6, Recall: 0.75, F1: 2. / 3},
			{Class: "c", Examples: 1, Precision: 0, Recall: 0, F1: 0},
		},
	}
	if math.Abs(got.Balanced-want.Balanced) < 1e-15 {
		got.Balanced = want.Balanced
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestSummariseOddities(t *testing.T) {
	t.Run("nothing", func(t *testing.T) {
		got := Summarise(nil, []string{"a", "b"})
		if got.Error != 0 || got.Accuracy != 0 || got.Balanced != 0 || got.AUC != nil || got.Examples != 0 {
			t.Errorf("got %+v, want zeros and no AUC", got)
		}
	})
	t.Run("a class that does not occur", func(t *testing.T) {
		// Recalls 1/2 and, of the class that is missing, none: the mean is 1/2.
		got := Summarise(outcomes([]int{0, 0}, []int{0, 1}), []string{"a", "b"})
		if got.Balanced != 0.5 || got.AUC != nil {
			t.Errorf("balanced %v, AUC %v; want 0.5 and none", got.Balanced, got.AUC)
		}
	})
	t.Run("on the boundary", func(t *testing.T) {
		// Predicted right, yet wrong by the tie rule: an error all the same.
		got := Summarise([]Outcome{{Wrong: true, Boundary: true}, {True: 1, Predicted: 1, Score: -1}}, []string{"a", "b"})
		if got.Errors != 1 || got.Boundary != 1 || got.Accuracy != 0.5 || got.Confusion[0][0] != 1 {
			t.Errorf("got %+v", got)
		}
	})
}

func scored(truth []int, scores []float64) []Outcome {
	out := make([]Outcome, len(truth))
	for i := range out {
		out[i] = Outcome{True: truth[i], Score: scores[i]}
	}
	return out
}

func TestAUC(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name   string
		truth  []int
		scores []float64
		want   float64
	}{
		// scikit-learn 1.9.1, roc_auc_score.
		{"ties within and between", []int{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, []float64{2.5, 1, 1, 0, -0.5, 1, 0, -1, -1, -2}, 0.82},
		{"perfect", []int{0, 1}, []float64{1, -1}, 1},
		{"all reversed", []int{0, 1, 1}, []float64{-1, 1, 2}, 0},
		{"all tied", []int{0, 1, 0, 1, 1}, []float64{3, 3, 3, 3, 3}, 0.5},
		{"zero and minus zero tie", []int{0, 1}, []float64{math.Copysign(0, -1), 0}, 0.5},
		{"infinite scores", []int{0, 0, 1, 1}, []float64{inf, inf, inf, -inf}, 0.75},
		{"the rest is one class", []int{0, 1, 2}, []float64{1, 0, 2}, 0.5},
		{"no positives", []int{1, 1}, []float64{1, 2}, nan},
		{"no negatives", []int{0, 0}, []float64{1, 2}, nan},
		{"nothing", nil, nil, nan},
		{"a score that is no number", []int{0, 1, 0}, []float64{1, nan, 2}, nan},
	} {
		out := scored(c.truth, c.scores)
		if got := AUC(out); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		for i := range out {
			if out[i].True != c.truth[i] {
				t.Fatalf("%s: the outcomes were put into another order", c.name)
			}
		}
	}
}

// AUC by its definition: the share of pairs in order.
func pairShare(out []Outcome) float64 {
	good, pairs := 0.0, 0.0
	for _, p := range out {
		for _, n := range out {
			if p.True != 0 || n.True == 0 {
				continue
			}
			pairs++
			switch {
			case p.Score > n.Score:
				good++
			case p.Score == n.Score:
				good += 0.5
			}
		}
	}
	return good / pairs
}

func TestAUCAgainstPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		out := make([]Outcome, 2+r.IntN(40))
		for i := range out {
			out[i] = Outcome{True: r.IntN(2), Score: float64(r.IntN(8) - 4)} // many ties
		}
		got, want := AUC(out), pairShare(out)
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) { // halves and counts are exact
			t.Fatalf("got %v, want %v for %v", got, want, out)
		}
	}
}

// The same outcomes for any number of workers, in order, unlabelled ones left
// out.
func TestOutcomes(t *testing.T) {
	b := data.NewBuilder(nil)
	b.Declare("p", "n")
	label := [][]byte{[]byte("p"), []byte("n"), nil}
	for i := range 5000 {
		b.Add(vec.Dense(float64(i%7-3)), label[i%3], 1)
	}
	s := b.Set(data.Input{})
	m := &halfspace.Model{
		Classes: []string{"p", "n"}, Tie: halfspace.TiePositive, Features: s.Features(),
		Weights: &halfspace.Weights{W: [][]float64{{1}}, Bias: []float64{0}},
	}
	want := Outcomes(m, s, 1)
	if len(want) != 3334 { // 5000 less every third, 1666
		t.Fatalf("%d outcomes, want 3334", len(want))
	}
	for k, o := range want {
		i := k/2*3 + k%2 // its place among all
		z := float64(i%7 - 3)
		predicted := 0
		if z < 0 {
			predicted = 1
		}
		if o != (Outcome{True: i % 3, Predicted: predicted, Score: z, Wrong: predicted != i%3, Boundary: z == 0}) {
			t.Fatalf("outcome %d is %+v", k, o)
		}
	}
	for _, workers := range []int{0, 2, 7} {
		if got := Outcomes(m, s, workers); !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers give other outcomes", workers)
		}
	}
}

// Points that the parts of a model leave undecided are counted, on any number of
// workers as the model's own tally does.
func TestUndecidedIsCounted(t *testing.T) {
	b := data.NewBuilder(nil)
	b.Declare("a", "b", "c")
	for i := range 3000 {
		b.Add(vec.Dense(float64(i%5)+0.5, float64(i%7)+0.5), []byte{"abc"[i%3]}, 1)
	}
	s := b.Set(data.Input{})
	m := &halfspace.Model{
		Classes: s.Classes(), Tie: halfspace.TieWrong, Decision: halfspace.OneVsRest, Features: s.Features(),
		Weights: &halfspace.Weights{W: [][]float64{{1, 0}, {0, 1}, {-1, -1}}, Bias: []float64{-3, -4, 2}},
	}
	want := 0
	for i := range 3000 {
		x, y := float64(i%5)+0.5, float64(i%7)+0.5
		positive := 0
		for _, z := range []float64{x - 3, y - 4, 2 - x - y} {
			if z > 0 {
				positive++
			}
		}
		if positive != 1 {
			want++
		}
	}
	for _, workers := range []int{1, 2, 7} {
		sum := Summarise(Outcomes(m, s, workers), m.Classes)
		if sum.Undecided != want || sum.Tally != m.Tally(s, workers) {
			t.Errorf("%d workers: %+v, want %d undecided of %+v", workers, sum.Tally, want, m.Tally(s, workers))
		}
	}
	if want == 0 || want == 3000 {
		t.Errorf("%d undecided: the test sees nothing", want)
	}
}
