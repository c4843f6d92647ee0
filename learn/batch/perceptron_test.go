package batch_test

import (
	"context"
	"math"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learn/batch"
	"github.com/halfspace-ml/halfspace/learn/online"
)

func fit(t *testing.T, set string, l *batch.Perceptron, run halfspace.Run) *halfspace.Model {
	t.Helper()
	s, err := sample.Read(set)
	if err != nil {
		t.Fatal(err)
	}
	run.Set = s
	m, err := halfspace.Fit(context.Background(), l, run)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func check(t *testing.T, m *halfspace.Model, bias float64, w ...float64) {
	t.Helper()
	for j := range w {
		if math.Abs(m.Weights.W[0][j]-w[j]) > 1e-12 {
			t.Errorf("w = %v, want %v", m.Weights.W[0], w)
		}
	}
	if math.Abs(m.Weights.Bias[0]-bias) > 1e-12 {
		t.Errorf("bias = %v, want %v", m.Weights.Bias[0], bias)
	}
}

func start(bias float64, w ...float64) *halfspace.Weights {
	return &halfspace.Weights{W: [][]float64{w}, Bias: []float64{bias}}
}

// Document 004's example: from [0, 1, −.5] one step of η = 1 gives
// [1.45, −.6, −.5], bias last, and no mistakes; E(w[0]) = 1.6 by mission.md.
func TestHandout(t *testing.T) {
	var losses []float64
	run := halfspace.Run{Init: start(-0.5, 0, 1), Hooks: halfspace.Hooks{Pass: func(p *halfspace.Pass) { losses = append(losses, p.Loss) }}}
	m := fit(t, "@handout", &batch.Perceptron{Options: online.Options{Tie: halfspace.TieRight}, Sum: true}, run)
	check(t, m, -0.5, 1.45, -0.6)
	if !m.Report.Converged || m.Report.Updates != 1 || m.Report.Train.Errors != 0 {
		t.Errorf("report %+v", m.Report)
	}
	if len(losses) != 2 || math.Abs(losses[0]-1.6) > 1e-12 || losses[1] != 0 {
		t.Errorf("losses %v, want 1.6 and 0", losses)
	}
}

// Document 001's step: ρ = 0.7 from [1, 1, −0.5]. The slide prints
// [1.42, 0.51, 0.5]; the bias moves by 0.7·(1 − 1) = 0, so −0.5 is right.
func TestSlide(t *testing.T) {
	m := fit(t, "@slide", &batch.Perceptron{Options: online.Options{Rate: 0.7, Epochs: 1}, Sum: true}, halfspace.Run{Init: start(-0.5, 1, 1)})
	check(t, m, -0.5, 1.42, 0.51)
}

// The mean form divides the sum by n: with n times the rate it is the sum.
func TestMeanIsSumOverN(t *testing.T) {
	run := halfspace.Run{Init: start(-0.5, 0, 1)}
	mean := fit(t, "@handout", &batch.Perceptron{Options: online.Options{Rate: 8, Epochs: 1}}, run)
	check(t, mean, -0.5, 1.45, -0.6)
}

// Document 000 stops on the share of errors, before the step: a start without
// errors is not changed, and w = 0, where the loss is 0 too, is.
func TestStopsOnErrorsNotLoss(t *testing.T) {
	done := fit(t, "@handout", &batch.Perceptron{}, halfspace.Run{Init: start(-0.5, 1.45, -0.6)})
	check(t, done, -0.5, 1.45, -0.6)
	zero := fit(t, "@handout", &batch.Perceptron{}, halfspace.Run{})
	if zero.Report.Updates == 0 || !zero.Report.Converged || zero.Report.Train.Errors != 0 {
		t.Errorf("from zero: %+v", zero.Report)
	}
}

// ρ_t = c/t and c/√t: the second step is a half, and 1/√2, of the first.
func TestSchedules(t *testing.T) {
	for schedule, factor := range map[string]float64{"constant": 1, "1/t": 0.5, "1/sqrt": 1 / math.Sqrt2} {
		l := &batch.Perceptron{Options: online.Options{Rate: 1e-3, Epochs: 2, Schedule: online.Schedule(schedule)}}
		var rates []float64
		fit(t, "@handout", l, halfspace.Run{Hooks: halfspace.Hooks{Pass: func(p *halfspace.Pass) { rates = append(rates, p.Rate) }}})
		if len(rates) != 2 || math.Abs(rates[1]-factor*rates[0]) > 1e-18 {
			t.Errorf("%s: rates %v", schedule, rates)
		}
	}
}
