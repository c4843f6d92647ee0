package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/judge/proof"
	"github.com/halfspace-ml/halfspace/judge/proof/certificate"
)

func separableCommand() *cobra.Command {
	var in input
	var opt proof.Options
	var out string
	var asJSON bool
	var sets int
	c := &cobra.Command{
		Use:   "separable DATA",
		Short: "Tell whether a plane separates the classes, with the proof",
		Long: `Tell whether a plane puts every example of DATA strictly on its side. If so, the
answer is the plane with the widest margin, and how many mistakes a perceptron
can make at most. If not, it is a few rows with multipliers by which they add up
to the same point in both classes, and how few errors any plane can make: exactly
in two features, else between two numbers (--sets).

Every proof has been verified in exact arithmetic, on the decimals in the file;
-o writes it, and 'halfspace verify' checks it. Classes are separated two by two
and, if there are more, jointly (Kesler's construct).

Exit 0: separable. 1: not, or undecided.`,
		Example: `  halfspace separable @points00
  halfspace separable @xor -o xor.proof
  halfspace separable iris.csv --pair versicolor,virginica --json
  halfspace separable @xor --map products`,
		Args: cobra.ExactArgs(1),
	}
	in.training(c.Flags())
	c.Flags().BoolVar(&opt.NoBias, "no-bias", false, "planes through the origin only")
	c.Flags().StringArrayVar(&opt.Maps, "map", nil, "feature `MAP` before the planes, repeatable: "+strings.Join(prep.Names(), ", "))
	c.Flags().IntVar(&opt.Workers, "workers", 0, "`N` threads (default one a processor); never changes a result")
	c.Flags().IntVar(&sets, "sets", 10, "not separable: look for up to `N` sets of rows without a row in common, each of which costs any plane an error; if not given, only where it is quick")
	c.Flags().StringVarP(&out, "output", "o", "", "write the certificate to `FILE`")
	c.Flags().BoolVar(&asJSON, "json", false, "print the answer as JSON")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := checkOutput(out); err != nil {
			return err
		}
		for flag, n := range map[string]int{"workers": opt.Workers, "sets": sets} {
			if err := notNegative(flag, n); err != nil {
				return err
			}
		}
		if _, err := prep.ParsePipeline(opt.Maps...); err != nil {
			return &exit{exitUsage, err}
		}
		begun := time.Now()
		s, err := in.read(c, args[0])
		if err != nil {
			return err
		}
		rep := &separableReport{Data: halfspace.Describe(s), HasBias: !opt.NoBias, Maps: opt.Maps, Seconds: provenSeconds{Read: time.Since(begun).Seconds()}}
		rep.Data.Digest = s.Digest()
		rep.data = strings.TrimSpace(args[0] + " " + givenReading(c))
		begun = time.Now()
		a, err := rep.prove(c.Context(), s, opt, sets, c.Flags().Changed("sets"))
		if c.Context().Err() != nil {
			return &exit{exitNo, fmt.Errorf("interrupted before anything was proven")}
		}
		if err != nil {
			return named(args[0], fmt.Errorf("%w: %w", errUnprovable, err))
		}
		rep.Seconds.Proof = time.Since(begun).Seconds()
		if out != "" && a.Verdict != proof.Undecided {
			cert, err := a.Certificate(s, opt, givenReading(c))
			if err == nil {
				err = cert.Save(out)
			}
			if err != nil {
				return fmt.Errorf("the certificate cannot be written: %w", err)
			}
			rep.File = out
		}
		if asJSON {
			err = printJSON(c.OutOrStdout(), rep)
		} else {
			rep.print(c.OutOrStdout(), args[0], asked(c, args[0]), a, s)
		}
		if err == nil && a.Verdict != certificate.Separable {
			return &exit{exitNo, fmt.Errorf("%s: %s", called(args[0]), a.Verdict)}
		}
		return err
	}
	return c
}

// givenReading is the flags about reading that were given, as they were.
func givenReading(c *cobra.Command) string {
	return strings.Join(givenFlags(c, func(f *pflag.FlagSet) { new(input).training(f) }), " ")
}

// asked is DATA with the flags of the question about it, as they were given.
func asked(c *cobra.Command, name string) string {
	given := givenFlags(c, func(f *pflag.FlagSet) {
		new(input).training(f)
		f.Bool("no-bias", false, "")
		f.StringArray("map", nil, "")
	})
	return strings.Join(append([]string{name}, given...), " ")
}

// givenFlags are those flags of a list that were given, as they would be again.
func givenFlags(c *cobra.Command, list func(*pflag.FlagSet)) []string {
	known := pflag.NewFlagSet("", pflag.ContinueOnError)
	list(known)
	var given []string
	c.Flags().Visit(func(f *pflag.Flag) {
		if known.Lookup(f.Name) == nil {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			switch {
			case f.Value.Type() == "bool":
				v = ""
			case strings.ContainsAny(v, " *'\"$"):
				v = " '" + v + "'"
			default:
				v = " " + v
			}
			given = append(given, "--"+f.Name+v)
		}
	})
	return given
}

// separableReport is what separable prints.
type separableReport struct {
	Data         halfspace.DataReport `json:"data"`
	HasBias      bool                 `json:"has_bias"`
	Maps         []string             `json:"maps,omitempty"`
	Separable    any                  `json:"separable"` // true, false or "undecided"
	Weakly       *bool                `json:"weakly,omitempty"`
	Reason       string               `json:"reason,omitempty"`
	Margin       float64              `json:"margin,omitempty"` // distance of the nearest example from the plane
	Widest       float64              `json:"widest,omitempty"` // no plane has a larger margin
	Radius       float64              `json:"radius"`           // length of the longest example
	MistakeBound float64              `json:"mistake_bound,omitempty"`
	Perceptron   *proof.Bound         `json:"perceptron,omitempty"`   // R and γ of the bound, the bias as a feature
	Standardised *proof.Bound         `json:"standardised,omitempty"` // the same with features standardised
	Weights      any                  `json:"weights,omitempty"`
	Bias         any                  `json:"bias,omitempty"`
	Certificate  *meeting             `json:"certificate,omitempty"`
	Best         *proof.Best          `json:"best_error,omitempty"`
	Pairs        []pairReport         `json:"pairs,omitempty"` // more than two classes
	Seconds      provenSeconds        `json:"seconds"`
	File         string               `json:"file,omitempty"`
	data         string               // DATA with the flags it was read with
}

type provenSeconds struct {
	Read  float64 `json:"read"`
	Proof float64 `json:"proof"`
}

// meeting is a proof that no plane separates.
type meeting struct {
	Rows        []int    `json:"rows"`
	Labels      []string `json:"labels"`
	Rivals      []string `json:"rivals,omitempty"`
	Multipliers []string `json:"multipliers"`
}

// pairReport is the answer about two of more classes.
type pairReport struct {
	Classes     []string `json:"classes"`
	Separable   any      `json:"separable"`
	Weakly      *bool    `json:"weakly,omitempty"`
	Reason      string   `json:"reason,omitempty"`
	Margin      float64  `json:"margin,omitempty"`
	Certificate *meeting `json:"certificate,omitempty"`
}

// answer is a verdict as JSON has it.
func answer(verdict string) any {
	switch verdict {
	case certificate.Separable:
		return true
	case proof.Undecided:
		return verdict
	}
	return false
}

func meetingOf(p *certificate.Proof) *meeting {
	if p == nil || len(p.Rows) == 0 {
		return nil
	}
	return &meeting{p.Rows, p.Labels, p.Rivals, p.Multipliers}
}

// prove finds the answer and all that goes with it.
func (rep *separableReport) prove(ctx context.Context, s *data.Set, opt proof.Options, sets int, force bool) (*proof.Answer, error) {
	a, err := proof.Classes(ctx, s, opt)
	if err != nil {
		return nil, err
	}
	rep.Separable, rep.Reason = answer(a.Verdict), a.Reason
	main := a.Joint
	if len(s.Classes()) == 2 {
		main = a.Pairs[0]
		rep.Weakly, rep.Reason = main.Weakly, main.Reason
	} else {
		for _, r := range a.Pairs {
			rep.Pairs = append(rep.Pairs, pairReport{r.Classes, answer(r.Verdict), r.Weakly, r.Reason, r.Margin, meetingOf(r.Proof)})
			rep.Radius = max(rep.Radius, r.Radius)
		}
	}
	if main == nil {
		return a, nil
	}
	rep.Margin, rep.Widest, rep.Radius, rep.Certificate = main.Margin, main.Widest, main.Radius, meetingOf(main.Proof)
	rep.weights(main)
	switch {
	case a.Verdict == certificate.Separable:
		err = rep.bounds(ctx, s, main, opt)
	case len(s.Classes()) == 2 && a.Verdict != proof.Undecided:
		if !force && !bestIsQuick(s) {
			sets = 0
		}
		rep.Best, err = proof.BestErrors(ctx, s, opt, sets)
	}
	return a, err
}

// weights fills in those of the proof.
func (rep *separableReport) weights(r *proof.Result) {
	if r.W != nil {
		rep.Weights, rep.Bias = r.W, r.Bias
		return
	}
	if r.Proof != nil && len(r.Proof.Weights) > 0 {
		rep.Weights, rep.Bias = r.Proof.Weights, r.Proof.Bias
	}
}

// bounds fills in how many mistakes a perceptron can make.
func (rep *separableReport) bounds(ctx context.Context, s *data.Set, r *proof.Result, opt proof.Options) error {
	mapped, err := mappedBy(s, opt.Maps)
	if err != nil {
		return err
	}
	if !quick(mapped) {
		if len(s.Classes()) == 2 && r.W != nil {
			rep.Perceptron = proof.PlaneBound(r, opt.NoBias)
			rep.MistakeBound = rep.Perceptron.Mistakes
		}
		return nil
	}
	steps := proof.Steps{NoBias: opt.NoBias}
	if rep.Perceptron, err = proof.MistakeBound(ctx, mapped, steps, opt.Workers); err != nil || rep.Perceptron == nil {
		return err
	}
	rep.MistakeBound = rep.Perceptron.Mistakes
	rep.Standardised, err = standardised(ctx, mapped, steps, opt.Workers)
	return err
}

func mappedBy(s *data.Set, specs []string) (*data.Set, error) {
	p, err := prep.ParsePipeline(specs...)
	if err != nil {
		return nil, err
	}
	return p.Fit(s)
}

// standardised is the bound after --scale; nil if that cannot be done.
func standardised(ctx context.Context, s *data.Set, steps proof.Steps, workers int) (*proof.Bound, error) {
	scaled, err := prep.Pipeline{&prep.Standardise{NoCentre: steps.NoBias}}.Fit(s)
	if err != nil {
		return nil, nil
	}
	steps.Start = nil // other units
	return proof.MistakeBound(ctx, scaled, steps, workers)
}

// bestIsQuick reports whether sets of rows that cannot be separated are looked
// for without being asked for.
func bestIsQuick(s *data.Set) bool {
	return s.Nonzeros() <= 100_000 && min(s.Len(), s.Dim()) <= 100
}

func (rep *separableReport) print(out io.Writer, name, asked string, a *proof.Answer, s *data.Set) {
	d := rep.Data
	fmt.Fprintf(out, "data       %s: %s, %s, %s\n", name, plural(d.Examples, "example"), plural(d.Features, "feature"), classList(d))
	planes := "plane"
	if !rep.HasBias {
		planes = "plane through the origin"
	}
	if len(rep.Maps) > 0 {
		planes += " after --map " + strings.Join(rep.Maps, " --map ")
	}
	for _, r := range a.Pairs {
		if len(a.Pairs) > 1 {
			fmt.Fprintf(out, "pair       %s, %s: %s\n", r.Classes[0], r.Classes[1], inWords(r))
		}
	}
	fmt.Fprintf(out, "verdict    %s\n", rep.verdict(a, planes))
	if rep.Certificate != nil {
		fmt.Fprintf(out, "proof      %s\n", rep.Certificate.inWords(rep.HasBias))
	}
	if rep.Margin > 0 {
		fmt.Fprintf(out, "margin     %.6g from the plane to the nearest example", rep.Margin)
		if rep.Widest > 0 {
			fmt.Fprintf(out, "; no plane has more than %.6g", rep.Widest)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "radius     %.6g, the length of the longest example\n", rep.Radius)
	if b := rep.Perceptron; b != nil {
		fmt.Fprintf(out, "mistakes   at most %.0f by a perceptron from zero: R²/γ² with R = %.6g, γ = %.6g%s\n", math.Floor(b.Mistakes), b.Radius, b.Margin, biasFeature(rep.HasBias))
	}
	if b := rep.Standardised; b != nil {
		fmt.Fprintf(out, "           at most %.0f with the features standardised (--scale)\n", math.Floor(b.Mistakes))
	}
	if rep.Best != nil {
		fmt.Fprintf(out, "best       %s\n", bestInWords(rep.Best, d.Examples))
	}
	if w, ok := rep.Weights.([]float64); ok && len(w) <= 10 && len(rep.Maps) == 0 {
		parts := []string{}
		if rep.HasBias {
			parts = append(parts, fmt.Sprintf("bias %.6g", rep.Bias))
		}
		for j, v := range w {
			parts = append(parts, fmt.Sprintf("%s %.6g", s.Features().Name(j), v))
		}
		fmt.Fprintf(out, "w          %s\n", strings.Join(parts, "  "))
	}
	if n := s.Input().Rounded; n > 0 {
		fmt.Fprintf(out, "rounded    %s of more digits than are kept: the proof is about the values as rounded\n", plural(n, "value"))
	}
	if rep.File != "" {
		fmt.Fprintf(out, "file       %s; check it with 'halfspace verify %s %s'\n", rep.File, rep.File, rep.data)
	}
	fmt.Fprintf(out, "next       %s\n", rep.next(asked))
}

func biasFeature(bias bool) string {
	if bias {
		return ", the bias as a feature"
	}
	return ""
}

// verdict says what was found and what it means.
func (rep *separableReport) verdict(a *proof.Answer, planes string) string {
	joint := len(rep.Pairs) > 0
	switch {
	case a.Verdict == certificate.Separable && joint:
		return "separable jointly: one weight vector a class gives every example its own class the best score"
	case a.Verdict == certificate.Separable:
		return "separable: a " + planes + " puts every example strictly on its side"
	case a.Verdict == proof.Undecided:
		return "undecided: " + rep.Reason
	case a.Verdict == certificate.Weakly:
		return "not separable, but weakly: a " + planes + " has no example on its wrong side, and some lie on it whatever the plane"
	case joint && rep.Certificate != nil:
		return "not separable jointly, though two by two: no weight vectors give every example its own class the best score"
	case joint:
		return "not separable: some pair of classes is not"
	}
	return "not separable: no " + planes + " puts every example strictly on its side"
}

// inWords is the answer about a pair, short.
func inWords(r *proof.Result) string {
	switch {
	case r.Verdict == certificate.Separable:
		return fmt.Sprintf("separable, margin %.6g", r.Margin)
	case r.Verdict == proof.Undecided:
		return "undecided: " + r.Reason
	}
	return fmt.Sprintf("%s, by %s", r.Verdict, plural(len(r.Proof.Rows), "row"))
}

func (m *meeting) inWords(bias bool) string {
	rows := make([]string, len(m.Rows))
	for k, r := range m.Rows {
		rows[k] = fmt.Sprint(r)
		if len(m.Rows) <= 6 {
			rows[k] = fmt.Sprintf("%d: %s", r, m.Multipliers[k])
		}
	}
	if len(rows) > 12 {
		rows = append(rows[:10], "…")
	}
	what := "by multipliers they add up to the same point in both classes"
	switch {
	case m.Rivals != nil:
		what = "by multipliers their Kesler vectors add up to zero"
	case !bias:
		what = "by multipliers they add up to zero, the negative class with its sign turned"
	}
	return fmt.Sprintf("%s; %s (%s)", plural(len(m.Rows), "row"), what, strings.Join(rows, ", "))
}

func bestInWords(b *proof.Best, examples int) string {
	switch {
	case b.Lower == b.Upper:
		return fmt.Sprintf("the best plane makes %s of %d; none makes fewer", plural(b.Upper, "error"), examples)
	}
	return fmt.Sprintf("no plane makes fewer than %s of %d; the best found makes %d", plural(b.Lower, "error"), examples, b.Upper)
}

// next names the command to run next. A perceptron is promised to end only where
// the bound on its mistakes, of which each loop but the last makes one, says so.
func (rep *separableReport) next(name string) string {
	const loops, more = 10, 1000 // of fit by default, and asked for here
	within := func(b *proof.Bound, n float64) bool { return b != nil && b.Mistakes < n }
	learns := func(flags string) string {
		return fmt.Sprintf("'halfspace fit %s %s' learns a plane that makes no error", name, flags)
	}
	switch {
	case rep.Separable == true && within(rep.Standardised, loops):
		return learns("--scale")
	case rep.Separable == true && within(rep.Perceptron, more):
		return learns(fmt.Sprintf("--epochs %d", more))
	case rep.Separable == true && within(rep.Standardised, more):
		return learns(fmt.Sprintf("--scale --epochs %d", more))
	case rep.Separable == true && rep.Pairs != nil:
		return learns("--learner svm-hard --multi kesler")
	case rep.Separable == true:
		return learns("--learner svm-hard")
	case rep.Separable == false && rep.File == "":
		return fmt.Sprintf("'halfspace fit %s --learner averaged' for a plane with few errors; -o FILE keeps this proof", name)
	}
	return fmt.Sprintf("'halfspace fit %s --learner averaged' for a plane with few errors", name)
}
