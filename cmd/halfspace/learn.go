package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/learn"
)

func mustLearner(name string) halfspace.Learner {
	l, err := learn.New(name)
	if err != nil {
		panic(err) // the name comes from the list
	}
	return l
}

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
	c.Flags().IntVar(&every, "every", 0, "write the model after every N examples")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := in.check(); err != nil {
			return err
		}
		st, err := openStream(c, &t, args[0])
		if err != nil {
			return err
		}
		st.every = every
		err = st.run(c, &in)
		if saveErr := st.save(); saveErr != nil {
			return errors.Join(err, fmt.Errorf("the model cannot be written: %w", saveErr))
		}
		st.summary(c)
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
	every   int
	seen    int
	learned int
	wrong   int
}

func openStream(c *cobra.Command, t *training, path string) (*studying, error) {
	st := &studying{path: path}
	_, err := os.Stat(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	if fresh {
		if err := checkOutput(path); err != nil {
			return nil, err
		}
		l, err := t.new(c.Flags())
		if err != nil {
			return nil, err
		}
		if err := st.use(l); err != nil {
			return nil, err
		}
		if len(t.maps) > 0 || t.scale || t.init != "" {
			return nil, usage("--map, --scale and --init need all examples beforehand; use 'halfspace fit' first")
		}
		st.m = halfspace.EmptyModel(tieOf(l), !t.noBias)
		st.m.Report.Warnings = []string{}
	} else {
		if st.m, err = halfspace.Load(path); err != nil {
			return nil, err
		}
		for name := range t.values {
			if c.Flags().Changed(name) {
				return nil, usage("--%s: the model goes on as it was trained; leave the flag out, or start a new model", name)
			}
		}
		if c.Flags().Changed("learner") && t.learner != st.m.Report.Learner {
			return nil, usage("the model was trained by %s; leave --learner out, or start a new model", st.m.Report.Learner)
		}
		if err := st.restore(); err != nil {
			return nil, err
		}
	}
	st.applier = st.m.Maps.Applier()
	if st.online, err = st.learner.Start(st.m); err != nil {
		return nil, err
	}
	return st, nil
}

func tieOf(l halfspace.Learner) halfspace.Tie {
	if v, ok := halfspace.Values(l.Params())["tie"].(string); ok {
		return halfspace.Tie(v)
	}
	return halfspace.TieWrong
}

func (st *studying) use(l halfspace.Learner) error {
	s, ok := l.(halfspace.Streamer)
	if !ok {
		return usage("learner %s needs all examples at once and cannot learn one at a time; use e.g. perceptron, averaged or passive-aggressive", l.Name())
	}
	st.learner = s
	return nil
}

// restore makes the learner of the model with the model's parameters.
func (st *studying) restore() error {
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
		return err
	}
	defer src.Close()
	spec := in.spec
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
	r, err := format.Open(src, &spec)
	if err != nil {
		return err
	}
	st.m.Features = spec.Features
	out := bufio.NewWriter(c.OutOrStdout())
	defer out.Flush()
	err = each(c, r, in.first, func(ex *format.Example) error {
		out.WriteString(st.take(ex) + "\n")
		if st.every > 0 && st.seen%st.every == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
			return st.save()
		}
		return nil
	})
	if spec.Known == nil {
		st.m.Input = spec.Found
	}
	return err
}

// take predicts an example and learns from it if it has a label.
func (st *studying) take(ex *format.Example) string {
	st.seen++
	x := st.applier.Row(ex.X)
	if ex.Label == nil {
		return st.predict(x, ex)
	}
	class := slices.Index(st.m.Classes, string(ex.Label))
	if class < 0 {
		class = len(st.m.Classes)
		st.m.Classes = append(st.m.Classes, string(ex.Label))
	}
	v := st.online.Learn(x, class)
	st.learned++
	if !v.Mistake {
		return st.m.Classes[class]
	}
	st.wrong++
	if v.Rival < len(st.m.Classes) {
		return st.m.Classes[v.Rival]
	}
	return "?"
}

// predict is the class by what has been learned until now.
func (st *studying) predict(_ any, ex *format.Example) string {
	now := st.online.Snapshot()
	now.Features, now.Maps, now.Classes = st.m.Features, st.m.Maps, st.m.Classes
	if len(now.Classes) == 0 {
		return "?"
	}
	class, _ := now.Scorer().Classify(ex.X)
	if class >= len(now.Classes) {
		return "?"
	}
	return now.Classes[class]
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
	return m.Save(st.path)
}

func (st *studying) summary(c *cobra.Command) {
	fmt.Fprintf(c.ErrOrStderr(), "%s seen, %d learned from, %d of them predicted wrong; model %s\n", plural(st.seen, "example"), st.learned, st.wrong, st.path)
}
