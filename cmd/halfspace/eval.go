package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace/judge/metric"
)

func evalCommand() *cobra.Command {
	var in input
	var e evaluation
	c := &cobra.Command{
		Use:   "eval MODEL DATA",
		Short: "Tell how good a model is on labelled data",
		Long: `Count a model's errors on DATA and compute the usual figures: accuracy (plain and
balanced), Matthews' correlation and Cohen's kappa, precision, recall, F1, area
under the ROC curve (AUC) and average precision (AP) of each class, and the
confusion matrix. A model with probabilities also gets log-loss, Brier score and
the table of its reliability. Where DATA has weights, all but the counts of
errors are by weight.`,
		Example: `  halfspace eval digits.model test.txt
  halfspace eval mail.model test.tsv --ci
  halfspace eval new.model test.tsv --against old.model
  halfspace eval mail.model test.tsv --json`,
		Args: cobra.ExactArgs(2),
	}
	in.reading(c.Flags())
	e.flags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := e.check(c, args[1]); err != nil {
			return err
		}
		rep, err := e.report(c, &in, args[0], args[1])
		if err != nil {
			return err
		}
		if e.json {
			return printJSON(c.OutOrStdout(), rep)
		}
		rep.print(c.OutOrStdout())
		return nil
	}
	return c
}

// evaluation is the flags that say what to compute.
type evaluation struct {
	against string
	ci      bool
	draws   metric.Bootstrap
	json    bool
}

func (e *evaluation) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&e.against, "against", "", "compare with another `MODEL` on the same examples, by McNemar's test")
	f.BoolVar(&e.ci, "ci", false, "give intervals: Wilson's for rates, by bootstrap for the other figures")
	f.Float64Var(&e.draws.Level, "level", 0.95, "--ci: the `SHARE` of samples whose intervals would hold the truth")
	f.IntVar(&e.draws.Samples, "samples", 1000, "--ci: `N` bootstrap samples")
	f.Uint64Var(&e.draws.Seed, "seed", 1, "--ci: seed `N` of the samples")
	f.IntVar(&e.draws.Workers, "workers", 0, "`N` threads (default one a processor); never changes a result")
	f.BoolVar(&e.json, "json", false, "print the report as JSON")
}

func (e *evaluation) check(c *cobra.Command, name string) error {
	if err := notNegative("workers", e.draws.Workers); err != nil {
		return err
	}
	if flag := given(c, "level", "samples", "seed"); flag != "" && !e.ci {
		return usage("--%s is for --ci; add it, or leave --%s out", flag, flag)
	}
	switch {
	case !(e.draws.Level > 0 && e.draws.Level < 1):
		return usage("--level = %v is not possible; it must be a number between 0 and 1", e.draws.Level)
	case e.draws.Samples < 1:
		return usage("--samples = %d is not possible; it must be a whole number of at least 1", e.draws.Samples)
	case e.against != "" && name == "-":
		return usage("--against reads DATA once for each model, which standard input cannot be; give it as a file")
	}
	return nil
}

// evalReport is what eval prints.
type evalReport struct {
	metric.Summary
	parts     bool            // of the model may leave examples undecided
	Level     float64         `json:"level,omitempty"` // of the intervals
	Intervals []metric.Figure `json:"intervals,omitempty"`
	Against   *rival          `json:"against,omitempty"`
}

// rival is another model on the same examples.
type rival struct {
	Model  string `json:"model"`
	Errors int    `json:"errors"`
	metric.McNemar
}

func (e *evaluation) report(c *cobra.Command, in *input, model, name string) (*evalReport, error) {
	o, err := e.outcomes(c, in, model, name)
	if err != nil {
		return nil, err
	}
	rep := &evalReport{Summary: metric.Summarise(o), parts: o.Undecided != nil}
	if e.ci {
		rep.Level = e.draws.Level
		bar := newProgress(c)
		e.draws.Progress = func(n int) {
			bar.show(func() string { return fmt.Sprintf("intervals: %d of %d samples drawn", n, e.draws.Samples) })
		}
		rep.Intervals, err = metric.Intervals(c.Context(), o, e.draws)
		bar.end()
		if err != nil {
			return nil, &exit{exitNo, errors.New("interrupted while drawing samples; --samples N draws fewer")}
		}
	}
	if e.against == "" {
		return rep, nil
	}
	other, err := e.outcomes(c, in, e.against, name)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(labels(o), labels(other)) {
		return nil, &exit{exitInput, fmt.Errorf("%s: %s and %s do not read the same examples from it, so that they cannot be compared; fit both on data of one format", name, model, e.against)}
	}
	rep.Against = &rival{Model: e.against, McNemar: metric.Compare(o.Wrong, other.Wrong)}
	rep.Against.Errors = rep.Against.Both + rep.Against.OnlySecond
	return rep, nil
}

// outcomes is what a model says of the labelled examples.
func (e *evaluation) outcomes(c *cobra.Command, in *input, model, name string) (*metric.Outcomes, error) {
	m, err := loadModel(c, model)
	if err != nil {
		return nil, err
	}
	s, err := in.readFor(c, name, m)
	if err != nil {
		return nil, err
	}
	o := metric.Predict(m, s, e.draws.Workers)
	if len(o.True) == 0 {
		return nil, &exit{exitInput, fmt.Errorf("%s: no example has a label, so nothing can be counted; name the label column with --label, or use 'halfspace predict'", called(name))}
	}
	return o, nil
}

// labels are the true classes by name.
func labels(o *metric.Outcomes) []string {
	names := make([]string, len(o.True))
	for i, t := range o.True {
		names[i] = o.Classes[t]
	}
	return names
}

func (r *evalReport) print(out io.Writer) {
	tally := r.Tally
	tally.Undecided = 0 // has a line of its own
	printTally(out, "errors", &tally)
	if r.parts {
		fmt.Fprintf(out, "%-10s %d of %d: no class, or several, by the parts themselves\n", "undecided", r.Undecided, r.Examples)
	}
	if r.Weighted {
		fmt.Fprintf(out, "%-10s those of the data; all figures below are by weight\n", "weights")
	}
	fmt.Fprintf(out, "%-10s %.4f, balanced %.4f", "accuracy", r.Accuracy, r.Balanced)
	if r.AUC != nil {
		fmt.Fprintf(out, ", AUC of %s %.4f", r.Classes[0].Class, *r.AUC)
	}
	fmt.Fprintf(out, "\n%-10s Matthews %.4f", "agreement", r.Matthews)
	if r.Kappa != nil {
		fmt.Fprintf(out, ", kappa %.4f", *r.Kappa)
	}
	fmt.Fprintln(out)
	if r.LogLoss != nil {
		fmt.Fprintf(out, "%-10s log-loss %.4f, Brier %.4f, calibration error %.4f\n", "proba", *r.LogLoss, *r.Brier, *r.CalibrationError)
	}
	r.printAgainst(out)
	r.printClasses(out)
	r.printConfusion(out)
	r.printReliability(out)
	r.printIntervals(out)
}

func (r *evalReport) printAgainst(out io.Writer) {
	if a := r.Against; a != nil {
		fmt.Fprintf(out, "%-10s %s, %d wrong: %d wrong only here, %d only there; McNemar p = %.4g (exact), %.4g (χ² = %.4g)\n",
			"against", a.Model, a.Errors, a.OnlyFirst, a.OnlySecond, a.ExactP, a.P, a.ChiSquare)
	}
}

func (r *evalReport) classNames() (names []string, wide int) {
	for _, c := range r.Classes {
		names = append(names, c.Class)
	}
	return names, max(5, longest(names))
}

// orDash is a figure that may not exist.
func orDash(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.4f", *v)
}

func (r *evalReport) printClasses(out io.Writer) {
	_, wide := r.classNames()
	fmt.Fprintf(out, "\n%-*s  %8s  %9s  %6s  %6s  %6s  %6s\n", wide, "class", "examples", "precision", "recall", "F1", "AUC", "AP")
	for _, c := range r.Classes {
		fmt.Fprintf(out, "%s  %8d  %9.4f  %6.4f  %6.4f  %6s  %6s\n", padded(c.Class, wide), c.Examples, c.Precision, c.Recall, c.F1, orDash(c.AUC), orDash(c.AveragePrecision))
	}
	for what, m := range []metric.Rates{r.Macro, r.ByWeight} {
		fmt.Fprintf(out, "%-*s  %8s  %9.4f  %6.4f  %6.4f\n", wide, "mean", []string{"", "by size"}[what], m.Precision, m.Recall, m.F1)
	}
}

func (r *evalReport) printConfusion(out io.Writer) {
	names, wide := r.classNames()
	if len(names) > 12 {
		return
	}
	fmt.Fprintf(out, "\n%-*s  predicted\n%-*s", wide, "true", wide, "")
	for _, n := range names {
		fmt.Fprintf(out, "  %*s", max(6, len(n)), n)
	}
	fmt.Fprintln(out)
	for c, row := range r.Confusion {
		fmt.Fprint(out, padded(names[c], wide))
		for d, n := range row {
			fmt.Fprintf(out, "  %*.6g", max(6, len(names[d])), n)
		}
		fmt.Fprintln(out)
	}
}

func (r *evalReport) printReliability(out io.Writer) {
	if r.Reliability == nil {
		return
	}
	what := "p(" + r.Classes[0].Class + ")"
	if len(r.Classes) > 2 {
		what = "largest p"
	}
	wide := max(9, longest([]string{what}))
	fmt.Fprintf(out, "\n%s  examples  mean p  came true\n", padded(what, wide))
	for _, b := range r.Reliability {
		fmt.Fprintf(out, "%-*s  %8.6g  %6.4f  %9.4f\n", wide, fmt.Sprintf("%.1f – %.1f", b.Low, b.High), b.Weight, b.Proba, b.Share)
	}
}

func (r *evalReport) printIntervals(out io.Writer) {
	if len(r.Intervals) == 0 {
		return
	}
	names := make([]string, len(r.Intervals))
	for i, f := range r.Intervals {
		names[i] = figureName(f)
	}
	wide := longest(names)
	fmt.Fprintf(out, "\n%s    value    from      to  %g %% intervals\n", padded("figure", wide), 100*r.Level)
	for i, f := range r.Intervals {
		fmt.Fprintf(out, "%s  %7.4f %7.4f %7.4f  %s\n", padded(names[i], wide), f.Value, f.Low, f.High, f.By)
	}
}

// figureName is a figure as people write it.
func figureName(f metric.Figure) string {
	name := map[string]string{
		"balanced_accuracy": "balanced accuracy", "matthews": "Matthews", "macro_f1": "mean F1", "weighted_f1": "mean F1 by size",
		"f1": "F1", "auc": "AUC", "average_precision": "AP", "log_loss": "log-loss", "brier": "Brier",
	}[f.Name]
	if name == "" {
		name = f.Name
	}
	if f.Class != "" {
		name += " of " + f.Class
	}
	return name
}
