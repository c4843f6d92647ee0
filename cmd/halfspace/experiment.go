package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/judge/experiment"
	"github.com/halfspace-ml/halfspace/learn"
	"github.com/halfspace-ml/halfspace/learn/multi"
)

// What compare and curve share: examples left out, learners with parameters,
// the journal.

// leaving is the flags that say what to test on.
type leaving struct {
	test    string
	folds   int
	one     bool
	share   float64
	repeats int
	journal string
}

func (v *leaving) flags(f *pflag.FlagSet, folds, repeats int, repeat string) {
	f.StringVar(&v.test, "test", "", "test `DATA` to count errors on")
	f.IntVar(&v.folds, "folds", folds, "leave the examples out in `N` parts, in turn")
	f.BoolVar(&v.one, "leave-one-out", false, "leave the examples out one at a time")
	f.Float64Var(&v.share, "hold-out", 0, "leave a `SHARE` of the examples out, such as 0.2")
	f.IntVar(&v.repeats, "repeats", repeats, repeat)
	f.StringVar(&v.journal, "journal", "", "keep what is done in `FILE`; the same command goes on from there")
}

func (v *leaving) check(c *cobra.Command, name string) error {
	ways := 0
	for _, flag := range []string{"test", "folds", "leave-one-out", "hold-out"} {
		if c.Flags().Changed(flag) {
			ways++
		}
	}
	switch {
	case ways > 1:
		return usage("--test, --folds, --leave-one-out and --hold-out are different ways to test; choose one")
	case c.Flags().Changed("folds") && v.folds < 2:
		return usage("--folds = %d is not possible; it must be a whole number of at least 2", v.folds)
	case c.Flags().Changed("hold-out") && !(v.share > 0 && v.share < 1):
		return usage("--hold-out = %v is not possible; it must be a number between 0 and 1", v.share)
	case v.journal == "-":
		return usage("--journal is read and written, which standard output cannot be; name a file")
	}
	if err := notNegative("repeats", v.repeats); err != nil {
		return err
	}
	return checkTest(v.test, name)
}

// read reads --test for models of s: its labelled examples, nil without the flag.
func (v *leaving) read(c *cobra.Command, in *input, s *data.Set) (*data.Set, error) {
	test, err := in.readTest(c, v.test, s)
	if test == nil || err != nil {
		return nil, err
	}
	if test = test.Labelled(); test.Len() == 0 {
		return nil, &exit{exitInput, fmt.Errorf("%s: no example has a label, so nothing can be counted; name the label column with --label", called(v.test))}
	}
	return test, nil
}

// plan is the parts of s.
func (v *leaving) plan(s, test *data.Set, repeats int, seed uint64) (experiment.Plan, error) {
	var p experiment.Plan
	var err error
	switch {
	case test != nil:
		return experiment.Given(s, test, repeats, seed), nil
	case v.one:
		p, err = experiment.Folds(s, s.Len(), 1, seed)
	case v.share > 0:
		p, err = experiment.HoldOut(s, v.share, repeats, seed)
	case v.folds > 0:
		p, err = experiment.Folds(s, v.folds, repeats, seed)
	default:
		return experiment.Given(s, nil, repeats, seed), nil
	}
	if err != nil {
		return p, &exit{exitInput, err}
	}
	return p, nil
}

// free are the flags that change no piece of an experiment, or are named in
// each.
var free = []string{"help", "json", "journal", "report", "output", "workers", "test", "folds", "leave-one-out", "hold-out",
	"repeats", "learners", "maps", "over", "sizes", "values", "level", "size", "theme"}

// bench makes the bench, with the journal of --journal.
func (v *leaving) bench(c *cobra.Command, s, test *data.Set, workers int, bar *progress) (*experiment.Bench, error) {
	b := &experiment.Bench{Workers: workers, Progress: func(p experiment.Progress) {
		bar.show(func() string { return remaining(p, bar.elapsed()) })
	}}
	if v.journal == "" {
		return b, nil
	}
	h := experiment.Header{Program: halfspace.Program, Data: s.Digest(), Settings: map[string]string{"the command": c.Name()}}
	if test != nil {
		h.Test = test.Digest()
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if text := f.Value.String(); !slices.Contains(free, f.Name) && text != f.DefValue {
			h.Settings["--"+f.Name] = text
		}
	})
	var err error
	if b.Journal, err = experiment.OpenJournal(v.journal, h); err != nil {
		return nil, &exit{exitInput, err}
	}
	return b, nil
}

// remaining tells how far an experiment is, and when it will be over.
func remaining(p experiment.Progress, took time.Duration) string {
	line := fmt.Sprintf("%d of %d trainings", p.Done, p.All)
	if fresh := p.Done - p.Restored; fresh > 0 {
		left := time.Duration(float64(took) / float64(fresh) * float64(p.All-p.Done))
		line += fmt.Sprintf(", about %s left", left.Round(time.Second))
	}
	return line
}

// ended puts an end before its time into words.
func (v *leaving) ended(err error) error {
	var cut *experiment.Interrupted
	if !errors.As(err, &cut) {
		return err
	}
	if v.journal != "" {
		return &exit{exitNo, fmt.Errorf("%w; they are kept in %s, and the same command goes on from there", cut, v.journal)}
	}
	return &exit{exitNo, fmt.Errorf("%w, which are lost; --journal FILE keeps them", cut)}
}

// recipe is a learner with parameters and feature maps, made anew for each
// training, so that trainings may run side by side.
type recipe struct {
	t      *training
	name   string
	values experiment.Setting
	maps   []string // instead of --map
}

// flagged is the learner of --learner with the parameters that were given.
func (t *training) flagged(c *cobra.Command) (*recipe, error) {
	if _, err := t.new(c.Flags()); err != nil {
		return nil, err
	}
	return &recipe{t: t, name: t.learner, values: t.given(c.Flags()), maps: t.maps}, nil
}

// given is the parameters that were given as flags.
func (t *training) given(f *pflag.FlagSet) experiment.Setting {
	var s experiment.Setting
	f.Visit(func(flag *pflag.Flag) {
		if value, ours := t.values[flag.Name]; ours {
			s = append(s, experiment.Value{Name: flag.Name, Text: *value})
		}
	})
	return s
}

// with is the recipe with more parameters; later ones count.
func (r *recipe) with(more experiment.Setting) *recipe {
	c := *r
	c.values = append(r.values[:len(r.values):len(r.values)], more...)
	return &c
}

// learner makes the learner.
func (r *recipe) learner() (halfspace.Learner, error) {
	l, err := learn.New(r.name)
	if err != nil {
		return nil, &exit{exitUsage, err}
	}
	params := l.Params()
	for _, v := range r.values {
		p, err := paramOf(l, v.Name)
		if err != nil {
			return nil, err
		}
		if err := p.Set(v.Text); err != nil {
			return nil, &exit{exitUsage, fmt.Errorf("--%w", err)}
		}
	}
	if l, err = multi.By(r.t.multi, l); err != nil {
		return nil, &exit{exitUsage, fmt.Errorf("--multi: %w", err)}
	}
	return l, halfspace.Complete(params)
}

// paramOf is a parameter of a learner by name.
func paramOf(l halfspace.Learner, name string) (halfspace.Param, error) {
	for _, p := range l.Params() {
		if p.Name == name {
			return p, nil
		}
	}
	return halfspace.Param{}, usage("learner %s has no parameter --%s; it has %s", l.Name(), name, paramNames(l.Params()))
}

// start prepares a training of a part.
func (r *recipe) start(part *data.Set) (halfspace.Learner, halfspace.Run, error) {
	l, err := r.learner()
	if err != nil {
		return nil, halfspace.Run{}, err
	}
	t := *r.t
	t.maps = r.maps
	run, err := t.run(part)
	return l, run, err
}

// described is the learner with the parameters that differ from the defaults.
func (r *recipe) described() (*halfspace.Report, string, error) {
	l, err := r.learner()
	if err != nil {
		return nil, "", err
	}
	rep := &halfspace.Report{Learner: r.name, Parameters: halfspace.Values(l.Params()), Bias: !r.t.noBias, Seed: r.t.seed}
	maps, err := prep.ParsePipeline(r.maps...)
	if err != nil {
		return nil, "", &exit{exitUsage, err}
	}
	rep.Maps = maps.Kinds()
	if r.t.scale {
		rep.Maps = append(rep.Maps, "standardise")
	}
	return rep, r.name + changed(&fitReport{Report: *rep}), nil
}

// dataLine is the first line of a report.
func dataLine(name string, s *data.Set) string {
	d := halfspace.Describe(s)
	return fmt.Sprintf("%s: %s, %s, %s", name, plural(d.Examples, "example"), plural(d.Features, "feature"), classList(d))
}

// onBoundary warns where scores of zero make up the error.
func onBoundary(what string, n, of int) []string {
	if 20*n <= of {
		return nil
	}
	return []string{fmt.Sprintf("%s: %d of %d predictions have a score of exactly 0, so that --tie decides whether they count as errors: look at --tie, or --init random", what, n, of)}
}

// forgets warns of examples that stand class by class, which a learner that
// visits them in that order cannot bear.
func forgets(what string, params map[string]any, s *data.Set) []string {
	if shuffle, online := params["shuffle"].(bool); !online || shuffle || !sortedByClass(s) {
		return nil
	}
	return []string{what + ": the examples are sorted by class, so each loop ends with the last class and forgets the others: add --shuffle"}
}

// numbers reads --sizes: whole numbers in rising order.
func numbers(flag string, list []string) ([]int, error) {
	var out []int
	for _, text := range list {
		var n int
		p := halfspace.Int(&n, flag, "", 1, math.MaxInt, "")
		if err := p.Set(text); err != nil {
			return nil, usage("--%w", err)
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
