package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/judge/experiment"
	"github.com/halfspace-ml/halfspace/learn"
)

// fitReport is what fit prints.
type fitReport struct {
	halfspace.Report
	Selection *experiment.Choice     `json:"selection,omitempty"` // --c auto
	Test      *halfspace.Tally       `json:"test,omitempty"`
	Proba     *halfspace.Calibration `json:"probabilities,omitempty"`
	Positive  string                 `json:"positive,omitempty"`
	Vectors   []string               `json:"vectors,omitempty"` // many classes: what each of the weights stands for
	Bias      any                    `json:"bias"`
	Weights   any                    `json:"weights,omitempty"`
	Hidden    *prep.Layer            `json:"hidden,omitempty"` // networks: weights are those of the hidden units' outputs
	Seconds   seconds                `json:"seconds"`
	Model     string                 `json:"model,omitempty"`
}

type seconds struct {
	Read float64 `json:"read"`
	Fit  float64 `json:"fit"`
}

// weights fills in bias and weights; those only for 1,000 features or fewer.
func (r *fitReport) weights(m *halfspace.Model) {
	w := m.Weights
	if l := m.Hidden(); l != nil && max(l.In, len(l.W)) <= 1000 {
		r.Hidden = l
	}
	if len(w.W) == 1 {
		r.Bias = w.Bias[0]
		if w.Dim() <= 1000 {
			r.Weights = w.W[0]
		}
		return
	}
	r.Bias = w.Bias
	for k := range w.W {
		r.Vectors = append(r.Vectors, m.VectorName(k))
	}
	if w.Dim() <= 1000 {
		r.Weights = w.W
	}
}

// diagnose says what the user should know about how it went, and the flag to
// try next.
func diagnose(m *halfspace.Model, s *data.Set, p *proving, name string) []string {
	r := m.Report
	if r.Interrupted || r.Learner == "svm-hard" { // it says itself how far it is
		return nil
	}
	if r.Converged {
		return converged(m)
	}
	if m.Hidden() != nil {
		return []string{notSmall(r)}
	}
	if r.Objective != nil || minimises(r) { // the learner has said how far it is, and what to do
		return nil
	}
	var warnings []string
	if shuffle, online := r.Parameters["shuffle"].(bool); online && !shuffle && sortedByClass(s) {
		warnings = append(warnings, "the examples are sorted by class, so each loop ends with the last class and forgets the others: add --shuffle")
	}
	if r.Train.Errors == 0 {
		return append(warnings, fmt.Sprintf("no example is wrong, but the last of %s still changed the weights: --epochs N lets it go on", plural(r.Epochs, "loop")))
	}
	return append(warnings, p.why(r, name))
}

// notSmall is the advice for a network whose loss stayed above the limit.
func notSmall(r halfspace.Report) string {
	scale := "--scale, "
	if slices.Contains(r.Maps, "standardise") {
		scale = ""
	}
	return fmt.Sprintf("the loss is not below --stop-loss after %s: try %smore loops (--epochs N), more hidden units (--hidden N) or another start (--seed N)", plural(r.Epochs, "loop"), scale)
}

// converged says it when what converged is not the number of errors: the answer
// is not the weights that did, or they minimise something else.
func converged(m *halfspace.Model) []string {
	switch name := m.Report.Learner; {
	case m.Report.Train.Errors == 0:
		return nil
	case name == "least-squares" || name == "ridge":
		return []string{name + " minimises squares, not errors, and may miss a plane that makes none: --learner svm-hard or --learner perceptron looks for one"}
	case m.State == nil && len(m.Voters) == 0:
		return nil
	}
	return []string{fmt.Sprintf("the perceptron inside has converged, but the %s answer makes %s: --learner perceptron gives its latest weights", m.Report.Learner, plural(m.Report.Train.Errors, "error"))}
}

// sortedByClass reports whether the examples, enough of them for it to matter,
// stand class by class.
func sortedByClass(s *data.Set) bool {
	counts, _ := s.Counts()
	classes, runs := 0, 0
	for _, n := range counts {
		if n > 0 {
			classes++
		}
	}
	for i := range s.Len() {
		if i == 0 || s.Class(i) != s.Class(i-1) {
			runs++
		}
	}
	return s.Len() >= 20 && runs == classes
}

func (r *fitReport) print(out, talk io.Writer, name string, m *halfspace.Model) error {
	d := r.Data
	fmt.Fprintf(out, "data       %s: %s, %s, %s\n", name, plural(d.Examples, "example"), plural(d.Features, "feature"), classList(d))
	fmt.Fprintf(out, "learner    %s%s\n", r.Learner, changed(r))
	state := "not converged"
	if r.Converged {
		state = "converged"
	}
	if formula(r.Learner) && r.Converged {
		fmt.Fprintln(out, "result     solved by a formula")
	} else {
		fmt.Fprintf(out, "result     %s: %s\n", state, effort(r.Report))
	}
	printProven(out, r.Proof, &r.Report)
	if ch := r.Selection; ch != nil {
		fmt.Fprintf(out, "c          %s\n", chosen(ch))
	}
	printTally(out, "train", r.Train)
	printTally(out, "test", r.Test)
	printProof(out, &r.Report)
	if r.Proba != nil && r.Proba.Folds > 0 { // the learner's own link is no news
		printProba(out, r.Proba)
	}
	printSparsity(out, m)
	printWeights(out, m)
	if r.Model != "" {
		fmt.Fprintf(out, "model      %s\n", r.Model)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(talk, "warning: %s\n", w)
	}
	return nil
}

// effort is what the learner counted.
func effort(r halfspace.Report) string {
	loops := plural(r.Epochs, "loop")
	if r.Mistakes == 0 && (r.Objective != nil || minimises(r)) { // it does not learn from mistakes
		return loops
	}
	return fmt.Sprintf("%s, %s, %s", loops, plural(r.Updates, "update"), plural(r.Mistakes, "mistake"))
}

// minimises reports whether a solver did the work.
func minimises(r halfspace.Report) bool {
	_, ok := r.Parameters["solver"]
	return ok
}

// formula reports whether the learner takes no steps that could be counted.
func formula(name string) bool {
	l, _ := learn.New(name)
	_, direct := l.(halfspace.Direct)
	return direct
}

func plural(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "s"):
		return fmt.Sprintf("%d %ses", n, what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// changed lists the parameters, those that differ from the defaults.
func changed(r *fitReport) string {
	var b strings.Builder
	var params []halfspace.Param
	if l, err := learn.New(r.Learner); err == nil { // a model may come from a learner of someone's own, or from none
		params = l.Params()
	}
	for _, p := range params {
		v := fmt.Sprint(r.Parameters[p.Name])
		switch {
		case p.Kind == "bool" && v == "true":
			fmt.Fprintf(&b, " --%s", p.Name)
		case p.Kind != "bool" && v != p.Default && v != "0":
			fmt.Fprintf(&b, " --%s %s", p.Name, v)
		}
	}
	own := func(p halfspace.Param) bool { return p.Name == "multi" }
	if way, ok := r.Parameters["multi"]; ok && !slices.ContainsFunc(params, own) {
		fmt.Fprintf(&b, " --multi %v", way)
	}
	for _, m := range r.Maps {
		fmt.Fprintf(&b, " --map %s", m)
	}
	if !r.Report.Bias {
		b.WriteString(" --no-bias")
	}
	return b.String()
}

func classList(d halfspace.DataReport) string {
	if len(d.Classes) > 6 {
		return fmt.Sprintf("%d classes", len(d.Classes))
	}
	var parts []string
	for c, name := range d.Classes {
		part := fmt.Sprintf("%s: %d", name, d.Counts[c])
		if len(d.Classes) == 2 {
			part += []string{" (+)", " (−)"}[c]
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

func printTally(out io.Writer, what string, t *halfspace.Tally) {
	if t == nil {
		return
	}
	fmt.Fprintf(out, "%-10s %d of %d wrong, error %.4f", what, t.Errors, t.Examples, t.Error)
	if t.Boundary > 0 {
		fmt.Fprintf(out, " (%d exactly on the boundary)", t.Boundary)
	}
	if t.Overflow > 0 {
		fmt.Fprintf(out, " (%d with a score beyond what numbers can hold)", t.Overflow)
	}
	if t.Undecided > 0 {
		fmt.Fprintf(out, " (%d left undecided by the parts)", t.Undecided)
	}
	fmt.Fprintln(out)
}

func printProba(out io.Writer, c *halfspace.Calibration) {
	if c != nil {
		fmt.Fprintf(out, "%-10s %v\n", "proba", c)
	}
}

// printSparsity prints how many weights an L1 penalty has left.
func printSparsity(out io.Writer, m *halfspace.Model) {
	if p := m.Report.Parameters["penalty"]; p != "l1" && p != "elastic" {
		return
	}
	left, all := 0, 0
	for _, w := range m.Weights.W {
		all += len(w)
		for _, v := range w {
			if v != 0 {
				left++
			}
		}
	}
	fmt.Fprintf(out, "weights    %d of %d are not zero\n", left, all)
}

// printWeights prints small models whole.
func printWeights(out io.Writer, m *halfspace.Model) {
	w := m.Weights
	if w.Dim() > 10 || len(w.W) > 10 {
		return
	}
	names := m.MappedFeatures()
	labels := []string{"w"}
	if len(w.W) > 1 {
		labels = nil
		for k := range w.W {
			labels = append(labels, "w "+m.VectorName(k))
		}
	}
	wide := max(10, longest(labels))
	printHidden(out, m, wide)
	for k := range w.W {
		var parts []string
		if m.Report.Bias {
			parts = append(parts, fmt.Sprintf("bias %.6g", w.Bias[k]))
		}
		for j, v := range w.W[k] {
			parts = append(parts, fmt.Sprintf("%s %.6g", names.Name(j), v))
		}
		fmt.Fprintf(out, "%s %s\n", padded(labels[k], wide), strings.Join(parts, "  "))
	}
}

// printHidden prints the hidden units of a small network, each with the line
// it draws.
func printHidden(out io.Writer, m *halfspace.Model, wide int) {
	l := m.Hidden()
	if l == nil || l.In > 10 {
		return
	}
	names, after := m.Maps[:len(m.Maps)-1].Features(m.Features), m.MappedFeatures()
	for k, w := range l.W {
		var parts []string
		if m.Report.Bias {
			parts = append(parts, fmt.Sprintf("bias %.6g", l.Bias[k]))
		}
		for j, v := range w {
			parts = append(parts, fmt.Sprintf("%s %.6g", names.Name(j), v))
		}
		fmt.Fprintf(out, "%s %s of %s\n", padded(after.Name(k), wide), l.Activation, strings.Join(parts, "  "))
	}
}

// longest is the width of the widest of words.
func longest(words []string) int {
	n := 0
	for _, w := range words {
		n = max(n, utf8.RuneCountInString(w))
	}
	return n
}

// padded is a word with blanks up to a width.
func padded(word string, wide int) string {
	return word + strings.Repeat(" ", max(0, wide-utf8.RuneCountInString(word)))
}
