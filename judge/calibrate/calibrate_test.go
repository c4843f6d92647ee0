package calibrate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/learn/closed"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/vec"
)

// rare is 30 negatives over [-3, 1.04] below two positives.
func rare() []float64 {
	z := []float64{3, 0.5}
	for i := range 30 {
		z = append(z, float64(i*37%101)/25-3)
	}
	return z
}

// where is the scores at which curves are compared.
var where = []float64{-1e6, -4, -1.75, -1, -0.6, -0.1, 0, 0.3, 0.6, 1, 1.1, 1.9, 2.2, 5, 1e6}

// a and b minimise scikit-learn 1.9.1's own objective, solved anew by Newton's
// method in 40 digits (mpmath), for its solver stops at a gradient of 1e-6; skA
// and skB are what its _SigmoidCalibration gives. x, y and at are the
// thresholds and, at the scores of where, the answers of its IsotonicRegression
// (y_min=0, y_max=1, out_of_bounds="clip").
var references = []struct {
	name     string
	scores   []float64
	positive int // the first so many are positive; -1: by pick
	pick     []bool
	weight   []float64
	a, b     float64
	skA, skB float64
	x, y, at []float64
}{
	{
		name:     "overlapping",
		scores:   []float64{2.5, 1.25, 0.75, -0.5, 3, -1, 0.25, -2, -0.75, -3.5, 0.5, -1.5, 1, -0.25},
		positive: 7,
		a:        -0.6169507032702081, b: -0.005366050014121091, skA: -0.616950660279058, skB: -0.005366043135363146,
		x: []float64{-3.5, -1.5, -1, 1, 1.25, 3}, y: []float64{0, 0, 0.5, 0.5, 1, 1},
		at: []float64{0, 0, 0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.7000000000000002, 1, 1, 1, 1},
	},
	{
		name:     "ties",
		scores:   []float64{1, 1, 1, 1, 0, 0, 0, -1, -1, -1},
		positive: -1, pick: []bool{true, true, true, false, true, false, false, false, false, true},
		a: -0.6427076278403415, b: 0.0666039076077655, skA: -0.6427075366971706, skB: 0.06660386313882632,
		x: []float64{-1, 0, 1}, y: []float64{1. / 3, 1. / 3, 0.75},
		at: []float64{1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3, 0.4583333333333333, 0.5833333333333333, 0.75, 0.75, 0.75, 0.75, 0.75, 0.75},
	},
	{
		name:     "weights",
		scores:   []float64{2, 1, 0.5, -0.5, -1, -2, 0.25, -0.25},
		positive: -1, pick: []bool{true, true, false, true, false, false, true, false},
		weight: []float64{1, 2, 0.5, 3, 0.25, 1.5, 4, 0.75},
		a:      -1.0568482684637377, b: -1.3136065371397456, skA: -1.0568483552481311, skB: -1.3136065864316984,
		x: []float64{-2, -1, -0.5, -0.25, 0.25, 0.5, 1, 2}, y: []float64{0, 0, 0.8, 0.8, 0.8888888888888888, 0.8888888888888888, 1, 1},
		at: []float64{0, 0, 0, 0, 0.6400000000000001, 0.8266666666666667, 0.8444444444444444, 0.8888888888888888, 0.9111111111111111, 1, 1, 1, 1, 1, 1},
	},
	{
		name:     "one-sided",
		scores:   []float64{1, 2, 3, 4, -1, -2, -3},
		positive: 4,
		a:        -0.589991666271795, b: -0.017119350762646465, skA: -0.5899917168013314, skB: -0.017119095875481077,
		x: []float64{-3, -1, 1, 4}, y: []float64{0, 0, 1, 1},
		at: []float64{0, 0, 0, 0, 0.2, 0.45, 0.5, 0.65, 0.8, 1, 1, 1, 1, 1, 1},
	},
	{
		name:     "huge",
		scores:   []float64{1e5, 8e4, -2e4, 3e4, -1e5, -7e4, 1e4, -5e3},
		positive: -1, pick: []bool{true, true, true, false, false, false, true, false},
		a: -1.4656479500912536e-05, b: 0.04884819271583461, skA: -1.4656479498592272e-05, skB: 0.04884819269456372,
		x: []float64{-1e5, -7e4, -2e4, 3e4, 8e4, 1e5}, y: []float64{0, 0, 0.5, 0.5, 1, 1},
		at: []float64{0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1},
	},
	{
		name:     "far from zero",
		scores:   []float64{1000.5, 1001, 1002, 1001.25, 1000, 1000.25, 1001.5, 1000.75},
		positive: -1, pick: []bool{true, true, true, false, false, false, true, false},
		a: -1.3011051732891075, b: 1302.2752623477413, skA: -1.3011052078793115, skB: 1302.2752969636513,
		x: []float64{1000, 1000.25, 1000.5, 1001.25, 1001.5, 1002}, y: []float64{0, 0, 0.5, 0.5, 1, 1},
		at: []float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
	},
	{
		name:     "rare",
		scores:   rare(),
		positive: 2,
		a:        -0.8796027543017925, b: 2.291428133839605, skA: -0.8796025780324945, skB: 2.2914278219040414,
		x: []float64{-3, 0.48, 0.5, 0.8799999999999999, 3}, y: []float64{0, 0, 0.25, 0.25, 1},
		at: []float64{0, 0, 0, 0, 0, 0, 0, 0, 0.25, 0.2924528301886793, 0.32783018867924535, 0.6108490566037736, 0.7169811320754718, 1, 1},
	},
	{ // A = −ln 2: p is 2/3 and 1/3, the targets themselves
		name:     "one example a class",
		scores:   []float64{1, -1},
		positive: 1,
		a:        -math.Ln2, b: 0, skA: -0.6931471828035355, skB: 1.2584427445964444e-16,
		x: []float64{-1, 1}, y: []float64{0, 1},
		at: []float64{0, 0, 0, 0, 0.2, 0.45, 0.5, 0.65, 0.8, 1, 1, 1, 1, 1, 1},
	},
}

func near(got, want, tol float64) bool { return math.Abs(got-want) <= tol*(1+math.Abs(want)) }

func TestReferences(t *testing.T) {
	for _, c := range references {
		positive := c.pick
		if positive == nil {
			positive = make([]bool, len(c.scores))
			for i := range c.positive {
				positive[i] = true
			}
		}
		a, b, err := Platt(c.scores, positive, c.weight)
		if err != nil || math.Abs(a-c.a) > 1e-12*math.Abs(c.a) || !near(b, c.b, 1e-12) {
			t.Errorf("%s: sigmoid %v, %v, error %v; want %v, %v", c.name, a, b, err, c.a, c.b)
		}
		if !near(a, c.skA, 1e-6) || !near(b, c.skB, 1e-6) {
			t.Errorf("%s: sigmoid %v, %v; scikit-learn has %v, %v", c.name, a, b, c.skA, c.skB)
		}
		x, y, err := Isotonic(c.scores, positive, c.weight)
		same := err == nil && slices.EqualFunc(x, c.x, func(a, b float64) bool { return near(a, b, 1e-15) }) && slices.EqualFunc(y, c.y, func(a, b float64) bool { return near(a, b, 1e-15) })
		if !same {
			t.Errorf("%s: knots %v, %v, error %v\nwant %v, %v", c.name, x, y, err, c.x, c.y)
		}
		m := halfspace.Model{Classes: []string{"p", "n"}, Weights: halfspace.NewWeights(2, 0), Proba: &halfspace.Calibration{Kind: halfspace.LinkIsotonic, Curves: []halfspace.Curve{{X: x, Y: y}}}}
		scorer := m.Scorer()
		for i, z := range where {
			if p := scorer.Proba([]float64{z})[0]; !near(p, c.at[i], 1e-14) {
				t.Errorf("%s: isotonic probability %v at %v, want %v", c.name, p, z, c.at[i])
			}
		}
	}
}

// Imbalance, heavy and light examples, scores as large and small as numbers go:
// finite, never falling, and more likely for the positive.
func TestTorture(t *testing.T) {
	rare := make([]float64, 100_001)
	one := make([]bool, len(rare))
	for i := range rare {
		rare[i] = float64(i%1000) / 1000
	}
	rare[77], one[77] = 5, true
	two := []bool{true, true, false, false}
	for name, c := range map[string]struct {
		scores   []float64
		positive []bool
		weight   []float64
	}{
		"1 : 100,000":           {rare, one, nil},
		"heavy":                 {[]float64{2, -1, 1, -2}, two, []float64{1e300, 1e300, 1e300, 1e300}},
		"light":                 {[]float64{2, -1, 1, -2}, two, []float64{1e-9, 1e-9, 1e-9, 1e-9}},
		"heavy and light":       {[]float64{2, -1, 1, -2}, two, []float64{1e300, 1e-300, 1e-300, 1e300}},
		"far":                   {[]float64{1e308, -1e300, 1e300, -1e308}, two, nil},
		"near":                  {[]float64{1e-290, -1e-300, 1e-300, -1e-290}, two, nil},
		"one far from the rest": {[]float64{1e200, 0.5, -0.5, -1}, two, nil},
	} {
		a, b, err := Platt(c.scores, c.positive, c.weight)
		at := func(z float64) float64 { return 1 / (1 + math.Exp(a*z+b)) }
		if best, worst := at(slices.Max(c.scores)), at(slices.Min(c.scores)); err != nil || !(a < 0) || !(best > worst) {
			t.Errorf("%s: A = %v, B = %v, from %v to %v; error %v", name, a, b, worst, best, err)
		}
		x, y, err := Isotonic(c.scores, c.positive, c.weight)
		if err != nil || !(y[0] < y[len(y)-1]) || !(x[0] < x[len(x)-1]) {
			t.Errorf("%s: knots %v, %v, error %v", name, x, y, err)
		}
	}
}

// What leaves nothing to choose: the level is Platt's, the mean of the targets.
func TestLevel(t *testing.T) {
	for _, c := range []struct {
		name     string
		scores   []float64
		positive []bool
		weight   []float64
		p        float64 // the sigmoid's level
		share    float64 // the isotonic level
	}{
		// Targets 4/5 three times and 1/3 once: 41/60.
		{"constant scores", []float64{7, 7, 7, 7}, []bool{true, true, true, false}, nil, 41. / 60, 0.75},
		{"constant but for one of weight 0", []float64{-5, 7, 7, 7, 7}, []bool{true, true, true, true, false}, []float64{0, 1, 1, 1, 1}, 41. / 60, 0.75},
		{"zeros", []float64{0, 0}, []bool{true, false}, nil, 0.5, 0.5},
		{"the wrong way round", []float64{1, 2, -1, -2}, []bool{false, false, true, true}, nil, 0.5, 0.5},
		{"one class", []float64{1, 2, 3}, []bool{true, true, true}, nil, 0.8, 1},
		{"the other class", []float64{1, 2, 3}, []bool{false, false, false}, nil, 0.2, 0},
	} {
		a, b, err := Platt(c.scores, c.positive, c.weight)
		if p := 1 / (1 + math.Exp(b)); err != nil || a != 0 || !near(p, c.p, 1e-15) {
			t.Errorf("%s: A = %v, probability %v, error %v; want 0 and %v", c.name, a, p, err, c.p)
		}
		_, y, err := Isotonic(c.scores, c.positive, c.weight)
		if err != nil || y[0] != c.share || y[len(y)-1] != c.share {
			t.Errorf("%s: isotonic %v, error %v; want %v", c.name, y, err, c.share)
		}
	}
}

func TestRefused(t *testing.T) {
	two := []bool{true, false}
	const infinite = "a score is not finite, so that nothing can be calibrated; scale the features (--scale)"
	for _, c := range []struct {
		scores   []float64
		positive []bool
		weight   []float64
		want     string
	}{
		{[]float64{1, 2}, two[:1], nil, "2 scores, 1 classes and 0 weights do not pair"},
		{[]float64{1, 2}, two, []float64{1}, "2 scores, 2 classes and 1 weights do not pair"},
		{[]float64{1, math.Inf(1)}, two, nil, infinite},
		{[]float64{math.NaN(), 1}, two, nil, infinite},
		{[]float64{1, 2}, two, []float64{1, -1}, "a weight is -1; weights must be finite and not negative"},
		{[]float64{1, 2}, two, []float64{1, math.NaN()}, "a weight is NaN; weights must be finite and not negative"},
		{[]float64{1, 2}, two, []float64{0, 0}, "the examples weigh 0 in all, so that nothing can be calibrated"},
		{[]float64{1, 2}, two, []float64{math.MaxFloat64, math.MaxFloat64}, "the examples weigh +Inf in all, so that nothing can be calibrated"},
	} {
		_, _, platt := Platt(c.scores, c.positive, c.weight)
		_, _, isotonic := Isotonic(c.scores, c.positive, c.weight)
		for _, err := range []error{platt, isotonic} {
			if err == nil || err.Error() != c.want {
				t.Errorf("error %v\nwant  %s", err, c.want)
			}
		}
	}
	const close = "the scores differ by less than a sigmoid can tell apart; scale the features (--scale)"
	if _, _, err := Platt([]float64{1e-310, -1e-310}, two, nil); err == nil || err.Error() != close {
		t.Errorf("error %v\nwant  %s", err, close)
	}
	if _, err := Curves(halfspace.LinkLogistic, [][]float64{{1}, {2}}, []int{0, 1}, nil); err == nil {
		t.Error("a logistic curve was fitted")
	}
	if _, err := Curves(halfspace.LinkPlatt, nil, nil, nil); err == nil {
		t.Error("a curve was fitted to nothing")
	}
}

// Whatever the scores: a sigmoid that is finite, never falls and fits no worse
// than its neighbours; knots in order; a weight of 2 is the same as two
// examples.
func TestProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		n := 2 + r.IntN(30)
		scale := math.Pow(10, float64(r.IntN(16)-8))
		shift := float64(r.IntN(3)-1) * scale * 10
		var z, w, z2 []float64
		var pos, pos2 []bool
		for range n {
			s, p, k := math.Round(r.NormFloat64()*4)*scale+shift, r.IntN(3) == 0, r.IntN(3)
			z, pos, w = append(z, s), append(pos, p), append(w, float64(k))
			for range k {
				z2, pos2 = append(z2, s), append(pos2, p)
			}
		}
		if len(z2) == 0 {
			continue
		}
		a, b, err := Platt(z, pos, w)
		a2, b2, err2 := Platt(z2, pos2, nil)
		if err != nil || err2 != nil || !(a <= 0) {
			t.Fatalf("A = %v, B = %v, errors %v, %v", a, b, err, err2)
		}
		for _, s := range z {
			if p, p2 := 1/(1+math.Exp(a*s+b)), 1/(1+math.Exp(a2*s+b2)); !near(p, p2, 1e-9) {
				t.Fatalf("weights give %v, examples twice %v", p, p2)
			}
		}
		f := newSigmoidFit(z, pos, w)
		best := sigmoidLoss(f, z, a, b)
		for _, d := range []float64{-1e-3, 1e-3} {
			if near := sigmoidLoss(f, z, a, b+d); near < best-1e-9 {
				t.Fatalf("the loss is %v, and %v at B %+v", best, near, d)
			}
			if near := sigmoidLoss(f, z, a+d*a, b-d*a*shift); near < best-1e-9 {
				t.Fatalf("the loss is %v, and %v at A times %v", best, near, 1+d)
			}
		}
		x, y, err := Isotonic(z, pos, w)
		x2, y2, err2 := Isotonic(z2, pos2, nil)
		if err != nil || err2 != nil || !slices.Equal(x, x2) || !slices.EqualFunc(y, y2, func(a, b float64) bool { return near(a, b, 1e-14) }) {
			t.Fatalf("knots %v %v, of examples twice %v %v; errors %v, %v", x, y, x2, y2, err, err2)
		}
		for i := 1; i < len(x); i++ {
			if x[i] <= x[i-1] || y[i] < y[i-1] {
				t.Fatalf("knots %v, %v out of order", x, y)
			}
		}
	}
}

// sigmoidLoss is Platt's objective as its definition says.
func sigmoidLoss(f *sigmoidFit, z []float64, a, b float64) float64 {
	sum := 0.0
	for i := range z {
		p := 1 / (1 + math.Exp(a*z[i]+b))
		if f.w[i] > 0 {
			sum -= f.w[i] * (f.t[i]*math.Log(p) + (1-f.t[i])*math.Log(1-p))
		}
	}
	return sum
}

// The isotonic curve is the nearest of all that never fall: by the min-max
// formula, the largest over starts of the smallest mean over ends.
func TestIsotonicByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		n := 1 + r.IntN(12)
		z, pos, w := make([]float64, n), make([]bool, n), make([]float64, n)
		for i := range z {
			z[i], pos[i], w[i] = float64(i), r.IntN(2) == 0, 1+float64(r.IntN(4))
		}
		x, y, err := Isotonic(z, pos, w)
		if err != nil {
			t.Fatal(err)
		}
		m := halfspace.Model{Classes: []string{"p", "n"}, Weights: halfspace.NewWeights(2, 0), Proba: &halfspace.Calibration{Kind: halfspace.LinkIsotonic, Curves: []halfspace.Curve{{X: x, Y: y}}}}
		for i := range z {
			want := 0.0
			for lo := range i + 1 {
				least := 1.0
				for hi := i; hi < n; hi++ {
					hits, all := 0.0, 0.0
					for k := lo; k <= hi; k++ {
						all += w[k]
						if pos[k] {
							hits += w[k]
						}
					}
					least = min(least, hits/all)
				}
				want = max(want, least)
			}
			if got := m.Scorer().Proba([]float64{z[i]})[0]; got != want {
				t.Fatalf("%v %v %v: got %v at %v, want %v", z, pos, w, got, z[i], want)
			}
		}
	}
}

// noise is n examples of d features with labels that have nothing to do with
// them.
func noise(n, d int, classes ...string) *data.Set {
	r := rand.New(rand.NewPCG(7, 8))
	b := data.NewBuilder(nil)
	b.Declare(classes...)
	for range n {
		x := make([]float64, d)
		for j := range x {
			x[j] = r.NormFloat64()
		}
		b.Add(vec.Dense(x...), []byte(classes[r.IntN(len(classes))]), 1)
	}
	return b.Set(data.Input{})
}

func squares(_ int, part *data.Set) (halfspace.Learner, halfspace.Run, error) {
	return &closed.LeastSquares{}, halfspace.Run{Set: part}, nil
}

// Least squares with more features than examples is right on all it has seen,
// whatever the labels. Examples left out must unmask it.
func TestCrossFitLooksAtExamplesLeftOut(t *testing.T) {
	s := noise(100, 120, "a", "b")
	m, err := halfspace.Fit(context.Background(), &closed.LeastSquares{}, halfspace.Run{Set: s})
	if err != nil || m.Report.Train.Errors > 0 {
		t.Fatalf("%d training errors, error %v; the test wants none", m.Report.Train.Errors, err)
	}
	for _, kind := range []halfspace.Link{halfspace.LinkPlatt, halfspace.LinkIsotonic} {
		if m.Proba, err = CrossFit(context.Background(), kind, s, 5, 1, squares); err != nil {
			t.Fatal(err)
		}
		scorer, sure := m.Scorer(), 0.0
		for i := range s.Len() {
			sure = max(sure, slices.Max(scorer.Proba(scorer.Scores(s.Row(i)))))
		}
		if sure > 0.75 {
			t.Errorf("%s is sure to %v of labels thrown by a coin", kind, sure)
		}
	}
}

func TestCrossFitIsFixedBySeed(t *testing.T) {
	s := noise(3000, 3, "a", "b", "c")
	fit := func(workers int, seed uint64) *halfspace.Calibration {
		c, err := CrossFit(context.Background(), halfspace.LinkPlatt, s, 4, seed, func(_ int, part *data.Set) (halfspace.Learner, halfspace.Run, error) {
			return &online.Averaged{}, halfspace.Run{Set: part, Workers: workers}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if c.Folds != 4 || len(c.Curves) != 3 {
			t.Fatalf("%+v", c)
		}
		return c
	}
	one := fit(1, 1)
	if many := fit(7, 1); !reflect.DeepEqual(one, many) {
		t.Errorf("one worker gives %+v, seven %+v", one, many)
	}
	if other := fit(1, 2); reflect.DeepEqual(one, other) {
		t.Error("another seed gives the same curves")
	}
}

// What an example weighs in the set counts, what it weighs in the training does
// not: class weights move the plane, not the truth.
func TestCrossFitWeights(t *testing.T) {
	s := noise(400, 1, "a", "b")
	level := func(s *data.Set, start Start) float64 {
		c, err := CrossFit(context.Background(), halfspace.LinkIsotonic, s, 5, 1, start)
		if err != nil {
			t.Fatal(err)
		}
		y := c.Curves[0].Y
		return (y[0] + y[len(y)-1]) / 2
	}
	heavy := func(set *data.Set) *data.Set {
		return set.WithWeights(func(i int) float64 { return 1 + 8*float64(1-set.Class(i)) })
	}
	plain := level(s, squares)
	trained := level(s, func(f int, part *data.Set) (halfspace.Learner, halfspace.Run, error) {
		return squares(f, heavy(part))
	})
	weighed := level(heavy(s), squares)
	if math.Abs(plain-trained) > 0.1 || weighed < plain+0.2 {
		t.Errorf("levels %v, %v with class weights in the training, %v with heavy examples", plain, trained, weighed)
	}
}

func TestCrossFitRefused(t *testing.T) {
	of := func(labels ...string) *data.Set {
		b := data.NewBuilder(nil)
		b.Declare("a", "b")
		for i, label := range labels {
			b.Add(vec.Dense(float64(i)), []byte(label), 1)
		}
		return b.Set(data.Input{})
	}
	_, err := CrossFit(context.Background(), halfspace.LinkPlatt, of("a", "a", "b"), 5, 1, squares)
	want := `too few examples to calibrate: class "b" has one example, and each class needs two or more, for some are left out in turn`
	if !errors.Is(err, ErrFew) || err.Error() != want {
		t.Errorf("error %v\nwant  %s", err, want)
	}
	four := of("a", "a", "b", "b")
	if _, err := CrossFit(context.Background(), halfspace.LinkPlatt, four, 100, 1, squares); err != nil {
		t.Errorf("two examples a class in 100 folds: %v", err)
	}
	if _, err := CrossFit(context.Background(), halfspace.LinkPlatt, four, 1, 1, squares); err == nil {
		t.Error("one fold accepted")
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := CrossFit(ctx, halfspace.LinkPlatt, noise(50, 2, "a", "b"), 2, 1, func(_ int, part *data.Set) (halfspace.Learner, halfspace.Run, error) {
		return &online.Averaged{}, halfspace.Run{Set: part}, nil
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: error %v", err)
	}
}
