package halfspace

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halfspace-ml/halfspace/vec"
)

// sumOf adds up probabilities, each of which must be one.
func sumOf(t testing.TB, p []float64) float64 {
	t.Helper()
	sum := 0.0
	for _, v := range p {
		if !(v >= 0 && v <= 1) {
			t.Fatalf("%v is no probability, in %v", v, p)
		}
		sum += v
	}
	return sum
}

func probaOf(c *Calibration, scores ...float64) []float64 {
	m := Model{Classes: make([]string, max(2, len(scores))), Weights: &Weights{W: make([][]float64, len(scores))}, Proba: c}
	return m.Scorer().Proba(scores)
}

// By hand: e^ln 3 = 3, so the odds are 3 to 1; softmax of 0, ln 2, ln 5 is 1, 2,
// 5 in 8; the margins of 3, 1, 0 are 2, −2, −3.
func TestProba(t *testing.T) {
	ln := math.Log
	knots := Curve{X: []float64{-2, 0, 1}, Y: []float64{0.1, 0.1, 0.9}}
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name   string
		c      Calibration
		scores []float64
		want   []float64
	}{
		{"logistic", Calibration{Kind: LinkLogistic}, []float64{ln(3)}, []float64{0.75, 0.25}},
		{"logistic, far", Calibration{Kind: LinkLogistic}, []float64{700}, []float64{1, math.Exp(-700)}},
		{"logistic, infinite", Calibration{Kind: LinkLogistic}, []float64{-inf}, []float64{0, 1}},
		{"logistic of no number", Calibration{Kind: LinkLogistic}, []float64{nan}, []float64{0.5, 0.5}},
		{"softmax", Calibration{Kind: LinkSoftmax}, []float64{0, ln(2), ln(5)}, []float64{0.125, 0.25, 0.625}},
		{"softmax, far", Calibration{Kind: LinkSoftmax}, []float64{1e308, -1e308, 1e308}, []float64{0.5, 0, 0.5}},
		{"softmax, infinite", Calibration{Kind: LinkSoftmax}, []float64{inf, 0, inf}, []float64{1. / 3, 1. / 3, 1. / 3}},
		{"platt", Calibration{Kind: LinkPlatt, Curves: []Curve{{A: -2, B: ln(3)}}}, []float64{ln(3)}, []float64{0.75, 0.25}},
		{"platt, level", Calibration{Kind: LinkPlatt, Curves: []Curve{{B: -ln(4)}}}, []float64{inf}, []float64{0.8, 0.2}},
		{"platt of margins", Calibration{Kind: LinkPlatt, Curves: []Curve{{A: -ln(2)}, {A: -ln(2)}, {A: -ln(2)}}}, []float64{3, 1, 0}, []float64{0.8 / (0.8 + 0.2 + 1./9), 0.2 / (0.8 + 0.2 + 1./9), 1. / 9 / (0.8 + 0.2 + 1./9)}},
		{"platt of no number", Calibration{Kind: LinkPlatt, Curves: []Curve{{A: -1}, {A: -1}, {A: -1}}}, []float64{3, nan, 0}, []float64{1. / 3, 1. / 3, 1. / 3}},
		{"isotonic, at a knot", Calibration{Kind: LinkIsotonic, Curves: []Curve{knots}}, []float64{0}, []float64{0.1, 0.9}},
		{"isotonic, between", Calibration{Kind: LinkIsotonic, Curves: []Curve{knots}}, []float64{0.25}, []float64{0.3, 0.7}},
		{"isotonic, below", Calibration{Kind: LinkIsotonic, Curves: []Curve{knots}}, []float64{-9}, []float64{0.1, 0.9}},
		{"isotonic, above", Calibration{Kind: LinkIsotonic, Curves: []Curve{knots}}, []float64{inf}, []float64{0.9, 0.1}},
		{"isotonic of no number", Calibration{Kind: LinkIsotonic, Curves: []Curve{knots}}, []float64{nan}, []float64{0.5, 0.5}},
		{"isotonic, as far as numbers go", Calibration{Kind: LinkIsotonic, Curves: []Curve{{X: []float64{-math.MaxFloat64, math.MaxFloat64}, Y: []float64{0, 1}}}}, []float64{0}, []float64{0.5, 0.5}},
		{"isotonic, none likely", Calibration{Kind: LinkIsotonic, Curves: []Curve{{X: []float64{0}, Y: []float64{0}}, {X: []float64{0}, Y: []float64{0}}, {X: []float64{0}, Y: []float64{0}}}}, []float64{1, 2, 3}, []float64{1. / 3, 1. / 3, 1. / 3}},
	} {
		if what, found := c.c.wrong(len(c.want)); what != "" {
			t.Fatalf("%s: %s %s", c.name, what, found)
		}
		got := probaOf(&c.c, c.scores...)
		for k := range got {
			if math.Abs(got[k]-c.want[k]) > 1e-15*c.want[k] {
				t.Errorf("%s: got %v, want %v", c.name, got, c.want)
				break
			}
		}
	}
}

func TestLogOdds(t *testing.T) {
	for classes, want := range map[int]Link{2: LinkLogistic, 3: LinkSoftmax} {
		c := LogOdds(classes)
		if what, _ := c.wrong(classes); c.Kind != want || what != "" {
			t.Errorf("%d classes: %s %s, want %s", classes, c.Kind, what, want)
		}
	}
}

func TestMargins(t *testing.T) {
	for _, c := range []struct{ scores, want []float64 }{
		{[]float64{3, 1, 0}, []float64{2, -2, -3}},
		{[]float64{0, 1, 3}, []float64{-3, -2, 2}},
		{[]float64{1, 3, 3}, []float64{-2, 0, 0}},
		{[]float64{2, 2, 2}, []float64{0, 0, 0}},
		{[]float64{7}, []float64{7}},
		{[]float64{-1, -5, -2}, []float64{1, -4, -1}},
	} {
		got := make([]float64, len(c.scores))
		if Margins(got, c.scores); !slices.Equal(got, c.want) {
			t.Errorf("margins of %v are %v, want %v", c.scores, got, c.want)
		}
	}
}

// random is a calibration of a kind, sound by construction.
func random(r *rand.Rand, kind Link, classes int) *Calibration {
	c := &Calibration{Kind: kind}
	if kind == LinkLogistic || kind == LinkSoftmax {
		return c
	}
	for range len(NewWeights(classes, 0).W) {
		v := Curve{A: -r.ExpFloat64(), B: r.NormFloat64()}
		if kind == LinkIsotonic {
			v = Curve{}
			for range 1 + r.IntN(8) {
				v.X = append(v.X, math.Round(r.NormFloat64()*16)/4)
			}
			slices.Sort(v.X)
			v.X = slices.Compact(v.X)
			for range v.X {
				v.Y = append(v.Y, math.Round(r.Float64()*4)/4) // zeros and ones among them
			}
			slices.Sort(v.Y)
		}
		c.Curves = append(c.Curves, v)
	}
	return c
}

// Whatever the kind and the scores: probabilities from 0 to 1 that add up to 1,
// and none falls when the score of its class rises.
func TestProbaProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, kind := range []Link{LinkLogistic, LinkSoftmax, LinkPlatt, LinkIsotonic} {
		for range 3000 {
			classes := 3 + r.IntN(3)
			if kind == LinkLogistic || kind != LinkSoftmax && r.IntN(2) == 0 {
				classes = 2
			}
			c := random(r, kind, classes)
			if what, found := c.wrong(classes); what != "" {
				t.Fatalf("%s: %s", what, found)
			}
			scores := make([]float64, len(NewWeights(classes, 0).W))
			for k := range scores {
				scores[k] = math.Round(r.NormFloat64()*8) / 2 * math.Pow(10, float64(r.IntN(7)))
			}
			p := probaOf(c, scores...)
			if sum := sumOf(t, p); math.Abs(sum-1) > 1e-15*float64(classes) {
				t.Fatalf("%s %v: %v add up to %v", kind, scores, p, sum)
			}
			k := r.IntN(len(scores))
			scores[k] += r.ExpFloat64()
			if q := probaOf(c, scores...); q[k] < p[k]-1e-15 {
				t.Fatalf("%+v: with a higher score the probability of class %d fell from %v to %v", c, k, p, q)
			}
		}
	}
}

// A scorer gives none where the model has none, and allocates nothing.
func TestScorerProba(t *testing.T) {
	m := plain(linear(0, 1, 1), "p", "n")
	s := m.Scorer()
	if p := s.Proba(s.Scores(vec.Dense(1, 1))); p != nil {
		t.Errorf("probabilities %v of a model without", p)
	}
	for _, c := range []*Calibration{{Kind: LinkLogistic}, {Kind: LinkPlatt, Curves: []Curve{{A: -1}}}, {Kind: LinkIsotonic, Curves: []Curve{{X: []float64{0, 1}, Y: []float64{0, 1}}}}} {
		m.Proba = c
		s := m.Scorer()
		x := vec.Dense(0.25, 0.25)
		if n := testing.AllocsPerRun(100, func() { s.Proba(s.Scores(x)) }); n != 0 {
			t.Errorf("%s allocates %v times an example", c.Kind, n)
		}
	}
	if got := m.Scorer().Proba([]float64{0.25}); !slices.Equal(got, []float64{0.25, 0.75}) {
		t.Errorf("got %v", got)
	}
}
