package closed

import (
	"context"
	"math"

	"github.com/halfspace-ml/halfspace"
)

// Ridge is least squares that prefers short weights,
//
//	J(w) = Σ (y − w·x − w0)² + λ‖w‖²
//
// with y = ±1 and the bias w0 free of the penalty. There is one answer however
// the features depend on each other.
//
// Source: what document 001 asks for when XᵀX is singular; Hoerl and Kennard
// 1970. The factor of LeastSquares with the rows √λ·I under it. The penalty is
// in the units of the features: with --scale it is fair to all of them.
//
// Cost: as LeastSquares. It has one pass and no steps to trace.
type Ridge struct {
	Lambda float64
}

// Name is the learner's name.
func (*Ridge) Name() string { return "ridge" }

// Params is the table of parameters.
func (r *Ridge) Params() []halfspace.Param {
	return []halfspace.Param{
		halfspace.Float(&r.Lambda, "lambda", "1", 0, math.Inf(1), "weight λ of the penalty λ‖w‖²; the bias is free"),
	}
}

// Direct says that it is a formula.
func (*Ridge) Direct() {}

// Fit solves.
func (r *Ridge) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	if err := halfspace.Complete(r.Params()); err != nil {
		return nil, err
	}
	return regress(ctx, r.Name(), r.Lambda, run)
}
