package experiment

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"github.com/halfspace-ml/halfspace/judge/metric"
)

// Row is one candidate of a comparison.
type Row struct {
	Name      string          `json:"name"`
	Error     float64         `json:"error"`                 // of all predictions
	Errors    int             `json:"errors"`                // over all parts and repeats
	Examples  int             `json:"examples"`              // tested on, over all parts and repeats
	Boundary  int             `json:"on_boundary,omitempty"` // of them, with a score of exactly zero
	Interval  metric.Interval `json:"interval"`              // Wilson's, of the examples of one repeat
	SD        *float64        `json:"sd,omitempty"`
	Train     float64         `json:"train"`  // mean error on the examples learned from
	Parts     []float64       `json:"parts"`  // error on each part
	Trained   int             `json:"models"` // trainings
	Converged int             `json:"converged"`
	Gap       *float64        `json:"relative_gap,omitempty"` // the worst: no weights are better by more; nil unless every training has one
	KKT       *float64        `json:"kkt,omitempty"`          // the worst residual, likewise
	Chosen    []string        `json:"chosen,omitempty"`       // by search, for each part
	Seconds   float64         `json:"seconds"`                // mean time of a training, by the clock
	Refused   string          `json:"refused,omitempty"`      // why there is no model of some part; then no figures either
}

// Tests of a difference.
const (
	ByMcNemar = "McNemar, exact, on the pooled predictions of the parts left out"
	ByPairedT = "paired t of the parts, corrected for what they share (Nadeau and Bengio 2003)"
)

// Difference is how far two candidates are apart, and how easily chance alone
// would make it.
type Difference struct {
	First    string  `json:"first"` // the one with fewer errors
	Second   string  `json:"second"`
	By       float64 `json:"by"` // error of the second less that of the first
	P        float64 `json:"p"`
	Adjusted float64 `json:"adjusted_p"` // by Holm, for there are many pairs
	Real     bool    `json:"real"`       // Adjusted is below one less the level
}

// Comparison is candidates on the same parts.
type Comparison struct {
	Plan        string       `json:"plan"`
	Level       float64      `json:"level"`
	Rows        []Row        `json:"learners"`
	Test        string       `json:"difference_test"`
	Differences []Difference `json:"differences"`
}

// Compare trains every candidate on every part and says which differences are
// real at a level such as 0.95: with one repeat by McNemar's test of all
// predictions, with more by the corrected paired test (Nadeau and Bengio,
// Inference for the generalization error, 2003), for the predictions of one
// example are then no longer independent. Holm's method (1979) makes up for
// testing many pairs.
func (b *Bench) Compare(ctx context.Context, candidates []Candidate, plan Plan, level float64) (*Comparison, error) {
	out, err := b.Run(ctx, trialsOf(candidates, plan))
	if err != nil {
		return nil, err
	}
	c := &Comparison{Plan: plan.Name, Level: level, Test: ByMcNemar, Differences: []Difference{}}
	if plan.Repeats > 1 {
		c.Test = ByPairedT
	}
	n := len(plan.Parts)
	groups := make([][]Outcome, len(candidates))
	for k := range candidates {
		groups[k] = out[k*n : (k+1)*n]
		row, err := rowOf(groups[k], plan.Repeats, level)
		if err != nil {
			return nil, err
		}
		row.Name = candidates[k].Name
		c.Rows = append(c.Rows, row)
	}
	for i := range candidates {
		for j := range i {
			if c.Rows[i].Refused == "" && c.Rows[j].Refused == "" {
				c.Differences = append(c.Differences, difference(&c.Rows[j], &c.Rows[i], groups[j], groups[i], plan.Repeats > 1))
			}
		}
	}
	holm(c.Differences, 1-level)
	return c, nil
}

func rowOf(out []Outcome, repeats int, level float64) (Row, error) {
	var r Row
	for _, o := range out {
		if o.Refused != "" {
			return Row{Refused: o.Refused}, nil
		}
		r.Trained++
		if o.Converged {
			r.Converged++
		}
		r.Errors += o.Test.Errors
		r.Examples += o.Test.Examples
		r.Boundary += o.Test.Boundary
		r.Parts = append(r.Parts, o.Test.Error)
		r.Train += o.Train.Error / float64(len(out))
		r.Seconds += o.Seconds / float64(len(out))
		if o.Chosen != "" {
			r.Chosen = append(r.Chosen, o.Chosen)
		}
	}
	r.Gap, r.KKT = worst(out, relativeGap), worst(out, residual)
	if r.Examples == 0 {
		return r, metric.Nothing
	}
	r.Error = float64(r.Errors) / float64(r.Examples)
	_, r.SD = spread(r.Parts)
	var err error
	// Repeats test the same examples again: they make the mean steadier, not
	// the examples more.
	r.Interval, err = metric.Wilson(r.Error, float64(r.Examples)/float64(repeats), level)
	return r, err
}

// worst is the largest figure of the outcomes, nil unless all have one.
func worst(out []Outcome, of func(*Outcome) *float64) *float64 {
	var most *float64
	for i := range out {
		v := of(&out[i])
		if v == nil {
			return nil
		}
		if most == nil || *v > *most {
			most = v
		}
	}
	return most
}

func relativeGap(o *Outcome) *float64 {
	if o.Objective == nil {
		return nil
	}
	return o.Objective.RelativeGap
}

// residual is the largest of the conditions' residuals.
func residual(o *Outcome) *float64 {
	k := o.KKT
	if k == nil {
		return nil
	}
	v := max(k.Stationarity, k.Balance, k.Sign, k.Slackness, k.Feasibility)
	return &v
}

// difference tests two rows; the one with fewer errors comes first.
func difference(a, b *Row, outA, outB []Outcome, repeated bool) Difference {
	if b.Errors < a.Errors {
		a, b, outA, outB = b, a, outB, outA
	}
	d := Difference{First: a.Name, Second: b.Name, By: b.Error - a.Error}
	if repeated {
		d.P = paired(outA, outB)
	} else {
		d.P = metric.Compare(pooled(outA), pooled(outB)).ExactP
	}
	return d
}

// pooled is which of all predictions are wrong.
func pooled(out []Outcome) []bool {
	var all []bool
	for _, o := range out {
		wrong := make([]bool, o.Test.Examples)
		for _, i := range o.Wrong {
			wrong[i] = true
		}
		all = append(all, wrong...)
	}
	return all
}

// paired is the two-sided p of Student's t of the differences between parts,
// whose variance counts 1/J + n_test/n_train instead of 1/J, for the parts
// share most of their examples.
func paired(a, b []Outcome) float64 {
	d := make([]float64, len(a))
	share := 0.0
	for i := range a {
		d[i] = b[i].Test.Error - a[i].Test.Error
		share += float64(a[i].Test.Examples) / float64(a[i].Examples) / float64(len(a))
	}
	mean, sd := spread(d)
	if *mean == 0 {
		return 1
	}
	if *sd <= 1e-12*math.Abs(*mean) { // no variance but rounding to go by, and one sign in all parts
		return math.Pow(2, 1-float64(len(d)))
	}
	tt := *mean / *sd * (*mean / *sd) / (1/float64(len(d)) + share)
	free := float64(len(d) - 1)
	return mathext.RegIncBeta(free/2, 0.5, free/(free+tt))
}

// holm adjusts p for the number of tests, step by step down (Holm 1979).
func holm(ds []Difference, alpha float64) {
	order := make([]int, len(ds))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(ds[i].P, ds[j].P) })
	least := 0.0
	for rank, i := range order {
		least = math.Min(1, math.Max(least, float64(len(ds)-rank)*ds[i].P))
		ds[i].Adjusted = least
		ds[i].Real = least < alpha
	}
}
