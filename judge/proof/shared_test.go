package proof

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/judge/proof/certificate"
)

func shared(t *testing.T, name string) *data.Set {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "data", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not there", path)
	}
	s, err := format.ReadFile(context.Background(), path, &format.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type point struct{ x, y float64 }

// hull is the corners of the convex hull, in order (Andrew's monotone chain).
func hull(p []point) []point {
	slices.SortFunc(p, func(a, b point) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
	half := func(p []point) []point {
		var h []point
		for _, q := range p {
			for len(h) > 1 && (h[len(h)-1].x-h[len(h)-2].x)*(q.y-h[len(h)-2].y) <= (h[len(h)-1].y-h[len(h)-2].y)*(q.x-h[len(h)-2].x) {
				h = h[:len(h)-1]
			}
			h = append(h, q)
		}
		return h
	}
	lower := half(p)
	slices.Reverse(p)
	upper := half(p)
	return append(lower[:len(lower)-1], upper[:len(upper)-1]...)
}

// apart is the distance of a's corners from b's sides.
func apart(a, b []point) float64 {
	least := math.Inf(1)
	for _, p := range a {
		for i, q := range b {
			r := b[(i+1)%len(b)]
			dx, dy := r.x-q.x, r.y-q.y
			t := 0.0
			if l := dx*dx + dy*dy; l > 0 {
				t = max(0, min(1, ((p.x-q.x)*dx+(p.y-q.y)*dy)/l))
			}
			least = min(least, math.Hypot(p.x-q.x-t*dx, p.y-q.y-t*dy))
		}
	}
	return least
}

// The seven sheets of the laboratory are separable; margin and radius are those
// of the geometry of the two hulls.
func TestSheets(t *testing.T) {
	for k := range 7 {
		s := shared(t, fmt.Sprintf("perceptron_bmp/test%02d.bmp", k))
		r, err := Separable(context.Background(), s, "red", "blue", Options{})
		if err != nil {
			t.Fatal(err)
		}
		var p [2][]point
		radius := 0.0
		for i := range s.Len() {
			var v [2]float64
			for j, x := range s.Row(i).All() {
				v[j] = x
			}
			p[s.Class(i)] = append(p[s.Class(i)], point{v[0], v[1]})
			radius = max(radius, math.Hypot(v[0], v[1]))
		}
		a, b := hull(p[0]), hull(p[1])
		margin := min(apart(a, b), apart(b, a)) / 2
		if r.Verdict != certificate.Separable || math.Abs(r.Margin-margin) > 1e-9*margin || math.Abs(r.Radius-radius) > 1e-9*radius {
			t.Errorf("sheet %d: %s, margin %v, radius %v; want %v and %v", k, r.Verdict, r.Margin, r.Radius, margin, radius)
		}
	}
}

// Novikoff's bound on sheet 4 (691,519.8, and 92.4 standardised) was computed
// apart, by non-negative least squares (scipy 1.17.1).
func TestBoundOfSheet4(t *testing.T) {
	b, err := MistakeBound(context.Background(), shared(t, "perceptron_bmp/test04.bmp"), Steps{}, 0)
	if err != nil || math.Abs(b.Mistakes-691519.82) > 1 {
		t.Errorf("%+v, %v; want 691519.82", b, err)
	}
}

// Verdicts are those of HiGHS (scipy 1.17.1, linprog, y(w·x + b) ≥ 1 feasible
// or not); that of the digits is also in the documents' notes.
func TestVerdictsOnRealData(t *testing.T) {
	for _, k := range []struct {
		name, positive, negative string
		noBias, separable        bool
	}{
		{"35_TrainingData.txt", "three", "five", false, false},
		{"35_TrainingData.txt", "three", "five", true, false},
		{"35_TestData.txt", "three", "five", false, true},
		{"mushrooms.gz", "2", "1", false, true},
		{"agaricus.txt.train.gz", "1", "0", false, true},
		{"wdbc.csv", "malignant", "benign", false, true},
		{"sonar.csv", "R", "M", false, true},
		{"ionosphere.csv", "g", "b", false, false},
		{"banknote.csv", "1", "0", false, false},
		{"iris.csv", "setosa", "versicolor", false, true},
		{"iris.csv", "setosa", "virginica", false, true},
		{"iris.csv", "versicolor", "virginica", false, false},
		{"wine.csv", "class_0", "class_1", false, true},
		{"wine.csv", "class_0", "class_2", false, true},
		{"wine.csv", "class_1", "class_2", false, true},
		{"heart_scale", "1", "-1", false, false},
		{"german.numer_scale", "1", "-1", false, false},
		{"splice.gz", "1", "-1", false, false},
		{"phishing.gz", "1", "0", false, false},
		{"a9a.gz", "1", "-1", false, false},
	} {
		s := shared(t, k.name)
		r, err := Separable(context.Background(), s, k.positive, k.negative, Options{NoBias: k.noBias})
		if err != nil {
			t.Fatal(k.name, err)
		}
		if r.Verdict == Undecided || (r.Verdict == certificate.Separable) != k.separable {
			t.Errorf("%s %s %s: %s (%s), want separable %v", k.name, k.positive, k.negative, r.Verdict, r.Reason, k.separable)
			continue
		}
		most := s.Dim() + 2
		if k.noBias {
			most--
		}
		if len(r.Proof.Rows) > most {
			t.Errorf("%s: a proof of %d rows, at most %d are needed", k.name, len(r.Proof.Rows), most)
		}
	}
}

// A large sparse set: any plane will do, and is verified.
func TestLargeSparse(t *testing.T) {
	if testing.Short() {
		t.Skip("25,000 reviews take a while")
	}
	r, err := Separable(context.Background(), shared(t, "imdb.train.svm.bz2"), "1", "-1", Options{})
	if err != nil || r.Verdict != certificate.Separable {
		t.Errorf("%v, %v", r.Verdict, err)
	}
}
