// Package risk has the learners that minimise a penalty and a sum of losses,
//
//	½‖w‖² + C·Σ ℓ(y·(w·x + b))
//
// to a certificate: the report tells how far from the least possible value the
// answer is at most. C is LIBLINEAR's: the losses are summed, not averaged. The
// bias is free unless the penalty is told to count it.
package risk

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/learn/multi"
	"github.com/halfspace-ml/halfspace/learn/risk/joint"
	"github.com/halfspace-ml/halfspace/learn/risk/loss"
	"github.com/halfspace-ml/halfspace/learn/risk/penalty"
	"github.com/halfspace-ml/halfspace/learn/risk/solve"
	"github.com/halfspace-ml/halfspace/vec"
)

// Options are the parameters that all of these learners have.
type Options struct {
	C       float64
	Penalty string
	Ratio   float64
	Bias    string
	Solver  string
	Tol     float64
	Epochs  int
	Multi   string
	Tie     halfspace.Tie

	path *path // nil: every fit begins anew
}

// params is the table; ways are those to many classes, the default first.
func (o *Options) params(ways ...string) []halfspace.Param {
	solvers := []string{"auto"}
	for _, s := range solve.All {
		solvers = append(solvers, s.Name)
	}
	return []halfspace.Param{
		halfspace.Float(&o.C, "c", "1", 0, math.Inf(1), "what the losses count beside the penalty: a small C keeps the weights short, a large one fits"),
		halfspace.Word(&o.Penalty, "penalty", []string{"l2", "l1", "elastic", "none"}, "what keeps the weights short"),
		halfspace.Float(&o.Ratio, "ratio", "0.5", 0, 1, "share of l1 in the elastic penalty"),
		halfspace.Word(&o.Bias, "bias", []string{"free", "penalised"}, "whether the penalty counts the bias"),
		halfspace.Word(&o.Solver, "solver", solvers, "how to minimise; it never changes what is minimised"),
		halfspace.Float(&o.Tol, "tol", "0.0001", 0, 1, "stop when the duality gap is below this share of the objective"),
		halfspace.Int(&o.Epochs, "epochs", "1000", 1, math.MaxInt, "at most this many loops"),
		halfspace.Word(&o.Multi, "multi", ways, "the way to more than two classes"),
		halfspace.Word(&o.Tie, "tie", halfspace.Ties, "what a score of exactly 0 means"),
	}
}

// Risk minimises any of the losses with any of the penalties.
//
// Source: the principle of regularised risk (Vapnik 1992), in the scaling of
// LIBLINEAR (Fan and others 2008). The solvers name theirs.
type Risk struct {
	Loss string
	Options
}

// Name is the learner's name.
func (*Risk) Name() string { return "risk" }

// Params is the table of parameters.
func (r *Risk) Params() []halfspace.Param {
	return append([]halfspace.Param{
		halfspace.Word(&r.Loss, "loss", loss.Names(), "what a margin y·z costs"),
	}, r.params(multi.Schemes...)...)
}

// Fit minimises.
func (r *Risk) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	if err := halfspace.Complete(r.Params()); err != nil {
		return nil, err
	}
	return r.fit(ctx, run, loss.Named(r.Loss))
}

// SVM is the support vector machine with a soft margin:
//
//	½‖w‖² + C·Σ max(0, 1 − y·z)    or its square
//
// Source: Cortes and Vapnik 1995; document 001 has the hard margin, which a
// large C comes near to. Crammer and Singer 2001 is a way to many classes of its
// own (package joint).
type SVM struct {
	Loss string
	Options
}

// Name is the learner's name.
func (*SVM) Name() string { return "svm" }

// Params is the table of parameters.
func (s *SVM) Params() []halfspace.Param {
	return append([]halfspace.Param{
		halfspace.Word(&s.Loss, "loss", []string{loss.Hinge{}.Name(), loss.SquaredHinge{}.Name()}, "what a margin y·z below 1 costs"),
	}, s.params(append(slices.Clone(multi.Schemes), crammerSinger)...)...)
}

// Fit minimises.
func (s *SVM) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	if err := halfspace.Complete(s.Params()); err != nil {
		return nil, err
	}
	return s.fit(ctx, run, loss.Named(s.Loss))
}

// Logistic is logistic regression, penalised:
//
//	½‖w‖² + C·Σ ln(1 + e^(−y·z))
//
// Its scores are log-odds. More than two classes are learned at once, by
// softmax (package joint), unless it is told otherwise.
//
// Source: document 004 (without a penalty, by gradient ascent: logistic-gd);
// Cox 1958.
type Logistic struct{ Options }

// Name is the learner's name.
func (*Logistic) Name() string { return "logistic" }

// Params is the table of parameters.
func (l *Logistic) Params() []halfspace.Param {
	return l.params(append([]string{softmax}, multi.Schemes...)...)
}

// Fit minimises.
func (l *Logistic) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	if err := halfspace.Complete(l.Params()); err != nil {
		return nil, err
	}
	return l.fit(ctx, run, loss.Logistic{})
}

// The ways to many classes that see all of them at once.
const (
	softmax       = "softmax"
	crammerSinger = "crammer-singer"
)

// fit learns any number of classes.
func (o *Options) fit(ctx context.Context, run *halfspace.Run, l loss.Loss) (*halfspace.Model, error) {
	many := len(run.Set.Classes()) > 2
	if o.Multi == softmax || o.Multi == crammerSinger {
		if many {
			return o.joint(ctx, run, l)
		}
		return o.two(ctx, run, l) // two classes are one problem whatever the way
	}
	return multi.Fit(ctx, run, multi.Scheme(o.Multi), func(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
		m, err := o.two(ctx, run, l)
		if many && o.Multi == string(multi.OVR) && err == nil && m.Report.Objective == nil {
			return nil, fmt.Errorf("%w: a plane separates it, so without a penalty there is only a direction, whose length says nothing beside the scores of the others; use --penalty l2", halfspace.ErrParams)
		}
		return m, err
	})
}

// joint learns many classes at once.
func (o *Options) joint(ctx context.Context, run *halfspace.Run, l loss.Loss) (*halfspace.Model, error) {
	cannot := func(what, way string) error {
		return fmt.Errorf("%w: %s cannot have %s; use %s, or --multi ovr", halfspace.ErrParams, o.Multi, what, way)
	}
	switch {
	case o.Penalty != "l2":
		return nil, cannot("--penalty "+o.Penalty, "--penalty l2")
	case o.Solver != "auto":
		return nil, cannot("another solver than its own", "--solver auto")
	case o.Multi == crammerSinger && l != (loss.Hinge{}):
		return nil, cannot("--loss "+l.Name(), "--loss hinge")
	}
	opt := joint.Options{C: o.C, Penalised: o.Bias == "penalised", Tol: o.Tol, Epochs: o.Epochs, Tie: o.Tie}
	sub := *run
	if sub.Init == nil {
		sub.Init = o.path.weights()
	}
	var m *halfspace.Model
	var err error
	if o.Multi == crammerSinger {
		m, err = joint.CrammerSinger(ctx, &sub, opt)
	} else if m, err = joint.Softmax(ctx, &sub, opt); m != nil {
		m.Proba = halfspace.LogOdds(len(run.Set.Classes()))
	}
	if m != nil {
		o.path.keepWeights(m.Weights)
	}
	return m, err
}

// two learns two classes.
func (o *Options) two(ctx context.Context, run *halfspace.Run, l loss.Loss) (*halfspace.Model, error) {
	t := o.task(run, l)
	if err := joint.Measurable(t.Set, t.C); err != nil {
		return nil, err
	}
	if i := slices.Index(t.C, 0); i >= 0 { // multipliers are shares of it
		return nil, fmt.Errorf("row %d: C times its weight %g is below what numbers can hold; use a larger --c", t.Set.Number(i), t.Set.Weight(i))
	}
	s, err := o.solver(t)
	if err != nil {
		return nil, err
	}
	start := o.path.start(run, t)
	if run.Init != nil && usable(run, t, s) {
		start = solve.Point{W: slices.Clone(run.Init.W[0]), Bias: run.Init.Bias[0]}
	}
	out := minimise(ctx, t, s, start, o.Epochs, o.watched(run, t))
	o.path.keep(run, t, &out)
	m := &halfspace.Model{
		Weights: &halfspace.Weights{W: [][]float64{out.point.W}, Bias: []float64{out.point.Bias}},
		Tie:     o.Tie,
		Report: halfspace.Report{
			Epochs: out.epochs, Updates: out.updates, Converged: out.reached,
			Objective: out.cert.report(),
		},
	}
	supports(t, &out, &m.Report)
	if out.separated {
		direction(m)
	} else if l == (loss.Logistic{}) { // a direction has no odds
		m.Proba = halfspace.LogOdds(2)
	}
	if ctx.Err() == nil {
		m.Report.Warnings = o.advice(run, t, s, &out)
	}
	return m, ctx.Err()
}

// usable reports whether the solver can begin at the start weights: some begin
// at multipliers, and none where the objective is not a number.
func usable(run *halfspace.Run, t *solve.Task, s solve.Solver) bool {
	if s.Cold {
		return false
	}
	m := make([]float64, t.Set.Len())
	t.Margins(m, run.Init.W[0], run.Init.Bias[0])
	v := t.Value(solve.Point{W: run.Init.W[0], Bias: run.Init.Bias[0]}, m)
	return !math.IsNaN(v) && !math.IsInf(v, 0)
}

// task is what the parameters say is to be minimised.
func (o *Options) task(run *halfspace.Run, l loss.Loss) *solve.Task {
	n := run.Set.Len()
	t := &solve.Task{Set: run.Set, Y: make([]float64, n), C: make([]float64, n), Loss: l, Tol: o.Tol, Seed: run.Seed, Workers: run.Workers}
	for i := range n {
		t.Y[i] = 1
		if run.Set.Class(i) != 0 {
			t.Y[i] = -1
		}
		t.C[i] = o.C * run.Set.Weight(i)
	}
	switch o.Penalty {
	case "l2":
		t.Penalty = penalty.Ridge
	case "l1":
		t.Penalty = penalty.Lasso
	case "elastic":
		t.Penalty = penalty.Elastic(o.Ratio)
	}
	switch {
	case run.NoBias:
	case o.Bias == "penalised":
		t.Bias = solve.Penalised
	default:
		t.Bias = solve.Free
	}
	return t
}

// solver is the one asked for, or else the one that is best for the task.
func (o *Options) solver(t *solve.Task) (solve.Solver, error) {
	s := best(t)
	if o.Solver != "auto" {
		var err error
		if s, err = solve.Named(o.Solver); err != nil {
			return s, err
		}
	}
	if why := s.Cannot(t); why != "" {
		return s, fmt.Errorf("%w: solver %s cannot do this: %s", halfspace.ErrParams, s.Name, why)
	}
	return s, nil
}

// best is the solver for a task (ADR 10 has the measurements).
func best(t *solve.Task) solve.Solver {
	s := solve.Multipliers
	switch {
	case t.Penalty.L1 > 0:
		return solve.Coordinate
	case t.Loss.Smooth():
		s = solve.Newton
	}
	_, formula := t.Loss.(loss.Quadratic)
	if formula && t.Penalty.L2 > 0 && t.Set.Dim() >= solve.FewFeatures {
		return solve.DualThen(s)
	}
	return s
}

// watched sets up the run's hooks: one for the visits of the solver, one
// returned for its loops.
func (o *Options) watched(run *halfspace.Run, t *solve.Task) func(p solve.Progress, done bool) {
	epoch := 0
	if run.Hooks.Step != nil {
		t.Visit = func(v solve.Visit) {
			class := run.Set.Class(v.Index)
			z := o.Tie.Settle(t.Y[v.Index], v.Z, class, 1-class)
			run.Hooks.Step(&halfspace.Step{
				Visit: halfspace.Visit{Score: v.Z, Tau: v.Tau, Rival: 1 - class, Mistake: t.Y[v.Index]*z < 0},
				Epoch: epoch, Index: v.Index, Class: class, Y: t.Y[v.Index], X: run.Set.Row(v.Index),
				Rate: 1, RateBias: v.Pull, Deferred: v.Later,
				W:    &halfspace.Weights{W: [][]float64{v.W}, Bias: []float64{v.Bias}},
				Loss: t.Loss.Value(t.Y[v.Index] * v.Z), HasLoss: true,
			})
		}
	}
	return func(p solve.Progress, done bool) {
		epoch = p.Epoch
		if run.Hooks.Pass == nil {
			return
		}
		m := make([]float64, t.Set.Len())
		t.Margins(m, p.W, p.Bias)
		wrong := 0
		for i, v := range m {
			class := run.Set.Class(i)
			if t.Y[i]*o.Tie.Settle(t.Y[i], t.Y[i]*v, class, 1-class) < 0 {
				wrong++
			}
		}
		run.Hooks.Pass(&halfspace.Pass{
			Epoch: p.Epoch - 1, Epochs: o.Epochs, Examples: t.Set.Len(), Updates: p.Updates, Mistakes: wrong,
			Loss: t.Value(p.Point, m), HasLoss: true, Done: done, After: true,
			W: &halfspace.Weights{W: [][]float64{p.W}, Bias: []float64{p.Bias}},
		})
	}
}

// supports lists the examples that carry the plane, where some may not: the
// losses with a flat end.
func supports(t *solve.Task, out *outcome, r *halfspace.Report) {
	if t.Loss.Slope(2) != 0 || t.Penalty != penalty.Ridge {
		return
	}
	for i, a := range out.cert.Alpha {
		if a == 0 {
			continue
		}
		if r.Supports++; r.Supports <= halfspace.MaxSupport {
			r.Support = append(r.Support, halfspace.Support{Row: t.Set.Number(i), Multiplier: a})
		}
	}
	if r.Supports > halfspace.MaxSupport {
		r.Support = nil
	}
}

// direction makes the weights of length 1: where no length is best, only the
// direction is an answer.
func direction(m *halfspace.Model) {
	w := m.Weights.W[0]
	size := vec.Norm(w)
	for j := range w {
		w[j] /= size
	}
	m.Weights.Bias[0] /= size
	m.Report.Objective = nil
}
