package proof

import (
	"context"
	"math"
	"math/big"
	"strconv"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/judge/proof/certificate"
	"github.com/halfspace-ml/halfspace/learn/risk/margin"
	"github.com/halfspace-ml/halfspace/vec"
)

// maxReduced bounds the work of telling weakly separable sets apart: so many
// products of long numbers.
const maxReduced = 4e6

// weakly finds out whether r, which is not separable, is weakly so: whether
// there is a plane with no example on the wrong side and some on the right one.
//
// The rows of the proof must lie on such a plane, for with positive multipliers
// their scores add up to zero. So only weights that vanish on them are left: a
// space of fewer dimensions, in which the question is asked again of the rows
// that are not on every plane of it. In the end all rows are on it, or the rest
// is strictly separable.
func (q *question) weakly(ctx context.Context, r *Result, two *data.Set, at []uint32) error {
	w := q.newWeak(two)
	position := map[int]int{}
	for i, a := range at {
		position[q.raw.Number(int(a))] = i
	}
	for _, row := range r.Proof.Rows {
		w.on = append(w.on, position[row])
	}
	for {
		found, err := w.reduce(ctx, q.opt)
		if err != nil || found == stuck {
			return err
		}
		if found == covered {
			no := false
			r.Weakly = &no
			return nil
		}
		if found == separated {
			break
		}
	}
	for _, digits := range []int{1, 3, 6, 17} { // as short as will do
		p := *r.Proof
		p.Kind = certificate.Weakly
		p.Weights, p.Bias = w.weights(digits, !q.opt.NoBias)
		if q.prove(r, &p) {
			yes := true
			r.Weakly = &yes
			r.W, r.Bias = numbers(p.Weights[0]), numbers(p.Bias)[0]
			return nil
		}
	}
	return nil
}

func (q *question) newWeak(two *data.Set) *weak {
	w := &weak{two: two, dim: two.Dim()}
	if !q.opt.NoBias {
		w.dim++
	}
	return w
}

// costly reports whether looking at all examples in whole numbers is too much.
func (w *weak) costly() bool {
	return float64(w.dim)*float64(w.two.Nonzeros()+w.two.Len()) > maxReduced
}

func numbers(texts []string) []float64 {
	out := make([]float64, len(texts))
	for j, t := range texts {
		r, _ := new(big.Rat).SetString(t)
		out[j], _ = r.Float64()
	}
	return out
}

// weak is one question of this kind.
type weak struct {
	two   *data.Set
	dim   int          // of the weights, the bias included
	all   []vector     // y·x of every example
	least map[int]int  // powers of ten of the features in all
	on    []int        // examples known to lie on every weakly separating plane
	space [][]*big.Int // weights that vanish on them are combinations of these
	found []float64    // the combination that separates the rest
	units []int        // its powers of two
}

// outcome is what a reduction can find.
type outcome int

const (
	stuck     outcome = iota // numbers do not tell
	grew                     // more rows are on the plane
	separated                // a plane separates the rest
	covered                  // every row is on every plane
)

func (w *weak) reduce(ctx context.Context, opt Options) (outcome, error) {
	if w.all == nil {
		full := w.spanned()
		switch {
		case full:
			return covered, nil
		case w.costly():
			return stuck, nil
		}
		w.all, w.least = w.vectors(nil)
	}
	if !w.vanish() {
		return covered, nil
	}
	rest, images := w.images()
	if len(rest) == 0 {
		return covered, nil
	}
	r, err := margin.Solve(ctx, w.reduced(images), margin.Options{NoBias: true, Workers: opt.Workers})
	if err != nil {
		return stuck, err
	}
	if r.Verdict == margin.Separable {
		w.found = r.W
		return separated, nil
	}
	return w.grow(rest, images, r), nil
}

// spanned reports whether the rows on the plane leave no weights but zero.
func (w *weak) spanned() bool {
	vectors, _ := w.vectors(w.on)
	return len(w.on) > w.dim && len(equationsOf(vectors).eliminate(make([]float64, len(vectors))).rows) == w.dim
}

// vectors are y·x of some examples, of all if there are none.
func (w *weak) vectors(some []int) ([]vector, map[int]int) {
	if some == nil {
		for i := range w.two.Len() {
			some = append(some, i)
		}
	}
	rows := make([][]part, len(some))
	for k, i := range some {
		rows[k] = signed(w.two, i)
	}
	return vectorsOf(rows, w.two.Dim(), w.dim > w.two.Dim())
}

// vanish finds the weights that vanish on the rows on the plane; false if there
// are none.
func (w *weak) vanish() bool {
	eq := &equations{n: w.dim}
	for _, i := range w.on {
		var terms []term
		for _, e := range w.all[i] {
			terms = append(terms, term{e.key, e.n})
		}
		eq.rows = append(eq.rows, terms)
	}
	k := newKernel(eq, make([]float64, w.dim))
	if k == nil {
		return false
	}
	w.space = nil
	for _, f := range k.basis.free {
		if z := k.solution(f); z != nil {
			w.space = append(w.space, z)
		}
	}
	return len(w.space) > 0
}

// images are the rows not on every plane, as the weights of the space see them.
func (w *weak) images() (rest []int, images []vector) {
	sum, product := new(big.Int), new(big.Int)
	for i, v := range w.all {
		var image vector
		for k, s := range w.space {
			sum.SetInt64(0)
			for _, e := range v {
				sum.Add(sum, product.Mul(e.n, s[e.key]))
			}
			if sum.Sign() != 0 {
				image = append(image, entry{k, new(big.Int).Set(sum)})
			}
		}
		if image != nil {
			rest = append(rest, i)
			images = append(images, image)
		}
	}
	return rest, images
}

// reduced is the images as a set to be separated by a plane through the origin,
// all of one class, each coordinate in a power of two that brings it near 1.
func (w *weak) reduced(images []vector) *data.Set {
	w.units = make([]int, len(w.space))
	for _, v := range images {
		for _, e := range v {
			w.units[e.key] = max(w.units[e.key], e.n.BitLen())
		}
	}
	b := data.NewBuilder(nil)
	b.Declare("+", "-")
	var buf vec.Buffer
	for _, v := range images {
		buf.Reset()
		for _, e := range v {
			f, _ := new(big.Float).SetMantExp(new(big.Float).SetPrec(64).SetInt(e.n), -w.units[e.key]).Float64()
			buf.Add(uint32(e.key), f)
		}
		b.Add(buf.Row(), []byte("+"), 1)
	}
	return b.Set(data.Input{})
}

// grow puts the rows that cancel each other on the plane.
func (w *weak) grow(rest []int, images []vector, r *margin.Result) outcome {
	vectors := make([]vector, len(r.Rows))
	for k, i := range r.Rows {
		vectors[k] = images[i]
	}
	keep, _, ok := cancel(vectors, r.Multipliers)
	if !ok {
		return stuck
	}
	for _, k := range keep {
		w.on = append(w.on, rest[r.Rows[k]])
	}
	return grew
}

// weights are those found, in the units of the features, each coefficient of
// the combination with so many digits.
func (w *weak) weights(digits int, bias bool) ([][]string, []string) {
	largest := 0.0
	for _, f := range w.found {
		largest = max(largest, math.Abs(f))
	}
	sum := make([]*big.Rat, w.dim)
	for j := range sum {
		sum[j] = new(big.Rat)
	}
	for k, s := range w.space {
		if k >= len(w.found) || math.Abs(w.found[k]) < largest*1e-15 {
			continue
		}
		c, _ := new(big.Rat).SetString(strconv.FormatFloat(w.found[k]/largest, 'e', digits-1, 64))
		c.Mul(c, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(w.units[k]))))
		for j, n := range s {
			sum[j].Add(sum[j], new(big.Rat).Mul(c, new(big.Rat).SetInt(n)))
		}
	}
	for j, e := range w.least {
		if e < 0 {
			sum[j].Mul(sum[j], new(big.Rat).SetInt(power10(-e)))
		} else {
			sum[j].Quo(sum[j], new(big.Rat).SetInt(power10(e)))
		}
	}
	return shortest(sum, w.two.Dim(), bias)
}

// shortest is weights and bias times what makes them whole numbers without a
// common factor.
func shortest(sum []*big.Rat, dim int, bias bool) ([][]string, []string) {
	den, num := big.NewInt(1), new(big.Int)
	gcd := new(big.Int)
	for _, r := range sum {
		den.Mul(den, new(big.Int).Quo(r.Denom(), gcd.GCD(nil, nil, den, r.Denom())))
	}
	whole := make([]*big.Int, len(sum))
	for j, r := range sum {
		whole[j] = new(big.Int).Mul(r.Num(), new(big.Int).Quo(den, r.Denom()))
		num.GCD(nil, nil, num, new(big.Int).Abs(whole[j]))
	}
	texts := make([]string, len(sum))
	for j, n := range whole {
		if num.Sign() != 0 {
			n.Quo(n, num)
		}
		texts[j] = n.String()
	}
	if !bias {
		return [][]string{texts}, []string{"0"}
	}
	return [][]string{texts[:dim]}, []string{texts[dim]}
}
