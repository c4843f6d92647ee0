package closed_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/learn/closed"
	"github.com/halfspace-ml/halfspace/learntest"
)

// shared reads a file of the shared data folder beside the repository.
func shared(t *testing.T, name, positive string) *data.Set {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "data", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not here; the test needs it", path)
	}
	s, err := format.ReadFile(context.Background(), path, &format.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	if positive != "" {
		if s, err = s.WithPositive(positive); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// reference is the first weights and the bias of the first class, and the
// training errors. For fisher on many classes the first less the second class.
type reference struct {
	set, positive string
	w             [3]float64
	bias          float64
	errors        int
}

// scikit-learn 1.9.1, numpy 2.4.6: LinearRegression on ±1 targets, one column a
// class. digits8x8 has three constant columns and a9a is rank-deficient: there
// the reference is the answer of least norm too.
var leastSquares = []reference{
	{"wdbc.csv", "malignant", [3]float64{-0.43554411120023867, 0.009090937348383912, 0.04747972193868123}, -5.043623476874793, 20},
	{"iris.csv", "", [3]float64{0.13205953875238138, 0.4856957441089743, -0.4493142324714536}, -0.763554221063705, 23},
	{"wine.csv", "", [3]float64{0.2862430534764855, 0.030095244651860656, 0.6062451469006629}, -5.706741527638375, 0},
	{"digits8x8.csv", "", [3]float64{0, -0.002322045164129753, 0.004092384923661558}, -0.49712763396206777, 95},
	{"a9a.gz", "", [3]float64{-0.10869383563714223, -0.12949675832485744, 0.02627375864740389}, -0.35806150036727746, 5038},
}

// The same program: Ridge(alpha=1, solver="svd").
var ridge = []reference{
	{"wdbc.csv", "malignant", [3]float64{-0.35268348548878425, 0.0050574909390455934, 0.0059584319023141975}, -4.079242215073554, 23},
	{"iris.csv", "", [3]float64{0.12726862685332535, 0.47083648636124503, -0.4453661654462654}, -0.6974613707207595, 22},
	{"wine.csv", "", [3]float64{0.28252756499115184, 0.03416621869428088, 0.5279324340735183}, -5.666156676556174, 0},
	{"digits8x8.csv", "", [3]float64{0, -0.0031444078445293767, 0.004001398541407698}, -0.4973333156815376, 95},
	{"a9a.gz", "", [3]float64{-0.10867907724926243, -0.12945305683879066, 0.02629357087103339}, -0.3572870916242862, 5038},
}

// The same program: LinearDiscriminantAnalysis(solver="svd").
var discriminant = []reference{
	{"wdbc.csv", "malignant", [3]float64{-4.127988575698362, 0.08616184802293003, 0.4500020656924072}, -47.77840970245523, 20},
	{"iris.csv", "", [3]float64{8.006079231512674, 16.852408834994012, -22.083765262355133}, -13.730472013297923, 3},
	{"wine.csv", "", [3]float64{5.064256399873638, 0.7316259804861517, 11.191240161456847}, -97.89056713881806, 0},
	{"digits8x8.csv", "", [3]float64{0, 0.06910844898761087, 0.041799560675835006}, 2.476883470246454, 65},
	{"a9a.gz", "", [3]float64{-0.5027952064243648, -0.5955785893629856, 0.09917549609618882}, -1.547039339841292, 4995},
}

func TestAgainstScikitLearn(t *testing.T) {
	for _, c := range []struct {
		name string
		new  func() halfspace.Learner
		all  []reference
	}{
		{"least-squares", func() halfspace.Learner { return &closed.LeastSquares{} }, leastSquares},
		{"ridge", func() halfspace.Learner { return &closed.Ridge{} }, ridge},
		{"fisher", func() halfspace.Learner { return &closed.Fisher{Bias: closed.BiasPriors} }, discriminant},
	} {
		for _, r := range c.all {
			t.Run(c.name+"/"+r.set, func(t *testing.T) {
				m := learntest.Fit(t, c.new(), halfspace.Run{Set: shared(t, r.set, r.positive)})
				w, bias := firstOf(m, c.name == "fisher")
				for j, want := range r.w {
					near(t, "weight", w[j], want, 1e-7)
				}
				near(t, "bias", bias, r.bias, 1e-7)
				if m.Report.Train.Errors != r.errors {
					t.Errorf("%d errors, want %d", m.Report.Train.Errors, r.errors)
				}
			})
		}
	}
}

// firstOf is the weights that the tables hold. Fisher's two-class weights are
// S_w⁻¹(μ1 − μ2); the reference has the covariance S_w/n in place of S_w.
func firstOf(m *halfspace.Model, fisher bool) (w []float64, bias float64) {
	w, bias = append(w, m.Weights.W[0]...), m.Weights.Bias[0]
	switch {
	case fisher && len(m.Weights.W) == 1:
		n := float64(m.Report.Data.Examples)
		for j := range w {
			w[j] *= n
		}
		bias *= n
	case fisher:
		for j := range w {
			w[j] -= m.Weights.W[1][j]
		}
		bias -= m.Weights.Bias[1]
	}
	return w, bias
}
