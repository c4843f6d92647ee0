// Package risk has the learners that minimise a sum of losses and a penalty,
//
//	½‖w‖² + C·Σ ℓ(y·(w·x + b))
//
// solved to a certificate: the report tells how far from the least possible
// value the answer is at most.
package risk

import (
	"context"
	"fmt"
	"math"

	"github.com/halfspace-ml/halfspace"
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
	Tie     halfspace.Tie
}

// Risk minimises any of the losses with any of the penalties.
type Risk struct {
	Loss string
	Options
}

// Name is the learner's name.
func (*Risk) Name() string { return "risk" }

// Params is the table of parameters.
func (r *Risk) Params() []halfspace.Param {
	return append([]halfspace.Param{
		halfspace.Word(&r.Loss, "loss", loss.Names(), "what a margin costs"),
	}, r.params()...)
}

func (o *Options) params() []halfspace.Param {
	solvers := []string{"auto"}
	for _, s := range solve.All {
		solvers = append(solvers, s.Name)
	}
	return []halfspace.Param{
		halfspace.Float(&o.C, "c", "1", 0, math.Inf(1), "what losses count beside the penalty: small is smooth, large fits"),
		halfspace.Word(&o.Penalty, "penalty", []string{"l2", "l1", "elastic", "none"}, "what keeps the weights short"),
		halfspace.Float(&o.Ratio, "ratio", "0.5", 0, 1, "share of l1 in an elastic penalty"),
		halfspace.Word(&o.Bias, "bias", []string{"free", "penalised"}, "whether the penalty counts the bias"),
		halfspace.Word(&o.Solver, "solver", solvers, "how to minimise; never changes what is minimised"),
		halfspace.Float(&o.Tol, "tol", "1e-4", 0, 1, "stop when the duality gap is below this share of the objective"),
		halfspace.Int(&o.Epochs, "epochs", "1000", 1, math.MaxInt, "at most this many loops"),
		halfspace.Word(&o.Tie, "tie", halfspace.Ties, "what a score of exactly 0 means"),
	}
}

// Fit minimises.
func (r *Risk) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	if err := halfspace.Complete(r.Params()); err != nil {
		return nil, err
	}
	return r.fit(ctx, run, loss.Named(r.Loss))
}

func (o *Options) fit(ctx context.Context, run *halfspace.Run, l loss.Loss) (*halfspace.Model, error) {
	t := o.task(run, l)
	if err := measurable(t); err != nil {
		return nil, err
	}
	s, err := o.solver(t)
	if err != nil {
		return nil, err
	}
	var start solve.Point
	var pass func(halfspace.Pass)
	if run.Hooks.Pass != nil {
		pass = func(p halfspace.Pass) { run.Hooks.Pass(&p) }
	}
	out := minimise(ctx, t, s, start, o.Epochs, pass)
	w := &halfspace.Weights{W: [][]float64{out.point.W}, Bias: []float64{out.point.Bias}}
	rep := halfspace.Report{Epochs: out.epochs, Updates: out.updates, Converged: out.reached, Objective: out.cert.report()}
	return &halfspace.Model{Weights: w, Tie: o.Tie, Report: rep}, ctx.Err()
}

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

// solver is the one asked for, or the one for the task.
func (o *Options) solver(t *solve.Task) (solve.Solver, error) {
	name := o.Solver
	if name == "auto" {
		switch {
		case t.Penalty.L1 > 0:
			name = "coordinate"
		case t.Loss.Smooth():
			name = "newton"
		default:
			name = "multipliers"
		}
	}
	s, err := solve.Named(name)
	if err != nil {
		return s, err
	}
	if why := s.Cannot(t); why != "" {
		return s, fmt.Errorf("solver %s cannot do this: %s", name, why)
	}
	return s, nil
}

// measurable returns an error if the lengths of the rows are beyond numbers.
func measurable(t *solve.Task) error {
	largest := 0.0
	some := false
	for i := range t.Set.Len() {
		q := vec.SquaredNorm(t.Set.Row(i))
		if math.IsInf(q, 0) || math.IsInf(q*t.C[i], 0) {
			return fmt.Errorf("row %d is so long that its square is beyond what numbers can hold; scale the features (--scale)", t.Set.Number(i))
		}
		largest = max(largest, q)
		some = some || t.Set.Row(i).Len() > 0
	}
	if some && largest < 1e-290 {
		return fmt.Errorf("the features are so small that their squares vanish; scale them (--scale)")
	}
	return nil
}
