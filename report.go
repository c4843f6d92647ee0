package halfspace

import (
	"maps"

	"github.com/halfspace-ml/halfspace/data"
)

// Report tells how a model was made. It is kept in the model file.
type Report struct {
	Program     string         `json:"program"`
	Learner     string         `json:"learner"`
	Parameters  map[string]any `json:"parameters"`
	Bias        bool           `json:"has_bias"`
	Maps        []string       `json:"maps,omitempty"`    // their names; scaling among them is folded into the weights
	Relabel     string         `json:"relabel,omitempty"` // how the classes were renamed before training
	Seed        uint64         `json:"seed"`
	Data        DataReport     `json:"data"`
	Epochs      int            `json:"epochs"`
	Updates     int            `json:"updates"`
	Mistakes    int            `json:"mistakes"`
	Converged   bool           `json:"converged"`
	Interrupted bool           `json:"interrupted,omitempty"`
	Learned     int            `json:"learned,omitempty"`   // examples learned from one at a time since
	Objective   *Objective     `json:"objective,omitempty"` // learners that minimise one
	KKT         *KKT           `json:"kkt,omitempty"`       // hard margins: how well the conditions of the optimum hold
	Supports    int            `json:"support_vectors,omitempty"`
	Support     []Support      `json:"support,omitempty"` // when there are MaxSupport or fewer
	Train       *Tally         `json:"train,omitempty"`
	Warnings    []string       `json:"warnings"`
}

// Objective is what a learner minimised, with its proof: no weights at all give
// less than Dual. It is computed apart from the solver.
type Objective struct {
	Primal      float64  `json:"primal"`
	Dual        *float64 `json:"dual,omitempty"` // nil: the problem has no bound that could be computed
	Gap         *float64 `json:"gap,omitempty"`
	RelativeGap *float64 `json:"relative_gap,omitempty"` // gap over primal
}

// KKT is how far a plane of a hard margin and its multipliers λ are from the
// conditions of Karush, Kuhn and Tucker, which hold together only at the widest
// margin. Each is a share of what is compared: 0 is exact, 1e-16 is rounding.
type KKT struct {
	Stationarity float64 `json:"stationarity"` // w = Σ λ·y·x
	Balance      float64 `json:"balance"`      // Σ λ·y = 0
	Sign         float64 `json:"sign"`         // λ ≥ 0
	Slackness    float64 `json:"slackness"`    // λ·(y·z − 1) = 0
	Feasibility  float64 `json:"feasibility"`  // y·z ≥ 1
	Margin       float64 `json:"margin"`       // 2/‖w‖, the width between the classes
}

// Support is an example that carries the plane: the weights are the sum of
// multiplier·y·x over these.
type Support struct {
	Row        int     `json:"row"` // where it was first read, from 1
	Multiplier float64 `json:"multiplier"`
}

// MaxSupport is the longest list of support vectors that a report keeps.
const MaxSupport = 10_000

// DataReport describes the training data.
type DataReport struct {
	Examples int      `json:"examples"`
	Features int      `json:"features"`
	Nonzeros int      `json:"nonzeros"`
	Classes  []string `json:"classes"`
	Counts   []int    `json:"counts"`
	Columns  int      `json:"columns,omitempty"` // tables: columns that became features
	Digest   string   `json:"digest,omitempty"`
}

// Describe is the report of a set.
func Describe(s *data.Set) DataReport {
	counts, _ := s.Counts()
	d := DataReport{Examples: s.Len(), Features: s.Dim(), Nonzeros: s.Nonzeros(), Classes: s.Classes(), Counts: counts}
	for _, c := range s.Input().Columns {
		if c.Kind == data.Numeric || c.Kind == data.Nominal {
			d.Columns++
		}
	}
	return d
}

func (r *Report) stamp(l Learner, run *Run, raw *data.Set) {
	r.Program = Program
	r.Learner = l.Name()
	given := r.Parameters
	r.Parameters = Values(l.Params())
	maps.Copy(r.Parameters, given) // what the learner itself put there
	r.Bias = !run.NoBias
	r.Seed = run.Seed
	r.Maps = run.Maps.Kinds()
	r.Data = Describe(raw)
	r.Data.Digest = raw.Digest()
	if r.Warnings == nil {
		r.Warnings = []string{}
	}
}

// Tally counts errors.
type Tally struct {
	Examples  int     `json:"examples"`
	Errors    int     `json:"errors"`
	Error     float64 `json:"error"`
	Boundary  int     `json:"on_boundary,omitempty"` // with a score of exactly zero
	Overflow  int     `json:"overflow,omitempty"`    // with a score beyond what numbers can hold
	Undecided int     `json:"undecided,omitempty"`   // where the parts of ovr or ovo name no class, or several
}
