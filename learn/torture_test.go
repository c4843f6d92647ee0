package learn_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/learn"
	"github.com/halfspace-ml/halfspace/learntest"
)

// outcome is what comes of a learner on a torture: errors on the training data
// and the one warning, or the refusal. Whatever it is, weights and scores are
// finite.
type outcome struct {
	errors  int
	most    int    // at least errors, at most this many: theory has a bound only
	warning string // how it begins
	refusal string // how it begins
	with    string // parameters: "epochs=10 hidden=2"
}

// row is a learner: what usually comes, and what else.
type row struct {
	usual outcome
	but   map[string]outcome
}

const (
	oneClass   = `one class only: every example is of class "a"; a classifier needs examples of two classes or more`
	weights    = "the weights grew beyond what numbers can hold; scale the features (--scale) or lower the rate"
	scores     = "the scores of "
	small      = "feature x1 is at most 3.95e-323, so small that its weight may be beyond what numbers can hold; multiply it by some power of ten, or leave it out"
	flat       = "every example gets the same score, so the features decide nothing: they say nothing about the class, or are too small or too large for this learner (--scale)"
	noMaximum  = "a plane separates the classes, so the likelihood has no maximum: more steps only make the weights longer, and what counts is their direction (--learner svm-hard gives the one with the widest margin)"
	tooFast    = "not at the maximum, and the loss rose in "
	tooFew     = "not at the maximum: the gradient is "
	wiped      = "lambda 1 wipes out the weights: they explain "
	notReached = "stopped after "
	long       = "row 1 is so long that its square is beyond what numbers can hold; scale the features (--scale)"
	short      = "the features are so small that their squares vanish; scale them (--scale)"
	dependent  = "rank 2 of 3: features depend on each other (or there are too few examples), so many weights fit equally well; these are the shortest; --learner ridge makes a choice that is steady"
	constant   = "rank 2 of 3: 1 feature is constant, so the weight there is 0; nothing is lost"
	harmless   = "S_w is singular (rank 2 of 3: features depend on each other, or do not vary within the classes, or there are too few examples): its pseudo-inverse was used, and loses nothing of what holds the means apart; --singular shrink is the other way"
	noProof    = "the multipliers are beyond what numbers can hold in these units, so the report is without them: scale the features (--scale)"
)

// mistaken is the row of a perceptron. Of contradictory pairs one each is wrong,
// or both if they are on the boundary. Where one feature is all and the bias
// nothing, or the other way round, it cannot converge in the loops it has:
// Novikoff's bound R²/γ² is 10²⁰ and more.
func mistaken(but map[string]outcome) row {
	r := row{but: map[string]outcome{
		"contradictory pairs": {errors: 3},
		"1e155":               {refusal: scores},
		"1e-170":              {errors: 3, warning: flat},
		"1e155 beside 1e-170": {refusal: scores},
		"1e12 beside 1e-12":   {errors: 1},
		"1e308":               {refusal: weights},
		"denormals":           {errors: 3, warning: flat},
		"an offset of 2^30":   {errors: 3},
	}}
	for name, o := range but {
		r.but[name] = o
	}
	return r
}

// minimised is the row of a learner with a penalty, which at C = 1 fits all but
// what is out of scale.
func minimised(but map[string]outcome) row {
	r := row{but: map[string]outcome{
		"contradictory pairs": {errors: 3},
		"1e155":               {refusal: long},
		"1e-170":              {refusal: short},
		"1e155 beside 1e-170": {refusal: long},
		"1e308":               {refusal: long},
		"denormals":           {refusal: short},
		"1e12 beside 1e-12":   {warning: notReached}, // Σ α·y·x cancels to 1e-24 of its terms: no bound in float64
		"an offset of 2^30":   {most: 3, warning: notReached},
	}}
	for name, o := range but {
		r.but[name] = o
	}
	return r
}

// table has a row for every learner; a torture that is not named in it comes
// out as usual.
var table = map[string]row{
	"perceptron": mistaken(map[string]outcome{
		"1e155 beside 1e-170": {errors: 3, warning: flat},
		"1e12 beside 1e-12":   {errors: 3, warning: flat},
	}),
	"perceptron-batch": mistaken(map[string]outcome{
		"contradictory pairs": {errors: 6, warning: flat},
		"1e-170":              {errors: 6, warning: flat},
		"1e155 beside 1e-170": {errors: 1},
		"denormals":           {errors: 6, warning: flat},
		"1 : 1000000":         {errors: 1, with: "epochs=10"}, // the bias moves first, towards the many
	}),
	"logistic-gd": {usual: outcome{warning: noMaximum}, but: map[string]outcome{
		"contradictory pairs": {errors: 6, warning: flat},
		"1e155":               {refusal: weights},
		"1e-170":              {errors: 6, warning: tooFew},
		"1e155 beside 1e-170": {refusal: scores},
		"1e12 beside 1e-12":   {most: 3, warning: tooFast},
		"1e308":               {refusal: weights},
		"denormals":           {errors: 6, warning: tooFew},
		"an offset of 2^30":   {most: 3, warning: tooFast},
		"1 : 1000000":         {errors: 1, warning: tooFew, with: "epochs=10"},
	}},
	// Separable with R² = 2502 and γ² > 0.78: 3200 updates are enough for certain.
	"pla": mistaken(map[string]outcome{
		"contradictory pairs": {errors: 6, warning: flat},
		"1e-170":              {errors: 6, warning: flat},
		"denormals":           {errors: 6, warning: flat},
		"1 : 1000000":         {with: "epochs=3200"},
	}),
	"pocket": mistaken(map[string]outcome{
		"1e308":       {refusal: scores},
		"1 : 1000000": {with: "epochs=3200 pick=first"},
	}),
	// The mean of weights on the way to a separating plane need not be one.
	"averaged": mistaken(map[string]outcome{
		"plain":               {errors: 1},
		"a zero column":       {errors: 1},
		"a constant column":   {errors: 1},
		"a duplicated column": {errors: 1},
		"x3 = x1 + x2":        {errors: 1},
	}),
	"voted": mistaken(map[string]outcome{
		"contradictory pairs": {errors: 3, warning: flat},
		"an offset of 2^30":   {errors: 3, warning: flat},
	}),
	"margin": mistaken(map[string]outcome{
		"1e155 beside 1e-170": {errors: 3, warning: flat},
		"1e12 beside 1e-12":   {errors: 3, warning: flat},
	}),
	"passive-aggressive": mistaken(map[string]outcome{
		"1e155":               {errors: 6, warning: flat},
		"1e155 beside 1e-170": {errors: 3, warning: flat},
		"1e12 beside 1e-12":   {errors: 3},
		"1e308":               {errors: 6, warning: flat},
	}),
	"least-squares": {but: map[string]outcome{
		"contradictory pairs":          {errors: 6, warning: flat},
		"a zero column":                {warning: constant},
		"a constant column":            {warning: constant},
		"a duplicated column":          {warning: dependent},
		"x3 = x1 + x2":                 {warning: dependent},
		"fewer examples than features": {warning: "rank 3 of 5: features depend on each other (or there are too few examples), so many weights fit equally well; these are the shortest; --learner ridge makes a choice that is steady"},
		"one example a class":          {warning: "rank 1 of 2: features depend on each other (or there are too few examples), so many weights fit equally well; these are the shortest; --learner ridge makes a choice that is steady"},
		"denormals":                    {refusal: small},
		"1 : 1000000":                  {errors: 1}, // it counts squares, and there are 10⁶ others
	}},
	"ridge": {but: map[string]outcome{
		"contradictory pairs": {errors: 6, warning: flat},
		"1e-170":              {errors: 6, warning: wiped}, // λ = 1 leaves scores of 1e-340
		"denormals":           {errors: 6, warning: flat},  // and without λ no number could be a weight
		"1 : 1000000":         {errors: 1},
	}},
	"fisher": {but: map[string]outcome{
		"contradictory pairs":          {errors: 6, warning: "the class means are equal, so Fisher's direction is zero and every score is the bias: no plane of this kind tells the classes apart"},
		"a duplicated column":          {warning: harmless},
		"x3 = x1 + x2":                 {warning: harmless},
		"fewer examples than features": {warning: "S_w is singular (rank 2 of 5: features depend on each other, or do not vary within the classes, or there are too few examples): its pseudo-inverse was used, which leaves out directions in which the class means differ; --singular shrink uses them"},
		"one example a class":          {refusal: "no direction: S_w is singular (rank 0 of 2: features depend on each other, or do not vary within the classes, or there are too few examples), and the class means differ only where the classes do not vary, which the pseudo-inverse leaves out; use --singular shrink"},
		"denormals":                    {refusal: small},
	}},
	"svm": minimised(nil),
	"logistic": minimised(map[string]outcome{
		"contradictory pairs": {errors: 6, warning: flat},
	}),
	"risk": minimised(nil),
	"svm-hard": {but: map[string]outcome{
		"contradictory pairs": {refusal: "no plane separates the classes: rows 1 and 4 are the same, "},
		"1e155":               {warning: noProof}, // λ is 1e-310
		"1e-170":              {warning: noProof},
		"1e155 beside 1e-170": {warning: noProof},
		"1e308":               {warning: noProof},
		"denormals":           {refusal: small},
	}},
	"network": {but: map[string]outcome{
		"contradictory pairs": {errors: 3},
		"denormals":           {refusal: small},
		"an offset of 2^30":   {most: 3}, // its units start within 1 of 0
		"1 : 1000000":         {errors: 1, with: "epochs=3 hidden=2"},
	}},
}

func TestTorture(t *testing.T) {
	names := []string{"one class"}
	for _, c := range learntest.Tortures {
		names = append(names, c.Name)
	}
	for _, e := range learn.All {
		r, ok := table[e.Name]
		if !ok {
			t.Errorf("%s has no row in the table: say what comes of it on each torture", e.Name)
			continue
		}
		for name := range r.but {
			if !slices.Contains(names, name) {
				t.Errorf("%s: there is no torture %q", e.Name, name)
			}
		}
	}
	for _, c := range learntest.Tortures {
		s := c.Set()
		if testing.Short() && s.Len() > 1000 {
			continue
		}
		for _, e := range learn.All {
			r := table[e.Name]
			want, ok := r.but[c.Name]
			switch {
			case c.Name == "one class":
				want = outcome{refusal: oneClass}
			case !ok:
				want = r.usual
			}
			t.Run(c.Name+"/"+e.Name, func(t *testing.T) {
				l := e.New()
				set(t, l, want.with)
				m, err := halfspace.Fit(context.Background(), l, halfspace.Run{Set: s})
				want.check(t, m, err)
			})
		}
	}
}

// set gives parameters their values: "epochs=10 hidden=2".
func set(t *testing.T, l halfspace.Learner, values string) {
	t.Helper()
	params := l.Params()
	for _, part := range strings.Fields(values) {
		name, value, _ := strings.Cut(part, "=")
		i := slices.IndexFunc(params, func(p halfspace.Param) bool { return p.Name == name })
		if i < 0 {
			t.Fatalf("%s has no parameter %s", l.Name(), name)
		}
		if err := params[i].Set(value); err != nil {
			t.Fatal(err)
		}
	}
}

func (o outcome) check(t *testing.T, m *halfspace.Model, err error) {
	t.Helper()
	if o.refusal != "" || err != nil {
		if err == nil || o.refusal == "" || !strings.HasPrefix(err.Error(), o.refusal) {
			t.Fatalf("error %v, want %q", err, o.refusal)
		}
		return
	}
	train := m.Report.Train
	if !m.Weights.Finite() || train.Overflow != 0 {
		t.Errorf("weights %v, and %d scores that are not finite", m.Weights, train.Overflow)
	}
	if most := max(o.errors, o.most); train.Errors < o.errors || train.Errors > most {
		t.Errorf("%d errors, want %d to %d", train.Errors, o.errors, most)
	}
	switch got := m.Report.Warnings; {
	case o.warning == "" && len(got) > 0, o.warning != "" && (len(got) != 1 || !strings.HasPrefix(got[0], o.warning)):
		t.Errorf("warnings %q, want %q", got, o.warning)
	}
}

// What a refusal or a warning advises works: with --scale even the perceptron
// separates what is only badly scaled.
func TestScalingHelps(t *testing.T) {
	for _, c := range learntest.Tortures {
		if !c.Same {
			continue
		}
		for _, name := range []string{"perceptron", "logistic-gd", "passive-aggressive"} {
			l, err := learn.New(name)
			if err != nil {
				t.Fatal(err)
			}
			set(t, l, "epochs=1000")
			m, err := halfspace.Fit(context.Background(), l, halfspace.Run{Set: c.Set(), Maps: prep.Pipeline{&prep.Standardise{}}})
			if err != nil {
				t.Errorf("%s, %s: %v", c.Name, name, err)
			} else if m.Report.Train.Errors != 0 {
				t.Errorf("%s, %s: %d errors", c.Name, name, m.Report.Train.Errors)
			}
		}
	}
}
