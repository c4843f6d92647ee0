package multi_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learn/closed"
	"github.com/halfspace-ml/halfspace/learn/multi"
	"github.com/halfspace-ml/halfspace/learn/network"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/learntest"
	"github.com/halfspace-ml/halfspace/vec"
)

func builtin(t testing.TB, name string) *data.Set {
	t.Helper()
	s, err := sample.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var all = []multi.Scheme{multi.OVR, multi.OVO, multi.Kesler}

func TestConformance(t *testing.T) {
	for _, scheme := range all {
		for _, inner := range []func() halfspace.Learner{
			func() halfspace.Learner { return &online.Perceptron{Options: online.Options{Epochs: 50}} },
			func() halfspace.Learner { return &online.PassiveAggressive{} },
			func() halfspace.Learner { return &closed.Ridge{} },
		} {
			t.Run(string(scheme)+" "+inner().Name(), func(t *testing.T) {
				learntest.Run(t, func() halfspace.Learner { return multi.New(scheme, inner()) })
			})
		}
	}
}

// Every part is what the learner makes of its two classes alone, start weights
// and all.
func TestPartsAreTwoClassModels(t *testing.T) {
	s := learntest.Cloud(400, 5, 4, 21)
	start := halfspace.NewWeights(4, 5)
	for k := range start.W {
		for j := range start.W[k] {
			start.W[k][j] = float64(k*k) - float64(j)/4
		}
		start.Bias[k] = float64(k) / 8
	}
	for _, init := range []*halfspace.Weights{nil, start} {
		rest := learntest.Fit(t, multi.New(multi.OVR, &online.Perceptron{}), halfspace.Run{Set: s, Init: init})
		duels := learntest.Fit(t, multi.New(multi.OVO, &online.Perceptron{}), halfspace.Run{Set: s, Init: init})
		if rest.Decision != halfspace.OneVsRest || duels.Decision != halfspace.OneVsOne {
			t.Fatalf("decisions %q and %q", rest.Decision, duels.Decision)
		}
		var epochs, updates, mistakes int
		k := 0
		for a := range 4 {
			part := &halfspace.Weights{W: [][]float64{nil}, Bias: []float64{0}}
			var one *halfspace.Weights
			if init != nil {
				one = &halfspace.Weights{W: init.W[a : a+1], Bias: init.Bias[a : a+1]}
			}
			m := learntest.Fit(t, &online.Perceptron{}, halfspace.Run{Set: s.Against(a), Init: one})
			same(t, rest, a, m)
			epochs, updates, mistakes = max(epochs, m.Report.Epochs), updates+m.Report.Updates, mistakes+m.Report.Mistakes
			for b := a + 1; b < 4; b++ {
				if init != nil {
					part.W[0] = nil
					for j := range init.W[a] {
						part.W[0] = append(part.W[0], init.W[a][j]-init.W[b][j])
					}
					part.Bias[0] = init.Bias[a] - init.Bias[b]
					one = part
				}
				same(t, duels, k, learntest.Fit(t, &online.Perceptron{}, halfspace.Run{Set: s.Between(a, b), Init: one}))
				k++
			}
		}
		if r := rest.Report; r.Epochs != epochs || r.Updates != updates || r.Mistakes != mistakes || !r.Converged {
			t.Errorf("report %+v, want %d loops, %d updates, %d mistakes", r, epochs, updates, mistakes)
		}
	}
}

func same(t *testing.T, m *halfspace.Model, k int, part *halfspace.Model) {
	t.Helper()
	if !slices.Equal(m.Weights.W[k], part.Weights.W[0]) || m.Weights.Bias[k] != part.Weights.Bias[0] {
		t.Errorf("%s: %v, %v; alone %v, %v", m.VectorName(k), m.Weights.W[k], m.Weights.Bias[k], part.Weights.W[0], part.Weights.Bias[0])
	}
}

// Least squares has one plane a class by itself: the same as by parts.
func TestLeastSquaresIsOneVsRest(t *testing.T) {
	iris := builtin(t, "@iris")
	own, parts := learntest.Fit(t, &closed.LeastSquares{}, halfspace.Run{Set: iris}), learntest.Fit(t, multi.New(multi.OVR, &closed.LeastSquares{}), halfspace.Run{Set: iris})
	for k := range own.Weights.W {
		for j, v := range own.Weights.W[k] {
			if d := v - parts.Weights.W[k][j]; d > 1e-12 || d < -1e-12 {
				t.Errorf("class %d, feature %d: %v and %v", k, j, v, parts.Weights.W[k][j])
			}
		}
	}
	if own.Report.Train.Undecided != 0 || parts.Report.Train.Undecided == 0 {
		t.Errorf("undecided: %d of the joint model, %d of the parts", own.Report.Train.Undecided, parts.Report.Train.Undecided)
	}
}

// Two classes need no scheme, and the report has none.
func TestTwoClasses(t *testing.T) {
	s := learntest.Cloud(100, 3, 2, 5)
	want := learntest.Fit(t, &online.Averaged{}, halfspace.Run{Set: s})
	for _, scheme := range all {
		got := learntest.Fit(t, multi.New(scheme, &online.Averaged{}), halfspace.Run{Set: s})
		if !reflect.DeepEqual(got.Weights, want.Weights) || !reflect.DeepEqual(got.State, want.State) || got.Decision != halfspace.Joint || !reflect.DeepEqual(got.Report, want.Report) {
			t.Errorf("%s: %+v", scheme, got)
		}
	}
}

// Watched parts come one after the other, told in the terms of the whole set,
// and give the same model.
func TestHooks(t *testing.T) {
	s := learntest.Cloud(60, 3, 3, 6)
	for _, scheme := range all {
		l := func() halfspace.Learner {
			return multi.New(scheme, &online.Perceptron{Options: online.Options{Epochs: 3}})
		}
		want := learntest.Fit(t, l(), halfspace.Run{Set: s, Workers: 2})
		var parts []string
		passes := 0
		w := halfspace.NewWeights(3, 3)
		run := halfspace.Run{Set: s, Workers: 2, Hooks: halfspace.Hooks{
			Step: func(st *halfspace.Step) {
				if len(parts) == 0 || parts[len(parts)-1] != st.Part {
					parts = append(parts, st.Part)
				}
				if st.Class != s.Class(st.Index) || !reflect.DeepEqual(st.X, s.Row(st.Index)) {
					t.Fatalf("%s: example %d is not told as it stands in the set: %+v", scheme, st.Index, st)
				}
				if scheme == multi.Kesler { // a step is as the engine's would be
					if st.Rival == st.Class || st.Y != 1 || !reflect.DeepEqual(st.W, w) {
						t.Fatalf("step %+v from %v, want %v", st, st.W, w)
					}
					if z := w.Score(st.Class, st.X) - w.Score(st.Rival, st.X); z-st.Score > 1e-9 || st.Score-z > 1e-9 || st.Mistake != (st.Tau > 0) {
						t.Fatalf("score %v, want %v; step %+v", st.Score, z, st)
					}
					w.Add(st.X, st.Class, st.Rival, st.Rate*st.Tau, st.RateBias*st.Tau)
				}
			},
			Pass: func(p *halfspace.Pass) { passes++; _ = p.W.Dim() },
		}}
		got := learntest.Fit(t, l(), run)
		if !reflect.DeepEqual(got.Weights, want.Weights) || !reflect.DeepEqual(got.Report, want.Report) {
			t.Errorf("%s: watching changes the model", scheme)
		}
		expected := map[multi.Scheme][]string{
			multi.OVR:    {"a against the rest", "b against the rest", "c against the rest"},
			multi.OVO:    {"a against b", "a against c", "b against c"},
			multi.Kesler: {""},
		}[scheme]
		if !slices.Equal(parts, expected) || passes == 0 {
			t.Errorf("%s: parts %q, %d passes", scheme, parts, passes)
		}
	}
}

// A class without examples is not learned, and no example is lost to it.
func TestAbsentClass(t *testing.T) {
	s := learntest.Cloud(90, 3, 3, 7)
	two := s.Pick(slices.DeleteFunc(upTo(s.Len()), func(i uint32) bool { return s.Class(int(i)) == 1 }))
	for _, scheme := range []multi.Scheme{multi.OVR, multi.OVO} {
		m := learntest.Fit(t, multi.New(scheme, &closed.Fisher{}), halfspace.Run{Set: two})
		if m.Report.Train.Errors != 0 || m.Report.Train.Undecided != 0 {
			t.Errorf("%s: %+v", scheme, m.Report.Train)
		}
		if len(m.Report.Warnings) != 1 || !strings.HasSuffix(m.Report.Warnings[0], "without examples; the part was not learned and decides for the other") {
			t.Errorf("%s: warnings %q", scheme, m.Report.Warnings)
		}
		// A plane through the origin cannot keep to one class.
		m = learntest.Fit(t, multi.New(scheme, &closed.Fisher{}), halfspace.Run{Set: two, NoBias: true})
		if w := m.Report.Warnings; !slices.ContainsFunc(w, func(w string) bool { return strings.HasSuffix(w, "gives every example a score of 0") }) {
			t.Errorf("%s without a bias: warnings %q", scheme, w)
		}
	}
}

func upTo(n int) (all []uint32) {
	for i := range n {
		all = append(all, uint32(i))
	}
	return all
}

// A run that has ended gives a model of the right shape.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, scheme := range all {
		for _, l := range []halfspace.Learner{&online.Perceptron{}, &closed.Ridge{}} {
			m, err := halfspace.Fit(ctx, multi.New(scheme, l), halfspace.Run{Set: learntest.Cloud(80, 4, 4, 8)})
			if !errors.Is(err, context.Canceled) || m == nil || !m.Report.Interrupted {
				t.Fatalf("%s %s: model %v, error %v", scheme, l.Name(), m != nil, err)
			}
			if got := len(m.Weights.W); got != m.Decision.Vectors(4) {
				t.Errorf("%s %s: %d vectors", scheme, l.Name(), got)
			}
			said := slices.ContainsFunc(m.Report.Warnings, func(w string) bool { return strings.Contains(w, "parts were not learned to their end") })
			if said != (scheme != multi.Kesler) {
				t.Errorf("%s %s: warnings %q", scheme, l.Name(), m.Report.Warnings)
			}
		}
	}
}

// broken fails on a part.
type broken struct{ online.Perceptron }

var errBroken = errors.New("no luck")

func (*broken) Fit(_ context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	if run.Set.Classes()[0] == "b" {
		return nil, errBroken
	}
	return &halfspace.Model{Weights: halfspace.NewWeights(2, run.Set.Dim()), Tie: halfspace.TieWrong}, nil
}

// An error says whose it is.
func TestErrorNamesThePart(t *testing.T) {
	s := learntest.Cloud(30, 3, 3, 9)
	for scheme, part := range map[multi.Scheme]string{multi.OVR: "b against the rest: ", multi.OVO: "b against c: "} {
		_, err := halfspace.Fit(context.Background(), multi.New(scheme, &broken{}), halfspace.Run{Set: s})
		if !errors.Is(err, errBroken) || !strings.HasPrefix(err.Error(), part) {
			t.Errorf("%s: %v", scheme, err)
		}
	}
	if _, err := halfspace.Fit(context.Background(), multi.New("dice", &broken{}), halfspace.Run{Set: s}); err == nil || !strings.Contains(err.Error(), "ovr, ovo, kesler") {
		t.Errorf("an unknown scheme: %v", err)
	}
}

// Answers that are not a plane cannot be parts.
func TestNotAPlane(t *testing.T) {
	s := learntest.Cloud(30, 3, 3, 9)
	for _, l := range []halfspace.Learner{&online.Voted{}, &network.BackPropagation{Epochs: 2}} {
		for _, scheme := range all {
			if l.Name() == "voted" && scheme == multi.Kesler {
				continue // the voters become voters of many classes
			}
			if _, err := halfspace.Fit(context.Background(), multi.New(scheme, l), halfspace.Run{Set: s}); !errors.Is(err, multi.ErrNotPlane) {
				t.Errorf("%s of %s: %v", scheme, l.Name(), err)
			}
		}
	}
	m := learntest.Fit(t, multi.New(multi.Kesler, &online.Voted{Perceptron: online.Perceptron{Options: online.Options{Epochs: 30}}}), halfspace.Run{Set: s})
	if m.Report.Train.Errors != 0 || len(m.Voters) == 0 || len(m.Voters[0].Weights.W) != 3 {
		t.Errorf("voted by Kesler's vectors: %+v, %d voters", m.Report.Train, len(m.Voters))
	}
}

// proven is a learner whose parts have an objective, support vectors and
// warnings.
type proven struct{ online.Perceptron }

func (*proven) Fit(_ context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	m := &halfspace.Model{Weights: halfspace.NewWeights(2, run.Set.Dim()), Tie: halfspace.TieWrong}
	n := float64(run.Set.Len())
	dual, gap := n-1, 1.0
	m.Report.Objective = &halfspace.Objective{Primal: n, Dual: &dual, Gap: &gap}
	m.Report.Support = []halfspace.Support{{Row: run.Set.Number(0), Multiplier: 1}, {Row: run.Set.Number(1), Multiplier: 2}}
	m.Report.Supports = 2
	m.Report.Warnings = []string{"as always"}
	if run.Set.Classes()[0] == "a" {
		m.Report.Warnings = append(m.Report.Warnings, fmt.Sprint("about ", run.Set.Classes()[0]))
	}
	return m, nil
}

func TestReportIsTheSum(t *testing.T) {
	b := data.NewBuilder(nil)
	b.Declare("a", "b", "c")
	for _, c := range []string{"a", "b", "c", "c"} {
		b.Add(vec.Dense(1), []byte(c), 1)
	}
	s := b.Set(data.Input{})
	// a against b: rows 1, 2; a against c: 1, 3; b against c: 2, 3.
	r := learntest.Fit(t, multi.New(multi.OVO, &proven{}), halfspace.Run{Set: s}).Report
	o := r.Objective
	if o == nil || o.Primal != 8 || *o.Dual != 5 || *o.Gap != 3 || *o.RelativeGap != 3.0/8 {
		t.Errorf("objective %+v", o)
	}
	if r.Supports != 3 || r.Support != nil || r.Parameters["multi"] != "ovo" {
		t.Errorf("%d support vectors, list %v, parameters %v", r.Supports, r.Support, r.Parameters)
	}
	if want := []string{"every part: as always", "a against b, a against c: about a"}; !slices.Equal(r.Warnings, want) {
		t.Errorf("warnings %q, want %q", r.Warnings, want)
	}
	// Of the vectors of Kesler's construct, the first two are of the first example.
	if r := learntest.Fit(t, multi.New(multi.Kesler, &proven{}), halfspace.Run{Set: s}).Report; r.Supports != 1 || !slices.Equal(r.Warnings, []string{"on Kesler's vectors, whose blocks sum to zero: as always"}) {
		t.Errorf("%d examples with support vectors, warnings %q", r.Supports, r.Warnings)
	}
}

// choosy is a learner that can go several ways by itself.
type choosy struct {
	online.Perceptron
	Way string
}

func (c *choosy) Params() []halfspace.Param {
	return []halfspace.Param{halfspace.Word(&c.Way, "multi", []string{"auto", "ovr", "softmax"}, "way")}
}

func TestBy(t *testing.T) {
	for _, c := range []struct {
		l       halfspace.Learner
		way     string
		wrapped bool
		refused bool
	}{
		{&online.Perceptron{}, "auto", false, false},
		{&online.Perceptron{}, "kesler", false, false}, // its own
		{&online.Perceptron{}, "ovr", true, false},
		{&online.Perceptron{}, "softmax", false, true},
		{&online.Voted{}, "kesler", false, false},
		{&online.Voted{}, "ovo", false, true},
		{&network.BackPropagation{}, "softmax", false, false},
		{&network.BackPropagation{}, "ovr", false, true},
		{&closed.Fisher{}, "kesler", true, false},
		{&closed.Fisher{}, "auto", false, false},
		{&closed.Fisher{}, "crammer-singer", false, true},
		{&choosy{}, "softmax", false, false},
		{&choosy{}, "ovr", false, false},
		{&choosy{}, "ovo", false, true},
	} {
		l, err := multi.By(c.way, c.l)
		if c.refused {
			if err == nil || !strings.Contains(err.Error(), c.l.Name()) || !strings.Contains(err.Error(), multi.Ways(c.l)[0]) {
				t.Errorf("%s by %s: %v", c.l.Name(), c.way, err)
			}
			continue
		}
		if r, wrapped := l.(*multi.Reduction); err != nil || wrapped != c.wrapped || wrapped && string(r.Scheme()) != c.way {
			t.Errorf("%s by %s: %T, %v", c.l.Name(), c.way, l, err)
		}
		if own, ok := c.l.(*choosy); ok && own.Way != c.way {
			t.Errorf("the parameter is %q, want %q", own.Way, c.way)
		}
	}
}

// Parts are counted as they end, while they share the workers.
func TestPartsAreCounted(t *testing.T) {
	for scheme, want := range map[multi.Scheme]int{multi.OVR: 4, multi.OVO: 6} {
		var heard []int
		run := halfspace.Run{Set: learntest.Cloud(80, 4, 4, 8), Workers: 4, Hooks: halfspace.Hooks{Part: func(done, all int) {
			if all != want {
				t.Errorf("%s: of %d", scheme, all)
			}
			heard = append(heard, done)
		}}}
		learntest.Fit(t, multi.New(scheme, &closed.Ridge{}), run)
		if len(heard) != want || !slices.IsSorted(heard) || heard[want-1] != want {
			t.Errorf("%s: heard %v", scheme, heard)
		}
	}
}

// 30,000 classes have 450 million duels: more than a model may hold, and refused
// before they are made.
func TestTooManyParts(t *testing.T) {
	b := data.NewBuilder(nil)
	for i := range 30000 {
		b.Add(vec.Dense(1), fmt.Append(nil, i), 1)
	}
	_, err := halfspace.Fit(context.Background(), multi.New(multi.OVO, &closed.Ridge{}), halfspace.Run{Set: b.Set(data.Input{})})
	if !errors.Is(err, halfspace.ErrTooWide) || !strings.Contains(err.Error(), "449985000 parts of 1 features each") {
		t.Error(err)
	}
}
