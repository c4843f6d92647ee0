package risk_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learn/risk"
	"github.com/halfspace-ml/halfspace/learntest"
	"github.com/halfspace-ml/halfspace/vec"
)

func built(t *testing.T, name string) *data.Set {
	t.Helper()
	s, err := sample.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// With a large C the soft margin is the hard one. On points00 (exact arithmetic,
// document 000's sheet): w = (2, −20)/101, w0 = 291/101, λ = 2/101 on (15,11)
// and (14,21). On the handout's example (document 004): w = (120, 10)/19,
// b = −59/19, λ = (7250, 2100, 5150)/361.
func TestHardMargin(t *testing.T) {
	for _, c := range []struct {
		name       string
		w          []float64
		bias       float64
		rows       []int
		multiplier []float64
	}{
		{"@points00", []float64{2. / 101, -20. / 101}, 291. / 101, []int{2, 3}, []float64{2. / 101, 2. / 101}},
		{"@handout", []float64{120. / 19, 10. / 19}, -59. / 19, []int{3, 7, 8}, []float64{7250. / 361, 2100. / 361, 5150. / 361}},
	} {
		m := learntest.Fit(t, &risk.SVM{Options: risk.Options{C: 1e4, Tol: 1e-9}}, halfspace.Run{Set: built(t, c.name)})
		for j, w := range c.w {
			near(t, c.name+" w", m.Weights.W[0][j], w, 1e-6)
		}
		near(t, c.name+" bias", m.Weights.Bias[0], c.bias, 1e-6)
		var rows []int
		for k, s := range m.Report.Support {
			rows = append(rows, s.Row)
			if k < len(c.multiplier) {
				near(t, c.name+" λ", s.Multiplier, c.multiplier[k], 1e-5)
			}
		}
		if !slices.Equal(rows, c.rows) || m.Report.Supports != len(rows) {
			t.Errorf("%s: support %v (%d), want %v", c.name, rows, m.Report.Supports, c.rows)
		}
		if !m.Report.Converged || len(m.Report.Warnings) > 0 {
			t.Errorf("%s: %+v", c.name, m.Report)
		}
	}
}

// away is how far the weights are from Σ λ·y·x over the support, and the sum of
// λ·y.
func away(m *halfspace.Model, s *data.Set) (distance, sum float64) {
	at := map[int]int{}
	for i := range s.Len() {
		at[s.Number(i)] = i
	}
	w := slices.Clone(m.Weights.W[0])
	for _, p := range m.Report.Support {
		y := 1 - 2*float64(s.Class(at[p.Row]))
		vec.Axpy(w, -y*p.Multiplier, s.Row(at[p.Row]))
		sum += y * p.Multiplier
	}
	return vec.Norm(w), sum
}

// The weights are Σ λ·y·x over the support: as nearly as the gap allows, for
// ½‖w − Σ λ·y·x‖² is a part of it, and to 1e-9 where the gap is nothing. With a
// free bias Σ λ·y = 0.
func TestSupport(t *testing.T) {
	noisy := learntest.Cloud(200, 5, 2, 3)
	noisy = noisy.WithWeights(func(i int) float64 { return 1 + float64(i%3) })
	for _, loss := range []string{"hinge", "squared-hinge"} {
		for _, bias := range []string{"free", "penalised"} {
			for _, tol := range []float64{1e-2, 1e-4, 1e-15} {
				for _, solver := range []string{"auto", "dual"} {
					options := risk.Options{C: 0.01, Bias: bias, Tol: tol, Solver: solver, Epochs: 3000}
					m := learntest.Fit(t, &risk.SVM{Loss: loss, Options: options}, halfspace.Run{Set: noisy})
					distance, sum := away(m, noisy)
					size := vec.Norm(m.Weights.W[0])
					name := strings.Join([]string{loss, bias, solver}, ", ")
					if o := m.Report.Objective; distance > math.Sqrt(2*(*o.Gap+1e-15*o.Primal)) {
						t.Errorf("%s, tol %v: w is %v from Σ λ·y·x, and the gap is %v", name, tol, distance, *o.Gap)
					}
					if tol == 1e-15 && distance > 1e-9*size {
						t.Errorf("%s: w is %v of itself from Σ λ·y·x", name, distance/size)
					}
					if bias == "free" && math.Abs(sum) > 1e-13 {
						t.Errorf("%s, tol %v: Σ λ·y = %v", name, tol, sum)
					}
					if bias == "penalised" && tol == 1e-15 {
						near(t, name+": bias", m.Weights.Bias[0], sum, 1e-6)
					}
					if m.Report.Supports == 0 || m.Report.Supports == noisy.Len() && loss == "hinge" {
						t.Errorf("%s: %d of %d support vectors", name, m.Report.Supports, noisy.Len())
					}
				}
			}
		}
	}
}

// A weight of the example is a factor of its C, a class weight one of its class.
func TestWeightsScaleC(t *testing.T) {
	s := built(t, "@iris")
	s, err := s.Pair("versicolor", "virginica")
	if err != nil {
		t.Fatal(err)
	}
	all := s.WithWeights(func(int) float64 { return 5 })
	one := s.WithWeights(func(i int) float64 { return 1 + 4*float64(s.Class(i)) })
	for _, l := range []string{"hinge", "squared-hinge", "logistic", "modified-huber", "squared"} {
		options := func(c float64) *risk.Risk {
			return &risk.Risk{Loss: l, Options: risk.Options{C: c, Tol: 1e-10}}
		}
		want := learntest.Fit(t, options(5), halfspace.Run{Set: s})
		got := learntest.Fit(t, options(1), halfspace.Run{Set: all})
		near(t, l+": objective of weight 5", got.Report.Objective.Primal, want.Report.Objective.Primal, 1e-9*want.Report.Objective.Primal)
		for j, w := range want.Weights.W[0] {
			near(t, l+": w", got.Weights.W[0][j], w, 1e-4)
		}
		// The class that weighs more is missed less.
		heavy := learntest.Fit(t, options(1), halfspace.Run{Set: one})
		if missed(heavy, s, 1) > missed(learntest.Fit(t, options(1), halfspace.Run{Set: s}), s, 1) {
			t.Errorf("%s: the heavier class is missed more", l)
		}
	}
}

func missed(m *halfspace.Model, s *data.Set, class int) (n int) {
	scorer := m.Scorer()
	for i := range s.Len() {
		if c, _ := scorer.Classify(s.Row(i)); s.Class(i) == class && c != class {
			n++
		}
	}
	return n
}

// Without a penalty, logistic regression of separable classes has no answer: it
// gives a direction, says so, and is not converged. A penalty, or classes that
// no plane separates, have one.
func TestNoLeastValue(t *testing.T) {
	for _, solver := range []string{"newton", "lbfgs"} {
		m := learntest.Fit(t, &risk.Logistic{Options: risk.Options{Penalty: "none", Solver: solver}}, halfspace.Run{Set: built(t, "@handout")})
		near(t, "‖w‖", vec.Norm(m.Weights.W[0]), 1, 1e-15)
		want := "a plane separates the classes, so without a penalty longer weights always fit better and none are best: these are a direction, of length 1, with no example on the wrong side; --penalty l2 has an answer, and --learner svm-hard gives the direction with the widest margin"
		if r := m.Report; r.Converged || r.Objective != nil || r.Train.Errors != 0 || !slices.Equal(r.Warnings, []string{want}) {
			t.Errorf("%s: converged %v, objective %v, %d errors, %q", solver, r.Converged, r.Objective, r.Train.Errors, r.Warnings)
		}
	}
	// A plane with examples of both classes on it will do, too.
	weak := table([]float64{1, 1, 0}, []float64{1, 0, 1}, []float64{-1, 0, 1}, []float64{-1, -1, 0})
	m := learntest.Fit(t, &risk.Logistic{Options: risk.Options{Penalty: "none"}}, halfspace.Run{Set: weak})
	if m.Report.Converged || len(m.Report.Warnings) != 1 || m.Report.Objective != nil {
		t.Errorf("weakly separable: %+v", m.Report)
	}
	near(t, "the direction", m.Weights.W[0][0], 1, 1e-6)

	m = learntest.Fit(t, &risk.Logistic{Options: risk.Options{Penalty: "none"}}, halfspace.Run{Set: built(t, "@xor")})
	if !m.Report.Converged || m.Report.Objective == nil || m.Report.Objective.Dual != nil {
		t.Errorf("xor: %+v", m.Report)
	}
	near(t, "xor: −log-likelihood", m.Report.Objective.Primal, 4*math.Ln2, 1e-12)

	// Far examples on their side do not make a near one on the wrong side right.
	far := table([]float64{1, -1}, []float64{1, 2}, []float64{-1, 1}, []float64{-1, -2}, []float64{1, 1e12}, []float64{-1, -1e12})
	m = learntest.Fit(t, &risk.Logistic{Options: risk.Options{Penalty: "none"}}, halfspace.Run{Set: far})
	if m.Report.Objective == nil || m.Report.Train.Errors == 0 {
		t.Errorf("not separable, with far examples: %+v", m.Report)
	}
}

// The objective falls with every loop of newton, the last is the report's, and
// hooks change nothing.
func TestLoopsFall(t *testing.T) {
	s := built(t, "@digits35")
	for _, l := range []string{"logistic", "squared-hinge", "modified-huber"} {
		var values []float64
		done := false
		run := halfspace.Run{Set: s, Hooks: halfspace.Hooks{Pass: func(p *halfspace.Pass) {
			values = append(values, p.Loss)
			done = p.Done
			if !p.HasLoss || p.Epoch != len(values)-1 {
				t.Errorf("%s: loop %d, has a loss: %v", l, p.Epoch, p.HasLoss)
			}
		}}}
		learner := func() *risk.Risk { return &risk.Risk{Loss: l, Options: risk.Options{Solver: "newton"}} }
		m := learntest.Fit(t, learner(), run)
		if len(values) != m.Report.Epochs || len(values) < 2 || !done {
			t.Errorf("%s: %d loops watched, %d reported; done: %v", l, len(values), m.Report.Epochs, done)
		}
		for k := 1; k < len(values); k++ {
			if values[k] > values[k-1]*(1+1e-12) {
				t.Errorf("%s: the objective rose from %v to %v", l, values[k-1], values[k])
			}
		}
		near(t, l+": the last", values[len(values)-1], m.Report.Objective.Primal, 1e-12*m.Report.Objective.Primal)
		blind := learntest.Fit(t, learner(), halfspace.Run{Set: s})
		if !slices.Equal(blind.Weights.W[0], m.Weights.W[0]) {
			t.Errorf("%s: the hook changed the weights", l)
		}
	}
}

// The steps of dual coordinate descent, added up, are the weights.
func TestStepsAddUp(t *testing.T) {
	s := built(t, "@points00")
	for _, bias := range []string{"free", "penalised"} {
		w := make([]float64, s.Dim())
		run := halfspace.Run{Set: s, Hooks: halfspace.Hooks{Step: func(p *halfspace.Step) {
			for j := range w {
				if math.Abs(w[j]-p.W.W[0][j]) > 1e-12 {
					t.Fatalf("loop %d, example %d: w = %v, and the steps make %v", p.Epoch, p.Index, p.W.W[0], w)
				}
			}
			near(t, "loss", p.Loss, max(0, 1-p.Y*p.Score), 1e-12)
			vec.Axpy(w, p.Rate*p.Tau, p.X)
		}}}
		m := learntest.Fit(t, &risk.SVM{Options: risk.Options{Solver: "dual", Bias: bias, Tol: 1e-6}}, run)
		for j := range w {
			near(t, bias+": w", m.Weights.W[0][j], w[j], 1e-12)
		}
	}
}

// When the user stops it, the model is the best so far, and its gap is true.
func TestCancelled(t *testing.T) {
	s := built(t, "@digits35")
	for _, l := range []halfspace.Learner{
		&risk.SVM{Options: risk.Options{Tol: 1e-12}},
		&risk.SVM{Options: risk.Options{Tol: 1e-12, Solver: "dual"}},
		&risk.Logistic{Options: risk.Options{Tol: 1e-12}},
		&risk.Logistic{Options: risk.Options{Tol: 1e-12, Solver: "lbfgs"}},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		m, err := halfspace.Fit(ctx, l, halfspace.Run{Set: s, Hooks: halfspace.Hooks{Pass: func(p *halfspace.Pass) {
			if p.Epoch == 1 {
				cancel()
			}
		}}})
		cancel()
		if !errors.Is(err, context.Canceled) || m == nil {
			t.Fatalf("%s: %v", l.Name(), err)
		}
		r := m.Report
		if r.Epochs != 2 || r.Converged || !r.Interrupted || len(r.Warnings) > 0 {
			t.Errorf("%s: %d loops, converged %v, interrupted %v, %q", l.Name(), r.Epochs, r.Converged, r.Interrupted, r.Warnings)
		}
		value := vec.SquaredNorm(vec.Dense(m.Weights.W[0]...)) / 2
		for i := range s.Len() {
			z := (1 - 2*float64(s.Class(i))) * m.Weights.Score(0, s.Row(i))
			if l.Name() == "svm" {
				value += max(0, 1-z)
			} else {
				value += math.Log1p(math.Exp(-z))
			}
		}
		near(t, l.Name()+": objective", r.Objective.Primal, value, 1e-9*value)
		whole := learntest.Fit(t, l, halfspace.Run{Set: s})
		least := whole.Report.Objective.Primal
		if *r.Objective.Dual > least*(1+1e-9) || r.Objective.Primal < least*(1-1e-9) {
			t.Errorf("%s: [%v, %v] when stopped, and the least is %v", l.Name(), *r.Objective.Dual, r.Objective.Primal, least)
		}
	}
}

// table is examples of two classes, by row: class, then features.
func table(rows ...[]float64) *data.Set {
	b := data.NewBuilder(nil)
	b.Declare("+", "-")
	for _, r := range rows {
		label := "+"
		if r[0] < 0 {
			label = "-"
		}
		b.Add(vec.Dense(r[1:]...), []byte(label), 1)
	}
	return b.Set(data.Input{})
}

// What is said when the gap was not reached, or something else is of note.
func TestAdvice(t *testing.T) {
	uneven := table([]float64{1, 1, 1000}, []float64{1, -3, 500}, []float64{-1, 1, 900}, []float64{-1, 2, -300})
	weights := func(w ...float64) *halfspace.Weights {
		return &halfspace.Weights{W: [][]float64{w[1:]}, Bias: w[:1]}
	}
	xor := built(t, "@xor")
	// %g stands for the relative gap of the report, %d for its loops.
	for _, c := range []struct {
		name string
		l    halfspace.Learner
		run  halfspace.Run
		want string
	}{
		{"nothing", &risk.SVM{}, halfspace.Run{Set: built(t, "@points00")}, ""},
		{"too few loops", &risk.SVM{Options: risk.Options{C: 1000, Solver: "dual", Epochs: 1}}, halfspace.Run{Set: xor},
			"stopped after %[2]d loop: the objective may be up to %.2[1]g of itself above the least possible, and --tol asked for 0.0001; next, try more loops (--epochs 10), or a smaller C (--c 100)"},
		{"uneven features", &risk.Logistic{Options: risk.Options{C: 10, Epochs: 2, Tol: 1e-9}}, halfspace.Run{Set: uneven},
			"stopped after %[2]d loops: the objective may be up to %.2[1]g of itself above the least possible, and --tol asked for 1e-09; next, try more loops (--epochs 20), or features of one size (--scale), or a smaller C (--c 1)"},
		{"scaled", &risk.Logistic{Options: risk.Options{C: 10, Epochs: 2, Tol: 1e-9}}, halfspace.Run{Set: uneven, Maps: prep.Pipeline{&prep.Standardise{}}},
			"stopped after %[2]d loops: the objective may be up to %.2[1]g of itself above the least possible, and --tol asked for 1e-09; next, try more loops (--epochs 20), or a smaller C (--c 1)"},
		{"beyond rounding", &risk.SVM{Options: risk.Options{Tol: 1e-300, Solver: "dual", Epochs: 1e6}}, halfspace.Run{Set: built(t, "@points00")},
			"stopped after %[2]d loops: the objective may be up to %.2[1]g of itself above the least possible, and --tol asked for 1e-300; next, try a larger --tol, since rounding allows no further step, or a smaller C (--c 0.1)"},
		{"without a penalty", &risk.Logistic{Options: risk.Options{Penalty: "none", Epochs: 1}}, halfspace.Run{Set: xor, Init: weights(0.5, 1, 1)},
			"stopped after 1 loop: the gradient is still 0.2 long; next, try more loops (--epochs 10)"},
		{"start of multipliers", &risk.SVM{}, halfspace.Run{Set: xor, Init: weights(1, 1, 1)},
			"the start weights were not used: the solver (multipliers) starts from multipliers"},
		{"start of dual", &risk.Logistic{Options: risk.Options{Solver: "dual"}}, halfspace.Run{Set: xor, Init: weights(1, 1, 1)},
			"the start weights were not used: the solver (dual) starts from multipliers; --solver newton uses them"},
		{"start beyond numbers", &risk.SVM{Loss: "squared-hinge"}, halfspace.Run{Set: xor, Init: weights(1, 1e200, 1)},
			"the start weights were not used: there the objective is beyond what numbers can hold"},
		{"perceptron", &risk.Risk{Loss: "perceptron"}, halfspace.Run{Set: xor},
			"with a penalty the perceptron loss is least for weights of zero, and these are; --loss hinge asks for a margin, or --learner perceptron stops at the first plane"},
	} {
		m := learntest.Fit(t, c.l, c.run)
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		if strings.Contains(c.want, "%") {
			want = []string{fmt.Sprintf(c.want, *m.Report.Objective.RelativeGap, m.Report.Epochs)}
		}
		if !slices.Equal(m.Report.Warnings, want) && len(m.Report.Warnings)+len(want) > 0 {
			t.Errorf("%s:\n%q, want\n%q", c.name, m.Report.Warnings, want)
		}
	}
}

// Numbers that cannot be worked with are refused by name.
func TestBeyondNumbers(t *testing.T) {
	for _, c := range []struct {
		name   string
		c      float64
		weight float64
		row    []float64
		want   string
	}{
		{"a long row", 1, 1, []float64{1, 1e155}, "row 1 is so long that its square is beyond what numbers can hold; scale the features (--scale)"},
		{"a large C", 1e308, 1, []float64{1, 100}, "row 1: C times the square of its length is beyond what numbers can hold; use a smaller --c, or scale the features (--scale)"},
		{"an infinite C", 1e308, 100, []float64{1, 0}, "row 1: C times the square of its length is beyond what numbers can hold; use a smaller --c, or scale the features (--scale)"},
		{"a vanishing C", 1e-300, 1e-30, []float64{1, 1}, "row 1: C times its weight 1e-30 is below what numbers can hold; use a larger --c"},
		{"vanishing features", 1, 1, []float64{1, 1e-150}, "the features are so small that their squares vanish; scale them (--scale)"},
	} {
		s := table(c.row, []float64{-1, -c.row[1] / 2}).WithWeights(func(int) float64 { return c.weight })
		for _, l := range []halfspace.Learner{&risk.SVM{Options: risk.Options{C: c.c}}, &risk.Logistic{Options: risk.Options{C: c.c}}} {
			if _, err := halfspace.Fit(context.Background(), l, halfspace.Run{Set: s}); err == nil || err.Error() != c.want {
				t.Errorf("%s, %s: %v, want %s", l.Name(), c.name, err, c.want)
			}
		}
	}
}

// Without features and bias there is nothing to solve for, and the objective of
// no weights is the least: six examples at a score of 0, each loss by hand.
func TestNoWeights(t *testing.T) {
	set := func(classes int) *data.Set {
		b := data.NewBuilder(data.NewFeatures())
		for i := range 6 {
			b.Add(vec.Row{}, []byte{byte('a' + i%classes)}, 1)
		}
		return b.Set(data.Input{})
	}
	for _, c := range []struct {
		l       halfspace.Learner
		classes int
		want    float64
	}{
		{&risk.Logistic{}, 2, 6 * math.Ln2},
		{&risk.Logistic{Options: risk.Options{Penalty: "none"}}, 2, 6 * math.Ln2},
		{&risk.Logistic{Options: risk.Options{Penalty: "l1"}}, 2, 6 * math.Ln2},
		{&risk.Logistic{Options: risk.Options{Solver: "lbfgs"}}, 2, 6 * math.Ln2},
		{&risk.SVM{}, 2, 6},
		{&risk.SVM{Options: risk.Options{Solver: "dual"}}, 2, 6},
		{&risk.SVM{Loss: "squared-hinge"}, 2, 6},
		{&risk.Logistic{}, 3, 6 * math.Log(3)},
		{&risk.SVM{}, 3, 18},
		{&risk.SVM{Options: risk.Options{Multi: "crammer-singer"}}, 3, 6},
		{&risk.SVM{Options: risk.Options{Multi: "kesler"}}, 3, 12},
	} {
		m := learntest.Fit(t, c.l, halfspace.Run{Set: set(c.classes), NoBias: true})
		near(t, c.l.Name(), m.Report.Objective.Primal, c.want, 1e-14)
		if !m.Report.Converged {
			t.Errorf("%s, %d classes: not converged", c.l.Name(), c.classes)
		}
	}
}

// One class against the rest compares scores, and a direction has no size to
// compare; duels and Kesler's construct need none.
func TestDirectionsAreNotCompared(t *testing.T) {
	run := halfspace.Run{Set: built(t, "@iris")} // setosa is separable from the rest
	parts := func(way string) *risk.Logistic {
		return &risk.Logistic{Options: risk.Options{Penalty: "none", Multi: way}}
	}
	_, err := halfspace.Fit(context.Background(), parts("ovr"), run)
	if !errors.Is(err, halfspace.ErrParams) || !strings.Contains(err.Error(), "use --penalty l2") {
		t.Errorf("got %v", err)
	}
	if m := learntest.Fit(t, parts("ovo"), run); m.Report.Train.Errors > 3 {
		t.Errorf("duels: %d errors", m.Report.Train.Errors)
	}
}
