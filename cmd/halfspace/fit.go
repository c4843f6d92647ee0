package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
)

func fitCommand() *cobra.Command {
	var in input
	var t training
	var test, out string
	var asJSON bool
	c := &cobra.Command{
		Use:   "fit DATA",
		Short: "Learn a model, report its errors, write it with -o",
		Long: `Learn a model from DATA and report how it went. The report says whether the
learner converged, counts the errors on DATA and on --test, and warns of what
may spoil the result. Ctrl-C ends at the next safe point and keeps what was
learned.`,
		Example: `  halfspace fit @digits35 --test @digits35-test --learner averaged --epochs 20
  halfspace fit mail.tsv --learner passive-aggressive -o mail.model
  halfspace fit sheet.bmp --rate 1e-4 --init .1,.1,.1 --stop-error 1e-5 --epochs 1e5
  halfspace fit digits.txt --tie positive --no-bias --map dummy --json`,
		Args: cobra.ExactArgs(1),
	}
	in.training(c.Flags())
	t.flags(c)
	c.Flags().StringVar(&test, "test", "", "test DATA to count errors on")
	c.Flags().StringVarP(&out, "output", "o", "", "write the model to FILE")
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	c.RunE = func(c *cobra.Command, args []string) error {
		l, err := t.new(c.Flags())
		if err != nil {
			return err
		}
		if err := checkOutput(out); err != nil {
			return err
		}
		begun := time.Now()
		s, err := in.read(c, args[0])
		if err != nil {
			return err
		}
		r, err := t.run(s)
		if err != nil {
			return err
		}
		read := time.Since(begun)
		bar := newProgress(c)
		r.Hooks.Pass = bar.loops(l.Name())
		begun = time.Now()
		m, interrupted, err := fit(c.Context(), l, r)
		bar.end()
		if err != nil {
			return named(args[0], err)
		}
		rep := fitReport{Report: m.Report, Positive: m.Positive(), Seconds: seconds{read.Seconds(), time.Since(begun).Seconds()}}
		if test != "" && !interrupted {
			testSet, err := in.readFor(c, test, m)
			if err != nil {
				return err
			}
			tally := m.Tally(testSet, t.workers)
			rep.Test = &tally
		}
		rep.Warnings = append(rep.Warnings, diagnose(m)...)
		m.Report.Warnings = rep.Warnings
		rep.weights(m)
		if out != "" {
			if err := m.Save(out); err != nil {
				return fmt.Errorf("the model cannot be written: %w", err)
			}
			rep.Model = out
		}
		if asJSON {
			err = printJSON(c.OutOrStdout(), rep)
		} else {
			err = rep.print(c.OutOrStdout(), c.ErrOrStderr(), args[0], m)
		}
		if err == nil && interrupted {
			return &exit{exitNo, fmt.Errorf("interrupted after %d whole loops; the model is what was learned until then", m.Report.Epochs)}
		}
		return err
	}
	return c
}

// named puts the data's name before an error that has no place.
func named(name string, err error) error {
	if exitCode(err) == exitInput {
		return &data.InputError{File: name, What: err.Error(), Err: err}
	}
	return err
}

// checkOutput finds out before the work that its result cannot be written.
func checkOutput(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return usage("-o %s is a directory; name a file", path)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return usage("-o %s: there is no directory %s; make it first", path, filepath.Dir(path))
	}
	return nil
}

// fitReport is what fit prints.
type fitReport struct {
	halfspace.Report
	Test     *halfspace.Tally `json:"test,omitempty"`
	Positive string           `json:"positive,omitempty"`
	Bias     any              `json:"bias"`
	Weights  any              `json:"weights,omitempty"`
	Seconds  seconds          `json:"seconds"`
	Model    string           `json:"model,omitempty"`
}

type seconds struct {
	Read float64 `json:"read"`
	Fit  float64 `json:"fit"`
}

// weights fills in bias and weights; those only for 1,000 features or fewer.
func (r *fitReport) weights(m *halfspace.Model) {
	w := m.Weights
	if len(w.W) == 1 {
		r.Bias = w.Bias[0]
		if w.Dim() <= 1000 {
			r.Weights = w.W[0]
		}
		return
	}
	r.Bias = w.Bias
	if w.Dim() <= 1000 {
		r.Weights = w.W
	}
}

// diagnose says what the user should know about how it went, and the command
// to type next.
func diagnose(m *halfspace.Model) []string {
	r := m.Report
	if r.Converged || r.Interrupted {
		return nil
	}
	w := fmt.Sprintf("not converged in %d loops: either there were too few (--epochs N) or no plane separates the classes", r.Epochs)
	if r.Learner == "perceptron" || r.Learner == "pla" || r.Learner == "perceptron-batch" {
		w += ", and then the latest weights are not the best seen: try --learner averaged or --learner pocket"
	}
	return []string{w}
}

func (r *fitReport) print(out, talk io.Writer, name string, m *halfspace.Model) error {
	d := r.Data
	fmt.Fprintf(out, "data       %s: %d examples, %d features, %s\n", name, d.Examples, d.Features, classList(d, m))
	fmt.Fprintf(out, "learner    %s%s\n", r.Learner, changed(r))
	state := "not converged"
	if r.Converged {
		state = "converged"
	}
	fmt.Fprintf(out, "result     %s: %s, %s, %s\n", state, plural(r.Epochs, "loop"), plural(r.Updates, "update"), plural(r.Mistakes, "mistake"))
	printTally(out, "train", r.Train)
	printTally(out, "test", r.Test)
	printWeights(out, m)
	if r.Model != "" {
		fmt.Fprintf(out, "model      %s\n", r.Model)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(talk, "warning: %s\n", w)
	}
	return nil
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
	for _, p := range mustLearner(r.Learner).Params() {
		if v := fmt.Sprint(r.Parameters[p.Name]); v != p.Default && v != "0" && v != "false" {
			fmt.Fprintf(&b, " --%s %s", p.Name, v)
		}
	}
	if !r.Report.Bias {
		b.WriteString(" --no-bias")
	}
	return b.String()
}

func classList(d halfspace.DataReport, m *halfspace.Model) string {
	if len(d.Classes) > 6 {
		return fmt.Sprintf("%d classes", len(d.Classes))
	}
	var parts []string
	for c, name := range d.Classes {
		part := fmt.Sprintf("%s %d", name, d.Counts[c])
		if len(d.Classes) == 2 && m != nil {
			part = []string{"+ ", "− "}[c] + part
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
	fmt.Fprintln(out)
}

// printWeights prints small models whole.
func printWeights(out io.Writer, m *halfspace.Model) {
	w := m.Weights
	if w.Dim() > 10 || len(w.W) > 10 {
		return
	}
	names := m.MappedFeatures()
	for k := range w.W {
		label := "w"
		if len(w.W) > 1 {
			label = "w " + m.Classes[k]
		}
		fmt.Fprintf(out, "%-10s", label)
		if m.Report.Bias {
			fmt.Fprintf(out, " bias %.6g", w.Bias[k])
		}
		for j, v := range w.W[k] {
			fmt.Fprintf(out, "  %s %.6g", names.Name(j), v)
		}
		fmt.Fprintln(out)
	}
}
