package margin

import (
	"context"
	"math"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learntest"
	"github.com/halfspace-ml/halfspace/vec"
)

// solveAs solves as if there were no room for Q: by sweeps, then exactly.
func solveAs(t *testing.T, s *data.Set, noBias, keepQ bool) *Result {
	t.Helper()
	v := newSolver(s, Options{NoBias: noBias})
	v.qr.keepQ = keepQ
	if err := v.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return v.result()
}

// The way for very many features gives what the other gives.
func TestSweepsGiveTheSame(t *testing.T) {
	digits, err := sample.Read("@digits35")
	if err != nil {
		t.Fatal(err)
	}
	xor, err := sample.Read("@xor")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*data.Set{digits, xor, learntest.Cloud(300, 4, 2, 1), learntest.Cloud(2000, 20, 2, 2), learntest.Cloud(60, 200, 2, 3)} {
		for _, noBias := range []bool{false, true} {
			want, got := solveAs(t, s, noBias, true), solveAs(t, s, noBias, false)
			if want.Verdict != got.Verdict || !(math.Abs(want.Margin-got.Margin) <= 1e-9*want.Margin) || want.Exact != got.Exact {
				t.Errorf("%d × %d, no bias %v: %s, margin %v, exact %v (%s); want %s, %v, %v", s.Len(), s.Dim(), noBias, got.Verdict, got.Margin, got.Exact, got.Reason, want.Verdict, want.Margin, want.Exact)
			}
			for j := range want.W {
				if math.Abs(want.W[j]-got.W[j]) > 1e-9*vec.Norm(want.W) {
					t.Fatalf("weight %d: %v, want %v", j, got.W[j], want.W[j])
				}
			}
		}
	}
}

// The sweeps alone come as near as they say, and know it.
func TestSweepsAlone(t *testing.T) {
	s, err := sample.Read("@digits35")
	if err != nil {
		t.Fatal(err)
	}
	for _, noBias := range []bool{false, true} {
		v := newSolver(s, Options{NoBias: noBias})
		if err := v.approach(context.Background()); err != nil {
			t.Fatal(err)
		}
		got, want := v.result(), solveAs(t, s, noBias, true)
		if got.Margin > want.Margin*(1+1e-12) || got.Bound < want.Margin*(1-1e-12) || got.Margin < want.Margin*(1-sweepGap) || got.Bound > want.Margin*(1+sweepGap) {
			t.Errorf("no bias %v: margin from %v to %v, want %v between", noBias, got.Margin, got.Bound, want.Margin)
		}
	}
}
