package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/learn"
	"github.com/halfspace-ml/halfspace/learn/multi"
)

func learnCommand() *cobra.Command {
	var in input
	var t training
	var every int
	c := &cobra.Command{
		Use:   "learn MODEL",
		Short: "Predict and learn from examples on standard input, one at a time",
		Long: `Read examples from standard input. Print the class predicted for each; learn
from those that have a label. At the end, at Ctrl-C, and every --every
examples, the model is written back. If MODEL does not exist it is made anew
with --learner; else it goes on as it was trained. New classes, and where the
model has no feature maps new features, may appear on the way.`,
		Example: `  halfspace fit old.tsv -o mail.model
  halfspace learn mail.model < corrections.tsv
  mail-stream | halfspace learn new.model --learner passive-aggressive --format text`,
		Args: cobra.ExactArgs(1),
	}
	in.training(c.Flags())
	t.flags(c)
	c.Flags().IntVar(&every, "every", 0, "write the model after every `N` examples")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := in.check(); err != nil {
			return err
		}
		if err := notNegative("every", every); err != nil {
			return err
		}
		st, err := openStream(c, &t, args[0])
		if err != nil {
			return err
		}
		st.every = every
		err = st.run(c, &in)
		if saveErr := st.save(); saveErr != nil {
			if err != nil {
				return fmt.Errorf("%w; and the model cannot be written: %w", err, saveErr)
			}
			return fmt.Errorf("the model cannot be written: %w", saveErr)
		}
		if err == nil || st.seen > 0 {
			st.summary(c)
		}
		return err
	}
	return c
}

// studying is a model while it learns.
type studying struct {
	path    string
	m       *halfspace.Model
	learner halfspace.Streamer
	online  halfspace.Online
	applier *prep.Applier
	scorer  *halfspace.Scorer   // of what has been learned; nil: something was learned since
	rename  func(string) string // --relabel; nil: none
	every   int
	seen    int
	learned int
	wrong   int
	weighed bool // the warning about weights was given
}

func openStream(c *cobra.Command, t *training, path string) (*studying, error) {
	if flag := given(c, "map", "scale", "init", "class-weight"); flag != "" {
		return nil, usage("--%s needs all examples beforehand; use 'halfspace fit' first", flag)
	}
	if flag := given(c, "positive", "pair", "weight"); flag != "" {
		return nil, usage("--%s is not for examples that come one at a time; use 'halfspace fit' first", flag)
	}
	st := &studying{path: path}
	open := st.load
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		open = st.begin
	}
	if err := open(c, t); err != nil {
		return nil, err
	}
	st.applier = st.m.Maps.Applier()
	var err error
	st.online, err = st.learner.Start(st.m)
	return st, err
}

// given is the first of the flags that was given, or "".
func given(c *cobra.Command, flags ...string) string {
	for _, f := range flags {
		if c.Flags().Changed(f) {
			return f
		}
	}
	return ""
}

// begin makes a new model.
func (st *studying) begin(c *cobra.Command, t *training) error {
	if err := checkOutput(st.path); err != nil {
		return err
	}
	l, err := t.new(c.Flags())
	if err != nil {
		return err
	}
	st.m = halfspace.EmptyModel(tieOf(l), !t.noBias)
	st.m.Report.Warnings = []string{}
	return st.use(l)
}

// load goes on with a model, in which everything is settled.
func (st *studying) load(c *cobra.Command, t *training) error {
	var err error
	if st.m, err = loadModel(c, st.path); err != nil {
		return err
	}
	if c.Flags().Changed("learner") && t.learner != st.m.Report.Learner {
		return usage("the model was trained by %s; leave --learner out, or start a new model", st.m.Report.Learner)
	}
	settled := []string{"no-bias", "multi", "nominal", "words", "names", "hash"}
	for name := range t.values {
		settled = append(settled, name)
	}
	slices.Sort(settled)
	if flag := given(c, settled...); flag != "" {
		return usage("--%s: the model goes on as it was trained; leave the flag out, or start a new model", flag)
	}
	return st.restore()
}

func tieOf(l halfspace.Learner) halfspace.Tie {
	if v, ok := halfspace.Values(l.Params())["tie"].(string); ok {
		return halfspace.Tie(v)
	}
	return halfspace.TieWrong
}

func (st *studying) use(l halfspace.Learner) error {
	if r, parts := l.(*multi.Reduction); parts {
		return usage("--multi %s needs all examples beforehand; use 'halfspace fit', or leave --multi out", r.Scheme())
	}
	s, ok := l.(halfspace.Streamer)
	if !ok {
		return usage("learner %s needs all examples at once and cannot learn one at a time; use e.g. perceptron, averaged or passive-aggressive", l.Name())
	}
	st.learner = s
	return nil
}

// restore makes the learner of the model with the model's parameters.
func (st *studying) restore() error {
	if st.m.HasUndecided() {
		return usage("%s was put together from parts (%s), which cannot learn one example at a time; fit it without --multi %s", st.path, st.m.Decision, st.m.Decision)
	}
	l, err := learn.New(st.m.Report.Learner)
	if err != nil {
		return &exit{exitInput, fmt.Errorf("%s: %w", st.path, err)}
	}
	for _, p := range l.Params() {
		if v, ok := st.m.Report.Parameters[p.Name]; ok {
			if err := p.Set(fmt.Sprint(v)); err != nil {
				return &exit{exitInput, fmt.Errorf("%s: %w", st.path, err)}
			}
		}
	}
	return st.use(l)
}

func (st *studying) run(c *cobra.Command, in *input) error {
	src, err := openSource(c, "-")
	if err != nil {
		return interrupted(err, 0)
	}
	defer src.Close()
	spec := in.spec
	spec.Unlabelled = true // those are only predicted
	if len(st.m.Classes) > 0 {
		spec.Known = &st.m.Input
	} else if spec.Hash == 0 {
		spec.Features = st.m.Features
	}
	if spec.Known != nil {
		spec.Features = st.m.Features
		if len(st.m.Maps) > 0 {
			spec.Features = st.m.Features.Frozen()
		}
	}
	if in.relabel != "" {
		if st.rename, err = parseRelabel(in.relabel); err != nil {
			return err
		}
	}
	if err := answerEach(&spec); err != nil {
		return err
	}
	r, err := format.Open(src, &spec)
	if err != nil {
		return interrupted(err, 0)
	}
	st.m.Features = spec.Features
	out := c.OutOrStdout()
	return each(c, r, in.first, func(ex *format.Example) error {
		st.warnWeight(c, ex)
		// Unbuffered: whoever sends the examples may wait for the answer.
		if _, err := io.WriteString(out, st.take(ex)+"\n"); err != nil {
			return err
		}
		if spec.Known == nil {
			st.m.Input = spec.Found
		}
		if st.every > 0 && st.seen%st.every == 0 {
			return st.save()
		}
		return nil
	})
}

// take predicts an example and learns from it if it has a label.
func (st *studying) take(ex *format.Example) string {
	st.seen++
	label := string(ex.Label)
	if label != "" && st.rename != nil {
		label = st.rename(label)
	}
	if label == "" {
		return st.predict(ex)
	}
	class := slices.Index(st.m.Classes, label)
	if class < 0 {
		class = len(st.m.Classes)
		st.m.Classes = append(st.m.Classes, label)
	}
	v := st.online.Learn(st.applier.Row(ex.X), class)
	st.scorer = nil
	st.learned++
	if !v.Mistake {
		return label
	}
	st.wrong++
	if v.Rival < len(st.m.Classes) {
		return st.m.Classes[v.Rival]
	}
	return "?" // there is no other class yet
}

// predict is the class by what has been learned until now.
func (st *studying) predict(ex *format.Example) string {
	if len(st.m.Classes) == 0 {
		return "?"
	}
	if st.scorer == nil {
		now := st.online.Snapshot()
		now.Features, now.Maps, now.Classes = st.m.Features, st.m.Maps, st.m.Classes
		st.scorer = now.Scorer()
	}
	class, _ := st.scorer.Classify(ex.X)
	return st.m.Classes[class]
}

// warnWeight says once that weights are not heeded.
func (st *studying) warnWeight(c *cobra.Command, ex *format.Example) {
	if ex.Weight != 1 && !st.weighed {
		st.weighed = true
		warn(c, "examples that come one at a time all weigh the same; the weights in the data are not used")
	}
}

func (st *studying) save() error {
	if len(st.m.Classes) == 0 {
		return nil // nothing was learned
	}
	now := st.online.Snapshot()
	m := *st.m
	m.Weights, m.Voters, m.State, m.Tie = now.Weights, now.Voters, now.State, now.Tie
	m.Report.Program = halfspace.Program
	m.Report.Learner = st.learner.Name()
	m.Report.Parameters = halfspace.Values(st.learner.Params())
	m.Report.Updates += now.Report.Updates
	m.Report.Mistakes += now.Report.Mistakes
	m.Report.Learned += now.Report.Learned
	m.Report.Converged = false
	if st.learned > 0 {
		m.Proba = nil // fitted to the scores of other weights
	}
	return m.Save(st.path)
}

func (st *studying) summary(c *cobra.Command) {
	model := "model " + st.path
	if len(st.m.Classes) == 0 {
		model = "no model written, for no example had a label"
	}
	if st.m.Proba != nil && st.learned > 0 {
		warn(c, "the probabilities of the model belonged to the weights before; it gives none now: fit it again with --calibrate %s", st.m.Proba.Kind)
	}
	fmt.Fprintf(c.ErrOrStderr(), "%s seen, %d learned from, %d of them predicted wrong; %s\n", plural(st.seen, "example"), st.learned, st.wrong, model)
}
