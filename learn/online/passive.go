package online

import (
	"context"
	"math"

	"github.com/halfspace-ml/halfspace"
)

// PassiveAggressive makes the smallest change that gives the example a margin
// of 1: with the loss l = max(0, 1 − y·z) and q = ‖x̃‖², w ← w + τ·y·x with
//
//	pa    τ = l / q
//	pa-1  τ = min(C, l / q)
//	pa-2  τ = l / (q + 1/(2C))
//
// Source: Crammer, Dekel, Keshet, Shalev-Shwartz and Singer, Online
// passive-aggressive algorithms (2006). Cost: a score and a length a visit. Its
// trace shows an update after every example with y·z < 1.
type PassiveAggressive struct {
	Options
	Variant string
	C       float64
}

// Name is the learner's name.
func (*PassiveAggressive) Name() string { return "passive-aggressive" }

// Params is the table of parameters.
func (p *PassiveAggressive) Params() []halfspace.Param {
	return append(p.Options.Params(),
		halfspace.Word(&p.Variant, "variant", []string{"pa-1", "pa", "pa-2"}, "pa: always correct in full; pa-1: by at most C; pa-2: softened by C"),
		halfspace.Float(&p.C, "c", "1", 0, math.Inf(1), "aggressiveness C of pa-1 and pa-2"))
}

// Step is the least that is needed.
func (p *PassiveAggressive) Step(y, z, q float64) float64 {
	loss := 1 - y*z
	if loss <= 0 || q == 0 { // an example without features cannot be moved
		return 0
	}
	switch p.Variant {
	case "pa-1":
		return y * min(p.C, loss/q)
	case "pa-2":
		return y * (loss / (q + 0.5/p.C))
	}
	return y * (loss / q)
}

// Fit loops over the examples.
func (p *PassiveAggressive) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	return fit(ctx, run, p, p, &p.Options, nil)
}

// Start begins a stream.
func (p *PassiveAggressive) Start(m *halfspace.Model) (halfspace.Online, error) {
	return stream(m, p, p, &p.Options, nil)
}
