package batch_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learn/batch"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/learntest"
	"github.com/halfspace-ml/halfspace/vec"
)

func ascend(t *testing.T, s *data.Set, l *batch.Logistic, run halfspace.Run) *halfspace.Model {
	t.Helper()
	run.Set = s
	m, err := halfspace.Fit(context.Background(), l, run)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func builtin(t *testing.T, name string) *data.Set {
	t.Helper()
	s, err := sample.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// warned checks the one warning by what it begins with; "": there is none.
func warned(t *testing.T, m *halfspace.Model, begins string) {
	t.Helper()
	w := m.Report.Warnings
	if begins == "" && len(w) > 0 || begins != "" && (len(w) != 1 || !strings.HasPrefix(w[0], begins)) {
		t.Errorf("warnings %q, want %q", w, begins)
	}
}

const separable = "a plane separates the classes, so the likelihood has no maximum"

// Document 004's example by logistic regression, η = 1, from the same start.
// mission.md: one step gives [1.354377, 0.437618, −0.597480], bias last, and two
// leave no errors. The losses and the second step are numpy 2.4.6's.
func TestLogisticOfTheHandout(t *testing.T) {
	s := builtin(t, "@handout")
	m := ascend(t, s, &batch.Logistic{Options: online.Options{Epochs: 1}}, halfspace.Run{Init: start(-0.5, 0, 1)})
	near6(t, m, -0.597480, 1.354377, 0.437618)
	if m.Report.Train.Errors != 1 || m.Report.Updates != 1 || math.Abs(m.Report.Objective.Primal-4.122653473371942) > 1e-12 {
		t.Errorf("after one step: %+v, objective %+v", m.Report, m.Report.Objective)
	}

	var losses []float64
	var wrong []int
	run := halfspace.Run{Init: start(-0.5, 0, 1), Hooks: halfspace.Hooks{Pass: func(p *halfspace.Pass) {
		losses, wrong = append(losses, p.Loss), append(wrong, p.Mistakes)
	}}}
	m = ascend(t, s, &batch.Logistic{Options: online.Options{StopError: 0.01}}, run)
	near6(t, m, -1.14695353, 2.11096803, -0.15471196)
	for i, want := range []float64{5.903574901121246, 4.122653473371942, 3.2808102885588903} {
		if len(losses) != 3 || math.Abs(losses[i]-want) > 1e-12 {
			t.Fatalf("losses %v", losses)
		}
	}
	if !slices.Equal(wrong, []int{4, 1, 0}) || !m.Report.Converged || m.Report.Updates != 2 || m.Report.Train.Errors != 0 {
		t.Errorf("wrong %v, report %+v", wrong, m.Report)
	}
	warned(t, m, separable)
}

func near6(t *testing.T, m *halfspace.Model, bias float64, w ...float64) {
	t.Helper()
	got := append(slices.Clone(m.Weights.W[0]), m.Weights.Bias[0])
	for j, want := range append(w, bias) {
		if math.Abs(got[j]-want) > 1e-6 {
			t.Fatalf("w = %v, bias last, want %v and %v", got, w, bias)
		}
	}
}

// counted has, for each value 0 and 1 of one feature, so many examples of each
// class.
func counted(zero, one []float64) *data.Set {
	b := data.NewBuilder(nil)
	for x, counts := range [][]float64{zero, one} {
		for c, n := range counts {
			b.Add(vec.Dense(float64(x)), []byte{'a' + byte(c)}, n)
		}
	}
	return b.Set(data.Input{})
}

// With one feature of 0 and 1 the model has a score for each value: at the
// maximum it is the logarithm of the ratio of the counts, exactly.
func TestLogisticFindsTheMaximum(t *testing.T) {
	for _, mean := range []bool{false, true} {
		l := &batch.Logistic{Mean: mean, Tol: 1e-12, Options: online.Options{Epochs: 5000}}
		if !mean {
			l.Rate = 0.2
		}
		m := ascend(t, counted([]float64{3, 1}, []float64{1, 2}), l, halfspace.Run{})
		bias, sum := m.Weights.Bias[0], m.Weights.Bias[0]+m.Weights.W[0][0]
		if math.Abs(bias-math.Log(3)) > 1e-9 || math.Abs(sum-math.Log(0.5)) > 1e-9 || !m.Report.Converged {
			t.Errorf("scores %v and %v, want ln 3 and -ln 2; %+v", bias, sum, m.Report)
		}
		// −ℒ = −(3 ln ¾ + ln ¼ + ln ⅓ + 2 ln ⅔)
		want := -(3*math.Log(0.75) + math.Log(0.25) + math.Log(1./3) + 2*math.Log(2./3))
		if mean {
			want /= 7
		}
		if math.Abs(m.Report.Objective.Primal-want) > 1e-12 {
			t.Errorf("objective %v, want %v", m.Report.Objective.Primal, want)
		}
		warned(t, m, "")
	}
}

// The maximum on real data: scikit-learn 1.9.1, LogisticRegression(C=inf,
// solver="newton-cholesky", tol=1e-12).
func TestLogisticOnRealData(t *testing.T) {
	path := filepath.Join("..", "..", "..", "shared", "data", "heart_scale")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not here; the test needs it", path)
	}
	s, err := format.ReadFile(context.Background(), path, &format.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	m := ascend(t, s, &batch.Logistic{Mean: true, Tol: 1e-9, Options: online.Options{Rate: 2, Epochs: 10_000}}, halfspace.Run{})
	if got := m.Report.Objective.Primal * 270; math.Abs(got-89.79888115268798) > 1e-9 || !m.Report.Converged || m.Report.Train.Errors != 39 {
		t.Errorf("objective %v, report %+v", got, m.Report)
	}
}

func TestSoftmaxFindsTheMaximum(t *testing.T) {
	zero, one := []float64{3, 1, 2}, []float64{1, 2, 1}
	m := ascend(t, counted(zero, one), &batch.Logistic{Tol: 1e-12, Options: online.Options{Rate: 0.2, Epochs: 5000}}, halfspace.Run{})
	w := m.Weights
	for k := range 3 {
		at0 := w.Bias[k] - w.Bias[0]
		at1 := at0 + w.W[k][0] - w.W[0][0]
		if math.Abs(at0-math.Log(zero[k]/zero[0])) > 1e-9 || math.Abs(at1-math.Log(one[k]/one[0])) > 1e-9 {
			t.Errorf("class %d: %v and %v", k, at0, at1)
		}
	}
	if !m.Report.Converged {
		t.Error("not converged")
	}
	warned(t, m, "")
}

// The tolerance means the same in any units: here the gradient by the feature
// is 1e-9 of that by the bias from the start.
func TestTolInAnyUnits(t *testing.T) {
	b := data.NewBuilder(nil)
	for _, x := range []float64{3e-9, 4e-9, 1e-9} {
		b.Add(vec.Dense(x), []byte("a"), 1)
	}
	b.Add(vec.Dense(2e-9), []byte("b"), 1)
	b.Add(vec.Dense(-1e-9), []byte("b"), 1)
	m := ascend(t, b.Set(data.Input{}), &batch.Logistic{}, halfspace.Run{})
	if m.Report.Converged {
		t.Error("converged, though the weight has hardly moved")
	}
	warned(t, m, "not at the maximum: the gradient is ")
}

// On data that no plane separates a rate of 1 throws the weights to and fro; the
// rate that the warning names does not.
func TestRateTooLarge(t *testing.T) {
	for _, classes := range []int{2, 3} {
		s := learntest.Cloud(300, 4, classes, 1)
		b := data.NewBuilder(nil)
		b.Declare(s.Classes()...)
		for i := range s.Len() {
			class := s.Class(i)
			if i%10 == 0 {
				class = (class + 1) % classes
			}
			b.Add(s.Row(i), []byte(s.Classes()[class]), 1)
		}
		s = b.Set(data.Input{})
		m := ascend(t, s, &batch.Logistic{}, halfspace.Run{})
		const begins = "not at the maximum, and the loss rose in "
		warned(t, m, begins)
		_, rest, ok := strings.Cut(m.Report.Warnings[0], "with --rate ")
		rate, _, _ := strings.Cut(rest, " ")
		calm := &batch.Logistic{}
		for _, p := range calm.Params() {
			if p.Name == "rate" && (!ok || p.Set(rate) != nil) {
				t.Fatalf("no rate in %q", m.Report.Warnings)
			}
		}
		last := math.Inf(1)
		ascend(t, s, calm, halfspace.Run{Hooks: halfspace.Hooks{Pass: func(p *halfspace.Pass) {
			if p.Loss > last {
				t.Errorf("with --rate %s the loss rose from %v to %v", rate, last, p.Loss)
			}
			last = p.Loss
		}}})
	}
}

// Three classes that planes separate are proven so, too, and without a bias.
func TestSeparableIsSaid(t *testing.T) {
	warned(t, ascend(t, learntest.Cloud(60, 3, 3, 2), &batch.Logistic{}, halfspace.Run{}), separable)
	warned(t, ascend(t, learntest.Cloud(60, 3, 2, 2), &batch.Logistic{Mean: true}, halfspace.Run{NoBias: true}), separable)
	// A point of both classes on the boundary is right by this rule, yet no proof.
	b := data.NewBuilder(nil)
	b.Add(vec.Dense(1), []byte("a"), 1)
	b.Add(vec.Dense(0), []byte("a"), 1)
	b.Add(vec.Dense(0), []byte("b"), 1)
	b.Add(vec.Dense(-1), []byte("b"), 1)
	l := &batch.Logistic{Options: online.Options{Tie: halfspace.TieRight, Epochs: 5}}
	m := ascend(t, b.Set(data.Input{}), l, halfspace.Run{NoBias: true})
	if m.Report.Train.Errors != 0 {
		t.Fatalf("report %+v", m.Report)
	}
	warned(t, m, "not at the maximum: the gradient is ")
}

// Each component has its own rate, and the rates fall as the schedule says.
func TestRates(t *testing.T) {
	s := builtin(t, "@handout")
	m := ascend(t, s, &batch.Logistic{Options: online.Options{Epochs: 1, RateBias: 2}}, halfspace.Run{Init: start(-0.5, 0, 1)})
	near6(t, m, -0.5+2*(-0.597480+0.5), 1.354377, 0.437618)
	m = ascend(t, s, &batch.Logistic{Options: online.Options{Epochs: 1, Rate: 8}, Mean: true}, halfspace.Run{Init: start(-0.5, 0, 1)})
	near6(t, m, -0.597480, 1.354377, 0.437618)
}
