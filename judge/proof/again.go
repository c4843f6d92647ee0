package proof

import (
	"context"
	"math"
	"math/big"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/judge/proof/certificate"
	"github.com/halfspace-ml/halfspace/learn/risk/margin"
)

// again looks a second time at a set that float64 could not decide: in whole
// numbers every feature is moved to start at the first example and brought near
// 1, and only then rounded. Examples that differ by little beside their size,
// or features of sizes far apart, are told apart that way.
func (q *question) again(ctx context.Context, r *Result, two *data.Set, at []uint32) error {
	w := q.newWeak(two)
	if w.costly() {
		return nil
	}
	w.all, w.least = w.vectors(nil)
	w.space = w.moved()
	rest, images := w.images()
	if len(rest) == 0 {
		return nil
	}
	found, err := margin.Solve(ctx, w.reduced(images), margin.Options{NoBias: true, Workers: q.opt.Workers})
	if err != nil {
		return err
	}
	if found.Verdict == margin.Separable {
		w.found = found.W
		p := &certificate.Proof{Classes: r.Classes, Kind: certificate.Separable}
		p.Weights, p.Bias = w.weights(17, !q.opt.NoBias)
		if q.prove(r, p) {
			r.unit(p)
		}
		return nil
	}
	for k, i := range found.Rows {
		found.Rows[k] = rest[i]
	}
	if q.meets(r, two, at, found) {
		return q.weakly(ctx, r, two, at)
	}
	return nil
}

// moved is the weights that see examples less the first: a weight a feature,
// with the bias that makes its score of the first zero; and the bias.
func (w *weak) moved() [][]*big.Int {
	first := make([]*big.Int, w.dim)
	for j := range first {
		first[j] = new(big.Int)
	}
	features := w.two.Dim()
	for _, e := range w.all[0] {
		first[e.key].Set(e.n)
		if w.two.Class(0) == 1 { // the vector is y·x
			first[e.key].Neg(e.n)
		}
	}
	space := make([][]*big.Int, w.dim)
	for k := range space {
		space[k] = make([]*big.Int, w.dim)
		for j := range space[k] {
			space[k][j] = new(big.Int)
		}
		space[k][k].SetInt64(1)
		if k < features && w.dim > features {
			space[k][features].Neg(first[k])
		}
	}
	return space
}

// unit completes r by the plane of its proof: the weights for which the
// smallest score is 1, where float64 can hold them, and the margin.
func (r *Result) unit(p *certificate.Proof) {
	smallest, _ := new(big.Rat).SetString(p.Smallest)
	squares := new(big.Rat)
	var w []float64
	for _, text := range append(append([]string{}, p.Weights[0]...), p.Bias[0]) {
		v, _ := new(big.Rat).SetString(text)
		if v.Quo(v, smallest); len(w) < len(p.Weights[0]) {
			squares.Add(squares, new(big.Rat).Mul(v, v))
		}
		f, _ := v.Float64()
		w = append(w, f)
	}
	length, _ := new(big.Float).Sqrt(new(big.Float).SetPrec(64).SetRat(squares)).Float64()
	r.Margin = min(1/length, math.MaxFloat64)
	for _, v := range w {
		if math.IsInf(v, 0) {
			return
		}
	}
	r.W, r.Bias = w[:len(w)-1], w[len(w)-1]
}
