package network_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learn/network"
	"github.com/halfspace-ml/halfspace/learntest"
	"github.com/halfspace-ml/halfspace/vec"
)

// The truth tables of the gates, rows 00, 01, 10, 11.
var tables = map[string][4]float64{
	"AND": {0, 0, 0, 1}, "OR": {0, 1, 1, 1}, "NAND": {1, 1, 1, 0}, "NOR": {1, 0, 0, 0}, "XOR": {0, 1, 1, 0},
}

func TestGates(t *testing.T) {
	gates := map[string]network.Network{
		"AND": {{network.And()}}, "OR": {{network.Or()}}, "NAND": {{network.Nand()}}, "NOR": {{network.Nor()}}, "XOR": network.XOR(),
	}
	for name, want := range tables {
		for i, w := range want {
			x1, x2 := float64(i/2), float64(i%2)
			if got := gates[name].Outputs(x1, x2); len(got) != 1 || got[0] != w {
				t.Errorf("%s(%g, %g) = %v, want %g", name, x1, x2, got, w)
			}
		}
	}
}

// The gates as models: no error on the built-in sets of their names, and the
// same from a file.
func TestGateModels(t *testing.T) {
	for name, n := range map[string]network.Network{
		"@and": {{network.And()}}, "@or": {{network.Or()}}, "@nand": {{network.Nand()}}, "@nor": {{network.Nor()}}, "@xor": network.XOR(),
	} {
		m, err := n.Model()
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := m.Write(&file); err != nil {
			t.Fatal(err)
		}
		back, err := halfspace.ReadModel(&file, "gate")
		if err != nil {
			t.Fatal(err)
		}
		s, err := read(t, name).WithClasses(m.Classes)
		if err != nil {
			t.Fatal(err)
		}
		want := halfspace.Tally{Examples: 4}
		if got, again := m.Tally(s, 1), back.Tally(s, 1); got != want || again != want {
			t.Errorf("%s: %+v, from its file %+v", name, got, again)
		}
	}
	if _, err := (network.Network{{network.Or(), network.And()}}).Model(); err == nil || err.Error() != "a model answers by one unit; the last layer must have just one" {
		t.Errorf("two units: %v", err)
	}
}

// A threshold unit fires at a score of exactly 0, as document 004 has it.
func TestUnitAtZero(t *testing.T) {
	if got := (network.Unit{W: []float64{1}, Bias: -1}).Output(1); got != 1 {
		t.Errorf("output %v at z = 0, want 1", got)
	}
}

func TestLine(t *testing.T) {
	for _, c := range []struct {
		line network.Line
		want string
	}{
		{network.Line{A: 1, B: 1, C: -0.5}, "x1 + x2 - 0.5 = 0"},
		{network.Line{A: -1, B: -1, C: 1.5}, "-x1 - x2 + 1.5 = 0"},
		{network.Line{A: 0, B: 2.5, C: 0}, "2.5·x2 = 0"},
		{network.Line{A: 0, B: -2.5, C: 1}, "-2.5·x2 + 1 = 0"},
		{network.Line{}, "0 = 0"},
	} {
		if got := c.line.String(); got != c.want {
			t.Errorf("%v: %q, want %q", [3]float64{c.line.A, c.line.B, c.line.C}, got, c.want)
		}
	}
	if got := (network.Line{A: 1, B: 2, C: -4}).At(2); got != 1 { // 2 + 2·1 − 4 = 0
		t.Errorf("x2 = %v at x1 = 2, want 1", got)
	}
}

func read(t *testing.T, name string) *data.Set {
	t.Helper()
	s, err := sample.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fit(t *testing.T, l *network.BackPropagation, run halfspace.Run) *halfspace.Model {
	t.Helper()
	m, err := halfspace.Fit(context.Background(), l, run)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The issue asks for XOR from any of 20 seeds.
func TestXORFromAnySeed(t *testing.T) {
	xor := read(t, "@xor")
	for _, c := range []network.BackPropagation{
		{}, {Activation: prep.Tanh}, {Activation: prep.ReLU},
	} {
		for seed := uint64(1); seed <= 20; seed++ {
			l := c
			m := fit(t, &l, halfspace.Run{Set: xor, Seed: seed})
			if m.Report.Train.Errors != 0 || !m.Report.Converged {
				t.Errorf("%s, seed %d: %d errors, converged %v after %d loops", l.Activation, seed, m.Report.Train.Errors, m.Report.Converged, m.Report.Epochs)
			}
		}
	}
}

// The loss at each step ends below the limit, and is the mean of the losses
// that the steps show.
func TestLossAtEachStep(t *testing.T) {
	var losses, shown []float64
	sum, n := 0.0, 0
	m := fit(t, &network.BackPropagation{}, halfspace.Run{Set: read(t, "@xor"), Seed: 3, Hooks: halfspace.Hooks{
		Step: func(s *halfspace.Step) {
			if !s.HasLoss || !s.Deferred || s.Layer == nil {
				t.Fatalf("step %+v", s)
			}
			// ln(1 + e^(−y·z)), and z is what the weights make of the hidden outputs
			if want := math.Log1p(math.Exp(-s.Y * s.Score)); math.Abs(s.Loss-want) > 1e-15 {
				t.Fatalf("loss %v at y = %v, z = %v, want %v", s.Loss, s.Y, s.Score, want)
			}
			if want := s.Y / (1 + math.Exp(s.Y*s.Score)); math.Abs(s.Tau-want) > 1e-15 { // −∂loss/∂z
				t.Fatalf("τ = %v at y = %v, z = %v, want %v", s.Tau, s.Y, s.Score, want)
			}
			if z := s.W.Score(0, s.Hidden); z != s.Score {
				t.Fatalf("z = %v, the weights make %v", s.Score, z)
			}
			sum, n = sum+s.Loss, n+1
		},
		Pass: func(p *halfspace.Pass) {
			if !p.HasLoss || p.Layer == nil {
				t.Fatalf("pass %+v", p)
			}
			losses, shown = append(losses, p.Loss), append(shown, sum/float64(n))
			sum, n = 0, 0
		},
	}})
	if len(losses) != m.Report.Epochs {
		t.Fatalf("%d losses in %d loops", len(losses), m.Report.Epochs)
	}
	for i := range losses {
		if math.Abs(losses[i]-shown[i]) > 1e-15 {
			t.Errorf("loop %d: loss %v, mean of the steps %v", i, losses[i], shown[i])
		}
	}
	if last := losses[len(losses)-1]; last >= 0.01 || losses[0] < 0.5 {
		t.Errorf("the loss goes from %v to %v, want from some 0.7 to below 0.01", losses[0], last)
	}
}

// Another seed is another start, the same seed the same model.
func TestSeeds(t *testing.T) {
	s := read(t, "@handout")
	one, again, other := fit(t, &network.BackPropagation{}, halfspace.Run{Set: s, Seed: 1}), fit(t, &network.BackPropagation{}, halfspace.Run{Set: s, Seed: 1}), fit(t, &network.BackPropagation{}, halfspace.Run{Set: s, Seed: 2})
	if a, b := one.Hidden().W[0][0], again.Hidden().W[0][0]; a != b {
		t.Errorf("the same seed gives %v and %v", a, b)
	}
	if a, b := one.Hidden().W[0][0], other.Hidden().W[0][0]; a == b {
		t.Errorf("two seeds give %v", a)
	}
}

// η means the same in any unit of the features: with rows 2^k times as long the
// hidden weights are 2^−k times as large, and all else is the same to the bit.
func TestUnitOfTheFeatures(t *testing.T) {
	s := read(t, "@handout")
	scaled := s.Map(s.Features(), func(dst *vec.Buffer, x vec.Row) {
		for j, v := range x.All() {
			dst.Add(uint32(j), 1024*v)
		}
	})
	a, b := fit(t, &network.BackPropagation{}, halfspace.Run{Set: s}), fit(t, &network.BackPropagation{}, halfspace.Run{Set: scaled})
	for k := range a.Hidden().W {
		for j, v := range a.Hidden().W[k] {
			if u := 1024 * b.Hidden().W[k][j]; u != v {
				t.Errorf("unit %d, weight %d: %v and %v", k, j, v, u)
			}
		}
	}
	if a.Report.Epochs != b.Report.Epochs || a.Weights.Bias[0] != b.Weights.Bias[0] {
		t.Errorf("%d and %d loops, bias %v and %v", a.Report.Epochs, b.Report.Epochs, a.Weights.Bias[0], b.Weights.Bias[0])
	}
}

// Scaling before the network is folded into its hidden units: the model takes
// raw rows, and scores them as the learner scored the scaled ones.
func TestScalingIsFolded(t *testing.T) {
	s := read(t, "@iris")
	maps := prep.Pipeline{&prep.Standardise{}}
	m := fit(t, &network.BackPropagation{Epochs: 50}, halfspace.Run{Set: s, Maps: maps})
	if len(m.Maps) != 1 || m.Hidden() == nil {
		t.Fatalf("maps %v, want the hidden units only", m.Maps.Kinds())
	}
	plain := fit(t, &network.BackPropagation{Epochs: 50}, halfspace.Run{Set: maps.Set(s)})
	a, b := m.Scorer(), plain.Scorer()
	for i := range s.Len() {
		u, v := a.Scores(s.Row(i)), b.Scores(maps.Row(s.Row(i)))
		for k := range u {
			if math.Abs(u[k]-v[k]) > 1e-11*(1+math.Abs(v[k])) {
				t.Fatalf("row %d: score %v from raw, %v from scaled values", i, u[k], v[k])
			}
		}
	}
}

// Maps that cannot be folded stay before the hidden units.
func TestMapsBefore(t *testing.T) {
	m := fit(t, &network.BackPropagation{Epochs: 5}, halfspace.Run{Set: read(t, "@handout"), Maps: prep.Pipeline{&prep.Standardise{}, &prep.Products{}}})
	if len(m.Maps) != 3 || m.Hidden() == nil || m.Hidden().In != 5 {
		t.Errorf("maps %v", m.Maps.Kinds())
	}
	if got := m.MappedFeatures().Name(15); got != "h16" {
		t.Errorf("the last weight is that of %s", got)
	}
}

// Predicting costs no memory.
func TestScorerDoesNotAllocate(t *testing.T) {
	s := read(t, "@xor")
	scorer := fit(t, &network.BackPropagation{}, halfspace.Run{Set: s}).Scorer()
	if n := testing.AllocsPerRun(100, func() { scorer.Classify(s.Row(1)) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Plain descent, without momentum, solves XOR too, in more steps.
func TestPlain(t *testing.T) {
	s := read(t, "@xor")
	quick, plain := fit(t, &network.BackPropagation{}, halfspace.Run{Set: s, Seed: 1}), fit(t, &network.BackPropagation{Plain: true, Epochs: 20000}, halfspace.Run{Set: s, Seed: 1})
	if plain.Report.Train.Errors != 0 || !plain.Report.Converged || plain.Report.Epochs <= quick.Report.Epochs {
		t.Errorf("plain: %d errors in %d loops; with momentum %d loops", plain.Report.Train.Errors, plain.Report.Epochs, quick.Report.Epochs)
	}
}

// Early stop: by the share of errors, before the loss is small.
func TestStopError(t *testing.T) {
	s := read(t, "@xor")
	early, late := fit(t, &network.BackPropagation{StopError: 0.1}, halfspace.Run{Set: s, Seed: 1}), fit(t, &network.BackPropagation{}, halfspace.Run{Set: s, Seed: 1})
	if !early.Report.Converged || early.Report.Train.Errors != 0 || early.Report.Epochs >= late.Report.Epochs {
		t.Errorf("stopped after %d loops with %d errors; by the loss after %d", early.Report.Epochs, early.Report.Train.Errors, late.Report.Epochs)
	}
}

// A training that is stopped on its way gives the network as it stands.
func TestStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	m, err := halfspace.Fit(ctx, &network.BackPropagation{}, halfspace.Run{Set: read(t, "@xor"), Hooks: halfspace.Hooks{Pass: func(p *halfspace.Pass) {
		if p.Epoch == 4 {
			cancel()
		}
	}}})
	if !errors.Is(err, context.Canceled) || m == nil || m.Report.Epochs != 5 || m.Report.Updates != 5 || !m.Report.Interrupted || m.Hidden() == nil {
		t.Fatalf("model %v, error %v", m, err)
	}
}

func TestRefusals(t *testing.T) {
	s := read(t, "@handout")
	for _, c := range []struct {
		name  string
		l     network.BackPropagation
		run   halfspace.Run
		cause error
		want  string
	}{
		{"start weights", network.BackPropagation{}, halfspace.Run{Set: s, Init: halfspace.NewWeights(2, 2)}, halfspace.ErrInit,
			"the start weights do not fit the data: they are those of one plane, and a network draws its own by the seed; leave them out"},
		{"a random plane", network.BackPropagation{}, halfspace.Run{Set: s, RandomInit: true}, halfspace.ErrInit,
			"the start weights do not fit the data: they are those of one plane, and a network draws its own by the seed; leave them out"},
		{"too many units", network.BackPropagation{Hidden: 1 << 16}, halfspace.Run{Set: wide()}, halfspace.ErrTooWide,
			"too many weights: 65536 hidden units for 5000 features and 2 examples; use fewer units (--hidden), or hash the features"},
		{"no units", network.BackPropagation{Hidden: -1}, halfspace.Run{Set: s}, nil,
			"hidden = -1 is not possible; it must be a whole number from 1 to 65536"},
		{"an unknown activation", network.BackPropagation{Activation: "step"}, halfspace.Run{Set: s}, nil,
			`activation = "step" is not possible; it must be one of sigmoid, tanh, relu`},
		{"centred without a bias", network.BackPropagation{Epochs: 3}, halfspace.Run{Set: s, NoBias: true, Maps: prep.Pipeline{&prep.Standardise{}}}, halfspace.ErrMaps,
			"the feature maps do not fit the data: centred features need a bias; use standardise:no-centre, or allow the bias"},
		{"a rate that no number can hold", network.BackPropagation{Rate: 1e300, Activation: prep.ReLU}, halfspace.Run{Set: s}, nil,
			"the weights grew beyond what numbers can hold; scale the features (--scale) or lower the rate"},
	} {
		_, err := halfspace.Fit(context.Background(), &c.l, c.run)
		if err == nil || err.Error() != c.want || c.cause != nil && !errors.Is(err, c.cause) {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}

func wide() *data.Set {
	b := data.NewBuilder(nil)
	b.Add(vec.Row{Idx: []uint32{4999}, Val: []float64{1}}, []byte("a"), 1)
	b.Add(vec.Dense(1), []byte("b"), 1)
	return b.Set(data.Input{})
}

// A set of very large and very small values, and one with an empty row, end in
// finite weights.
func TestExtremes(t *testing.T) {
	for name, scale := range map[string]float64{"huge": 1e155, "tiny": 1e-170, "largest": 1e307} {
		b := data.NewBuilder(nil)
		for i, x := range [][]float64{{0, 0}, {0, 1}, {1, 0}, {1, 1}} {
			b.Add(vec.Dense(scale*x[0], scale*x[1]), []byte{"abba"[i]}, 1)
		}
		m := fit(t, &network.BackPropagation{}, halfspace.Run{Set: b.Set(data.Input{}), Seed: 1})
		if m.Report.Train.Errors != 0 {
			t.Errorf("%s: %d errors on XOR", name, m.Report.Train.Errors)
		}
	}
}

// An example of weight 2 is an example that stands twice.
func TestWeightTwo(t *testing.T) {
	s := learntest.Cloud(60, 3, 3, 21)
	twice := data.NewBuilder(nil)
	twice.Declare(s.Classes()...)
	for i := range s.Len() {
		for range 1 + i%2 {
			twice.Add(s.Row(i), []byte(s.Classes()[s.Class(i)]), 1)
		}
	}
	l := network.BackPropagation{Epochs: 40, StopLoss: 1e-9}
	a, b := s.WithWeights(func(i int) float64 { return float64(1 + i%2) }), twice.Set(s.Input())
	l1, l2 := l, l
	m, n := fit(t, &l1, halfspace.Run{Set: a}), fit(t, &l2, halfspace.Run{Set: b})
	for k := range m.Weights.W {
		for j := range m.Weights.W[k] {
			if u, v := m.Weights.W[k][j], n.Weights.W[k][j]; math.Abs(u-v) > 1e-9 {
				t.Fatalf("weights %v and %v", u, v)
			}
		}
	}
}
