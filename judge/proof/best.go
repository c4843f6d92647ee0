package proof

import (
	"context"
	"slices"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/judge/proof/certificate"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/learn/risk/margin"
)

// Best is how few errors any plane can make on a set of two classes: between
// Lower and Upper, and with Lower = Upper exactly so many.
type Best struct {
	Lower int       `json:"lower"` // no plane makes fewer
	Upper int       `json:"upper"` // W and Bias make so many
	W     []float64 `json:"weights,omitempty"`
	Bias  float64   `json:"bias"`
}

// BestErrors brackets the errors of the best plane. In two features both ends
// are the same, by geometry. In more, every set of rows that cannot be separated
// costs a plane one error at least: such sets are taken out one after another,
// twins first, then up to so many, each with its verified proof; they have no
// row in common, so their number is a lower bound. The upper one is the best of a few planes
// tried.
func BestErrors(ctx context.Context, s *data.Set, opt Options, sets int) (*Best, error) {
	q, err := newQuestion(s, opt)
	if err != nil {
		return nil, err
	}
	classes, err := present(s)
	if err != nil || len(s.Classes()) != 2 {
		return nil, err
	}
	line, err := LeastErrors(ctx, q.set, opt.NoBias)
	if err != nil {
		return nil, err
	}
	if line != nil {
		b := &Best{Upper: q.set.Len() + 1}
		if q.try(b, line.W[:q.set.Dim()], line.Bias); b.Upper != line.Errors {
			b.W, b.Bias = nil, 0 // too fine for float64
		}
		b.Lower, b.Upper = line.Errors, line.Errors
		return b, nil
	}
	b := &Best{}
	last, err := q.takeOut(ctx, b, classes, sets)
	if err != nil {
		return nil, err
	}
	if err := q.tryPlanes(ctx, b, last); err != nil {
		return nil, err
	}
	if sets == 0 {
		return b, nil
	}
	return b, q.dropRows(ctx, b, classes)
}

// takeOut counts sets of rows that cannot be separated, and returns the plane
// of the last look.
func (q *question) takeOut(ctx context.Context, b *Best, classes []string, sets int) (*margin.Result, error) {
	pairs, at := twins(q.set)
	b.Lower = pairs
	if pairs == 0 {
		sets = max(sets, 1) // one tells whether there are errors at all
	}
	for {
		two := q.set.Pick(at)
		if n, _ := two.Counts(); n[0] == 0 || n[1] == 0 {
			return nil, nil
		}
		found, err := margin.Solve(ctx, two, margin.Options{NoBias: q.opt.NoBias, Workers: q.opt.Workers})
		if err != nil {
			return nil, err
		}
		r := &Result{Classes: classes, Verdict: Undecided}
		if b.Lower == pairs+sets || found.Verdict == margin.Separable || !q.meets(r, two, at, found) {
			return found, nil
		}
		b.Lower++
		out := map[int]bool{}
		for _, row := range r.Proof.Rows {
			out[row] = true
		}
		var rest []uint32
		for _, i := range at {
			if !out[q.raw.Number(int(i))] {
				rest = append(rest, i)
			}
		}
		at = rest
	}
}

// tryPlanes finds the plane with the fewest errors among one that separates
// what is left and those of quick learners.
func (q *question) tryPlanes(ctx context.Context, b *Best, last *margin.Result) error {
	b.Upper = q.set.Len() + 1
	if last != nil {
		q.try(b, last.W, last.Bias)
	}
	options := online.Options{Epochs: 30, Shuffle: true}
	for _, l := range []halfspace.Learner{&online.Averaged{Perceptron: online.Perceptron{Options: options}}, &online.PassiveAggressive{Options: options}} {
		maps := prep.Pipeline{&prep.Standardise{NoCentre: q.opt.NoBias}}
		m, err := halfspace.Fit(ctx, l, halfspace.Run{Set: q.set, Maps: maps, NoBias: q.opt.NoBias, Seed: 1, Workers: q.opt.Workers})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // numbers that a learner cannot hold
			continue
		}
		q.try(b, m.Weights.W[0], m.Weights.Bias[0])
	}
	return nil
}

// dropRows leaves out one row of every set that cannot be separated, the one
// with the largest multiplier, until the rest can: a plane with few errors.
// It gives up where that is no better than what is known.
func (q *question) dropRows(ctx context.Context, b *Best, classes []string) error {
	at := q.examples(classes...)
	for dropped := 0; dropped < min(b.Upper, maxDropped); dropped++ {
		two := q.set.Pick(at)
		if n, _ := two.Counts(); n[0] == 0 || n[1] == 0 {
			return nil
		}
		found, err := margin.Solve(ctx, two, margin.Options{NoBias: q.opt.NoBias, Workers: q.opt.Workers})
		if err != nil {
			return err
		}
		q.try(b, found.W, found.Bias)
		if found.Verdict == margin.Separable {
			return nil
		}
		worst := 0
		for k, m := range found.Multipliers {
			if m > found.Multipliers[worst] {
				worst = k
			}
		}
		i := found.Rows[worst]
		at = slices.Delete(slices.Clone(at), i, i+1)
	}
	return nil
}

// maxDropped is the most rows that dropRows leaves out.
const maxDropped = 100

// try counts the errors of a plane: examples that are not for certain strictly
// on their side.
func (q *question) try(b *Best, w []float64, bias float64) {
	p := &certificate.Proof{Classes: q.set.Classes(), Weights: [][]string{texts(w)}, Bias: []string{text(bias)}}
	if n, err := q.verifier.Errors(p); err == nil && n < b.Upper {
		b.Upper, b.W, b.Bias = n, w, bias
	}
}
