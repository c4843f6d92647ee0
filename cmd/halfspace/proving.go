package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/judge/proof"
	"github.com/halfspace-ml/halfspace/judge/proof/certificate"
	"github.com/halfspace-ml/halfspace/learn/multi"
)

// proving is the proof that goes with a fit, and what it needs to know of how
// the fit went.
type proving struct {
	force, skip bool
	found       *halfspace.Proof
	bound       *proof.Bound // mistake-driven learners on separable data
	parts       bool         // many classes, learned in parts: what holds jointly may not hold for them
	last        int          // mistakes of the last loop
	rises       int          // loops with more mistakes than the one before
	loops       int
}

func (p *proving) flags(f *pflag.FlagSet) {
	f.BoolVar(&p.force, "proof", false, "prove whether a plane separates the classes, however long it takes (by default if it is quick)")
	f.BoolVar(&p.skip, "no-proof", false, "prove nothing about the data")
}

func (p *proving) check() error {
	if p.force && p.skip {
		return usage("--proof and --no-proof exclude each other")
	}
	return nil
}

// boundedLearners are those whose mistakes Novikoff's bound is about.
var boundedLearners = []string{"perceptron", "averaged", "voted", "pla", "pocket", "perceptron-batch"}

// watch counts how often the mistakes of a loop are more than those of the one
// before.
func (p *proving) watch(run *halfspace.Run, l halfspace.Learner) {
	if _, parts := l.(*multi.Reduction); parts || !slices.Contains(boundedLearners, l.Name()) {
		return
	}
	next := run.Hooks.Pass
	run.Hooks.Pass = func(s *halfspace.Pass) {
		if p.loops > 0 && s.Mistakes > p.last {
			p.rises++
		}
		p.last = s.Mistakes
		p.loops++
		if next != nil {
			next(s)
		}
	}
}

// What is quick enough to be proven with every fit: about a second. The work
// grows with the values and with the rows that touch the widest margin, which
// are no more than the features, or the examples.
const (
	quickValues = 1_000_000
	quickSide   = 200
	quickLine   = 500 // examples of two features whose best line is looked for
)

func quick(s *data.Set) bool {
	pairs := max(1, len(s.Classes())-1)
	return s.Nonzeros()*pairs <= quickValues && min(s.Len(), s.Dim()) <= quickSide
}

// prove finds out what can be said about the training data of a model. A proof
// that fails, or is interrupted, is none: the model is worth keeping without.
func (p *proving) prove(ctx context.Context, m *halfspace.Model, run *halfspace.Run, maps []string) {
	if p.skip || m.Hidden() != nil || !p.force && !quick(run.Set) {
		return
	}
	if p.find(ctx, m, run, maps) != nil {
		p.found, p.bound = nil, nil
	}
}

func (p *proving) find(ctx context.Context, m *halfspace.Model, run *halfspace.Run, maps []string) error {
	opt := proof.Options{NoBias: run.NoBias, Maps: withoutScaling(maps), Workers: run.Workers}
	a, err := proof.Classes(ctx, run.Set, opt)
	if err != nil {
		return err
	}
	p.found = summary(a)
	way, _ := m.Report.Parameters["multi"].(string)
	p.parts = len(a.Pairs) > 1 && (way == "ovr" || way == "ovo") && (a.Verdict == certificate.Separable || a.Joint != nil)
	if isTrue(p.found.Separable) && !p.parts {
		return p.bounds(ctx, m, run)
	}
	if a.Verdict == proof.Undecided || a.Verdict == certificate.Separable {
		return nil
	}
	p.found.LeastErrors = max(1, proof.Twins(run.Set))
	if len(a.Pairs) == 1 && run.Set.Len() <= quickLine && len(opt.Maps) == 0 {
		line, err := proof.LeastErrors(ctx, run.Set, run.NoBias)
		if err != nil {
			return err
		}
		if line != nil {
			p.found.LeastErrors = line.Errors
		}
	}
	return nil
}

func isTrue(b *bool) bool { return b != nil && *b }

// withoutScaling leaves out the scaling at the end of maps: it does not change
// what can be separated, and the proof is about values as they are.
func withoutScaling(maps []string) []string {
	n := len(maps)
	for n > 0 && strings.HasPrefix(maps[n-1], "standardise") {
		n--
	}
	return maps[:n]
}

// maxKept is the most characters of multipliers that a model keeps.
const maxKept = 20_000

// summary is an answer as a model keeps it.
func summary(a *proof.Answer) *halfspace.Proof {
	f := &halfspace.Proof{Reason: a.Reason}
	if a.Verdict != proof.Undecided {
		yes := a.Verdict == certificate.Separable
		f.Separable = &yes
	}
	for _, r := range a.Pairs {
		f.Radius = max(f.Radius, r.Radius)
	}
	main := a.Joint
	if len(a.Pairs) == 1 {
		main = a.Pairs[0]
		f.Weakly, f.Reason = main.Weakly, main.Reason
	}
	for _, r := range append([]*proof.Result{main}, a.Pairs...) {
		if r == nil || r.Proof == nil {
			continue
		}
		if r == main {
			f.Margin = r.Margin
		}
		if r.Proof.Kind != certificate.Separable {
			f.Rows = r.Proof.Rows
			if len(strings.Join(r.Proof.Multipliers, ",")) <= maxKept {
				f.Multipliers = r.Proof.Multipliers
			}
			break
		}
	}
	return f
}

// bounds adds how many mistakes the learner can make at most, where there is
// such a bound: one rate throughout, and examples that weigh the same.
func (p *proving) bounds(ctx context.Context, m *halfspace.Model, run *halfspace.Run) error {
	params := m.Report.Parameters
	if !slices.Contains(boundedLearners, m.Report.Learner) ||
		params["schedule"] != "constant" || run.RandomInit || run.Set.Weighted() {
		return nil
	}
	steps := proof.Steps{Start: run.Init, NoBias: run.NoBias}
	steps.Rate, _ = params["rate"].(float64)
	steps.RateBias, _ = params["rate-bias"].(float64)
	if m.Report.Learner == "perceptron-batch" {
		steps.Batch = run.Set.Len()
		if sum, _ := params["sum"].(bool); !sum {
			steps.Rate /= float64(run.Set.Len())
			steps.RateBias /= float64(run.Set.Len())
		}
	}
	seen, err := run.Maps.Fit(run.Set)
	if err != nil {
		return err
	}
	if p.bound, err = proof.MistakeBound(ctx, seen, steps, run.Workers); err != nil || p.bound == nil {
		return err
	}
	p.found.MistakeBound = &p.bound.Mistakes
	if scaled(run.Maps) {
		return nil
	}
	after, err := standardised(ctx, seen, steps, run.Workers)
	if after != nil {
		p.found.Standardised = &after.Mistakes
	}
	return err
}

func scaled(maps prep.Pipeline) bool { return slices.Contains(maps.Kinds(), "standardise") }

// printProven says in a line what is proven.
func printProven(out io.Writer, f *halfspace.Proof, r *halfspace.Report) {
	if f == nil {
		return
	}
	fmt.Fprintf(out, "proof      %s\n", proofLine(f, r))
}

func proofLine(f *halfspace.Proof, r *halfspace.Report) string {
	switch {
	case f.Separable == nil:
		return "undecided whether a plane separates the classes: " + f.Reason
	case !*f.Separable:
		text := fmt.Sprintf("not separable, by %s", plural(len(f.Rows), "row"))
		if isTrue(f.Weakly) {
			return text + ", but weakly: some examples lie on every plane that has none on its wrong side"
		}
		return fmt.Sprintf("%s; no plane makes fewer than %s", text, plural(f.LeastErrors, "error"))
	}
	text := fmt.Sprintf("separable, margin %.6g to the nearest example", f.Margin)
	if f.MistakeBound != nil {
		text += fmt.Sprintf("; at most %.0f mistakes possible, %d made", math.Floor(*f.MistakeBound), r.Mistakes)
		if f.Standardised != nil && *f.Standardised < *f.MistakeBound/2 {
			text += fmt.Sprintf(" (at most %.0f with --scale)", math.Floor(*f.Standardised))
		}
	}
	return text
}

// why is the reason, from evidence, why a learner that wants no errors has not
// converged, and what to do.
func (p *proving) why(r halfspace.Report, name string) string {
	text := "not converged in " + plural(r.Epochs, "loop")
	if p.rises > 0 {
		text += fmt.Sprintf(" (the mistakes rose %s)", plural(p.rises, "time"))
	}
	latest := r.Learner == "perceptron" || r.Learner == "pla" || r.Learner == "perceptron-batch"
	f := p.found
	switch {
	case f == nil || f.Separable == nil || p.parts:
		text += fmt.Sprintf(": either there were too few (--epochs N) or no plane separates the classes; 'halfspace separable %s' may tell which", name)
		if latest {
			text += ". If none does, the latest weights are not the best seen: try --learner averaged or --learner pocket"
		}
		return text
	case !*f.Separable:
		strictly := ""
		if isTrue(f.Weakly) {
			strictly = " strictly, for they touch"
		}
		text += fmt.Sprintf(", for no plane separates the classes%s; 'halfspace separable %s -o FILE' keeps the proof", strictly, name)
		if latest {
			text += ". The latest weights are not the best seen: try --learner averaged or --learner pocket"
		}
		return text
	case p.bound == nil:
		return text + ", though a plane separates the classes: more loops (--epochs N)" + scaleAdvice(r)
	}
	return text + ": " + p.trouble(r)
}

func scaleAdvice(r halfspace.Report) string {
	if slices.Contains(r.Maps, "standardise") {
		return ""
	}
	return " or --scale may help"
}

// manyMistakes is how many must be possible for the scale to be the trouble.
const manyMistakes = 1000

// worthwhile is how many times fewer mistakes must be possible for a change to
// be the advice.
const worthwhile = 4

// trouble is why a perceptron needs more loops on separable data.
func (p *proving) trouble(r halfspace.Report) string {
	bound := p.bound.Mistakes
	rate, best := p.bound.BestRate()
	switch {
	case bound > manyMistakes && p.found.Standardised != nil && *p.found.Standardised*worthwhile < min(bound, best):
		return fmt.Sprintf("the features are badly scaled. A plane separates the classes, but up to %.0f mistakes are possible on the way, and %d were made; standardised, at most %.0f are: add --scale",
			math.Floor(bound), r.Mistakes, math.Floor(*p.found.Standardised))
	case best*worthwhile < bound:
		given, _ := r.Parameters["rate"].(float64)
		biasRate := ""
		if own, _ := r.Parameters["rate-bias"].(float64); own > 0 {
			biasRate = fmt.Sprintf(" --rate-bias %.3g", own*rate/p.bound.Rate())
		}
		size := "large"
		if rate > p.bound.Rate() {
			size = "small"
		}
		return fmt.Sprintf("the rate is too %s for these start weights. A plane separates the classes, but up to %.0f mistakes are possible on the way, and at most %.0f with --rate %.3g%s",
			size, math.Floor(bound), math.Floor(best), given*rate/p.bound.Rate(), biasRate)
	}
	left := bound - float64(r.Mistakes)
	loops := math.Ceil(left / max(1, float64(p.last)))
	return fmt.Sprintf("too few loops. A plane separates the classes, and of at most %.0f mistakes %d were made: at the pace of the last loop, %.0f more loops are enough (--epochs %.0f)",
		math.Floor(bound), r.Mistakes, loops, float64(r.Epochs)+loops)
}
