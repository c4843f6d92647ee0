package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/judge/experiment"
)

func fitCommand() *cobra.Command {
	var in input
	var t training
	var k calibration
	var test, out string
	var asJSON bool
	var p proving
	c := &cobra.Command{
		Use:   "fit DATA",
		Short: "Learn a model, report its errors, write it with -o",
		Long: `Learn a model from DATA and report how it went. The report says whether the
learner converged, counts the errors on DATA and on --test, and warns of what
may spoil the result. Ctrl-C ends at the next safe point and keeps what was
learned.

--calibrate makes probabilities of the scores (see 'predict --proba'): the
learner is trained --folds times more, each time without a part of DATA, and the
curve is fitted on the scores of the parts left out.

--c auto chooses C by cross-validation over --folds parts: of all values whose
error is within one standard error of the least, the smallest.`,
		Example: `  halfspace fit @digits35 --test @digits35-test --learner averaged --epochs 20
  halfspace fit mail.tsv --learner passive-aggressive -o mail.model
  halfspace fit mail.tsv --learner averaged --calibrate platt -o mail.model
  halfspace fit mail.tsv --learner svm --c auto -o mail.model
  halfspace fit sheet.bmp --rate 1e-4 --init .1,.1,.1 --stop-error 1e-5 --epochs 1e5
  halfspace fit digits.txt --tie positive --no-bias --map dummy --json`,
		Args: cobra.ExactArgs(1),
	}
	in.training(c.Flags())
	t.flags(c)
	k.flags(c)
	c.Flags().StringVar(&test, "test", "", "test `DATA` to count errors on")
	c.Flags().StringVarP(&out, "output", "o", "", "write the model to `FILE`")
	c.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	p.flags(c.Flags())
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := checkOutput(out); err != nil {
			return err
		}
		auto := t.autoC()
		if err := k.check(c, auto); err != nil {
			return err
		}
		if err := checkTest(test, args[0]); err != nil {
			return err
		}
		if err := p.check(); err != nil {
			return err
		}
		begun := time.Now()
		l, s, r, err := t.prepare(c, &in, args[0])
		if err != nil {
			return err
		}
		// Before the work, which would be lost if the test data is not fit for use.
		testSet, err := in.readTest(c, test, s)
		if err != nil {
			return err
		}
		read := time.Since(begun)
		begun = time.Now()
		var choice *experiment.Choice
		if auto {
			if choice, l, err = t.chooseC(c, s, k.folds); err != nil {
				return named(args[0], err)
			}
		}
		bar := newProgress(c)
		bar.watch(&r, l, l.Name())
		p.watch(&r, l)
		m, interrupted, err := fit(c.Context(), l, r)
		bar.end()
		if err != nil {
			return named(args[0], err)
		}
		if interrupted && m.Report.Epochs == 0 && m.Report.Updates == 0 {
			return &exit{exitNo, errors.New("interrupted in the first loop; nothing was learned, and no model was made")}
		}
		var doubts []string
		late := false // interrupted when only the probabilities were missing
		if k.kind != "" && !interrupted {
			if doubts, late, err = k.give(c, &t, m, s); err != nil {
				return named(args[0], err)
			}
		}
		rep := fitReport{Report: m.Report, Selection: choice, Proba: m.Proba, Positive: m.Positive(), Seconds: seconds{read.Seconds(), time.Since(begun).Seconds()}}
		if testSet != nil && !interrupted {
			tally := m.Tally(testSet, t.workers)
			rep.Test = &tally
		}
		if !interrupted && !late {
			p.prove(c.Context(), m, &r, t.maps)
			rep.Proof, m.Report.Proof = p.found, p.found
		}
		for _, more := range [][]string{diagnose(m, s, &p, asked(c, args[0])), doubts, atTheEdge(choice)} {
			rep.Warnings = append(rep.Warnings, more...)
		}
		m.Report.Warnings, m.Report.Relabel = rep.Warnings, in.relabel
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
		if err == nil && late {
			return &exit{exitNo, errors.New("interrupted while calibrating; the model is complete but gives no calibrated probabilities")}
		}
		if err == nil && interrupted {
			return &exit{exitNo, fmt.Errorf("interrupted after %s; the model is what was learned until then", plural(m.Report.Epochs, "whole loop"))}
		}
		return err
	}
	return c
}

// readTest reads --test for the model that will be learned from s.
func (in *input) readTest(c *cobra.Command, test string, s *data.Set) (*data.Set, error) {
	if test == "" {
		return nil, nil
	}
	whole := *in
	whole.first = 0 // of the training data
	return whole.readFor(c, test, &halfspace.Model{Classes: s.Classes(), Input: s.Input(), Features: s.Features()})
}

// named puts before an error that has no place the name of the data, or of the
// flag that is to blame.
func named(name string, err error) error {
	var in *data.InputError
	switch {
	case errors.As(err, &in):
		return err
	case errors.Is(err, halfspace.ErrInit):
		return fmt.Errorf("--init: %w", err)
	case exitCode(err) == exitInput:
		return &data.InputError{File: called(name), What: err.Error(), Err: err}
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

// checkTest finds out before the work that the test data is not there.
func checkTest(test, train string) error {
	if test == "" || sample.Is(test) {
		return nil
	}
	if test == "-" {
		if train == "-" {
			return usage("DATA and --test cannot both be standard input; give one of them as a file")
		}
		return nil
	}
	src, err := format.OpenFile(test)
	if err != nil {
		return err
	}
	return src.Close()
}
