package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/judge/calibrate"
)

// calibration is the flags that ask for probabilities.
type calibration struct {
	kind  string
	folds int
}

func (k *calibration) flags(c *cobra.Command) {
	c.Flags().StringVar(&k.kind, "calibrate", "", "give the model probabilities by a `CURVE` fitted on scores of examples left out: "+strings.Join(calibrate.Kinds, ", "))
	c.Flags().IntVar(&k.folds, "folds", 5, "in how many parts `N` --calibrate and --c auto leave out the examples")
	c.RegisterFlagCompletionFunc("calibrate", cobra.FixedCompletions(calibrate.Kinds, cobra.ShellCompDirectiveNoFileComp))
}

func (k *calibration) check(c *cobra.Command, autoC bool) error {
	switch {
	case k.kind == "" && !autoC && c.Flags().Changed("folds"):
		return usage("--folds is for --calibrate and --c auto; add one of them, or leave it out")
	case k.kind != "" && !slices.Contains(calibrate.Kinds, k.kind):
		return usage("--calibrate = %q is not possible; it must be one of %s", k.kind, strings.Join(calibrate.Kinds, ", "))
	case k.folds < 2:
		return usage("--folds = %d is not possible; it must be a whole number of at least 2", k.folds)
	}
	return nil
}

// give makes the model's probabilities, training as t says on parts of s. It
// reports whether it was interrupted, and then the model stays without.
func (k *calibration) give(c *cobra.Command, t *training, m *halfspace.Model, s *data.Set) (warnings []string, interrupted bool, err error) {
	bar := newProgress(c)
	defer bar.end()
	start := func(fold int, part *data.Set) (halfspace.Learner, halfspace.Run, error) {
		l, err := t.new(c.Flags())
		if err != nil {
			return nil, halfspace.Run{}, err
		}
		r, err := t.run(part)
		bar.watch(&r, l, fmt.Sprintf("calibrating, fold %d of %d: %s", fold+1, k.folds, l.Name()))
		return l, r, err
	}
	found, err := calibrate.CrossFit(c.Context(), halfspace.Link(k.kind), s, k.folds, t.seed, start)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, true, nil
	case errors.Is(err, calibrate.ErrFew):
		return nil, false, &exit{exitInput, err}
	case err != nil:
		return nil, false, fmt.Errorf("--calibrate %s: %w", k.kind, err)
	}
	m.Proba = found
	return k.doubts(found, s.Classes(), s.Len()), false, nil
}

// doubts is what makes probabilities less than they seem.
func (k *calibration) doubts(found *halfspace.Calibration, classes []string, examples int) []string {
	var warnings []string
	if found.Kind == halfspace.LinkIsotonic && examples < 1000 {
		warnings = append(warnings, fmt.Sprintf("isotonic calibration follows chance in %s and may say 0 or 1 where it should not: --calibrate platt needs fewer", plural(examples, "example")))
	}
	for i, v := range found.Curves {
		if level(v) {
			warnings = append(warnings, fmt.Sprintf("the scores of examples left out do not tell class %s from the rest, so that its probability hardly depends on them: try another learner, or --scale", classes[i]))
		}
	}
	return warnings
}

// level reports whether a curve gives every score the same probability.
func level(v halfspace.Curve) bool {
	if len(v.Y) > 0 {
		return v.Y[0] == v.Y[len(v.Y)-1]
	}
	return v.A == 0
}
