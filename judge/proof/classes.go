package proof

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/judge/proof/certificate"
	"github.com/halfspace-ml/halfspace/learn/risk/margin"
	"github.com/halfspace-ml/halfspace/vec"
)

// Answer is what was found out about all classes of a set: two by two, and,
// where there are more, jointly: whether one weight vector a class gives every
// example its own class the best score.
type Answer struct {
	Verdict string // of all classes; never Weakly where there are more than two
	Reason  string // of Undecided
	Pairs   []*Result
	Joint   *Result // more than two classes; nil: the pairs have answered it
}

// maxJoint is the most values that Kesler's vectors may have.
const maxJoint = 2e7

// Classes answers for all classes that s has examples of. With ctx ended the
// error is ctx.Err().
func Classes(ctx context.Context, s *data.Set, opt Options) (*Answer, error) {
	q, err := newQuestion(s, opt)
	if err != nil {
		return nil, err
	}
	classes, err := present(s)
	if err != nil {
		return nil, err
	}
	a := &Answer{Verdict: certificate.Separable}
	for k, positive := range classes {
		for _, negative := range classes[k+1:] {
			r, err := q.pair(ctx, positive, negative)
			if err != nil {
				return nil, err
			}
			a.Pairs = append(a.Pairs, r)
			a.take(r)
		}
	}
	if len(classes) == 2 {
		a.Verdict = a.Pairs[0].Verdict
		return a, nil
	}
	if a.Verdict == certificate.Separable {
		if a.Joint, err = q.joint(ctx, classes); err != nil {
			return nil, err
		}
		a.take(a.Joint)
	}
	return a, nil
}

// take makes the verdict that of a part, if that is worse: what cannot be done
// in part cannot be done.
func (a *Answer) take(r *Result) {
	switch {
	case r.Verdict == certificate.NotSeparable || r.Verdict == certificate.Weakly:
		a.Verdict, a.Reason = certificate.NotSeparable, ""
	case r.Verdict == Undecided && a.Verdict == certificate.Separable:
		a.Verdict, a.Reason = Undecided, r.Reason
	}
}

// present are the classes with examples.
func present(s *data.Set) ([]string, error) {
	counts, _ := s.Weighty().Counts()
	var classes []string
	for c, n := range counts {
		if n > 0 {
			classes = append(classes, s.Classes()[c])
		}
	}
	if len(classes) < 2 {
		return nil, fmt.Errorf("examples of %d class; a plane separates two", len(classes))
	}
	return classes, nil
}

// Certificate is the file that proves an answer about s. reading is the flags
// that s was read with.
func (a *Answer) Certificate(s *data.Set, opt Options, reading string) (*certificate.Certificate, error) {
	if a.Verdict == Undecided {
		return nil, errors.New("nothing is proven, so there is no certificate")
	}
	c := &certificate.Certificate{Claim: a.Verdict, Data: certificate.Describe(s), Bias: !opt.NoBias, Maps: opt.Maps}
	c.Data.Reading = reading
	for _, r := range append(a.Pairs, a.Joint) {
		if r != nil && r.Proof != nil {
			c.Proofs = append(c.Proofs, *r.Proof)
		}
	}
	c.Seal()
	return c, nil
}

// kesler is one of Kesler's vectors: an example against a rival.
type kesler struct{ at, class, rival int }

// joint answers for all classes at a time.
func (q *question) joint(ctx context.Context, classes []string) (*Result, error) {
	r := &Result{Classes: classes, Verdict: Undecided, Radius: radius(q.set)}
	if len(classes) < len(q.set.Classes()) {
		r.Reason = "some classes have no example, so that nothing is known of them"
		return r, nil
	}
	if !q.affordable(classes) {
		r.Reason = fmt.Sprintf("the classes are separable two by two; jointly they are %d examples against %d rivals each, more than are looked at", q.set.Len(), len(classes)-1)
		return r, nil
	}
	list := q.list(classes)
	found, err := margin.Solve(ctx, q.construct(list), margin.Options{NoBias: true, Workers: q.opt.Workers})
	if err != nil {
		return nil, err
	}
	switch {
	case found.Verdict == margin.Separable && q.jointWeights(r, found):
	case q.jointMeets(r, list, found):
	default:
		r.Reason = found.Reason
	}
	return r, nil
}

// affordable reports whether Kesler's vectors are not too many.
func (q *question) affordable(classes []string) bool {
	return 2*float64(len(classes)-1)*float64(q.set.Nonzeros()+q.set.Len()) <= maxJoint
}

// list is every example against every rival.
func (q *question) list(classes []string) []kesler {
	var list []kesler
	for _, i := range q.examples(classes...) {
		for rival := range classes {
			if c := q.set.Class(int(i)); rival != c {
				list = append(list, kesler{int(i), c, rival})
			}
		}
	}
	return list
}

func (q *question) block() int {
	if q.opt.NoBias {
		return q.set.Dim()
	}
	return q.set.Dim() + 1
}

// parts are a vector as rows in blocks.
func (q *question) parts(k kesler) []part {
	x := q.set.Row(k.at)
	return []part{{x, k.class * q.block(), 1}, {x, k.rival * q.block(), -1}}
}

// construct is Kesler's vectors as a set to be separated by a plane through the
// origin, all of one class.
func (q *question) construct(list []kesler) *data.Set {
	b := data.NewBuilder(data.DerivedFeatures(q.block()*len(q.set.Classes()), func(int) string { return "" }))
	b.Declare("+", "-")
	var buf vec.Buffer
	for _, k := range list {
		buf.Reset()
		for _, p := range q.parts(k) {
			sign := float64(p.sign)
			for m := range p.x.Len() {
				j, v := p.x.At(m)
				buf.Add(uint32(p.key+j), sign*v)
			}
			if !q.opt.NoBias {
				buf.Add(uint32(p.key+q.set.Dim()), sign)
			}
		}
		b.Add(buf.Row(), []byte("+"), 1)
	}
	return b.Set(data.Input{})
}

// jointWeights completes r if the weights found separate exactly.
func (q *question) jointWeights(r *Result, found *margin.Result) bool {
	p := &certificate.Proof{Classes: r.Classes, Kind: certificate.Separable}
	for k := range r.Classes {
		w := found.W[k*q.block() : (k+1)*q.block()]
		bias := "0"
		if !q.opt.NoBias {
			bias = text(w[q.set.Dim()])
		}
		p.Weights, p.Bias = append(p.Weights, texts(w[:q.set.Dim()])), append(p.Bias, bias)
	}
	if !q.prove(r, p) {
		return false
	}
	smallest, _ := new(big.Rat).SetString(p.Smallest)
	least, _ := smallest.Float64()
	r.Margin, r.Widest = least/vec.Norm(found.W), found.Bound/2
	return true
}

// jointMeets completes r if the vectors found cancel.
func (q *question) jointMeets(r *Result, list []kesler, found *margin.Result) bool {
	rows := make([][]part, len(found.Rows))
	for k, n := range found.Rows {
		rows[k] = q.parts(list[n])
	}
	vectors, _ := vectorsOf(rows, q.set.Dim(), !q.opt.NoBias)
	keep, z, ok := cancel(vectors, found.Multipliers)
	if !ok {
		return false
	}
	p := &certificate.Proof{Classes: r.Classes, Kind: certificate.NotSeparable}
	sum := new(big.Int)
	for k, n := range keep {
		v := list[found.Rows[n]]
		p.Rows = append(p.Rows, q.raw.Number(v.at))
		p.Labels = append(p.Labels, r.Classes[v.class])
		p.Rivals = append(p.Rivals, r.Classes[v.rival])
		sum.Add(sum, z[k])
	}
	p.Multipliers = fractions(z, sum)
	return q.prove(r, p)
}
