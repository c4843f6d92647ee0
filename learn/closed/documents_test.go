package closed_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learn/closed"
	"github.com/halfspace-ml/halfspace/learntest"
	"github.com/halfspace-ml/halfspace/vec"
)

func builtin(t *testing.T, name string) *data.Set {
	t.Helper()
	s, err := sample.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// near compares relative to the size of what is wanted.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s = %.17g, want %.17g", what, got, want)
	}
}

func vector(t *testing.T, m *halfspace.Model, tol, bias float64, w ...float64) {
	t.Helper()
	if len(m.Weights.W[0]) != len(w) {
		t.Fatalf("weights %v, want %v", m.Weights.W[0], w)
	}
	for j := range w {
		near(t, "weight", m.Weights.W[0][j], w[j], tol)
	}
	near(t, "bias", m.Weights.Bias[0], bias, tol)
}

// The rational numbers below are those of mission.md, computed there with exact
// arithmetic from the data of documents 000 and 004.
func TestLeastSquaresOfTheDocuments(t *testing.T) {
	m := learntest.Fit(t, &closed.LeastSquares{}, halfspace.Run{Set: builtin(t, "@points00")})
	vector(t, m, 1e-12, 101185./48991, -742./48991, -5534./48991)
	m = learntest.Fit(t, &closed.LeastSquares{}, halfspace.Run{Set: builtin(t, "@handout")})
	vector(t, m, 1e-12, -31130./28741, 68440./28741, -3285./28741)
	if len(m.Report.Warnings) != 0 {
		t.Errorf("warnings %q", m.Report.Warnings)
	}
}

// Document 004: ŵ exactly, and b midway between the closest projections,
// (.6,.6) and (.3,.4).
func TestFisherOfTheHandout(t *testing.T) {
	m := learntest.Fit(t, &closed.Fisher{}, halfspace.Run{Set: builtin(t, "@handout")})
	w1, w2 := 34220./10101, -1095./6734
	b := -((0.6*w1 + 0.6*w2) + (0.3*w1 + 0.4*w2)) / 2
	vector(t, m, 1e-12, b, w1, w2)
	if math.Abs(b - -1.4432) > 5e-5 {
		t.Errorf("the test's own bias %v is not the document's", b)
	}
	if m.Report.Train.Errors != 0 || len(m.Report.Warnings) != 0 {
		t.Errorf("report %+v", m.Report)
	}
}

// Fisher with the classes' sizes is midway between equal priors: on the handout
// with four examples each the boundary passes through the middle of the means.
func TestFisherByPriors(t *testing.T) {
	m := learntest.Fit(t, &closed.Fisher{Bias: closed.BiasPriors}, halfspace.Run{Set: builtin(t, "@handout")})
	w1, w2 := 34220./10101, -1095./6734
	vector(t, m, 1e-12, -(w1*(.825+.1375)+w2*(.5+.6))/2, w1, w2)
}

// Least squares and Fisher have one direction (document 004 and mission.md), on
// any data of full rank.
func TestOneDirection(t *testing.T) {
	iris, err := builtin(t, "@iris").Pair("versicolor", "virginica")
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*data.Set{"handout": builtin(t, "@handout"), "points00": builtin(t, "@points00"), "iris": iris} {
		v := learntest.Fit(t, &closed.Fisher{}, halfspace.Run{Set: s}).Weights.W[0]
		w := learntest.Fit(t, &closed.LeastSquares{}, halfspace.Run{Set: s}).Weights.W[0]
		for j := range v {
			near(t, name+": ratio", w[j]/v[j], w[0]/v[0], 1e-9)
		}
	}
}

// The objective of one centred feature is S_yy − S_xy²/(S_xx + λ), here with
// S_yy = 4, S_xy = 101 and S_xx = 29411/4.
func TestObjective(t *testing.T) {
	s := learntest.Two([][]float64{{2}, {100}}, [][]float64{{0}, {1}})
	m := learntest.Fit(t, &closed.LeastSquares{}, halfspace.Run{Set: s})
	near(t, "least squares", m.Report.Objective.Primal, 76840./29411, 1e-12)
	for _, lambda := range []float64{1e-3, 1, 1e3} {
		m = learntest.Fit(t, &closed.Ridge{Lambda: lambda}, halfspace.Run{Set: s})
		near(t, "ridge", m.Report.Objective.Primal, 4-101*101/(29411./4+lambda), 1e-12)
	}
	// With three classes it is the sum over the three planes; nothing explains
	// anything here, so that each is 4·n1·n2/n.
	b := data.NewBuilder(nil)
	for _, class := range []string{"a", "b", "b", "c", "c", "c"} {
		b.Add(vec.Dense(1), []byte(class), 1)
	}
	m = learntest.Fit(t, &closed.LeastSquares{}, halfspace.Run{Set: b.Set(data.Input{})})
	near(t, "three classes", m.Report.Objective.Primal, 4*(1*5+2*4+3*3)/6., 1e-12)
}

// λ that leaves a thousandth of what the features explain is warned of, with
// any number of classes and without a bias; less of it is not.
func TestRidgeWipesOut(t *testing.T) {
	for _, classes := range []int{2, 3} {
		for _, noBias := range []bool{false, true} {
			s := learntest.Cloud(60, 4, classes, 3)
			for lambda, warned := range map[float64]bool{1: false, 1e3: false, 1e7: true} {
				m := learntest.Fit(t, &closed.Ridge{Lambda: lambda}, halfspace.Run{Set: s, NoBias: noBias})
				if got := strings.Contains(strings.Join(m.Report.Warnings, ""), "wipes out"); got != warned {
					t.Errorf("%d classes, no bias %v, lambda %g: %q", classes, noBias, lambda, m.Report.Warnings)
				}
			}
		}
	}
}

// Document 001: least squares misses separable data. {0, 1} against {2, 100}
// gives −0.326 at x = 2, with {2, 100} positive, which is one training error.
func TestLeastSquaresMissesSeparableData(t *testing.T) {
	m := learntest.Fit(t, &closed.LeastSquares{}, halfspace.Run{Set: learntest.Two([][]float64{{2}, {100}}, [][]float64{{0}, {1}})})
	if z := m.Scorer().Scores(vec.Dense(2))[0]; math.Abs(z - -0.326) > 5e-4 {
		t.Errorf("score at 2 is %v, want -0.326", z)
	}
	if m.Report.Train.Errors != 1 {
		t.Errorf("%d errors, want 1", m.Report.Train.Errors)
	}
}

// By hand: x = −1, 1 with y = −1, 1. Σ(y − wx)² + λw² is least at
// w = 2/(2 + λ), and b = 0 is free.
func TestRidgeByHand(t *testing.T) {
	s := learntest.Two([][]float64{{1}}, [][]float64{{-1}})
	for _, lambda := range []float64{1e-9, 1, 3, 1e12} {
		m := learntest.Fit(t, &closed.Ridge{Lambda: lambda}, halfspace.Run{Set: s})
		near(t, "w", m.Weights.W[0][0], 2/(2+lambda), 1e-12)
		if math.Abs(m.Weights.Bias[0]) > 1e-15 {
			t.Errorf("bias %v", m.Weights.Bias[0])
		}
	}
	// The bias is not penalised: an offset moves it and nothing else.
	m := learntest.Fit(t, &closed.Ridge{Lambda: 2}, halfspace.Run{Set: learntest.Two([][]float64{{1e6 + 1}}, [][]float64{{1e6 - 1}})})
	vector(t, m, 1e-12, -0.5e6, 0.5)
}

// Weight 2 is the row twice.
func TestWeightTwo(t *testing.T) {
	s := builtin(t, "@iris")
	double := func(i int) bool { return i%3 == 0 }
	weighted := s.WithWeights(func(i int) float64 {
		if double(i) {
			return 2
		}
		return 1
	})
	var rows []uint32
	for i := range s.Len() {
		rows = append(rows, uint32(i))
		if double(i) {
			rows = append(rows, uint32(i))
		}
	}
	pair := func(s *data.Set) *data.Set {
		p, err := s.Pair("versicolor", "virginica")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, l := range []halfspace.Learner{&closed.LeastSquares{}, &closed.Ridge{}, &closed.Fisher{}, &closed.Fisher{Bias: closed.BiasPriors}} {
		for _, sets := range [][2]*data.Set{{weighted, s.Pick(rows)}, {pair(weighted), pair(s.Pick(rows))}} {
			a := learntest.Fit(t, l, halfspace.Run{Set: sets[0]}).Weights
			b := learntest.Fit(t, l, halfspace.Run{Set: sets[1]}).Weights
			for k := range a.W {
				for j := range a.W[k] {
					near(t, l.Name()+" weight", a.W[k][j], b.W[k][j], 1e-9)
				}
				near(t, l.Name()+" bias", a.Bias[k], b.Bias[k], 1e-9)
			}
		}
	}
}

// The directions of iris hold the means apart, unit spread within the classes,
// and are uncorrelated within them: checked from the definition.
func TestProjection(t *testing.T) {
	s := builtin(t, "@iris")
	w, err := (&closed.Fisher{}).Projection(context.Background(), &halfspace.Run{Set: s})
	if err != nil || len(w) != 2 {
		t.Fatalf("%d directions, error %v", len(w), err)
	}
	var sum [3][2]float64
	for i := range s.Len() {
		for c := range w {
			sum[s.Class(i)][c] += vec.Dot(w[c], s.Row(i)) / 50
		}
	}
	var within, between [2][2]float64
	for i := range s.Len() {
		for c := range w {
			for e := range w {
				k := s.Class(i)
				within[c][e] += (vec.Dot(w[c], s.Row(i)) - sum[k][c]) * (vec.Dot(w[e], s.Row(i)) - sum[k][e]) / 150
				mean := func(c int) float64 { return (sum[0][c] + sum[1][c] + sum[2][c]) / 3 }
				between[c][e] += (sum[k][c] - mean(c)) * (sum[k][e] - mean(e)) / 150
			}
		}
	}
	near(t, "spread", within[0][0], 1, 1e-10)
	near(t, "spread", within[1][1], 1, 1e-10)
	if math.Abs(within[0][1]) > 1e-10 || math.Abs(between[0][1]) > 1e-9 {
		t.Errorf("correlated: %v, %v", within, between)
	}
	// Ratio of between to within, the eigenvalues of S_w⁻¹S_b: 32.19 and 0.2854
	// by Rencher, and the 99.12 % and 0.88 % that R's MASS::lda prints for iris.
	if share := between[0][0] / (between[0][0] + between[1][1]); math.Abs(share-0.9912) > 5e-5 {
		t.Errorf("first share %v", share)
	}
}

func TestWideDataIsRefused(t *testing.T) {
	b := data.NewBuilder(nil)
	b.Add(vec.Row{Idx: []uint32{5000}, Val: []float64{1}}, []byte("a"), 1)
	b.Add(vec.Dense(1), []byte("b"), 1)
	for _, l := range []halfspace.Learner{&closed.LeastSquares{}, &closed.Ridge{}, &closed.Fisher{}} {
		_, err := halfspace.Fit(context.Background(), l, halfspace.Run{Set: b.Set(data.Input{})})
		want := "too many weights: " + l.Name() + " factorises all features and classes at once and takes at most 2048, and there are 5003; use --map hash:10, or a learner that takes any number, e.g. --learner averaged"
		if !errors.Is(err, halfspace.ErrTooWide) || err.Error() != want {
			t.Errorf("got %v", err)
		}
	}
}

// The margin rule on classes that overlap says what it then means.
func TestOverlap(t *testing.T) {
	s := learntest.Two([][]float64{{0}, {4}}, [][]float64{{-2}, {1}})
	m := learntest.Fit(t, &closed.Fisher{}, halfspace.Run{Set: s})
	if len(m.Report.Warnings) != 1 || !strings.HasPrefix(m.Report.Warnings[0], "the classes overlap along Fisher's direction (from 0 to 0.2") {
		t.Errorf("warnings %q", m.Report.Warnings)
	}
	near(t, "threshold", -m.Weights.Bias[0]/m.Weights.W[0][0], 0.5, 1e-12)
}

// ending is a context that ends when it has been asked so many times.
type ending struct {
	context.Context
	left atomic.Int64
}

func (e *ending) Err() error {
	if e.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// A run that ends between blocks, wherever that is, gives the error and no
// weights that rest on part of the data.
func TestEndsBetweenBlocks(t *testing.T) {
	s := learntest.Cloud(5000, 4, 2, 1) // five blocks
	for _, l := range []halfspace.Learner{&closed.LeastSquares{}, &closed.Ridge{}, &closed.Fisher{}} {
		whole := false
		for left := int64(0); !whole; left++ {
			ctx := &ending{Context: context.Background()}
			ctx.left.Store(left)
			m, err := halfspace.Fit(ctx, l, halfspace.Run{Set: s, Workers: 1})
			if whole = err == nil; whole {
				if left < 12 { // each pass asks before each block and at its end
					t.Errorf("%s asked only %d times", l.Name(), left)
				}
				break
			}
			if !errors.Is(err, context.Canceled) || m == nil || !m.Report.Interrupted || m.Report.Converged || slices.ContainsFunc(m.Weights.W[0], func(w float64) bool { return w != 0 }) {
				t.Fatalf("%s, ended after %d: model %+v, error %v", l.Name(), left, m, err)
			}
		}
	}
}

// Rows of 1e12 and 1e-12 with offsets a million times their spread: the weights
// are right to the digits that the data has.
func TestLargeOffsets(t *testing.T) {
	plain := learntest.Cloud(3000, 3, 2, 5)
	scale, offset := []float64{0x1p40, 0x1p-40, 1}, []float64{0x1p20, -0x1p20, 0x1p18}
	b, c := data.NewBuilder(nil), data.NewBuilder(nil)
	b.Declare(plain.Classes()...)
	c.Declare(plain.Classes()...)
	for i := range plain.Len() {
		x, y := make([]float64, 3), make([]float64, 3)
		for j, v := range plain.Row(i).All() {
			y[j] = math.Round(v*0x1p20) * 0x1p-20 // so that adding the offset is exact
		}
		for j := range y {
			x[j] = (y[j] + offset[j]) * scale[j]
		}
		name := []byte(plain.Classes()[plain.Class(i)])
		b.Add(vec.Dense(x...), name, 1)
		c.Add(vec.Dense(y...), name, 1)
	}
	far, close := b.Set(plain.Input()), c.Set(plain.Input())
	for _, l := range []halfspace.Learner{&closed.LeastSquares{}, &closed.Fisher{}} {
		got := learntest.Fit(t, l, halfspace.Run{Set: far}).Weights.W[0]
		want := learntest.Fit(t, l, halfspace.Run{Set: close}).Weights.W[0]
		for j := range want {
			near(t, l.Name()+" weight", got[j]*scale[j], want[j], 1e-12)
		}
	}
}
