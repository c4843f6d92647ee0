package main

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/judge/experiment"
)

// comparing is the flags of compare.
type comparing struct {
	in       input
	t        training
	leave    leaving
	learners []string
	maps     []string
	tune     []string
	draws    int
	inner    int
	level    float64
	report   string
	json     bool
}

func compareCommand() *cobra.Command {
	var k comparing
	c := &cobra.Command{
		Use:   "compare DATA",
		Short: "Learners or feature sets side by side, on the same examples left out",
		Long: `Train several learners on the same parts of DATA and test each on the examples
left out: error with its interval, training error, time, proof, and which
differences are more than chance.

A learner may have parameters of its own, svm:c=10:loss=squared-hinge; those given
as flags are for all learners that have them. --maps compares feature sets: plain,
dummy, rows+dummy. --tune chooses parameters anew for every part, by folds within
its training examples, so that the error is that of learner and choice together
(nested validation): lists are tried in all combinations, ranges need --draws.

With one repeat, differences are tested by McNemar's exact test on all predictions;
with more, by the paired t-test corrected for shared examples (Nadeau and Bengio
2003). Holm's method makes up for the number of pairs.`,
		Example: `  halfspace compare @digits35 --learners perceptron,averaged,svm,logistic
  halfspace compare mail.tsv --learners svm:c=0.1,svm:c=10 --folds 5 --repeats 4
  halfspace compare digits.txt --test test.txt --learners perceptron --maps plain,dummy,rows+dummy --no-bias
  halfspace compare mail.tsv --learners svm,logistic --tune c=0.01,0.1,1,10 --report mail-report
  halfspace compare mail.tsv --learners svm --tune c=0.001..100 --draws 20 --journal mail.journal`,
		Args: cobra.ExactArgs(1),
	}
	f := c.Flags()
	f.StringSliceVar(&k.learners, "learners", []string{"perceptron", "averaged", "svm", "logistic"}, "the learners, `A,B,…`, each NAME or NAME:PARAMETER=VALUE:…")
	f.StringSliceVar(&k.maps, "maps", nil, "the feature sets, `A,B,…`: plain, or maps joined by +")
	f.StringArrayVar(&k.tune, "tune", nil, "choose a parameter by folds within: `NAME=A,B,C` or NAME=LOW..HIGH; repeatable")
	f.IntVar(&k.draws, "draws", 0, "--tune: try `N` settings drawn at random instead of all")
	f.IntVar(&k.inner, "inner-folds", 5, "--tune: in `N` parts")
	f.Float64Var(&k.level, "level", 0.95, "`SHARE` of samples whose intervals would hold the truth; a difference is real below 1 - SHARE")
	k.leave.flags(f, 10, 1, "leave out anew `N` times")
	f.StringVar(&k.report, "report", "", "write a page with tables, figures and commands to `DIR`/index.html")
	f.BoolVar(&k.json, "json", false, "print the comparison as JSON")
	k.in.training(f)
	k.t.flags(c)
	f.MarkHidden("learner")
	c.RunE = func(c *cobra.Command, args []string) error { return k.run(c, args[0]) }
	return c
}

// compareReport is what compare prints.
type compareReport struct {
	Data halfspace.DataReport `json:"data"`
	Seed uint64               `json:"seed"`
	*experiment.Comparison
	Ways     []compareWay `json:"-"`
	Learners []learnerRow `json:"learners"` // in place of the comparison's rows
	Warnings []string     `json:"warnings"`
	Seconds  seconds      `json:"seconds"`
	Report   string       `json:"report,omitempty"`
}

// compareWay is how a candidate trains.
type compareWay struct {
	Name       string         `json:"-"`
	Learner    string         `json:"learner"`
	Parameters map[string]any `json:"parameters"`
	Maps       []string       `json:"maps,omitempty"`
	Tuned      string         `json:"tuned,omitempty"`
	described  string
	again      []string // flags of fit that train it
}

// learnerRow is a candidate and how it did.
type learnerRow struct {
	experiment.Row
	compareWay
}

func (k *comparing) run(c *cobra.Command, name string) error {
	if err := k.check(c, name); err != nil {
		return err
	}
	begun := time.Now()
	rep := &compareReport{Seed: k.t.seed, Warnings: []string{}}
	candidates, err := k.candidates(c, rep)
	if err != nil {
		return err
	}
	s, err := k.in.read(c, name)
	if err != nil {
		return err
	}
	test, err := k.leave.read(c, &k.in, s)
	if err != nil {
		return err
	}
	rep.Data = halfspace.Describe(s)
	rep.Data.Digest = s.Digest()
	rep.Seconds.Read = time.Since(begun).Seconds()
	begun = time.Now()
	if rep.Comparison, err = k.compare(c, candidates, s.Labelled(), test); err != nil {
		return named(name, k.leave.ended(err))
	}
	rep.Seconds.Fit = time.Since(begun).Seconds()
	if err := rep.finish(s); err != nil {
		return err
	}
	if k.report != "" {
		if rep.Report, err = k.writeReport(c, rep, name, s, test); err != nil {
			return err
		}
	}
	if k.json {
		return printJSON(c.OutOrStdout(), rep)
	}
	rep.print(c.OutOrStdout(), name, s)
	for _, w := range rep.Warnings {
		warn(c, "%s", w)
	}
	return nil
}

func (k *comparing) check(c *cobra.Command, name string) error {
	if err := k.leave.check(c, name); err != nil {
		return err
	}
	switch {
	case c.Flags().Changed("learner"):
		return usage("compare has several learners; use --learners %s", k.t.learner)
	case c.Flags().Changed("maps") && c.Flags().Changed("map"):
		return usage("--map is for all and --maps compares; write the map into each of --maps, joined by +")
	case k.leave.repeats < 1:
		return usage("--repeats = %d is not possible; it must be a whole number of at least 1", k.leave.repeats)
	case k.leave.repeats > 1 && (k.leave.test != "" || k.leave.one):
		return usage("--repeats leaves examples out anew, by --folds or --hold-out; leave it out")
	case !(k.level > 0 && k.level < 1):
		return usage("--level = %v is not possible; it must be a number between 0 and 1", k.level)
	case len(k.tune) == 0 && given(c, "draws", "inner-folds") != "":
		return usage("--%s is for --tune; add it, or leave --%s out", given(c, "draws", "inner-folds"), given(c, "draws", "inner-folds"))
	case k.inner < 2:
		return usage("--inner-folds = %d is not possible; it must be a whole number of at least 2", k.inner)
	case c.Flags().Changed("draws") && k.draws < 1:
		return usage("--draws = %d is not possible; it must be a whole number of at least 1", k.draws)
	}
	if err := notNegative("workers", k.t.workers); err != nil {
		return err
	}
	return k.checkReport()
}

func (k *comparing) compare(c *cobra.Command, candidates []experiment.Candidate, s, test *data.Set) (*experiment.Comparison, error) {
	plan, err := k.leave.plan(s, test, k.leave.repeats, k.t.seed)
	if err != nil {
		return nil, err
	}
	bar := newProgress(c)
	b, err := k.leave.bench(c, s, test, k.t.workers, bar)
	if err != nil {
		return nil, err
	}
	found, err := b.Compare(c.Context(), candidates, plan, k.level)
	bar.end()
	if closed := b.Journal.Close(); err == nil {
		err = closed
	}
	return found, err
}

// finish adds what must be said, and refuses a comparison of nothing.
func (rep *compareReport) finish(s *data.Set) error {
	models := 0
	for i, r := range rep.Rows {
		rep.Learners = append(rep.Learners, learnerRow{r, rep.Ways[i]})
		if models += r.Trained; r.Refused != "" {
			rep.Warnings = append(rep.Warnings, fmt.Sprintf("%s gave no model of some part: %s", r.Name, r.Refused))
		}
		rep.Warnings = append(rep.Warnings, forgets(r.Name, rep.Ways[i].Parameters, s)...)
		rep.Warnings = append(rep.Warnings, onBoundary(r.Name, r.Boundary, r.Examples)...)
	}
	if models == 0 {
		return &exit{exitInput, fmt.Errorf("no training was possible; %s: %s", rep.Rows[0].Name, rep.Rows[0].Refused)}
	}
	return nil
}

func (rep *compareReport) print(out io.Writer, name string, s *data.Set) {
	fmt.Fprintf(out, "data       %s\n", dataLine(name, s))
	fmt.Fprintf(out, "tested on  %s\n", rep.Plan)
	for _, w := range rep.Ways {
		if w.Tuned != "" {
			fmt.Fprintf(out, "tuned      %s: %s\n", w.Name, w.Tuned)
		}
	}
	fmt.Fprintln(out)
	printLeft(out, rep.table())
	fmt.Fprintln(out)
	for _, line := range rep.verdicts() {
		fmt.Fprintln(out, line)
	}
	if rep.Report != "" {
		fmt.Fprintf(out, "\nreport     %s\n", rep.Report)
	}
}

// table is the rows in order of error, those without any last.
func (rep *compareReport) table() [][]string {
	rows := [][]string{{"learner", "error", fmt.Sprintf("%g %% interval", 100*rep.Level), "wrong", "train", "seconds", "proof"}}
	for _, r := range rep.ranked() {
		if r.Refused != "" {
			rows = append(rows, []string{r.Name, "-", "-", "-", "-", "-", "no model"})
			continue
		}
		rows = append(rows, []string{
			r.Name, fmt.Sprintf("%.4f", r.Error), fmt.Sprintf("%.4f – %.4f", r.Interval.Low, r.Interval.High),
			fmt.Sprintf("%d of %d", r.Errors, r.Examples), fmt.Sprintf("%.4f", r.Train), fmt.Sprintf("%.2g", r.Seconds), proofOf(&r),
		})
	}
	return rows
}

func (rep *compareReport) ranked() []experiment.Row {
	rows := slices.Clone(rep.Rows)
	slices.SortStableFunc(rows, func(a, b experiment.Row) int {
		switch {
		case (a.Refused != "") != (b.Refused != ""):
			return len(a.Refused) - len(b.Refused)
		case a.Error < b.Error:
			return -1
		case a.Error > b.Error:
			return 1
		}
		return 0
	})
	return rows
}

// proofOf is the worst proof among the trainings of a row.
func proofOf(r *experiment.Row) string {
	switch {
	case r.KKT != nil:
		return "KKT off by at most " + small(*r.KKT)
	case r.Gap != nil:
		return "gap at most " + small(*r.Gap)
	}
	return fmt.Sprintf("%d of %d converged", r.Converged, r.Trained)
}

// verdicts say which differences are real.
func (rep *compareReport) verdicts() []string {
	if len(rep.Differences) == 0 {
		return []string{"nothing to compare with"}
	}
	lines := []string{fmt.Sprintf("differences: %s; p adjusted by Holm for %s", rep.Comparison.Test, plural(len(rep.Differences), "pair"))}
	for _, real := range []bool{true, false} {
		for _, d := range rep.Differences {
			if d.Real != real {
				continue
			}
			if d.By == 0 {
				lines = append(lines, fmt.Sprintf("  %s and %s err equally often", d.First, d.Second))
				continue
			}
			verdict := "may be chance"
			if real {
				verdict = "is real"
			}
			lines = append(lines, fmt.Sprintf("  %s better than %s by %.4f: p = %.2g, %s", d.First, d.Second, d.By, d.Adjusted, verdict))
		}
	}
	return lines
}

// printLeft prints rows under their heads, the first and the last column flush
// left.
func printLeft(out io.Writer, rows [][]string) {
	for _, j := range []int{0, len(rows[0]) - 1} {
		var column []string
		for _, r := range rows {
			column = append(column, r[j])
		}
		wide := longest(column)
		for _, r := range rows {
			r[j] = padded(r[j], wide)
		}
	}
	printTable(out, rows)
}
