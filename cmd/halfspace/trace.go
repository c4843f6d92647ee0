package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/show/trace"
)

func traceCommand() *cobra.Command {
	var in input
	var t training
	var asJSON bool
	var steps int
	c := &cobra.Command{
		Use:   "trace DATA",
		Short: "Print every step of a learner, as the documents print it",
		Long: `Train on DATA and print every visit: the weights before it (bias first), the
example, its class y, the score z, "wrong" if it is, and the update. Works for
every learner. --json prints one JSON object a step.`,
		Example: `  halfspace trace @points00 --rate 0.01 --init 1,1,-1
  halfspace trace @handout --learner perceptron-batch --sum --tie right --init -0.5,0,1
  halfspace trace @slide --learner perceptron-batch --sum --rate 0.7 --init -0.5,1,1 --epochs 1`,
		Args: cobra.ExactArgs(1),
	}
	in.training(c.Flags())
	t.flags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a step")
	c.Flags().IntVar(&steps, "steps", 0, "stop after N steps (0: go on to the end)")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := notNegative("steps", steps); err != nil {
			return err
		}
		l, _, r, err := t.prepare(c, &in, args[0])
		if err != nil {
			return err
		}
		if formula(l.Name()) {
			fmt.Fprintf(c.ErrOrStderr(), "%s is a formula: it takes no steps, and only its answer can be shown\n", l.Name())
		}
		// The steps are on mapped rows, so map first and show those.
		if r.Set, err = r.Maps.Fit(r.Set); err != nil {
			return named(args[0], fmt.Errorf("%w: %w", halfspace.ErrMaps, err))
		}
		r.Maps = nil
		p := trace.New(c.OutOrStdout(), r.Set, !t.noBias)
		p.NoRate = !slices.ContainsFunc(l.Params(), func(q halfspace.Param) bool { return q.Name == "rate" })
		r.Hooks = p.Text()
		if asJSON {
			r.Hooks = p.JSON()
		}
		ctx, stop := context.WithCancel(c.Context())
		defer stop()
		limited := limit(&r.Hooks, steps, stop)
		m, err := halfspace.Fit(ctx, l, r)
		if err := p.Flush(); err != nil {
			return err
		}
		if err != nil && (m == nil || !errors.Is(err, context.Canceled)) {
			return named(args[0], err)
		}
		if *limited {
			fmt.Fprintf(c.ErrOrStderr(), "stopped after %s\n", plural(steps, "step"))
		} else if err != nil {
			return &exit{exitNo, errors.New("interrupted")}
		} else if !asJSON {
			fmt.Fprintln(c.OutOrStdout())
			printTally(c.OutOrStdout(), "train", m.Report.Train)
			printWeights(c.OutOrStdout(), m)
		}
		return nil
	}
	return c
}

// limit ends a training after n steps (0: never) and says whether it did.
func limit(h *halfspace.Hooks, n int, stop func()) *bool {
	done := new(bool)
	if n <= 0 {
		return done
	}
	step, left := h.Step, n
	h.Step = func(s *halfspace.Step) {
		if left == 0 {
			return
		}
		step(s)
		if left--; left == 0 {
			*done = true
			stop()
		}
	}
	return done
}
