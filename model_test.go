package halfspace

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/vec"
)

func linear(bias float64, w ...float64) *Weights {
	return &Weights{W: [][]float64{w}, Bias: []float64{bias}}
}

// plain is a model of two features.
func plain(w *Weights, classes ...string) *Model {
	return &Model{Classes: classes, Weights: w, Tie: TieWrong, Features: data.NewFeatures("u", "v"), Report: Report{Warnings: []string{}}}
}

func TestScorer(t *testing.T) {
	m := plain(linear(-1, 2, 3), "p", "n")
	for _, c := range []struct {
		x     vec.Row
		class int
		score float64
	}{
		{vec.Dense(1, 1), 0, 4},
		{vec.Dense(-1, 1), 0, 0},
		{vec.Dense(-1), 1, -3},
		{vec.Row{}, 1, -1},
		{vec.Dense(1, 1, 100), 0, 4}, // a feature the model does not know
		{vec.Row{Idx: []uint32{1, 4000000000}}, 0, 2},
	} {
		class, scores := m.Scorer().Classify(c.x)
		if class != c.class || scores[0] != c.score {
			t.Errorf("%v: class %d, score %v; want %d, %v", c.x, class, scores[0], c.class, c.score)
		}
	}
	if m.Positive() != "p" || plain(NewWeights(3, 2), "a", "b", "c").Positive() != "" || EmptyModel(TieWrong, true).Positive() != "" {
		t.Error("positive is not the class that scores above zero")
	}
}

// A stream may have seen one class, or none.
func TestScorerOfFewClasses(t *testing.T) {
	for _, z := range []float64{-5, 0, 5} {
		if class, _ := plain(linear(z, 0, 0), "only").Scorer().Classify(vec.Dense(1)); class != 0 {
			t.Errorf("one class, score %v: class %d", z, class)
		}
		if wrong, boundary := plain(linear(z, 0, 0), "only").Wrong([]float64{z}, 0); wrong || boundary {
			t.Errorf("one class, score %v: wrong %v, boundary %v", z, wrong, boundary)
		}
	}
	if class, _ := EmptyModel(TieWrong, true).Scorer().Classify(vec.Dense(1)); class != data.None {
		t.Errorf("no class: class %d", class)
	}
}

func TestVoting(t *testing.T) {
	two := plain(linear(0, 0, 0), "p", "n")
	two.Voters = []Voter{{3, linear(1, 0, 0)}, {4, linear(-1, 0, 0)}, {1, linear(0, 1, 0)}}
	three := plain(NewWeights(3, 2), "a", "b", "c")
	forClass := func(k int) *Weights {
		w := NewWeights(3, 2)
		w.Bias[k] = 1
		return w
	}
	three.Voters = []Voter{{1, forClass(0)}, {5, forClass(2)}, {2, forClass(1)}}
	for _, c := range []struct {
		name   string
		m      *Model
		tie    Tie
		x      vec.Row
		class  int
		scores []float64
	}{
		{"a majority", two, TieWrong, vec.Dense(-1), 1, []float64{(3. - 4 - 1) / 8}},
		{"as many for as against", two, TieWrong, vec.Dense(1), 0, []float64{0}},
		{"and the other tie rule", two, TieNegative, vec.Dense(1), 1, []float64{0}},
		{"a voter on its boundary", two, TiePositive, vec.Row{}, 0, []float64{0}},
		{"and decided against", two, TieNegative, vec.Row{}, 1, []float64{-2. / 8}},
		{"three classes", three, TieWrong, vec.Dense(1), 2, []float64{1. / 8, 2. / 8, 5. / 8}},
	} {
		m := *c.m
		m.Tie = c.tie
		s := m.Scorer()
		for range 2 { // the second time in used memory
			class, scores := s.Classify(c.x)
			if class != c.class || !reflect.DeepEqual(scores, c.scores) {
				t.Errorf("%s: class %d, scores %v; want %d, %v", c.name, class, scores, c.class, c.scores)
			}
		}
	}
}

func TestScorerDoesNotAllocate(t *testing.T) {
	m := plain(linear(0, 1, 2), "p", "n")
	m.Maps = prep.Pipeline{&prep.Dummy{In: 2}}
	m.Weights = linear(0, 1, 2, 3)
	m.Voters = []Voter{{1, m.Weights}, {2, m.Weights}}
	s, x := m.Scorer(), vec.Dense(1, 2)
	s.Classify(x)
	if n := testing.AllocsPerRun(100, func() { s.Classify(x) }); n > 0 {
		t.Errorf("%v allocations a row", n)
	}
}

func TestTally(t *testing.T) {
	b := data.NewBuilder(nil)
	b.Declare("p", "n")
	for i := range 4000 {
		label := [][]byte{[]byte("p"), []byte("n"), nil, []byte("p")}[i%4]
		b.Add(vec.Dense(float64(i%5-2)), label, 1)
	}
	s := b.Set(data.Input{})
	// Of 20 examples 5 have no class; of the 10 p's, whose values are evenly
	// spread over −2 … 2, 4 score below 0 and 2 are at 0; of the 5 n's, 2 score
	// above and 1 is at 0.
	for _, c := range []struct {
		tie    Tie
		errors int
	}{{TieWrong, 4 + 2 + 2 + 1}, {TieRight, 4 + 2}, {TiePositive, 4 + 2 + 1}, {TieNegative, 4 + 2 + 2}} {
		m := plain(linear(0, 1, 0), "p", "n")
		m.Tie = c.tie
		want := Tally{Examples: 3000, Errors: 200 * c.errors, Error: float64(c.errors) / 15, Boundary: 600}
		for _, workers := range []int{0, 1, 2, 3} {
			if got := m.Tally(s, workers); got != want {
				t.Errorf("%s, %d workers: %+v, want %+v", c.tie, workers, got, want)
			}
		}
		if got := m.Tally(s.First(0), 1); got != (Tally{}) {
			t.Errorf("of nothing: %+v", got)
		}
	}
}

// A score of infinity less infinity is no proof of anything: it counts as an
// error.
func TestTallyOfOverflow(t *testing.T) {
	m := plain(linear(0, 1e200, -1e200), "p", "n")
	s := points("pn", []float64{1e200, 1e200}, []float64{1e200, 1e200})
	if got := m.Tally(s, 1); got.Errors != 2 {
		t.Errorf("%+v, want 2 errors", got)
	}
}

// A learner's own maps come after the run's. Scaling is folded into hidden
// units, and stays a map before any other.
func TestFitKeepsLearnedMaps(t *testing.T) {
	s := points("abab", []float64{100, 1}, []float64{103, 2}, []float64{101, 7}, []float64{99, -3})
	layer := func() prep.Map {
		return &prep.Layer{Activation: prep.Tanh, In: 2, W: [][]float64{{1, -0.5}, {0.25, 2}, {-1, 1}}, Bias: []float64{0, 1, -0.5}}
	}
	for _, c := range []struct {
		name string
		made func() prep.Map
		maps []string
	}{
		{"hidden units", layer, []string{"hidden"}},
		{"another map", func() prep.Map { return &prep.Dummy{In: 2} }, []string{"standardise", "dummy"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			scale := prep.Pipeline{&prep.Standardise{}}
			weights := &Weights{W: [][]float64{{3, -2, 1}}, Bias: []float64{0.5}}
			l := &scripted{fit: func(context.Context, *Run) (*Model, error) {
				return &Model{Weights: weights.Clone(), Maps: prep.Pipeline{c.made()}, Tie: TieWrong}, nil
			}}
			m, err := Fit(context.Background(), l, Run{Set: s, Maps: scale})
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(m.Maps.Kinds(), c.maps) || !reflect.DeepEqual(m.Report.Maps, []string{"standardise"}) {
				t.Errorf("maps %v, reported %v", m.Maps.Kinds(), m.Report.Maps)
			}
			if !reflect.DeepEqual(m.Weights, weights) {
				t.Errorf("weights %v, want those learned", m.Weights)
			}
			for i := range s.Len() {
				want := weights.Score(0, prep.Pipeline{c.made()}.Row(scale.Row(s.Row(i))))
				if got := m.Scorer().Scores(s.Row(i))[0]; math.Abs(got-want) > 1e-12 {
					t.Errorf("row %d: score %v, want %v", i, got, want)
				}
			}
		})
	}
}

// A model takes raw rows: whatever the maps, folded or not, its scores are
// those of the weights that were learned, on rows mapped beforehand.
func TestFitFoldsMaps(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, classes := range []int{2, 3} {
		var rows [][]float64
		labels := ""
		for i := range 60 {
			rows = append(rows, []float64{100 + r.NormFloat64(), 1e-3 * r.NormFloat64(), 7})
			labels += string(rune('a' + i%classes))
		}
		s := points(labels, rows...)
		for _, c := range []struct {
			specs []string
			left  int // maps that cannot be folded
		}{
			{[]string{"standardise"}, 0},
			{[]string{"standardise:no-centre", "standardise"}, 0},
			{[]string{"standardise", "standardise:no-centre"}, 0},
			{[]string{"dummy", "standardise"}, 1},
			{[]string{"standardise", "products"}, 2},
			{[]string{"dummy"}, 1},
			{nil, 0},
		} {
			t.Run(fmt.Sprint(classes, c.specs), func(t *testing.T) {
				maps, err := prep.ParsePipeline(c.specs...)
				if err != nil {
					t.Fatal(err)
				}
				var learned *Weights
				var seen *data.Set
				l := &scripted{fit: func(_ context.Context, run *Run) (*Model, error) {
					seen = run.Set
					learned = NewWeights(classes, run.Set.Dim())
					learned.Each(func(v []float64) {
						for j := range v {
							v[j] = r.NormFloat64()
						}
					})
					other := learned.Clone()
					return &Model{Weights: learned.Clone(), State: &State{1, other, learned.Clone()}, Tie: TieWrong}, nil
				}}
				m, err := Fit(context.Background(), l, Run{Set: s, Maps: maps})
				if err != nil {
					t.Fatal(err)
				}
				if len(m.Maps) != c.left {
					t.Errorf("%d maps left in the model, want %d", len(m.Maps), c.left)
				}
				if !reflect.DeepEqual(m.State.Weights, m.Weights) || !reflect.DeepEqual(m.State.Sum, m.Weights) {
					t.Error("the state was not folded as the weights were")
				}
				scorer := m.Scorer()
				for i := range s.Len() {
					got := scorer.Scores(s.Row(i))
					for k := range learned.W {
						want := learned.Score(k, seen.Row(i))
						// The raw values are some 100 standard deviations from
						// zero: two digits are lost.
						if math.Abs(got[k]-want) > 1e-11*max(1, math.Abs(want)) {
							t.Fatalf("row %d, score %d: %v from raw, %v from mapped values", i, k, got[k], want)
						}
					}
				}
			})
		}
	}
}
