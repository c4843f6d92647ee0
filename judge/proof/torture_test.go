package proof

import (
	"context"
	"math"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/judge/proof/certificate"
	"github.com/halfspace-ml/halfspace/vec"
)

// Sets made to break arithmetic: the verdict is right or "undecided" with a
// reason, and what is proven is verified.
func TestTorture(t *testing.T) {
	type row struct {
		class string
		x     []float64
	}
	const tiny, huge = math.SmallestNonzeroFloat64, math.MaxFloat64
	for name, k := range map[string]struct {
		rows []row
		want string
	}{
		"the same point in both classes":  {[]row{{"a", []float64{1, 2}}, {"b", []float64{1, 2}}}, certificate.NotSeparable},
		"all zeros":                       {[]row{{"a", []float64{0, 0}}, {"b", []float64{0, 0}}}, certificate.NotSeparable},
		"zero and the smallest number":    {[]row{{"a", []float64{0}}, {"b", []float64{tiny}}}, certificate.Separable},
		"the largest numbers":             {[]row{{"a", []float64{huge, huge}}, {"b", []float64{-huge, huge}}}, certificate.Separable},
		"one after the other":             {[]row{{"a", []float64{1}}, {"b", []float64{math.Nextafter(1, 2)}}}, certificate.Separable},
		"between neighbours":              {[]row{{"a", []float64{1}}, {"b", []float64{1 + 0x1p-52}}, {"a", []float64{1 + 0x1p-51}}}, certificate.NotSeparable},
		"large and small columns":         {[]row{{"a", []float64{1e300, 1e-300}}, {"b", []float64{1e300, -1e-300}}, {"a", []float64{-1e300, 2e-300}}}, certificate.Separable},
		"in the middle, beside large":     {[]row{{"a", []float64{1e300, 1}}, {"a", []float64{1e300, 3}}, {"b", []float64{1e300, 2}}}, certificate.NotSeparable},
		"a tenth, and thrice":             {[]row{{"a", []float64{0.1}}, {"a", []float64{0.3}}, {"b", []float64{0.2}}}, certificate.NotSeparable},
		"the end of a segment of tenths":  {[]row{{"a", []float64{0.1, 0.3}}, {"a", []float64{0.3, 0.1}}, {"b", []float64{0.2, 0.2}}, {"b", []float64{0.7, 0.9}}}, certificate.Weakly},
		"a digit below what float64 sees": {[]row{{"a", []float64{0.1, 0.2}}, {"a", []float64{0.3, 0.4}}, {"b", []float64{0.2, 0.30000000000000004}}}, certificate.Separable},
	} {
		b := data.NewBuilder(nil)
		b.Declare("a", "b")
		for _, r := range k.rows {
			b.Add(vec.Dense(r.x...), []byte(r.class), 1)
		}
		s := b.Set(data.Input{})
		r, err := Separable(context.Background(), s, "a", "b", Options{})
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case r.Verdict == Undecided && r.Reason == "":
			t.Errorf("%s: undecided without a reason", name)
		case r.Verdict == Undecided && name == "a digit below what float64 sees":
		case r.Verdict != k.want:
			t.Errorf("%s: %s, want %s", name, r.Verdict, k.want)
		}
		if _, err := LeastErrors(context.Background(), s, false); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What numbers cannot be is refused as everywhere.
func TestRefused(t *testing.T) {
	b := data.NewBuilder(nil)
	b.Add(vec.Row{Val: []float64{math.NaN()}}, []byte("a"), 1)
	b.Add(vec.Dense(1), []byte("b"), 1)
	if _, err := Classes(context.Background(), b.Set(data.Input{}), Options{}); err == nil {
		t.Error("NaN was accepted")
	}
	b = data.NewBuilder(nil)
	b.Add(vec.Dense(1), []byte("a"), 1)
	if _, err := Classes(context.Background(), b.Set(data.Input{}), Options{}); err == nil {
		t.Error("one class was accepted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b = data.NewBuilder(nil)
	b.Add(vec.Dense(1, 5), []byte("a"), 1)
	b.Add(vec.Dense(2, 1), []byte("b"), 1)
	b.Add(vec.Dense(3, 2), []byte("a"), 1)
	if r, err := Classes(ctx, b.Set(data.Input{}), Options{}); err == nil && r.Verdict == Undecided {
		t.Error("an ended context gave an answer that is none")
	}
}
