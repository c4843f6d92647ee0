package margin

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/learn/multi"
)

// Hard is the support vector machine with a hard margin: of all planes that
// separate the classes, the one furthest from the nearest examples,
//
//	min ½‖w‖²   y·(w·x + w0) ≥ 1 for every example
//
// with the multipliers λ of the examples that carry it: w = Σ λ·y·x. Where no
// plane separates the classes it says so, with the examples that prove it.
//
// Source: document 001 (maximal margin, KKT conditions), documents 000 and 004
// (examples). The method and its cost are the package's. Many classes: one plane
// a class against the rest, if each has one.
type Hard struct {
	Epochs int
}

// ErrUndecided says that float64 is too coarse to tell.
var ErrUndecided = errors.New("it cannot be told whether a plane separates the classes")

// Name is the learner's name.
func (*Hard) Name() string { return "svm-hard" }

// Params is the table of parameters.
func (h *Hard) Params() []halfspace.Param {
	return []halfspace.Param{
		halfspace.Int(&h.Epochs, "epochs", "100000", 1, math.MaxInt, "at most this many rounds; a round is one look at all examples"),
	}
}

// Fit finds the plane.
func (h *Hard) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	if err := halfspace.Complete(h.Params()); err != nil {
		return nil, err
	}
	return multi.Fit(ctx, run, multi.OVR, h.two)
}

// two finds the plane between two classes.
func (h *Hard) two(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	r, err := Solve(ctx, run.Set, Options{NoBias: run.NoBias, Workers: run.Workers, Iterations: h.Epochs, Progress: h.watch(run)})
	if r == nil {
		return nil, err
	}
	m := &halfspace.Model{
		Weights: &halfspace.Weights{W: [][]float64{r.W}, Bias: []float64{r.Bias}},
		Tie:     halfspace.TieWrong,
		Report:  halfspace.Report{Epochs: r.Iterations, Converged: r.Verdict == Separable && r.Exact},
	}
	if run.Init != nil {
		m.Report.Warnings = append(m.Report.Warnings, "the widest margin is the same from every start: the start weights (--init) were not used")
	}
	if err != nil {
		return m, err
	}
	if err := r.refusal(run); err != nil {
		return nil, err
	}
	if r.Verdict == Undecided {
		m.Report.Warnings = append(m.Report.Warnings, r.Reason+" to tell whether a plane separates the classes: --epochs N lets it go on")
		return m, nil
	}
	r.report(&m.Report, run)
	return m, nil
}

// watch shows every look at the examples to the hooks.
func (h *Hard) watch(run *halfspace.Run) func(*Iteration) bool {
	if run.Hooks.Pass == nil && run.Hooks.Step == nil {
		return nil
	}
	return func(i *Iteration) bool {
		w := &halfspace.Weights{W: [][]float64{i.W}, Bias: []float64{i.Bias}}
		if run.Hooks.Step != nil {
			steps(run, i.Number, w)
		}
		if run.Hooks.Pass != nil {
			run.Hooks.Pass(&halfspace.Pass{
				Epoch: i.Number, Epochs: h.Epochs, Examples: run.Set.Len(), Mistakes: i.Wrong, After: true, Done: i.Done, W: w,
			})
		}
		return true
	}
}

// steps shows every example as the plane sees it. None moves the plane by
// itself.
func steps(run *halfspace.Run, epoch int, w *halfspace.Weights) {
	for i := range run.Set.Len() {
		x, class := run.Set.Row(i), run.Set.Class(i)
		y, z, rival := w.Judge(x, class, halfspace.TieWrong)
		run.Hooks.Step(&halfspace.Step{
			Visit: halfspace.Visit{Score: z, Rival: rival, Mistake: !(y*z > 0)},
			Epoch: epoch, Index: i, Class: class, Y: y, X: x, W: w, Deferred: true,
		})
	}
}

// report adds the proof.
func (r *Result) report(to *halfspace.Report, run *halfspace.Run) {
	if !r.Exact {
		to.Warnings = append(to.Warnings, fmt.Sprintf("the plane separates the classes, and its margin %.6g is not proven the widest: no plane has one above %.6g (%s)", r.Margin, r.Bound, r.Reason))
	}
	o, k := Certify(run.Set, r.W, r.Bias, r.Rows, r.Multipliers, run.NoBias, run.Workers)
	if !(o.Primal > 0x1p-960) || !(o.Primal < 0x1p960) {
		to.Warnings = append(to.Warnings, "the multipliers are beyond what numbers can hold in these units, so the report is without them: scale the features (--scale)")
		return
	}
	to.Objective, to.KKT = &o, &k
	to.Supports = len(r.Rows)
	if len(r.Rows) <= halfspace.MaxSupport {
		for m, i := range r.Rows {
			to.Support = append(to.Support, halfspace.Support{Row: run.Set.Number(i), Multiplier: r.Multipliers[m]})
		}
	}
}

// refusal is why there is no plane; nil if there is one.
func (r *Result) refusal(run *halfspace.Run) error {
	switch {
	case r.Verdict == NotSeparable:
		return fmt.Errorf("%w: %s; a soft margin allows for that: --learner svm --c 1", halfspace.ErrNotSeparable, r.why(run))
	case r.Verdict == Undecided && !r.Stopped:
		return fmt.Errorf("%w: %s; try --scale, or a soft margin: --learner svm --c 1", ErrUndecided, r.Reason)
	}
	return nil
}

// why says in words what the combination proves.
func (r *Result) why(run *halfspace.Run) string {
	s := run.Set
	var sides [2][]int
	for _, i := range r.Rows {
		sides[s.Class(i)] = append(sides[s.Class(i)], i)
	}
	switch {
	case run.NoBias && len(r.Rows) == 1:
		return fmt.Sprintf("row %d is the origin, which every plane without a bias goes through (--no-bias asks for that)", s.Number(r.Rows[0]))
	case run.NoBias:
		return fmt.Sprintf("through the origin, %s are in each other's way (--no-bias asks for that)", list(s, r.Rows))
	case len(sides[0]) == 1 && len(sides[1]) == 1:
		return fmt.Sprintf("rows %d and %d are the same, one of class %q, the other of class %q", s.Number(sides[0][0]), s.Number(sides[1][0]), s.Classes()[0], s.Classes()[1])
	}
	return fmt.Sprintf("a mixture of %s of class %q is also one of %s of class %q", list(s, sides[0]), s.Classes()[0], list(s, sides[1]), s.Classes()[1])
}

// list names the first few rows.
func list(s *data.Set, rows []int) string {
	const most = 6
	var b strings.Builder
	for k, i := range rows {
		if k == most {
			fmt.Fprintf(&b, ", … (%d in all)", len(rows))
			break
		}
		if k > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, s.Number(i))
	}
	if len(rows) == 1 {
		return "row " + b.String()
	}
	return "rows " + b.String()
}
