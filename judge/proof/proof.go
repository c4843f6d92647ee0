// Package proof tells whether planes can separate the classes of a set, and
// proves it: by weights that do, or by multipliers of a few rows that show that
// none do. It also tells how many mistakes a perceptron can make at most, and
// how few errors any plane can.
//
// The answer is found in float64 (learn/risk/margin), made exact here, and
// given only after package certificate, which shares no code with this one, has
// verified it.
package proof

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/judge/proof/certificate"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/learn/risk/margin"
	"github.com/halfspace-ml/halfspace/vec"
)

// Undecided is the verdict where numbers allow no proof; the others are the
// kinds of proofs of package certificate.
const Undecided = "undecided"

// Options say which planes are meant. The zero value: all, in the features as
// they are.
type Options struct {
	NoBias  bool     // planes through the origin only
	Maps    []string // feature maps before the planes
	Workers int      // 0: one a processor; never changes a result
}

// Result is the answer about two classes, or about all jointly.
type Result struct {
	Classes []string
	Verdict string
	Reason  string             // of Undecided
	Weakly  *bool              // not separable: weakly separable or not; nil: not found out
	W       []float64          // Separable, Weakly, two classes
	Bias    float64            //
	Margin  float64            // Separable: distance of the nearest example from the plane
	Widest  float64            // no plane is further away from all examples than that; 0: not known
	Radius  float64            // length of the longest example
	Proof   *certificate.Proof // verified; nil: Undecided
}

// Separable answers for two classes of s. A proof in the result is verified.
// When ctx ends, the error is ctx.Err().
func Separable(ctx context.Context, s *data.Set, positive, negative string, opt Options) (*Result, error) {
	q, err := newQuestion(s, opt)
	if err != nil {
		return nil, err
	}
	return q.pair(ctx, positive, negative)
}

// question is a set after its maps.
type question struct {
	raw, set *data.Set
	opt      Options
	verifier *certificate.Verifier
}

func newQuestion(s *data.Set, opt Options) (*question, error) {
	v, err := certificate.NewVerifier(s, opt.Maps, !opt.NoBias)
	if err != nil {
		return nil, err
	}
	q := &question{raw: s, set: s, opt: opt, verifier: v}
	if len(opt.Maps) > 0 {
		p, err := prep.ParsePipeline(opt.Maps...)
		if err != nil {
			return nil, err
		}
		if q.set, err = p.Fit(s); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// examples of some classes that count, by position.
func (q *question) examples(classes ...string) []uint32 {
	wanted := make([]bool, len(q.set.Classes()))
	for c, name := range q.set.Classes() {
		for _, w := range classes {
			wanted[c] = wanted[c] || name == w
		}
	}
	var at []uint32
	for i := range q.set.Len() {
		if c := q.set.Class(i); c != data.None && wanted[c] && q.set.Weight(i) != 0 {
			at = append(at, uint32(i))
		}
	}
	return at
}

// pair answers for two classes.
func (q *question) pair(ctx context.Context, positive, negative string) (*Result, error) {
	at := q.examples(positive, negative)
	two, err := q.set.Pick(at).Pair(positive, negative)
	if err != nil {
		return nil, err
	}
	r := &Result{Classes: []string{positive, negative}, Verdict: Undecided, Radius: radius(two)}
	if err := finite(two); err != nil {
		return nil, err
	}
	if done, err := q.quick(ctx, r, two); done || err != nil {
		return r, err
	}
	found, err := margin.Solve(ctx, two, margin.Options{NoBias: q.opt.NoBias, Workers: q.opt.Workers})
	if err != nil {
		return nil, err
	}
	r.Widest = found.Bound / 2
	switch {
	case found.Verdict == margin.Separable && q.separable(r, found.W, found.Bias):
	case q.meets(r, two, at, found):
		err = q.weakly(ctx, r, two, at)
	default:
		if r.Reason = found.Reason; r.Reason == "" {
			r.Reason = "rounding hides on which side of the plane some example is"
		}
		err = q.again(ctx, r, two, at)
	}
	return r, err
}

func radius(s *data.Set) float64 {
	most := 0.0
	for i := range s.Len() {
		most = max(most, vec.Norm(s.Row(i).Val))
		if x := s.Row(i); x.Val == nil {
			most = max(most, math.Sqrt(float64(x.Len())))
		}
	}
	return most
}

// finite refuses what the learners' front door refuses.
func finite(s *data.Set) error {
	for i := range s.Len() {
		if err := s.Row(i).Check(); err != nil {
			return fmt.Errorf("row %d: %w", s.Number(i), err)
		}
	}
	return nil
}

// text is a number as a certificate has it.
func text(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func texts(v []float64) []string {
	out := make([]string, len(v))
	for j, x := range v {
		out[j] = text(x)
	}
	return out
}

// large is the number of values from which on any separating plane will do: the
// widest margin of so large a set may take minutes.
const large = 2_000_000

// quick lets a perceptron look for a plane in a large set, with the features
// standardised meanwhile.
func (q *question) quick(ctx context.Context, r *Result, two *data.Set) (bool, error) {
	if two.Nonzeros() < large {
		return false, nil
	}
	l := &online.Perceptron{Options: online.Options{Epochs: 100, Shuffle: true}}
	m, err := halfspace.Fit(ctx, l, halfspace.Run{Set: two, Maps: prep.Pipeline{&prep.Standardise{NoCentre: q.opt.NoBias}}, NoBias: q.opt.NoBias, Seed: 1, Workers: q.opt.Workers})
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil || !m.Report.Converged { // the engine will tell
		return false, nil
	}
	return q.separable(r, m.Weights.W[0], m.Weights.Bias[0]), nil
}

// separable completes r if the weights found separate exactly.
func (q *question) separable(r *Result, w []float64, bias float64) bool {
	p := &certificate.Proof{Classes: r.Classes, Kind: certificate.Separable, Weights: [][]string{texts(w)}, Bias: []string{text(bias)}}
	if !q.prove(r, p) {
		return false
	}
	smallest, _ := new(big.Rat).SetString(p.Smallest)
	least, _ := smallest.Float64()
	r.W, r.Bias = w, bias
	r.Margin = least / vec.Norm(w)
	if r.Widest > 0 {
		r.Widest = max(r.Widest, r.Margin)
	}
	return true
}

// prove fills in the smallest score of a proof with weights, verifies the proof
// and takes it if it holds.
func (q *question) prove(r *Result, p *certificate.Proof) bool {
	if len(p.Weights) > 0 {
		smallest, err := q.verifier.Smallest(p)
		if err != nil {
			return false
		}
		p.Smallest = smallest.RatString()
	}
	if q.verifier.Check(p) != nil {
		return false
	}
	r.Proof, r.Verdict, r.Reason = p, p.Kind, ""
	return true
}

// meets completes r if the rows found prove that the hulls meet.
func (q *question) meets(r *Result, two *data.Set, at []uint32, found *margin.Result) bool {
	rows := make([][]part, len(found.Rows))
	for k, i := range found.Rows {
		rows[k] = signed(two, i)
	}
	vectors, _ := vectorsOf(rows, two.Dim(), !q.opt.NoBias)
	keep, z, ok := cancel(vectors, found.Multipliers)
	if !ok {
		return false
	}
	p := &certificate.Proof{Classes: r.Classes, Kind: certificate.NotSeparable}
	sum := new(big.Int)
	for k, n := range keep {
		i := found.Rows[n]
		p.Rows = append(p.Rows, q.raw.Number(int(at[i])))
		p.Labels = append(p.Labels, r.Classes[two.Class(i)])
		if q.opt.NoBias || two.Class(i) == 0 {
			sum.Add(sum, z[k])
		}
	}
	p.Multipliers = fractions(z, sum)
	return q.prove(r, p)
}

// fractions are numbers over their sum.
func fractions(z []*big.Int, sum *big.Int) []string {
	out := make([]string, len(z))
	for k, n := range z {
		out[k] = new(big.Rat).SetFrac(n, sum).RatString()
	}
	return out
}

// signed is y·x.
func signed(two *data.Set, i int) []part { return []part{{x: two.Row(i), sign: 1 - 2*two.Class(i)}} }
