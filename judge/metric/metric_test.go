package metric

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
	"github.com/halfspace-ml/halfspace/vec"
)

// close allows for a few last bits.
func close(got, want float64) bool { return math.Abs(got-want) <= 1e-12*max(1, math.Abs(want)) }

// must is a figure that exists.
func must(t *testing.T) func(v float64, err error) float64 {
	return func(v float64, err error) float64 {
		t.Helper()
		if err != nil {
			t.Errorf("missing: %v", err)
		}
		return v
	}
}

// Twelve examples of three classes, and of two (positive or not) with ties
// within the classes and between them.
var (
	truth     = []int{0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2}
	predicted = []int{0, 0, 0, 1, 2, 1, 1, 0, 1, 1, 2, 2}
	proba     = [][]float64{{.7, .2, .1}, {.6, .3, .1}, {.5, .25, .25}, {.3, .45, .25}, {.2, .2, .6}, {.1, .8, .1}, {.05, .9, .05}, {.55, .35, .1}, {0, 1, 0}, {.25, .5, .25}, {.1, .1, .8}, {0, .25, .75}}
	weights   = []float64{1, 2, 0.5, 1.5, 3, 0.25, 1, 2, 4, 1, 0.75, 2.5}

	twoTruth  = []int{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1}
	twoScores = []float64{2.5, 1, 1, 0, -0.5, 1, 0, -1, -1, -2, -1, 2.5}
	twoProba  = []float64{0.9, 0.8, 0.3, 0.55, 1, 0.1, 0.45, 0.2, 0, 0.35, 0.62, 1} // of class 0
)

// two is the outcomes of the two-class example; a score of 0 is for class 0.
func two(weight []float64) *Outcomes {
	o := &Outcomes{Classes: []string{"p", "n"}, True: twoTruth, Weight: weight, Boundary: make([]bool, len(twoTruth))}
	for i, z := range twoScores {
		class := 0
		if z < 0 {
			class = 1
		}
		o.Predicted = append(o.Predicted, class)
		o.Wrong = append(o.Wrong, class != twoTruth[i])
		o.Scores = append(o.Scores, []float64{z})
		o.Proba = append(o.Proba, []float64{twoProba[i], 1 - twoProba[i]})
	}
	return o
}

// All figures of this file but those said to be by hand are scikit-learn 1.9.1's:
// confusion_matrix, accuracy_score, balanced_accuracy_score, matthews_corrcoef,
// cohen_kappa_score, precision_recall_fscore_support with zero_division=0.
func TestConfusion(t *testing.T) {
	for _, c := range []struct {
		name                                string
		weight                              []float64
		confusion                           Confusion
		accuracy, balanced, matthews, kappa float64
		classes                             []Rates
		macro, byWeight                     Rates
	}{
		{
			"plain", nil, Confusion{{3, 1, 1}, {1, 3, 0}, {0, 1, 2}},
			2. / 3, 0.6722222222222222, 0.5, 0.49473684210526314,
			[]Rates{{0.75, 0.6, 2. / 3}, {0.6, 0.75, 2. / 3}, {2. / 3, 2. / 3, 2. / 3}},
			Rates{0.6722222222222222, 0.6722222222222222, 2. / 3}, Rates{0.6791666666666667, 2. / 3, 2. / 3},
		},
		{
			"weighted", weights, Confusion{{3.5, 1.5, 3}, {2, 5.25, 0}, {0, 1, 3.25}},
			0.6153846153846154, 0.6421146044624746, 0.4320483234906218, 0.42307692307692313,
			[]Rates{{0.6363636363636364, 0.4375, 0.5185185185185185}, {0.6774193548387096, 0.7241379310344828, 0.7}, {0.52, 0.7647058823529411, 0.6190476190476191}},
			Rates{0.6112609970674486, 0.6421146044624746, 0.6125220458553792}, Rates{0.6262666365892172, 0.6153846153846154, 0.6079025912359246},
		},
	} {
		m := Confuse(truth, predicted, c.weight, 3)
		if !reflect.DeepEqual(m, c.confusion) {
			t.Errorf("%s: confusion %v, want %v", c.name, m, c.confusion)
		}
		same := func(what string, got, want float64) {
			if !close(got, want) {
				t.Errorf("%s: %s %v, want %v", c.name, what, got, want)
			}
		}
		same("accuracy", must(t)(m.Accuracy()), c.accuracy)
		same("balanced accuracy", must(t)(m.Balanced()), c.balanced)
		same("Matthews", must(t)(m.Matthews()), c.matthews)
		same("kappa", must(t)(m.Kappa()), c.kappa)
		rates := append(m.Rates(), m.Macro(), m.ByWeight())
		for k, want := range append(c.classes, c.macro, c.byWeight) {
			same("precision", rates[k].Precision, want.Precision)
			same("recall", rates[k].Recall, want.Recall)
			same("F1", rates[k].F1, want.F1)
		}
		// A class that does not occur changes nothing.
		more := Confuse(truth, predicted, c.weight, 5)
		if more.Macro() != m.Macro() || more.ByWeight() != m.ByWeight() {
			t.Errorf("%s: with a class that does not occur the means are %v and %v", c.name, more.Macro(), more.ByWeight())
		}
		same("balanced accuracy beside an empty class", must(t)(more.Balanced()), c.balanced)
	}
}

func TestConfusionOfTwo(t *testing.T) {
	for _, c := range []struct {
		weight                    []float64
		balanced, matthews, kappa float64
	}{
		{nil, 0.5833333333333333, 0.1690308509457033, 0.16666666666666663},
		{weights, 0.6112956810631229, 0.22259136212624583, 0.22259136212624586},
	} {
		o := two(c.weight)
		m := Confuse(o.True, o.Predicted, c.weight, 2)
		if b, r, k := must(t)(m.Balanced()), must(t)(m.Matthews()), must(t)(m.Kappa()); !close(b, c.balanced) || !close(r, c.matthews) || !close(k, c.kappa) {
			t.Errorf("got %v, %v, %v; want %v", b, r, k, c)
		}
	}
}

func TestConfusionOddities(t *testing.T) {
	none := Confuse(nil, nil, nil, 2)
	for what, f := range map[string]func() (float64, error){"accuracy": none.Accuracy, "balanced": none.Balanced, "Matthews": none.Matthews, "kappa": none.Kappa} {
		if v, err := f(); err != Nothing || v != 0 {
			t.Errorf("%s of nothing is %v, %v", what, v, err)
		}
	}
	if none.Macro() != (Rates{}) || none.ByWeight() != (Rates{}) {
		t.Errorf("means of nothing: %v, %v", none.Macro(), none.ByWeight())
	}
	// scikit-learn 1.9.1 has 0 for both.
	constant := Confuse([]int{0, 0, 1}, []int{0, 0, 0}, nil, 2)
	if m, k := must(t)(constant.Matthews()), must(t)(constant.Kappa()); m != 0 || k != 0 {
		t.Errorf("one answer for two classes: Matthews %v, kappa %v", m, k)
	}
	one := Confuse([]int{1, 1}, []int{1, 1}, nil, 2)
	if _, err := one.Kappa(); err != OneAnswer {
		t.Errorf("kappa of one class: %v", err)
	}
	if m := must(t)(one.Matthews()); m != 0 {
		t.Errorf("Matthews of one class: %v", m)
	}
	huge := Confuse(truth, predicted, slices.Repeat([]float64{1e200}, 12), 3)
	if m := must(t)(huge.Matthews()); !close(m, 0.5) {
		t.Errorf("Matthews of heavy examples: %v", m)
	}
}

// ranked is a ranking by positive class 0.
func ranked(t *testing.T, class []int, scores []float64) *Ranking {
	positive := make([]bool, len(class))
	for i, c := range class {
		positive[i] = c == 0
	}
	r, err := NewRanking(scores, positive)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// roc_auc_score, average_precision_score, roc_curve with
// drop_intermediate=False, precision_recall_curve in the other order.
func TestCurves(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name    string
		weight  []float64
		auc, ap float64
		roc     []ROCPoint
		pr      []PRPoint
	}{
		{
			"plain", nil, 0.638888888888889, 0.5736471861471861,
			[]ROCPoint{{inf, 0, 0}, {2.5, 1. / 6, 1. / 6}, {1, 1. / 3, 0.5}, {0, 0.5, 2. / 3}, {-0.5, 0.5, 5. / 6}, {-1, 5. / 6, 1}, {-2, 1, 1}},
			[]PRPoint{{inf, 0, 1}, {2.5, 1. / 6, 0.5}, {1, 0.5, 0.6}, {0, 2. / 3, 0.5714285714285714}, {-0.5, 5. / 6, 0.625}, {-1, 1, 0.5454545454545454}, {-2, 1, 0.5}},
		},
		{
			"weighted", weights, 0.6916943521594684, 0.5645874358944267,
			[]ROCPoint{{inf, 0, 0}, {2.5, 0.23255813953488372, 0.11428571428571428}, {1, 0.2558139534883721, 0.4}, {0, 0.3488372093023256, 0.5714285714285714}, {-0.5, 0.3488372093023256, 0.9142857142857143}, {-1, 0.9069767441860465, 1}, {-2, 1, 1}},
			[]PRPoint{{inf, 0, 1}, {2.5, 0.11428571428571428, 0.2857142857142857}, {1, 0.4, 0.56}, {0, 0.5714285714285714, 0.5714285714285714}, {-0.5, 0.9142857142857143, 0.6808510638297872}, {-1, 1, 0.47297297297297297}, {-2, 1, 0.44871794871794873}},
		},
	} {
		r := ranked(t, twoTruth, twoScores)
		if auc, ap := must(t)(r.AUC(c.weight)), must(t)(r.AveragePrecision(c.weight)); !close(auc, c.auc) || !close(ap, c.ap) {
			t.Errorf("%s: areas %v, %v; want %v, %v", c.name, auc, ap, c.auc, c.ap)
		}
		roc, err := r.ROC(c.weight)
		if err != nil || !slices.EqualFunc(roc, c.roc, func(a, b ROCPoint) bool {
			return a.Threshold == b.Threshold && close(a.FalsePositive, b.FalsePositive) && close(a.TruePositive, b.TruePositive)
		}) {
			t.Errorf("%s: ROC %v, error %v\nwant %v", c.name, roc, err, c.roc)
		}
		pr, err := r.PR(c.weight)
		if err != nil || !slices.EqualFunc(pr, c.pr, func(a, b PRPoint) bool {
			return a.Threshold == b.Threshold && close(a.Recall, b.Recall) && close(a.Precision, b.Precision)
		}) {
			t.Errorf("%s: PR %v, error %v\nwant %v", c.name, pr, err, c.pr)
		}
		// The area is that of the curve's trapezoids.
		area := 0.0
		for i := 1; i < len(roc); i++ {
			area += (roc[i].FalsePositive - roc[i-1].FalsePositive) * (roc[i].TruePositive + roc[i-1].TruePositive) / 2
		}
		if !close(area, c.auc) {
			t.Errorf("%s: area under the points %v, want %v", c.name, area, c.auc)
		}
	}
}

func TestAUC(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name   string
		truth  []int
		scores []float64
		want   float64
		err    error
	}{
		// scikit-learn 1.9.1, roc_auc_score.
		{"ties within and between", []int{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, []float64{2.5, 1, 1, 0, -0.5, 1, 0, -1, -1, -2}, 0.82, nil},
		{"perfect", []int{0, 1}, []float64{1, -1}, 1, nil},
		{"all reversed", []int{0, 1, 1}, []float64{-1, 1, 2}, 0, nil},
		{"all tied", []int{0, 1, 0, 1, 1}, []float64{3, 3, 3, 3, 3}, 0.5, nil},
		{"zero and minus zero tie", []int{0, 1}, []float64{math.Copysign(0, -1), 0}, 0.5, nil},
		{"infinite scores", []int{0, 0, 1, 1}, []float64{inf, inf, inf, -inf}, 0.75, nil},
		{"the rest is one class", []int{0, 1, 2}, []float64{1, 0, 2}, 0.5, nil},
		{"no positives", []int{1, 1}, []float64{1, 2}, 0, NoPositive},
		{"no negatives", []int{0, 0}, []float64{1, 2}, 0, NoNegative},
		{"nothing", nil, nil, 0, Nothing},
	} {
		r := ranked(t, c.truth, c.scores)
		if got, err := r.AUC(nil); got != c.want || err != c.err {
			t.Errorf("%s: got %v, %v; want %v, %v", c.name, got, err, c.want, c.err)
		}
		if points, err := r.ROC(nil); err != c.err || (points == nil) != (err != nil) {
			t.Errorf("%s: curve %v, error %v, want %v", c.name, points, err, c.err)
		}
		if c.err == NoNegative { // every precision is 1
			if ap := must(t)(r.AveragePrecision(nil)); ap != 1 {
				t.Errorf("%s: average precision %v", c.name, ap)
			}
		} else if _, err := r.AveragePrecision(nil); err != c.err {
			t.Errorf("%s: average precision: error %v, want %v", c.name, err, c.err)
		}
	}
	if _, err := NewRanking([]float64{1, math.NaN(), 2}, make([]bool, 3)); err != NoScore {
		t.Errorf("a score that is no number: %v", err)
	}
}

// AUC by its definition, the share of pairs in order; average precision by its,
// the mean over the positives of the precision at their score. A weight is as
// many examples.
func TestRankingByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		n := 2 + r.IntN(40)
		class, scores, weight := make([]int, n), make([]float64, n), make([]float64, n)
		for i := range n {
			class[i], scores[i], weight[i] = r.IntN(2), float64(r.IntN(8)-4), float64(r.IntN(3)) // many ties
		}
		var good, pairs, precisions, positives float64
		for i := range n {
			var hits, above float64
			for j := range n {
				if scores[j] >= scores[i] {
					above += weight[j]
					if class[j] == 0 {
						hits += weight[j]
					}
				}
				if class[i] == 0 && class[j] != 0 {
					w := weight[i] * weight[j]
					pairs += w
					switch {
					case scores[i] > scores[j]:
						good += w
					case scores[i] == scores[j]:
						good += w / 2
					}
				}
			}
			if class[i] == 0 && weight[i] > 0 {
				precisions += weight[i] * hits / above
				positives += weight[i]
			}
		}
		ranking := ranked(t, class, scores)
		auc, err := ranking.AUC(weight)
		if pairs > 0 && auc != good/pairs { // halves and counts are exact
			t.Fatalf("AUC %v, want %v", auc, good/pairs)
		}
		if pairs == 0 && err == nil {
			t.Fatal("an area without pairs")
		}
		ap, err := ranking.AveragePrecision(weight)
		if positives > 0 && !close(ap, precisions/positives) || positives == 0 && err == nil {
			t.Fatalf("average precision %v, %v; want %v", ap, err, precisions/positives)
		}
	}
}

// log_loss and brier_score_loss; calibration_curve with n_bins=5.
func TestProbabilities(t *testing.T) {
	for _, c := range []struct {
		name        string
		truth       []int
		proba       [][]float64
		weight      []float64
		loss, brier float64
	}{
		{"three classes", truth, proba, nil, 0.6374587201151083, 0.36999999999999994},
		{"three classes, weighted", truth, proba, weights, 0.6611702863466987, 0.40166666666666667},
		{"two classes", twoTruth, two(nil).Proba, nil, 3.3340939204944884, 0.18849166666666664}, // one is certain and wrong
		{"two classes, weighted", twoTruth, two(nil).Proba, weights, 4.821502409921729, 0.18741282051282052},
	} {
		if l, b := must(t)(LogLoss(c.truth, c.proba, c.weight)), must(t)(Brier(c.truth, c.proba, c.weight)); !close(l, c.loss) || !close(b, c.brier) {
			t.Errorf("%s: log-loss %v, Brier %v; want %v, %v", c.name, l, b, c.loss, c.brier)
		}
	}
	bins, err := two(nil).Reliability(5)
	want := []Bin{{0, 0.2, 3, 0.1, 0}, {0.2, 0.4, 2, 0.325, 0.5}, {0.4, 0.6, 2, 0.5, 0.5}, {0.6, 0.8, 2, 0.71, 1}, {0.8, 1, 3, 0.9666666666666667, 2. / 3}}
	if err != nil || !slices.EqualFunc(bins, want, func(a, b Bin) bool {
		return a.Low == b.Low && a.High == b.High && a.Weight == b.Weight && close(a.Proba, b.Proba) && close(a.Share, b.Share)
	}) {
		t.Errorf("bins %v, error %v\nwant %v", bins, err, want)
	}
	// By hand: (3·0.1 + 2·0.175 + 2·0 + 2·0.29 + 3·0.3)/12.
	if e := must(t)(CalibrationError(bins)); !close(e, 0.1775) {
		t.Errorf("calibration error %v, want 0.1775", e)
	}
	// By hand: with more classes the largest probability, of which those of
	// examples 4, 5, 8 and 10 did not come true; two bins.
	many := &Outcomes{Classes: []string{"a", "b", "c"}, True: truth, Proba: proba}
	bins, err = many.Reliability(2)
	want = []Bin{{0, 0.5, 3, (0.5 + 0.45 + 0.5) / 3, 1. / 3}, {0.5, 1, 9, (0.7 + 0.6 + 0.6 + 0.8 + 0.9 + 0.55 + 1 + 0.8 + 0.75) / 9, 7. / 9}}
	if err != nil || len(bins) != 2 || !close(bins[0].Proba, want[0].Proba) || !close(bins[0].Share, want[0].Share) || !close(bins[1].Proba, want[1].Proba) || !close(bins[1].Share, want[1].Share) {
		t.Errorf("bins %v, error %v\nwant %v", bins, err, want)
	}
}

func TestReliabilityOddities(t *testing.T) {
	// Each edge belongs to the bin below it, however it is rounded.
	for _, n := range []int{3, 7, 10, 49} {
		for b := range n {
			high := float64(b+1) / float64(n)
			for _, p := range []float64{high, math.Nextafter(float64(b)/float64(n), 2)} {
				bins, err := Reliability([]float64{p}, []bool{true}, nil, n)
				if err != nil || len(bins) != 1 || bins[0].High != high {
					t.Fatalf("%v of %d bins is in %v, %v; want the one up to %v", p, n, bins, err, high)
				}
			}
		}
	}
	if bins, err := Reliability([]float64{0}, []bool{false}, nil, 10); err != nil || bins[0].Low != 0 {
		t.Errorf("0 is in %v, %v", bins, err)
	}
	if _, err := Reliability([]float64{0.5}, []bool{true}, []float64{0}, 10); err != Nothing {
		t.Errorf("bins of nothing: %v", err)
	}
	if _, err := CalibrationError(nil); err != Nothing {
		t.Errorf("an error of nothing: %v", err)
	}
	for _, err := range []error{second(LogLoss(truth, nil, nil)), second(Brier(truth, nil, nil))} {
		if err != NoProba {
			t.Errorf("without probabilities: %v", err)
		}
	}
	if _, err := LogLoss(nil, [][]float64{}, nil); err != Nothing {
		t.Errorf("log-loss of nothing: %v", err)
	}
}

func second(_ float64, err error) error { return err }

// scipy 1.17.1: binomtest(…).proportion_ci(method="wilson").
func TestWilson(t *testing.T) {
	for _, c := range []struct{ hits, n, level, low, high float64 }{
		{0, 10, 0.95, 0, 0.27753279986288926},
		{0, 10, 0.99, 0, 0.39885409330490806},
		{1, 4, 0.95, 0.04558726080970055, 0.6993581574175981},
		{7, 10, 0.95, 0.39677814746114526, 0.892208732593699},
		{7, 10, 0.99, 0.32002467920110256, 0.9204336834769342},
		{10, 10, 0.95, 0.7224672001371109, 1},
		{950, 1000, 0.95, 0.9346861797557491, 0.9618697376072511},
	} {
		got, err := Wilson(c.hits/c.n, c.n, c.level)
		if err != nil || !close(got.Low, c.low) || !close(got.High, c.high) {
			t.Errorf("%v of %v: %v, error %v; want %v to %v", c.hits, c.n, got, err, c.low, c.high)
		}
	}
	if _, err := Wilson(0, 0, 0.95); err != Nothing {
		t.Errorf("of nothing: %v", err)
	}
	// By hand: 6² / (1 + 1 + 16).
	if n := Effective(4, []float64{1, 1, 9, 4}, func(i int) bool { return i != 2 }); n != 2 {
		t.Errorf("%v effective examples, want 2", n)
	}
	if n := Effective(4, nil, func(int) bool { return true }); n != 4 {
		t.Errorf("%v effective examples, want 4", n)
	}
}

// scipy 1.17.1: binomtest(min, sum).pvalue, and chi2.sf of (|b−c|−1)²/(b+c).
func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		first, second int
		exact, chi, p float64
	}{
		{0, 0, 1, 0, 1},
		{0, 1, 1, 0, 1},
		{5, 12, 0.143463134765625, 2.1176470588235294, 0.1456100953968629},
		{12, 5, 0.143463134765625, 2.1176470588235294, 0.1456100953968629},
		{0, 10, 0.001953125, 8.1, 0.004426525857919834},
		{3, 4, 1, 0, 1},
		{7, 7, 1, 0, 1},
		{40, 60, 0.05688793364098089, 3.61, 0.05743311963200335},
		{1000, 1100, 0.03072070786424249, 4.667142857142857, 0.030745034758993192},
		{20000, 20500, 0.013153825113144245, 6.148172839506173, 0.013154794013892336},
	} {
		first := append(append(slices.Repeat([]bool{true}, c.first+3), make([]bool, c.second)...), false)
		second := append(append(append([]bool{true, true, true}, make([]bool, c.first)...), slices.Repeat([]bool{true}, c.second)...), false)
		got := Compare(first, second)
		if got.OnlyFirst != c.first || got.OnlySecond != c.second || got.Both != 3 {
			t.Fatalf("%+v, want %d, %d and 3", got, c.first, c.second)
		}
		if !close(got.ExactP, c.exact) || !close(got.ChiSquare, c.chi) || !close(got.P, c.p) {
			t.Errorf("%+v, want %v, %v, %v", got, c.exact, c.chi, c.p)
		}
	}
}

func draws(t *testing.T, b Bootstrap, figures func(weight, out []float64)) []*Interval {
	t.Helper()
	spans, err := b.Intervals(context.Background(), 200, nil, 3, figures)
	if err != nil {
		t.Fatal(err)
	}
	return spans
}

// The share of hits in samples of 200 with 60 hits is Binomial(200, 0.3)/200,
// whose quantiles at 0.025 and 0.975 are 48 and 73 (scipy 1.17.1, binom.ppf).
func TestBootstrap(t *testing.T) {
	share := func(weight, out []float64) {
		out[0], _ = mean(200, weight, func(i int) float64 {
			if i < 60 {
				return 1
			}
			return 0
		})
		out[1] = math.NaN()
		out[2], _ = mean(200, weight, func(i int) float64 { return math.Sqrt(float64(i)) })
	}
	b := Bootstrap{Samples: 20000, Level: 0.95, Seed: 1, Workers: 1}
	one := draws(t, b, share)
	if low, high := one[0].Low*200, one[0].High*200; math.Abs(low-48) > 1 || math.Abs(high-73) > 1 {
		t.Errorf("interval %v to %v, want 48 to 73", low, high)
	}
	if one[1] != nil {
		t.Errorf("a figure that is never there has the interval %v", one[1])
	}
	b.Samples = 1000
	one = draws(t, b, share)
	b.Workers = 7
	calls, drawn := 0, 0
	b.Progress = func(n int) { calls, drawn = calls+1, max(drawn, n) }
	if many := draws(t, b, share); !reflect.DeepEqual(one, many) {
		t.Errorf("one worker gives %v, seven %v", one[0], many[0])
	}
	if calls < 2 || drawn != b.Samples {
		t.Errorf("progress was told %d times, up to %d of %d", calls, drawn, b.Samples)
	}
	b.Seed = 2
	if other := draws(t, b, share); reflect.DeepEqual(one, other) {
		t.Error("another seed gives the same")
	}
	// A sample of 50 examples that weigh 3 each weighs 150, whatever was drawn.
	heavy, err := b.Intervals(context.Background(), 50, slices.Repeat([]float64{3}, 50), 1, func(weight, out []float64) {
		out[0] = 0
		for _, w := range weight {
			out[0] += w
		}
	})
	if err != nil || *heavy[0] != (Interval{150, 150}) {
		t.Errorf("samples weigh %v, error %v; want 150", heavy[0], err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if spans, err := b.Intervals(ctx, 200, nil, 3, share); spans != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v, %v", spans, err)
	}
}

// The intervals surround the figures of the summary; with them come the same
// bits for any number of workers.
func TestIntervals(t *testing.T) {
	for _, weight := range [][]float64{nil, weights} {
		o := two(weight)
		s := Summarise(o)
		want := map[string]float64{
			"error ": 1 - s.Accuracy, "accuracy ": s.Accuracy, "precision p": s.Classes[0].Precision, "precision n": s.Classes[1].Precision,
			"recall p": s.Classes[0].Recall, "recall n": s.Classes[1].Recall, "balanced_accuracy ": s.Balanced, "matthews ": s.Matthews, "kappa ": *s.Kappa,
			"macro_f1 ": s.Macro.F1, "weighted_f1 ": s.ByWeight.F1, "f1 p": s.Classes[0].F1, "f1 n": s.Classes[1].F1, "auc p": *s.AUC, "auc n": *s.Classes[1].AUC,
			"average_precision p": *s.AveragePrecision, "average_precision n": *s.Classes[1].AveragePrecision, "log_loss ": *s.LogLoss, "brier ": *s.Brier,
		}
		b := Bootstrap{Samples: 500, Level: 0.9, Seed: 3, Workers: 1}
		got, err := Intervals(context.Background(), o, b)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range got {
			v, ok := want[f.Name+" "+f.Class]
			if !ok || !close(f.Value, v) || !(f.Low <= f.Value && f.Value <= f.High) || f.Low == f.High {
				t.Errorf("%+v, want the value %v", f, v)
			}
			delete(want, f.Name+" "+f.Class)
		}
		if len(want) > 0 {
			t.Errorf("no interval of %v", want)
		}
		b.Workers = 5
		if again, err := Intervals(context.Background(), o, b); err != nil || !reflect.DeepEqual(got, again) {
			t.Errorf("five workers give other intervals; error %v", err)
		}
	}
}

func TestSummarise(t *testing.T) {
	o := two(nil)
	o.Boundary[3], o.Wrong[3] = true, true // predicted right, yet wrong by the tie rule
	s := Summarise(o)
	if s.Examples != 12 || s.Errors != 6 || s.Error != 0.5 || s.Boundary != 1 || s.Accuracy != 0.5 {
		t.Errorf("%+v", s.Tally)
	}
	if !close(*s.AUC, 0.638888888888889) || s.AUC != s.Classes[0].AUC || !close(*s.Classes[1].AUC, *s.AUC) {
		t.Errorf("AUC %v, of the classes %v and %v", *s.AUC, *s.Classes[0].AUC, *s.Classes[1].AUC)
	}
	if s.Classes[0].Class != "p" || s.Classes[0].Examples != 6 || !close(s.Classes[0].Recall, 4./6) || s.Weighted || len(s.Absent) > 0 {
		t.Errorf("%+v", s)
	}
	if len(s.Reliability) == 0 || s.CalibrationError == nil {
		t.Error("no reliability")
	}
	if s := Summarise(two(weights)); !s.Weighted || !close(s.Balanced, 0.6112956810631229) || s.Errors != 5 {
		t.Errorf("weighted: %+v", s)
	}
}

// What does not exist is nil, and the summary says why.
func TestSummariseAbsent(t *testing.T) {
	o := &Outcomes{
		Classes: []string{"a", "b", "c"}, True: []int{0, 0}, Predicted: []int{0, 0}, Wrong: make([]bool, 2), Boundary: make([]bool, 2),
		Scores: [][]float64{{2, 1, 0}, {3, 0, 1}},
	}
	s := Summarise(o)
	want := []Absence{
		{"kappa", "", string(OneAnswer)}, {"auc", "a", string(NoNegative)}, {"auc", "b", string(NoPositive)}, {"auc", "c", string(NoPositive)},
	}
	if !reflect.DeepEqual(s.Absent, want) || s.Kappa != nil || s.AUC != nil || s.Classes[0].AUC != nil || s.LogLoss != nil || s.Balanced != 1 {
		t.Errorf("%+v\nwant %v", s, want)
	}
	if *s.Classes[0].AveragePrecision != 1 {
		t.Errorf("average precision %v", *s.Classes[0].AveragePrecision)
	}
	o.Scores[1][2] = math.NaN()
	if s := Summarise(o); s.Absent[3].Why != string(NoScore) {
		t.Errorf("%+v", s.Absent)
	}
	figures, err := Intervals(context.Background(), o, Bootstrap{Samples: 20, Level: 0.95})
	if err != nil || len(figures) == 0 {
		t.Fatalf("figures %v, error %v", figures, err)
	}
	for _, f := range figures {
		if f.Name == "auc" || f.Name == "kappa" || math.IsNaN(f.Value) || math.IsNaN(f.Low) || math.IsNaN(f.High) {
			t.Errorf("an interval of what is not there: %+v", f)
		}
	}
	nothing := Summarise(&Outcomes{Classes: []string{"a", "b"}})
	if nothing.Error != 0 || nothing.Accuracy != 0 || nothing.AUC != nil || nothing.Examples != 0 {
		t.Errorf("of nothing: %+v", nothing)
	}
	var missing Missing
	if !errors.As(error(NoScore), &missing) || missing.Error() == "" {
		t.Error("a reason without words")
	}
}

// The margins of three classes rank them, not their scores.
func TestRankingOfMany(t *testing.T) {
	o := &Outcomes{Classes: []string{"a", "b", "c"}, True: []int{0, 1, 0, 2}, Scores: [][]float64{{5, 1, 0}, {9, 8, 0}, {2, 1, 0}, {7, 0, 9}}}
	r, err := o.Ranking(0) // margins 4, 1, 1, −2
	if err != nil {
		t.Fatal(err)
	}
	if auc := must(t)(r.AUC(nil)); auc != 3.5/4 {
		t.Errorf("AUC %v, want 3.5 of 4 pairs", auc)
	}
	margins := make([]float64, 3)
	for k, r := range o.rankings() {
		for i, z := range o.Scores {
			if halfspace.Margins(margins, z); r.score[i] != margins[k] {
				t.Errorf("example %d is ranked for class %d by %v, want its margin %v", i, k, r.score[i], margins[k])
			}
		}
	}
}

// The same outcomes for any number of workers, in order, unlabelled ones left
// out.
func TestPredict(t *testing.T) {
	b := data.NewBuilder(nil)
	b.Declare("p", "n")
	label := [][]byte{[]byte("p"), []byte("n"), nil}
	for i := range 5000 {
		b.Add(vec.Dense(float64(i%7-3)), label[i%3], 1+float64(i%2))
	}
	s := b.Set(data.Input{})
	m := &halfspace.Model{
		Classes: []string{"p", "n"}, Tie: halfspace.TiePositive, Features: s.Features(), Proba: &halfspace.Calibration{Kind: halfspace.LinkLogistic},
		Weights: &halfspace.Weights{W: [][]float64{{1}}, Bias: []float64{0}},
	}
	want := Predict(m, s, 1)
	if len(want.True) != 3334 { // 5000 less every third, 1666
		t.Fatalf("%d outcomes, want 3334", len(want.True))
	}
	for k := range want.True {
		i := k/2*3 + k%2 // its place among all
		z := float64(i%7 - 3)
		predicted := 0
		if z < 0 {
			predicted = 1
		}
		if want.True[k] != i%3 || want.Predicted[k] != predicted || want.Wrong[k] != (predicted != i%3) || want.Boundary[k] != (z == 0) || !slices.Equal(want.Scores[k], []float64{z}) {
			t.Fatalf("outcome %d: %d, %d, %v, %v, %v", k, want.True[k], want.Predicted[k], want.Wrong[k], want.Boundary[k], want.Scores[k])
		}
		if p := 1 / (1 + math.Exp(-z)); !close(want.Proba[k][0], p) || !close(want.Proba[k][1], 1-p) || want.Weight[k] != 1+float64(i%2) {
			t.Fatalf("outcome %d: %v weighs %v", k, want.Proba[k], want.Weight[k])
		}
	}
	for _, workers := range []int{0, 2, 7} {
		if got := Predict(m, s, workers); !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers give other outcomes", workers)
		}
	}
	m.Proba = nil
	if got := Predict(m, s.WithWeights(func(int) float64 { return 1 }), 2); got.Proba != nil || !reflect.DeepEqual(got.Scores, want.Scores) {
		t.Error("probabilities of a model without")
	}
}

// Points that the parts of a model leave undecided are counted, on any number of
// workers as the model's own tally does.
func TestUndecidedIsCounted(t *testing.T) {
	b := data.NewBuilder(nil)
	b.Declare("a", "b", "c")
	for i := range 3000 {
		b.Add(vec.Dense(float64(i%5)+0.5, float64(i%7)+0.5), []byte{"abc"[i%3]}, 1)
	}
	s := b.Set(data.Input{})
	m := &halfspace.Model{
		Classes: s.Classes(), Tie: halfspace.TieWrong, Decision: halfspace.OneVsRest, Features: s.Features(),
		Weights: &halfspace.Weights{W: [][]float64{{1, 0}, {0, 1}, {-1, -1}}, Bias: []float64{-3, -4, 2}},
	}
	want := 0
	for i := range 3000 {
		x, y := float64(i%5)+0.5, float64(i%7)+0.5
		positive := 0
		for _, z := range []float64{x - 3, y - 4, 2 - x - y} {
			if z > 0 {
				positive++
			}
		}
		if positive != 1 {
			want++
		}
	}
	for _, workers := range []int{1, 2, 7} {
		sum := Summarise(Predict(m, s, workers))
		if sum.Undecided != want || sum.Tally != m.Tally(s, workers) {
			t.Errorf("%d workers: %+v, want %d undecided of %+v", workers, sum.Tally, want, m.Tally(s, workers))
		}
	}
	if want == 0 || want == 3000 {
		t.Errorf("%d undecided: the test sees nothing", want)
	}
}
