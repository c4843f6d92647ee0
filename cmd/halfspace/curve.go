package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/judge/experiment"
	"github.com/halfspace-ml/halfspace/show/figure"
)

// curving is the flags of curve.
type curving struct {
	in     input
	t      training
	leave  leaving
	over   string
	sizes  []string
	values []string
	json   bool
	plot   plotting // -o
}

func curveCommand() *cobra.Command {
	var k curving
	c := &cobra.Command{
		Use:   "curve DATA",
		Short: "Error against training size, loops, any parameter, or along a stream",
		Long: `Train many times and show how the error changes with --over:

  n        the first n examples of DATA, for each n of --sizes; the training error
           is on those n. With --repeats R, n examples drawn at random, R times:
           mean and standard deviation
  epochs   the number of loops, or any other parameter of the learner, for each
           of --values
  stream   along DATA in order, each example predicted before it is learned from

Errors are counted on --test DATA, or on examples of DATA left out: --folds N,
--leave-one-out or --hold-out SHARE. Ctrl-C ends; with --journal FILE the same
command goes on where it was.`,
		Example: `  halfspace curve @digits35 --test @digits35-test --sizes 10,50,100,243 --tie positive --no-bias
  halfspace curve mail.tsv --hold-out 0.2 --repeats 20 --journal mail.journal
  halfspace curve mail.tsv --over epochs --values 1,2,5,10 --folds 5 --learner averaged
  halfspace curve mail.tsv --over c --folds 10 --learner svm
  halfspace curve mail.tsv --over stream --learner passive-aggressive`,
		Args: cobra.ExactArgs(1),
	}
	f := c.Flags()
	f.StringVar(&k.over, "over", "n", "`WHAT` changes: n, stream, epochs or another parameter of the learner")
	f.StringSliceVar(&k.sizes, "sizes", nil, "--over n, stream: the `NUMBERS` of examples (default some twelve)")
	f.StringSliceVar(&k.values, "values", nil, "--over a parameter: its `VALUES`")
	k.leave.flags(f, 0, 0, "`N` times: with --over n, draw the n examples at random; else leave out anew")
	f.BoolVar(&k.json, "json", false, "print the curve as JSON")
	f.StringVarP(&k.plot.out, "output", "o", "", "draw the curve to `FILE` (.svg, .png, .pdf, .txt); - draws it instead of the table")
	f.StringVar(&k.plot.size, "size", "screen", "-o: `SIZE`: "+strings.Join(figure.Sizes(), ", ")+", or WIDTHxHEIGHT in pixels")
	f.StringVar(&k.plot.theme, "theme", "light", "-o: `light` or dark")
	k.in.training(f)
	k.t.flags(c)
	c.RunE = func(c *cobra.Command, args []string) error { return k.run(c, args[0]) }
	return c
}

// curveReport is what curve prints.
type curveReport struct {
	Learner    string               `json:"learner"`
	Parameters map[string]any       `json:"parameters"`
	Data       halfspace.DataReport `json:"data"`
	Over       string               `json:"over"`
	How        string               `json:"how"`
	Tested     string               `json:"tested"`
	Seed       uint64               `json:"seed"`
	Points     []curvePoint         `json:"points"`
	Warnings   []string             `json:"warnings"`
	Seconds    seconds              `json:"seconds"`

	title string // the learner with its parameters
}

// curvePoint is a point with the value it belongs to.
type curvePoint struct {
	over, value string
	kind        string // of the value: integer, number, word, bool
	experiment.Point
	recent *float64 // streams
}

// MarshalJSON has the value first, under the name of what changes.
func (p curvePoint) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	value := strconv.Quote(p.value)
	if v, err := strconv.ParseFloat(p.value, 64); err == nil && p.kind != "word" {
		value = strconv.FormatFloat(v, 'g', -1, 64)
	} else if p.kind == "bool" {
		value = p.value
	}
	fmt.Fprintf(&b, "{%q:%s", p.over, value)
	put := func(name string, v *float64) {
		if v != nil {
			fmt.Fprintf(&b, ",%q:%s", name, strconv.FormatFloat(*v, 'g', -1, 64))
		}
	}
	put("train", p.Train)
	put("test", p.Test)
	put("train_sd", p.TrainSD)
	put("test_sd", p.TestSD)
	put("recent", p.recent)
	if p.recent == nil {
		fmt.Fprintf(&b, `,"runs":%d,"converged":%d`, p.Runs, p.Converged)
	}
	if p.Refused != "" {
		text, err := json.Marshal(p.Refused)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, `,"refused":%s`, text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (k *curving) run(c *cobra.Command, name string) error {
	if err := k.check(c, name); err != nil {
		return err
	}
	if _, _, err := k.plot.drawn(c); err != nil { // before the work
		return err
	}
	r, err := k.t.flagged(c)
	if err != nil {
		return err
	}
	begun := time.Now()
	s, err := k.in.read(c, name)
	if err != nil {
		return err
	}
	test, err := k.leave.read(c, &k.in, s)
	if err != nil {
		return err
	}
	rep := &curveReport{Learner: r.name, Data: halfspace.Describe(s), Over: k.over, Seed: k.t.seed, Warnings: []string{}}
	rep.Data.Digest = s.Digest()
	described, title, err := r.described()
	if err != nil {
		return err
	}
	rep.Parameters, rep.title = described.Parameters, title
	rep.Seconds.Read = time.Since(begun).Seconds()
	begun = time.Now()
	if k.over == "stream" {
		err = k.stream(c, r, s, rep)
	} else {
		err = k.trials(c, r, s, test, rep)
	}
	if err != nil {
		return named(name, k.leave.ended(err))
	}
	rep.Seconds.Fit = time.Since(begun).Seconds()
	if err := k.show(c, rep, name, s); err != nil {
		return err
	}
	if k.json {
		return nil
	}
	for _, w := range rep.Warnings {
		warn(c, "%s", w)
	}
	return nil
}

// check refuses flags that do not go together.
func (k *curving) check(c *cobra.Command, name string) error {
	if err := k.leave.check(c, name); err != nil {
		return err
	}
	sized := k.over == "n" || k.over == "stream"
	switch {
	case sized && c.Flags().Changed("values"):
		return usage("--values is for --over a parameter; --over %s has --sizes", k.over)
	case !sized && c.Flags().Changed("sizes"):
		return usage("--sizes is for --over n and --over stream; --over %s has --values", k.over)
	case !sized && c.Flags().Changed(k.over):
		return usage("--%s is what changes; give its values with --values", k.over)
	}
	if k.json && k.plot.out == "-" {
		return usage("--json and -o - both write to standard output; name a file to draw to")
	}
	if flag := given(c, "size", "theme"); flag != "" && k.plot.out == "" {
		return usage("--%s is for -o; add it, or leave --%s out", flag, flag)
	}
	if k.over == "stream" {
		if flag := given(c, "test", "folds", "leave-one-out", "hold-out", "repeats", "journal"); flag != "" {
			return usage("a stream goes once through DATA, and every example is tested before it is learned from; leave --%s out", flag)
		}
		if flag := given(c, "epochs", "shuffle", "stop-error"); flag != "" {
			return usage("a stream goes once through DATA, in order; leave --%s out", flag)
		}
	}
	if !sized && k.leave.repeats > 0 && given(c, "folds", "hold-out") == "" {
		return usage("--repeats leaves examples out anew; add --folds N or --hold-out SHARE")
	}
	return nil
}

// trials is the curves that train many times.
func (k *curving) trials(c *cobra.Command, r *recipe, s, test *data.Set, rep *curveReport) error {
	s = s.Labelled()
	plan, err := k.leave.plan(s, test, max(1, k.leave.repeats), k.t.seed)
	if err != nil {
		return err
	}
	rep.Tested = plan.Name
	if test == nil && k.leave.folds == 0 && !k.leave.one && k.leave.share == 0 {
		rep.Warnings = append(rep.Warnings, "nothing to test on, so there is only the training error: --test DATA, --folds N or --hold-out SHARE")
	}
	if k.over != "shuffle" && (k.over != "n" || k.leave.repeats == 0) { // samples are in random order
		rep.Warnings = append(rep.Warnings, forgets(r.name, rep.Parameters, s)...)
	}
	// Before the journal is opened: what cannot be done leaves no file behind.
	curve, err := k.prepare(r, s, plan, rep)
	if err != nil {
		return err
	}
	bar := newProgress(c)
	b, err := k.leave.bench(c, s, test, k.t.workers, bar)
	if err != nil {
		return err
	}
	points, err := curve(c.Context(), b)
	bar.end()
	if closed := b.Journal.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return rep.take(points)
}

// curveMaker trains and gives a point for each value.
type curveMaker func(context.Context, *experiment.Bench) ([]experiment.Point, error)

// prepare makes the points of the curve, yet without errors, and what fills
// them in.
func (k *curving) prepare(r *recipe, s *data.Set, plan experiment.Plan, rep *curveReport) (curveMaker, error) {
	if k.over != "n" {
		candidates, err := k.candidates(r, rep)
		rep.How = "--" + k.over
		return func(ctx context.Context, b *experiment.Bench) ([]experiment.Point, error) {
			return b.Over(ctx, candidates, plan)
		}, err
	}
	train, _ := plan.Parts[0].Sets()
	sizes, err := k.sizesOf(train.Len())
	if err != nil {
		return nil, err
	}
	for _, n := range sizes {
		rep.Points = append(rep.Points, curvePoint{over: "n", value: strconv.Itoa(n), kind: "integer"})
	}
	way := experiment.Plain(r.start)
	if k.leave.repeats > 0 {
		rep.How = "n examples drawn at random"
		return func(ctx context.Context, b *experiment.Bench) ([]experiment.Point, error) {
			return b.OverSample(ctx, way, plan, sizes)
		}, nil
	}
	rep.How = "the first n examples"
	return func(ctx context.Context, b *experiment.Bench) ([]experiment.Point, error) {
		return b.OverFirst(ctx, way, plan, sizes)
	}, nil
}

// sizesOf is --sizes, or some twelve.
func (k *curving) sizesOf(most int) ([]int, error) {
	sizes, err := numbers("sizes", k.sizes)
	if err != nil {
		return nil, err
	}
	if n := len(sizes); n > 0 && sizes[n-1] > most {
		return nil, usage("--sizes has %d, and there are only %s to learn from", sizes[n-1], plural(most, "example"))
	}
	if len(sizes) == 0 {
		for x := 10.0; x < float64(most)/1.1; x *= max(1.5, math.Pow(float64(most)/10, 1.0/11)) {
			sizes = append(sizes, int(x))
		}
		sizes = append(sizes, most)
	}
	return sizes, nil
}

// usual are the values of parameters tried unless others are given.
func usual(name string) []string {
	switch name {
	case "epochs":
		return []string{"1", "2", "3", "5", "10", "20", "50", "100"}
	case "c":
		var values []string
		for _, c := range experiment.Cs {
			values = append(values, strconv.FormatFloat(c, 'g', -1, 64))
		}
		return values
	}
	return nil
}

// candidates is the learner with each of --values.
func (k *curving) candidates(r *recipe, rep *curveReport) ([]experiment.Candidate, error) {
	l, err := r.learner()
	if err != nil {
		return nil, err
	}
	p, err := paramOf(l, k.over)
	if err != nil {
		return nil, usage("--over %s is not possible: %w; besides there are n and stream", k.over, err)
	}
	values := k.values
	if len(values) == 0 {
		if values = usual(k.over); p.Choices != nil {
			values = p.Choices
		}
	}
	if len(values) == 0 {
		return nil, usage("--over %s needs --values A,B,C", k.over)
	}
	var candidates []experiment.Candidate
	for _, v := range values {
		way := r.with(experiment.Setting{{Name: k.over, Text: strings.TrimSpace(v)}})
		if l, err = way.learner(); err != nil {
			return nil, err
		}
		if p, err = paramOf(l, k.over); err != nil {
			return nil, err
		}
		value := fmt.Sprint(p.Value()) // 1e2 is 100
		candidates = append(candidates, experiment.Candidate{Name: k.over + "=" + value, Way: experiment.Plain(way.start)})
		rep.Points = append(rep.Points, curvePoint{over: k.over, value: value, kind: p.Kind})
	}
	return candidates, nil
}

// take fills the errors in, and refuses a curve without any.
func (rep *curveReport) take(points []experiment.Point) error {
	models := 0
	for i, p := range points {
		rep.Points[i].Point = p
		models += p.Runs
		if p.Refused != "" {
			rep.Warnings = append(rep.Warnings, fmt.Sprintf("%s = %s: %s", rep.Over, rep.Points[i].value, p.Refused))
		}
		rep.Warnings = append(rep.Warnings, onBoundary(rep.Over+" = "+rep.Points[i].value, p.Boundary, p.Tested)...)
	}
	if models == 0 && len(points) > 0 {
		return &exit{exitInput, fmt.Errorf("no training was possible; with %s = %s: %s", rep.Over, rep.Points[len(points)-1].value, points[len(points)-1].Refused)}
	}
	return nil
}

// stream is the curve of predicting before learning.
func (k *curving) stream(c *cobra.Command, r *recipe, s *data.Set, rep *curveReport) error {
	sizes, err := k.sizesOf(s.Labelled().Len())
	if err != nil {
		return err
	}
	rep.How, rep.Tested = "each example predicted, then learned from", "all examples until n, each before it was learned from"
	passed, err := experiment.Progressive(c.Context(), r.start, s, sizes)
	if c.Context().Err() != nil {
		return &exit{exitNo, errors.New("interrupted")}
	}
	if err != nil {
		return &exit{exitUsage, err}
	}
	for _, p := range passed {
		rep.Points = append(rep.Points, curvePoint{
			over: "n", value: strconv.Itoa(p.N), kind: "integer", Point: experiment.Point{Test: &p.Error}, recent: &p.Recent,
		})
	}
	return nil
}

func (rep *curveReport) print(out io.Writer, name string, s *data.Set) {
	fmt.Fprintf(out, "data       %s\n", dataLine(name, s))
	fmt.Fprintf(out, "learner    %s\n", rep.title)
	fmt.Fprintf(out, "over       %s\n", rep.How)
	fmt.Fprintf(out, "tested on  %s\n\n", rep.Tested)
	rows := [][]string{{rep.Points[0].over, "train", "test"}}
	if rep.Points[0].recent != nil {
		rows = [][]string{{"n", "until here", "since the last"}}
	}
	for _, p := range rep.Points {
		if p.recent != nil {
			rows = append(rows, []string{p.value, orDash(p.Test), orDash(p.recent)})
			continue
		}
		rows = append(rows, []string{p.value, give(p.Train, p.TrainSD), give(p.Test, p.TestSD)})
	}
	printTable(out, rows)
}

// give is a mean with its deviation.
func give(mean, sd *float64) string {
	if sd == nil {
		return orDash(mean)
	}
	return fmt.Sprintf("%.4f ± %.4f", *mean, *sd)
}

// printTable prints rows under their heads, flush right.
func printTable(out io.Writer, rows [][]string) {
	wide := make([]int, len(rows[0]))
	for _, row := range rows {
		for j, cell := range row {
			wide[j] = max(wide[j], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for j, cell := range row {
			if j > 0 {
				line.WriteString("  ")
			}
			line.WriteString(strings.Repeat(" ", wide[j]-utf8.RuneCountInString(cell)) + cell)
		}
		fmt.Fprintln(out, strings.TrimRight(line.String(), " "))
	}
}
