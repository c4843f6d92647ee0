package risk_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/learn/risk"
	"github.com/halfspace-ml/halfspace/vec"
)

// peer is what scikit-learn 1.9.1 makes of a set: errors over ten folds
// (testdata/folds.txt has the fold of each row), or on a test part. Only fits
// that converged are here, and of those the C with the fewest errors.
type peer struct {
	file     string
	train    int     // the first so many rows; 0: folds, or a test file
	test     string  // a file
	scale    float64 // every feature is multiplied by this; 0: standardised
	learner  halfspace.Learner
	what     string // scikit-learn's name
	examples int
	errors   int
	long     bool // minutes
}

func logistic(c float64) halfspace.Learner { return &risk.Logistic{Options: risk.Options{C: c}} }

func svm(loss, way string, c float64) halfspace.Learner {
	return &risk.SVM{Loss: loss, Options: risk.Options{C: c, Multi: way, Bias: "penalised"}}
}

const (
	regression = "LogisticRegression"
	squared    = "LinearSVC squared_hinge"
	crammer    = "LinearSVC crammer_singer"
)

var peers = []peer{
	{"iris.csv", 0, "", 0, logistic(10), regression, 150, 4, false},
	{"iris.csv", 0, "", 1, logistic(100), regression, 150, 3, false},
	{"iris.csv", 0, "", 0, svm("squared-hinge", "ovr", 100), squared, 150, 7, false},
	{"iris.csv", 0, "", 0, svm("hinge", "crammer-singer", 1), crammer, 150, 5, false},
	{"wine.csv", 0, "", 0, logistic(0.1), regression, 178, 2, false},
	{"wine.csv", 0, "", 0, svm("squared-hinge", "ovr", 0.1), squared, 178, 2, false},
	{"wine.csv", 0, "", 0, svm("hinge", "crammer-singer", 0.1), crammer, 178, 1, false},
	{"digits8x8.csv", 0, "", 0, logistic(0.1), regression, 1797, 58, false},
	{"digits8x8.csv", 0, "", 1. / 16, logistic(1), regression, 1797, 52, false},
	{"digits8x8.csv", 0, "", 1. / 16, svm("squared-hinge", "ovr", 1), squared, 1797, 56, false},
	{"satimage.csv.gz", 4435, "", 0, logistic(1), regression, 2000, 321, false},
	{"satimage.csv.gz", 4435, "", 0, svm("squared-hinge", "ovr", 1), squared, 2000, 364, false},
	{"letter.csv.gz", 16000, "", 0, logistic(10), regression, 4000, 905, true},
	{"letter.csv.gz", 16000, "", 0, svm("squared-hinge", "ovr", 10), squared, 4000, 1211, false},
	{"mnist/train-images-idx3-ubyte.gz", 0, "mnist/t10k-images-idx3-ubyte.gz", 1. / 255, logistic(0.1), regression, 10000, 742, true},
	{"mnist/train-images-idx3-ubyte.gz", 0, "mnist/t10k-images-idx3-ubyte.gz", 1. / 255, svm("squared-hinge", "ovr", 0.01), squared, 10000, 828, true},
}

// The errors are within 0.2 points of those of scikit-learn with the same
// objective.
func TestErrors(t *testing.T) {
	for _, p := range peers {
		t.Run(p.file+" "+p.what, func(t *testing.T) {
			if p.long && os.Getenv("HALFSPACE_LONG") == "" {
				t.Skip("minutes: set HALFSPACE_LONG=1 to compare it too")
			}
			errors, examples := p.count(t, scaled(read(t, p.file), p.scale))
			t.Logf("%d errors, scikit-learn %d, of %d", errors, p.errors, examples)
			if examples != p.examples || float64(errors-p.errors) > 0.002*float64(examples) {
				t.Errorf("%d errors of %d; scikit-learn has %d of %d", errors, examples, p.errors, p.examples)
			}
		})
	}
}

// count is the errors on what is not trained on.
func (p *peer) count(t *testing.T, s *data.Set) (errors, examples int) {
	fit := func(train, test *data.Set) {
		run := halfspace.Run{Set: train, Seed: 1}
		if p.scale == 0 {
			run.Maps = prep.Pipeline{&prep.Standardise{}}
		}
		m, err := halfspace.Fit(context.Background(), p.learner, run)
		if err != nil {
			t.Fatal(err)
		}
		if !m.Report.Converged {
			t.Errorf("not converged: %q", m.Report.Warnings)
		}
		tally := m.Tally(test, 0)
		errors += tally.Errors
		examples += tally.Examples
	}
	switch {
	case p.test != "":
		test, err := scaled(read(t, p.test), p.scale).WithClasses(s.Classes())
		if err != nil {
			t.Fatal(err)
		}
		fit(s, test)
	case p.train > 0:
		fit(s.First(p.train), s.Pick(from(p.train, s.Len(), func(int) bool { return true })))
	default:
		folds := foldsOf(t, p.file, s.Len())
		for f := range byte(10) {
			fit(s.Pick(from(0, s.Len(), func(i int) bool { return folds[i] != '0'+f })),
				s.Pick(from(0, s.Len(), func(i int) bool { return folds[i] == '0'+f })))
		}
	}
	return errors, examples
}

func from(low, high int, keep func(i int) bool) (positions []uint32) {
	for i := low; i < high; i++ {
		if keep(i) {
			positions = append(positions, uint32(i))
		}
	}
	return positions
}

func scaled(s *data.Set, by float64) *data.Set {
	if by == 0 || by == 1 {
		return s
	}
	return s.Map(s.Features(), func(dst *vec.Buffer, x vec.Row) {
		for j, v := range x.All() {
			dst.Add(uint32(j), v*by)
		}
	})
}

func foldsOf(t *testing.T, file string, rows int) string {
	text, err := os.ReadFile(filepath.Join("testdata", "folds.txt"))
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(file, ".")
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); f[0] == name && len(f[1]) == rows {
			return f[1]
		}
	}
	t.Fatalf("no folds of %d rows for %s", rows, name)
	return ""
}
