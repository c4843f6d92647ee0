package halfspace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/halfspace-ml/halfspace/vec"
)

var allTies = []Tie{TieWrong, TieRight, TiePositive, TieNegative}

// The documents' conventions at a score of exactly zero: what is predicted,
// and for which class it counts as a mistake.
func TestTiesOfTwoClasses(t *testing.T) {
	for _, c := range []struct {
		tie           Tie
		source        string
		predicted     int // 0 is the positive class
		wrongPositive bool
		wrongNegative bool
	}{
		{TieWrong, "000: z·y ≤ 0; 001: δ·wᵀx ≥ 0; 002: sign(wᵀx) ≠ sign(y)", 0, true, true},
		{TieRight, "004: wrong if w̃ᵀx̄ < 0 strictly, z ≥ 0 → +1", 0, false, false},
		{TiePositive, "003: w·x ≥ 0 → +1, wrong if ŷ ≠ y", 0, false, true},
		{TieNegative, "001, first example: y ≤ 5 → class 2", 1, true, false},
	} {
		m := &Model{Tie: c.tie}
		if got := c.tie.decide([]float64{0}); got != c.predicted {
			t.Errorf("%s (%s): predicts %d, want %d", c.tie, c.source, got, c.predicted)
		}
		for class, want := range []bool{c.wrongPositive, c.wrongNegative} {
			wrong, boundary := m.Wrong([]float64{0}, class)
			if wrong != want || !boundary {
				t.Errorf("%s (%s): class %d wrong %v, on the boundary %v; want %v, true", c.tie, c.source, class, wrong, boundary, want)
			}
		}
		// Away from zero all rules agree, however little away.
		for _, z := range []float64{1, math.SmallestNonzeroFloat64, math.Inf(1)} {
			for class := range 2 {
				if wrong, boundary := m.Wrong([]float64{z}, class); wrong != (class == 1) || boundary {
					t.Errorf("%s: class %d at %v: wrong %v, boundary %v", c.tie, class, z, wrong, boundary)
				}
				if wrong, boundary := m.Wrong([]float64{-z}, class); wrong != (class == 0) || boundary {
					t.Errorf("%s: class %d at %v: wrong %v, boundary %v", c.tie, class, -z, wrong, boundary)
				}
			}
		}
	}
}

func TestSettle(t *testing.T) {
	least := math.SmallestNonzeroFloat64
	for _, c := range []struct {
		tie          Tie
		y, z         float64
		class, rival int
		want         float64
	}{
		{TieWrong, 1, 0, 0, 1, -least},
		{TieWrong, -1, 0, 1, 0, least},
		{TieRight, 1, 0, 0, 1, least},
		{TieRight, -1, 0, 1, 0, -least},
		{TiePositive, 1, 0, 0, 1, least},
		{TiePositive, -1, 0, 1, 0, least},
		{TieNegative, 1, 0, 0, 1, -least},
		{TieNegative, -1, 0, 1, 0, -least},
		{TiePositive, 1, 0, 1, 2, least}, // of three: the first wins
		{TiePositive, 1, 0, 2, 1, -least},
		{TieNegative, 1, 0, 1, 2, -least}, // the last wins
		{TieNegative, 1, 0, 2, 1, least},
		{TieWrong, 1, math.Copysign(0, -1), 0, 1, -least}, // −0 is 0
		{TieRight, 1, 7.5, 0, 1, 7.5},
		{TieRight, 1, -7.5, 0, 1, -7.5},
		{TieRight, 1, math.NaN(), 0, 1, -least}, // overflowed: wrong for all
		{TiePositive, -1, math.NaN(), 1, 0, least},
	} {
		if got := c.tie.Settle(c.y, c.z, c.class, c.rival); got != c.want {
			t.Errorf("%s, y = %v, z = %v, class %d against %d: got %v, want %v", c.tie, c.y, c.z, c.class, c.rival, got, c.want)
		}
	}
}

// Over all orders and ties of three scores, what counts as wrong must follow
// from what is predicted.
func TestTiesOfThreeClasses(t *testing.T) {
	for code := range 27 {
		scores := []float64{float64(code % 3), float64(code / 3 % 3), float64(code / 9)}
		best := max(scores[0], scores[1], scores[2])
		first, last, winners := -1, -1, 0
		for k, s := range scores {
			if s == best {
				if last, winners = k, winners+1; first < 0 {
					first = k
				}
			}
		}
		for class := range 3 {
			tied := scores[class] == best && winners > 1
			for tie, want := range map[Tie]struct {
				predicted int
				wrong     bool
			}{
				TieWrong:    {first, class != first || winners > 1},
				TieRight:    {first, scores[class] < best},
				TiePositive: {first, class != first},
				TieNegative: {last, class != last},
			} {
				m := &Model{Tie: tie}
				if got := tie.decide(scores); got != want.predicted {
					t.Errorf("%s: scores %v predict %d, want %d", tie, scores, got, want.predicted)
				}
				wrong, boundary := m.Wrong(scores, class)
				if wrong != want.wrong || boundary != tied {
					t.Errorf("%s: class %d with scores %v: wrong %v, boundary %v; want %v, %v", tie, class, scores, wrong, boundary, want.wrong, tied)
				}
			}
		}
	}
}

// Judge must see in an example what Wrong and decide see in its scores, and
// the rival of a mistake must be the class predicted instead.
func TestJudgeAgreesWithScores(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		classes := 2 + r.IntN(3)
		w := NewWeights(classes, 2)
		w.Each(func(v []float64) {
			for j := range v {
				v[j] = float64(r.IntN(3) - 1) // ties are frequent
			}
		})
		x := vec.Dense(float64(r.IntN(3)-1), float64(r.IntN(3)-1))
		scores := make([]float64, len(w.W))
		score(scores, w, x)
		for _, tie := range allTies {
			for class := range classes {
				y, z, rival := w.Judge(x, class, tie)
				y2, z2, rival2 := tie.Judge(scores, class)
				if y != y2 || z != z2 || rival != rival2 {
					t.Fatalf("%s: judged %v %v %d, by scores %v: %v %v %d", tie, y, z, rival, scores, y2, z2, rival2)
				}
				if rival == class || rival < 0 || rival >= classes {
					t.Fatalf("the rival of %d of %d is %d", class, classes, rival)
				}
				predicted := tie.decide(scores)
				mistake := y*tie.Settle(y, z, class, rival) < 0
				if z != 0 && mistake != (predicted != class) {
					t.Fatalf("%s: class %d, scores %v: mistake %v, predicted %d", tie, class, scores, mistake, predicted)
				}
				if predicted != class && rival != predicted {
					t.Fatalf("%s: class %d, scores %v: rival %d, predicted %d", tie, class, scores, rival, predicted)
				}
			}
		}
	}
}

func TestAdd(t *testing.T) {
	x := vec.Dense(2, 0, 1)
	two := NewWeights(2, 3)
	two.Add(x, 1, 0, -0.5, -0.25)
	if want := (&Weights{W: [][]float64{{-1, 0, -0.5}}, Bias: []float64{-0.25}}); !reflect.DeepEqual(two, want) {
		t.Errorf("two classes: %v, want %v", two, want)
	}
	three := NewWeights(3, 3)
	three.Add(x, 2, 0, 0.5, 0.25)
	want := &Weights{W: [][]float64{{-1, 0, -0.5}, {0, 0, 0}, {1, 0, 0.5}}, Bias: []float64{-0.25, 0, 0.25}}
	for k := range want.W {
		for j := range want.W[k] {
			if three.W[k][j] != want.W[k][j] || three.Bias[k] != want.Bias[k] {
				t.Fatalf("three classes: %v, want %v", three, want)
			}
		}
	}
	// The step moves z by what Kesler's construct says: 2·step·‖x̃‖².
	_, before, _ := NewWeights(3, 3).Judge(x, 2, TieWrong)
	one := NewWeights(3, 3)
	one.Add(x, 2, 0, 1, 1)
	own := one.Score(2, x) - one.Score(0, x)
	if own-before != 2*(vec.SquaredNorm(x)+1) {
		t.Errorf("moved by %v, want %v", own-before, 2*(vec.SquaredNorm(x)+1))
	}
}

func TestNewWeights(t *testing.T) {
	for classes, vectors := range []int{1, 1, 1, 3, 4} {
		w := NewWeights(classes, 5)
		if len(w.W) != vectors || len(w.Bias) != vectors || w.Dim() != 5 {
			t.Errorf("%d classes: %d vectors, %d biases, %d features", classes, len(w.W), len(w.Bias), w.Dim())
		}
	}
}

func TestWeightsClone(t *testing.T) {
	w := NewWeights(3, 2)
	c := w.Clone()
	c.W[1][1], c.Bias[2] = 5, 6
	if w.W[1][1] != 0 || w.Bias[2] != 0 {
		t.Error("the clone shares memory")
	}
}

func TestWeightsFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		w := NewWeights(3, 2)
		if !w.Finite() {
			t.Error("zeros are not finite")
		}
		w.W[2][1] = bad
		if w.Finite() {
			t.Errorf("a weight of %v is finite", bad)
		}
		w = NewWeights(3, 2)
		w.Bias[1] = bad
		if w.Finite() {
			t.Errorf("a bias of %v is finite", bad)
		}
	}
}

func TestWeightsFit(t *testing.T) {
	broken := NewWeights(2, 4)
	broken.W[0][3] = math.NaN()
	for _, c := range []struct {
		w       *Weights
		classes int
		want    string
	}{
		{NewWeights(2, 4), 2, "<nil>"},
		{NewWeights(3, 4), 3, "<nil>"},
		{NewWeights(2, 4), 3, "the start weights do not fit the data: 1 vectors where 3 classes need 3"},
		{NewWeights(3, 4), 2, "the start weights do not fit the data: 3 vectors where 2 classes need 1"},
		{NewWeights(2, 3), 2, "the start weights do not fit the data: 3 of them besides the bias, and 4 features in the data"},
		{broken, 2, "the start weights do not fit the data: they must be finite"},
	} {
		if got := fmt.Sprint(c.w.fits(c.classes, 4)); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
