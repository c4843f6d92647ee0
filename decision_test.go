package halfspace_test

import (
	"bytes"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// duelling is a model of n classes by duels whose scores are the biases.
func duelling(classes string, biases ...float64) *halfspace.Model {
	m := &halfspace.Model{
		Classes: strings.Split(classes, ""), Tie: halfspace.TieWrong, Decision: halfspace.OneVsOne,
		Features: data.NewFeatures("x"), Weights: &halfspace.Weights{Bias: biases}, Report: halfspace.Report{Bias: true},
	}
	for range biases {
		m.Weights.W = append(m.Weights.W, []float64{0})
	}
	return m
}

func TestOneVsOneDecides(t *testing.T) {
	for _, c := range []struct {
		what      string
		m         *halfspace.Model // ab, ac, bc
		class     int
		votes     []float64
		undecided bool
	}{
		{"a wins both", duelling("abc", 1, 2, -9), 0, []float64{2, 0, 1}, false},
		{"c wins both", duelling("abc", 1, -2, -9), 2, []float64{1, 0, 2}, false},
		{"a circle: a beats b by 1, c beats a by 1, b beats c by 5", duelling("abc", 1, -1, 5), 1, []float64{1, 1, 1}, true},
		{"a circle, the sums of a great size", duelling("abc", 1e200, -3e200, 1e200), 2, []float64{1, 1, 1}, true},
		{"a circle, the sums of a small size", duelling("abc", 1e-200, -3e-200, 1e-200), 2, []float64{1, 1, 1}, true},
		{"a draw is not a win", duelling("abc", 0, 2, 1), 0, []float64{1.5, 1.5, 0}, true},
		{"nothing learned", duelling("abc", 0, 0, 0), 0, []float64{1, 1, 1}, true},
		{"four classes: ab, ac, ad, bc, bd, cd", duelling("abcd", 1, 1, -1, 1, -1, -1), 3, []float64{2, 1, 0, 3}, false},
		{"four classes, none wins all", duelling("abcd", 1, 1, -1, 1, 5, -1), 1, []float64{2, 2, 0, 2}, true},
	} {
		class, scores := c.m.Scorer().Classify(vec.Row{})
		if class != c.class {
			t.Errorf("%s: class %d, want %d; scores %v", c.what, class, c.class, scores)
		}
		for k, v := range c.votes {
			if math.Abs(scores[k]-v) > 0.125 {
				t.Errorf("%s: scores %v, want about %v", c.what, scores, c.votes)
			}
		}
		if got := c.m.Undecided(scores); got != c.undecided {
			t.Errorf("%s: undecided %v", c.what, got)
		}
	}
	// Nothing learned: equal scores count as the tie rule says.
	m := duelling("abc", 0, 0, 0)
	if wrong, boundary := m.Wrong(m.Scorer().Scores(vec.Row{}), 0); !wrong || !boundary {
		t.Errorf("equal scores: wrong %v, boundary %v", wrong, boundary)
	}
}

func TestOneVsRestUndecided(t *testing.T) {
	m := &halfspace.Model{Classes: []string{"a", "b", "c"}, Decision: halfspace.OneVsRest}
	for _, c := range []struct {
		scores []float64
		want   bool
	}{
		{[]float64{1, -1, -2}, false}, {[]float64{1, 2, -2}, true}, {[]float64{-1, -1, -2}, true}, {[]float64{0, -1, -2}, true}, {[]float64{0, 3, 0}, false},
	} {
		if got := m.Undecided(c.scores); got != c.want {
			t.Errorf("%v: %v", c.scores, got)
		}
	}
	if joint := (&halfspace.Model{Classes: m.Classes}); joint.Undecided([]float64{-1, -1, -2}) || joint.HasUndecided() {
		t.Error("a joint model leaves a point undecided")
	}
	if two := (&halfspace.Model{Classes: []string{"a", "b"}, Decision: halfspace.OneVsOne}); two.Undecided([]float64{0}) || two.HasUndecided() {
		t.Error("two classes leave a point undecided")
	}
}

// The duels are in the order that the documentation says, and named so.
func TestDuelOrder(t *testing.T) {
	m := duelling("abcde", make([]float64, 10)...)
	k := 0
	for a := range 5 {
		for b := a + 1; b < 5; b++ {
			if got := m.Decision.Duel(a, b, 5); got != k {
				t.Errorf("duel %d, %d stands at %d, want %d", a, b, got, k)
			}
			if got, want := m.VectorName(k), m.Classes[a]+" against "+m.Classes[b]; got != want {
				t.Errorf("vector %d is %q, want %q", k, got, want)
			}
			k++
		}
	}
	if k != m.Decision.Vectors(5) || m.Decision.Vectors(2) != 1 || halfspace.OneVsRest.Vectors(5) != 5 || halfspace.Joint.Vectors(1) != 1 {
		t.Error("wrong numbers of vectors")
	}
}

// The plane between two classes is positive where the first beats the second.
func TestPlane(t *testing.T) {
	joint := &halfspace.Model{Classes: []string{"a", "b", "c"}, Weights: &halfspace.Weights{W: [][]float64{{1}, {4}, {9}}, Bias: []float64{1, 2, 3}}}
	duels := &halfspace.Model{Classes: []string{"a", "b", "c"}, Decision: halfspace.OneVsOne, Weights: joint.Weights}
	two := &halfspace.Model{Classes: []string{"a", "b"}, Weights: &halfspace.Weights{W: [][]float64{{7}}, Bias: []float64{5}}}
	for _, c := range []struct {
		m            *halfspace.Model
		class, rival int
		w, bias      float64
	}{
		{joint, 2, 0, 8, 2}, {joint, 0, 1, -3, -1}, {duels, 0, 2, 4, 2}, {duels, 2, 1, -9, -3}, {two, 0, 1, 7, 5}, {two, 1, 0, -7, -5},
	} {
		if w, bias := c.m.Plane(c.class, c.rival); w[0] != c.w || bias != c.bias {
			t.Errorf("%v: plane of %d against %d: %v, %v", c.m.Decision, c.class, c.rival, w, bias)
		}
	}
	if joint.Weights.W[2][0] != 9 || two.Weights.W[0][0] != 7 {
		t.Error("the weights changed")
	}
}

func TestDecisionInTheFile(t *testing.T) {
	m := duelling("abcd", 1, 2, 3, 4, 5, 6)
	m.Proba = &halfspace.Calibration{Kind: halfspace.LinkPlatt, Folds: 5, Curves: []halfspace.Curve{{A: -1}, {A: -2}, {A: -3}, {A: -4}}}
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		t.Fatal(err)
	}
	back, err := halfspace.ReadModel(bytes.NewReader(file.Bytes()), "model")
	if err != nil {
		t.Fatal(err)
	}
	if back.Decision != halfspace.OneVsOne || !slices.Equal(back.Weights.Bias, m.Weights.Bias) || !reflect.DeepEqual(back.Proba, m.Proba) {
		t.Errorf("read back: %q, %v, %v", back.Decision, back.Weights, back.Proba)
	}
	for _, c := range []struct{ what, old, new, want string }{
		{"unknown rule", `"decision": "ovo"`, `"decision": "dice"`, `an unknown decision rule, found "dice"`},
		{"another rule", `"decision": "ovo"`, `"decision": "ovr"`, "more biases than classes"},
		{"votes of voters", `"decision": "ovo"`, `"decision": "ovo", "voters": 1`, "voters or a state where parts decide"},
		{"no rule", `  "decision": "ovo",` + "\n", "", "more biases than classes"},
	} {
		if _, err := halfspace.ReadModel(strings.NewReader(strings.Replace(file.String(), c.old, c.new, 1)), "model"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	m.Weights.W = m.Weights.W[:4]
	if err := m.Write(&file); err == nil || !strings.Contains(err.Error(), "4 classes need 6") {
		t.Errorf("too few vectors are written: %v", err)
	}
	joint := &halfspace.Model{Classes: []string{"a", "b"}, Tie: halfspace.TieWrong, Features: data.NewFeatures("x"), Weights: halfspace.NewWeights(2, 1)}
	file.Reset()
	if err := joint.Write(&file); err != nil || strings.Contains(file.String(), "decision") {
		t.Errorf("the default rule is written down: %v", err)
	}
}

// The margin of a class is its worst duel, however many it wins: by hand, from
// ab, ac, bc. In a circle all are behind somewhere.
func TestMarginsOfDuels(t *testing.T) {
	for _, c := range []struct{ duels, want []float64 }{
		{[]float64{3, 0.5, -2}, []float64{0.5, -3, -0.5}},
		{[]float64{-1, 4, 1e-9}, []float64{-1, 1e-9, -4}},
		{[]float64{1, -2, 3}, []float64{-2, -1, -3}},
	} {
		m := duelling("abc", c.duels...)
		s := m.Scorer()
		scores := s.Scores(vec.Row{})
		if got := s.Margins(scores); !slices.Equal(got, c.want) {
			t.Errorf("duels %v: margins %v, want %v", c.duels, got, c.want)
		}
		if decided := slices.Max(c.want) > 0; decided == m.Undecided(scores) {
			t.Errorf("duels %v: decided %v, by the margins %v", c.duels, !decided, decided)
		}
	}
}

func TestDuelsDoNotAllocate(t *testing.T) {
	m := duelling("abcd", 1, 2, 3, 4, 5, 6)
	m.Proba = &halfspace.Calibration{Kind: halfspace.LinkPlatt, Curves: make([]halfspace.Curve, 4)}
	s := m.Scorer()
	if n := testing.AllocsPerRun(10, func() { s.Proba(s.Scores(vec.Row{})) }); n != 0 {
		t.Errorf("%v allocations a score", n)
	}
}
