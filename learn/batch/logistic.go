package batch

import (
	"context"
	"fmt"
	"math"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/internal/logistic"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/vec"
)

// Logistic is gradient ascent on the log-likelihood of logistic regression,
//
//	ℒ(w) = Σ y·ln σ(w·x) + (1 − y)·ln σ(−w·x)    ∇ℒ = Σ (y − σ(w·x))·x    w ← w + η·∇ℒ
//
// with y = 1 for the positive class, 0 for the other, and σ(z) = 1/(1 + e^−z);
// with Mean it and its gradient are divided by n, the weight of all examples.
// What hooks and reports call the loss is −ℒ. With more than two classes each
// has a vector, and the softmax of the scores takes the place of σ.
//
// It stops when each component of ∇ℒ is at most Tol of the largest it could be,
// Σ|x|, which means the same in any units, or, if asked to, when the share of
// errors is below a limit. On separable data ℒ has no maximum: every separating
// w gains by growing, and a warning says so.
//
// Source: document 004, logistic regression/classification. Cost: one look at
// all examples a step, shared by the workers. Its trace shows z and the loss of
// each example, then E, L = −ℒ, its gradient and the new w.
type Logistic struct {
	online.Options
	Mean bool
	Tol  float64
}

// Name is the learner's name.
func (*Logistic) Name() string { return "logistic-gd" }

// Params is the table of parameters.
func (l *Logistic) Params() []halfspace.Param {
	table := l.Table("1000", "look at all examples and one step")
	for i, p := range table {
		if p.Name == "stop-error" {
			table[i] = halfspace.Float(&l.StopError, "stop-error", "0", 0, 1, "stop when less than this share is wrong (0: look at the gradient only)")
		}
	}
	return append(table,
		halfspace.Flag(&l.Mean, "mean", "mean over the examples instead of the sum (document 004)"),
		halfspace.Float(&l.Tol, "tol", "1e-06", 0, math.Inf(1), "stop when the gradient is at most this share of the largest it could be"))
}

// Multi says that many classes are learned by the softmax.
func (*Logistic) Multi() []string { return []string{"softmax", "ovr", "ovo", "kesler"} }

// Fit takes steps until the gradient is (almost) zero.
func (l *Logistic) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	if err := halfspace.Complete(l.Params()); err != nil {
		return nil, err
	}
	a := &ascent{descent: descent{opt: l.Options, mean: l.Mean, tell: true}, tol: l.Tol, last: math.Inf(1)}
	a.cost = func(scores []float64, class int, _ float64, _ halfspace.Visit) float64 {
		return logistic.Slope(scores, class)
	}
	a.reached = a.atTop
	a.largest = largest(run.Set)
	m, err := a.fit(ctx, run)
	m.Proba = halfspace.LogOdds(len(run.Set.Classes()))
	if err != nil || !m.Weights.Finite() {
		return m, err
	}
	if !m.Report.Converged { // the last step has not been judged
		if err := a.look(ctx); err != nil {
			return m, err
		}
		m.Report.Converged = a.done()
	}
	if !math.IsInf(a.loss, 0) && !math.IsNaN(a.loss) {
		m.Report.Objective = &halfspace.Objective{Primal: a.loss}
	}
	m.Report.Warnings = a.warnings(m.Report.Converged)
	return m, nil
}

// largest is the mean of |x| of each feature, with weights.
func largest(s *data.Set) []float64 {
	mean, total := make([]float64, s.Dim()), 0.0
	for i := range s.Len() {
		total += s.Weight(i)
	}
	for i := range s.Len() {
		x, share := s.Row(i), s.Weight(i)/total
		for k := range x.Len() {
			j, v := x.At(k)
			mean[j] += float64(share * math.Abs(v))
		}
	}
	return mean
}

// ascent is a descent on −ℒ with what can be learned from its course.
type ascent struct {
	descent
	tol       float64
	largest   []float64 // what the mean gradient of each feature could be
	share     float64   // of it that the gradient is, at most over the features
	last      float64   // loss, before the latest step
	rises     int       // steps, of the later half, that raised the loss
	separable bool      // proven by some w on the way
}

// atTop reports whether the gradient is small enough.
func (a *ascent) atTop() bool {
	late := 2*a.rep.Epochs > a.opt.Epochs
	if late && a.loss-a.last > 1e-12*a.last { // more than rounding
		a.rises++
	}
	a.last = a.loss
	a.separable = a.separable || a.errors == 0 && separates(a.w, a.run.Set, a.run.Workers)
	total := a.weight
	if a.mean {
		total = 1
	}
	a.share = 0
	for k, g := range a.gradient.W {
		a.share = max(a.share, math.Abs(a.gradient.Bias[k])/total)
		for j, v := range g {
			if v != 0 {
				a.share = max(a.share, math.Abs(v)/total/a.largest[j])
			}
		}
	}
	return a.share <= a.tol
}

func (a *ascent) warnings(converged bool) []string {
	switch {
	case a.separable:
		return []string{"a plane separates the classes, so the likelihood has no maximum: more steps only make the weights longer, and what counts is their direction (--learner svm-hard gives the one with the widest margin)"}
	case converged:
		return nil
	case a.rises > 0:
		return []string{fmt.Sprintf("not at the maximum, and the loss rose in %d of the last %d steps: the rate is too large; %s", a.rises, a.opt.Epochs-a.opt.Epochs/2, a.advice())}
	}
	return []string{fmt.Sprintf("not at the maximum: the gradient is %.1g of the largest it could be, and --tol is %g; use more steps (--epochs N), a larger --rate, or --scale", a.share, a.tol)}
}

// advice names a rate with which no step raises the loss: below 2/B for a bound
// B of its curvature, which is at most ¼·Σ‖x‖², and ½·Σ‖x‖² of the softmax.
func (a *ascent) advice() string {
	sum, s := 0.0, a.run.Set
	for i := range s.Len() {
		q := vec.SquaredNorm(s.Row(i))
		if !a.run.NoBias {
			q++
		}
		sum += float64(s.Weight(i) * q)
	}
	if a.mean {
		sum /= a.weight
	}
	most := 8 / sum
	if len(a.w.W) > 1 {
		most = 4 / sum
	}
	if !(most > 0) {
		return "use a smaller --rate, or --scale"
	}
	digit := math.Pow(10, math.Floor(math.Log10(most)))
	return fmt.Sprintf("with --rate %.1g it cannot rise, but may be slow (--scale helps)", math.Floor(most/digit*0.999)*digit)
}

// separates reports whether w has every example strictly on its own side,
// whatever the rounding of the scores.
func separates(w *halfspace.Weights, s *data.Set, workers int) bool {
	wrong := make([]bool, block.Count(s.Len()))
	block.Each(s.Len(), workers, func(b, lo, hi int) {
		for i := lo; i < hi && !wrong[b]; i++ {
			wrong[b] = !surely(w, s.Row(i), s.Class(i))
		}
	})
	for _, v := range wrong {
		if v {
			return false
		}
	}
	return true
}

func surely(w *halfspace.Weights, x vec.Row, class int) bool {
	if len(w.W) == 1 {
		z, slack := scoreWithin(w, 0, x)
		if class != 0 {
			z = -z
		}
		return z > slack && !math.IsInf(z, 1)
	}
	own, slack := scoreWithin(w, class, x)
	for k := range w.W {
		if k == class {
			continue
		}
		if z, more := scoreWithin(w, k, x); !(own-z > 2*(slack+more)) || math.IsInf(own-z, 1) {
			return false
		}
	}
	return true
}

// scoreWithin is a score and twice what rounding may have done to it: half an
// ulp of the sum of magnitudes for each operation, and of the least number for
// each product.
func scoreWithin(w *halfspace.Weights, k int, x vec.Row) (z, slack float64) {
	size := math.Abs(w.Bias[k])
	for i := range x.Len() {
		j, v := x.At(i)
		size += math.Abs(w.W[k][j] * v)
	}
	n := float64(x.Len() + 8)
	return w.Score(k, x), float64(n*0x1p-52*size) + n*math.SmallestNonzeroFloat64
}
