package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/judge/metric"
)

func evalCommand() *cobra.Command {
	var in input
	var asJSON bool
	var workers int
	c := &cobra.Command{
		Use:   "eval MODEL DATA",
		Short: "Count a model's errors on labelled data",
		Example: `  halfspace eval digits.model test.txt
  halfspace eval mail.model test.tsv --json`,
		Args: cobra.ExactArgs(2),
	}
	in.reading(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	c.Flags().IntVar(&workers, "workers", 0, "threads (one a processor); never changes a result")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := notNegative("workers", workers); err != nil {
			return err
		}
		m, err := loadModel(c, args[0])
		if err != nil {
			return err
		}
		s, err := in.readFor(c, args[1], m)
		if err != nil {
			return err
		}
		outcomes := metric.Outcomes(m, s, workers)
		if len(outcomes) == 0 {
			return &exit{exitInput, fmt.Errorf("%s: no example has a label, so nothing can be counted; name the label column with --label, or use 'halfspace predict'", called(args[1]))}
		}
		sum := metric.Summarise(outcomes, m.Classes)
		if asJSON {
			return printJSON(c.OutOrStdout(), sum)
		}
		printSummary(c.OutOrStdout(), &sum, m)
		return nil
	}
	return c
}

func printSummary(out io.Writer, s *metric.Summary, m *halfspace.Model) {
	tally := s.Tally
	tally.Undecided = 0 // has a line of its own
	printTally(out, "errors", &tally)
	if m.HasUndecided() {
		fmt.Fprintf(out, "%-10s %d of %d: no class, or several, by the parts themselves\n", "undecided", s.Undecided, s.Examples)
	}
	fmt.Fprintf(out, "%-10s %.4f, balanced %.4f", "accuracy", s.Accuracy, s.Balanced)
	if s.AUC != nil {
		fmt.Fprintf(out, ", AUC of %s %.4f", m.Positive(), *s.AUC)
	}
	fmt.Fprint(out, "\n\n")
	names := make([]string, len(s.Classes))
	for c := range names {
		names[c] = s.Classes[c].Class
	}
	wide := max(5, longest(names))
	fmt.Fprintf(out, "%-*s  %8s  %9s  %6s  %6s\n", wide, "class", "examples", "precision", "recall", "F1")
	for _, c := range s.Classes {
		fmt.Fprintf(out, "%-*s  %8d  %9.4f  %6.4f  %6.4f\n", wide, c.Class, c.Examples, c.Precision, c.Recall, c.F1)
	}
	if len(names) > 12 {
		return
	}
	fmt.Fprintf(out, "\n%-*s  predicted\n%-*s", wide, "true", wide, "")
	for _, n := range names {
		fmt.Fprintf(out, "  %*s", max(6, len(n)), n)
	}
	fmt.Fprintln(out)
	for c, row := range s.Confusion {
		fmt.Fprintf(out, "%-*s", wide, names[c])
		for d, n := range row {
			fmt.Fprintf(out, "  %*d", max(6, len(names[d])), n)
		}
		fmt.Fprintln(out)
	}
}
