package closed

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/vec"
)

// BiasRule says where Fisher puts the threshold.
type BiasRule string

const (
	// BiasMargin is midway between the closest projections of the two classes
	// (document 004: maximum margin).
	BiasMargin BiasRule = "margin"
	// BiasPriors takes the classes as normal with one covariance S_w/n and as
	// frequent as their examples.
	BiasPriors BiasRule = "priors"
)

// Singular says what Fisher does when S_w has no inverse.
type Singular string

const (
	// SingularPseudo takes the pseudo-inverse: directions in which the classes
	// do not vary are left out.
	SingularPseudo Singular = "pseudo"
	// SingularShrink adds a little of the diagonal of the total scatter.
	SingularShrink Singular = "shrink"
)

// Fisher is Fisher's discriminant: the direction that holds the class means
// apart, beside how the classes vary around them,
//
//	S_w = Σ_k Σ_(x of class k) (x − μ_k)(x − μ_k)ᵀ    ŵ = S_w⁻¹(μ_1 − μ_2)
//
// with a bias by BiasRule. More than two classes are told apart by
//
//	z_k = n·(μ_k − μ)ᵀS_w⁻¹(x − μ) − ½·n·(μ_k − μ)ᵀS_w⁻¹(μ_k − μ) + ln(n_k/n)
//
// which is linear discriminant analysis with the covariance S_w/n.
//
// Source: document 004 (Fisher, S_w a sum and not a mean, bias by maximum
// margin); Fisher 1936; Rao 1948 for many classes. S_w is never formed: the
// factor of the moments takes its place. ŵ is parallel to that of LeastSquares.
//
// Cost: O(n·d²), O(d²) memory; the margin rule looks at the examples once more.
// It has one pass and no steps to trace.
type Fisher struct {
	Bias      BiasRule
	Singular  Singular
	Shrinkage float64
}

// ErrNoDirection says that S_w is singular where it matters most.
var ErrNoDirection = errors.New("no direction")

// Name is the learner's name.
func (*Fisher) Name() string { return "fisher" }

// Params is the table of parameters.
func (f *Fisher) Params() []halfspace.Param {
	return []halfspace.Param{
		halfspace.Word(&f.Bias, "bias-rule", []string{string(BiasMargin), string(BiasPriors)}, "midway between the closest projections (document 004), or by class means and sizes; more than two classes are always by priors"),
		halfspace.Word(&f.Singular, "singular", []string{string(SingularPseudo), string(SingularShrink)}, "when S_w has no inverse, take the pseudo-inverse, or shrink S_w towards the spread of each feature"),
		halfspace.Float(&f.Shrinkage, "shrinkage", "0.1", 0, 1, "share γ of --singular shrink: (1−γ)·S_w + γ·diag(S_total)"),
	}
}

// Direct says that it is a formula.
func (*Fisher) Direct() {}

// Fit solves.
func (f *Fisher) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	g, err := f.geometry(ctx, run)
	if err != nil {
		if ctx.Err() != nil {
			return nothing(run), err
		}
		return nil, err
	}
	w := halfspace.NewWeights(g.classes, g.features)
	if g.classes == 2 {
		err = f.two(ctx, run, g, w)
	} else {
		g.many(w, !run.NoBias)
	}
	if err != nil {
		return nothing(run), err
	}
	watch(run, halfspace.Pass{W: w})
	return model(w, g.warnings, run), nil
}

// geometry is where the classes lie and how they vary, in the units of the
// moments.
type geometry struct {
	*moments
	means    [][]float64 // of every class
	mean     []float64   // of all examples
	within   *scatter
	inverse  within
	warnings []string
}

func (f *Fisher) geometry(ctx context.Context, run *halfspace.Run) (*geometry, error) {
	if err := halfspace.Complete(f.Params()); err != nil {
		return nil, err
	}
	if err := affordable(f.Name(), run); err != nil {
		return nil, err
	}
	m, err := gather(ctx, run, true)
	if err != nil {
		return nil, err
	}
	for k, weight := range m.weight {
		if weight == 0 {
			return nil, fmt.Errorf("%w: class %q has no examples, and fisher needs the mean of every class", ErrNoDirection, run.Set.Classes()[k])
		}
	}
	g := &geometry{moments: m, means: m.classMeans(), within: m.scatter()}
	g.mean = make([]float64, m.features)
	for k, mean := range g.means {
		for j, v := range mean {
			g.mean[j] += float64(v * (m.weight[k] / m.total()))
		}
	}
	return g, f.invert(g)
}

// classMeans come from the rows of the factor that belong to the classes.
func (m *moments) classMeans() [][]float64 {
	means := make([][]float64, m.classes)
	for k := m.classes - 1; k >= 0; k-- {
		row := m.r.Data[k*m.r.Stride : (k+1)*m.r.Stride]
		mean := append([]float64(nil), row[m.classes:]...)
		for l := k + 1; l < m.classes; l++ {
			for j := range mean {
				mean[j] -= float64(row[l] * means[l][j])
			}
		}
		for j := range mean {
			mean[j] /= row[k]
		}
		means[k] = mean
	}
	return means
}

// differences are the means from which the direction comes, each beside the
// last class's; what is rounding only is zero.
func (g *geometry) differences() [][]float64 {
	last := g.classes - 1
	out := make([][]float64, last)
	for k := range out {
		out[k] = make([]float64, g.features)
		least := min(g.weight[k], g.weight[last])
		for j := range out[k] {
			d := g.means[k][j] - g.means[last][j]
			if math.Abs(d) > noise(g.features)*g.within.full[j]/math.Sqrt(least) {
				out[k][j] = d
			}
		}
	}
	return out
}

// invert finds S_w⁻¹, or says what it takes instead.
func (f *Fisher) invert(g *geometry) error {
	s := g.within
	if !s.singular() {
		g.inverse = s.factor
		return nil
	}
	what := fmt.Sprintf("S_w is singular (rank %d of %d: features depend on each other, or do not vary within the classes, or there are too few examples)", s.factor.rank, g.features)
	if f.Singular == SingularShrink {
		g.inverse = s.shrunk(f.Shrinkage)
		g.warnings = append(g.warnings, fmt.Sprintf("%s: it was shrunk by --shrinkage %v towards the spread of each feature; --singular pseudo uses the pseudo-inverse", what, f.Shrinkage))
		return nil
	}
	p := s.pseudo()
	g.inverse = p
	anySome, allAll := false, true
	for _, d := range g.differences() {
		some, all := p.misses(d, s.full)
		anySome, allAll = anySome || some, allAll && all
	}
	switch {
	case allAll:
		return fmt.Errorf("%w: %s, and the class means differ only where the classes do not vary, which the pseudo-inverse leaves out; use --singular shrink", ErrNoDirection, what)
	case anySome:
		g.warnings = append(g.warnings, what+": its pseudo-inverse was used, which leaves out directions in which the class means differ; --singular shrink uses them")
	default:
		g.warnings = append(g.warnings, what+": its pseudo-inverse was used, and loses nothing of what holds the means apart; --singular shrink is the other way")
	}
	return nil
}

// own are weights v of the moments' units in the data's units.
func (g *geometry) own(v []float64) []float64 {
	w := make([]float64, len(v))
	for j := range v {
		w[j] = math.Ldexp(v[j], -g.columns.unit[j])
	}
	return w
}

// along is v·(mean of all examples), in the data's units.
func (g *geometry) along(v, mean []float64) (sum float64) {
	for j := range v {
		sum += float64(v[j] * (mean[j] + g.shift[j]))
	}
	return sum
}

// two is the two-class discriminant.
func (f *Fisher) two(ctx context.Context, run *halfspace.Run, g *geometry, w *halfspace.Weights) error {
	delta := g.differences()[0]
	v := g.inverse.back(g.inverse.white(delta))
	w.W[0] = g.own(v)
	zero := true
	for _, x := range delta {
		zero = zero && x == 0
	}
	if zero {
		g.warnings = append(g.warnings, "the class means are equal, so Fisher's direction is zero and every score is the bias: no plane of this kind tells the classes apart")
	}
	if run.NoBias {
		return nil
	}
	if f.Bias == BiasPriors || zero {
		middle := make([]float64, g.features)
		for j := range middle {
			middle[j] = (g.means[0][j] + g.means[1][j]) / 2
		}
		w.Bias[0] = math.Log(g.weight[0]/g.weight[1])/g.total() - g.along(v, middle)
		return nil
	}
	low, high, err := closest(ctx, run, w.W[0])
	if err != nil {
		return err
	}
	w.Bias[0] = -(low/2 + high/2)
	if low <= high {
		g.warnings = append(g.warnings, fmt.Sprintf("the classes overlap along Fisher's direction (from %.6g to %.6g), so no threshold separates them there; --bias-rule margin then means the middle of the overlap, which two stray examples decide: --bias-rule priors goes by means and sizes", low, high))
	}
	return nil
}

// closest is the least projection of class 0 and the greatest of class 1.
func closest(ctx context.Context, run *halfspace.Run, w []float64) (low, high float64, err error) {
	type ends struct{ low, high float64 }
	parts := make([]ends, block.Count(run.Set.Len()))
	block.Each(run.Set.Len(), run.Workers, func(b, lo, hi int) {
		e := ends{math.Inf(1), math.Inf(-1)}
		if ctx.Err() != nil {
			return
		}
		for i := lo; i < hi; i++ {
			z := vec.Dot(w, run.Set.Row(i))
			if run.Set.Class(i) == 0 {
				e.low = min(e.low, z)
			} else {
				e.high = max(e.high, z)
			}
		}
		parts[b] = e
	})
	low, high = math.Inf(1), math.Inf(-1)
	for _, e := range parts {
		low, high = min(low, e.low), max(high, e.high)
	}
	return low, high, ctx.Err()
}

// many is linear discriminant analysis of more than two classes.
func (g *geometry) many(w *halfspace.Weights, bias bool) {
	n := g.total()
	for k, mean := range g.means {
		delta := make([]float64, g.features)
		for j := range delta {
			delta[j] = mean[j] - g.mean[j]
		}
		u := g.inverse.white(delta)
		v := g.inverse.back(u)
		half := 0.0
		for _, x := range u {
			half += float64(x*x) / 2
		}
		for j := range v {
			v[j] *= n
		}
		w.W[k] = g.own(v)
		if bias {
			w.Bias[k] = math.Log(g.weight[k]/n) - n*half - g.along(v, g.mean)
		}
	}
}

// Projection is the discriminant directions, at most one fewer than there are
// classes, the one that holds the means apart most first. Along each the
// classes vary by 1 (wᵀ(S_w/n)w = 1); its largest component is positive. It is
// for pictures of many features in few dimensions.
func (f *Fisher) Projection(ctx context.Context, run *halfspace.Run) ([][]float64, error) {
	g, err := f.geometry(ctx, run)
	if err != nil {
		return nil, err
	}
	var between []float64 // a row a class
	size := 0
	for k, mean := range g.means {
		delta := make([]float64, g.features)
		for j := range delta {
			delta[j] = math.Sqrt(g.weight[k]) * (mean[j] - g.mean[j])
		}
		u := g.inverse.white(delta)
		size = len(u)
		between = append(between, u...)
	}
	if size == 0 {
		return nil, nil
	}
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(g.classes, size, between), mat.SVDThin) {
		return nil, fmt.Errorf("%w: the directions cannot be computed", ErrNoDirection)
	}
	var v mat.Dense
	svd.VTo(&v)
	var out [][]float64
	for c := range min(g.classes-1, size) {
		u := make([]float64, size)
		for i := range u {
			u[i] = math.Sqrt(g.total()) * v.At(i, c)
		}
		out = append(out, upright(g.own(g.inverse.back(u))))
	}
	return out, nil
}

// upright turns w so that its largest component is positive.
func upright(w []float64) []float64 {
	largest := 0.0
	for _, x := range w {
		if math.Abs(x) > math.Abs(largest) {
			largest = x
		}
	}
	if largest < 0 {
		for j := range w {
			w[j] = -w[j]
		}
	}
	return w
}
