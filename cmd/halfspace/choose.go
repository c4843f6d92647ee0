package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/judge/experiment"
)

// autoC reports whether --c is auto, and makes it the default until it is
// chosen.
func (t *training) autoC() bool {
	c := t.values["c"]
	if *c != "auto" {
		return false
	}
	*c = "1"
	return true
}

// chooseC finds C and gives the learner that has it; from then on the flag is
// as if it had been written.
func (t *training) chooseC(c *cobra.Command, s *data.Set, folds int) (*experiment.Choice, halfspace.Learner, error) {
	l, err := t.new(c.Flags())
	if err != nil {
		return nil, nil, err
	}
	if _, ok := l.(halfspace.Pather); !ok {
		return nil, nil, usage("--c auto is for the learners svm, logistic and risk; give %s a number", t.learner)
	}
	counts, _ := s.Counts()
	for class, n := range counts {
		if n == 1 {
			return nil, nil, &exit{exitInput, fmt.Errorf("--c auto: class %s has one example, and while it is left out there is none to learn from; give C a number", s.Classes()[class])}
		}
		if n > 0 && n < folds {
			return nil, nil, &exit{exitInput, fmt.Errorf("--c auto: class %s has %s, too few for %d folds; use --folds %d, or give C a number", s.Classes()[class], plural(n, "example"), folds, n)}
		}
	}
	bar := newProgress(c)
	start := func(part *data.Set) (halfspace.Learner, halfspace.Run, error) {
		l, err := t.new(c.Flags())
		if err != nil {
			return nil, halfspace.Run{}, err
		}
		r, err := t.run(part)
		return l, r, err
	}
	choice, err := experiment.ChooseC(c.Context(), s, folds, t.seed, t.workers, experiment.Cs, start, func(done, all int) {
		bar.show(func() string { return fmt.Sprintf("choosing C: %d of %d models trained", done, all) })
	})
	bar.end()
	if errors.Is(err, context.Canceled) {
		return nil, nil, &exit{exitNo, errors.New("interrupted while choosing C; no model was made")}
	}
	if err != nil {
		return nil, nil, err
	}
	*t.values["c"] = strconv.FormatFloat(choice.C, 'g', -1, 64)
	l, err = t.new(c.Flags())
	return choice, l, err
}

// chosen tells how C was found.
func chosen(ch *experiment.Choice) string {
	at := func(c float64) experiment.Tried {
		for _, p := range ch.Points {
			if p.C == c {
				return p
			}
		}
		return experiment.Tried{}
	}
	p := at(ch.C)
	line := fmt.Sprintf("%g, chosen of %d by %d-fold cross-validation: error %.4f ± %.4f", ch.C, len(ch.Points), ch.Folds, p.Error, p.SE)
	if ch.Best != ch.C {
		line += fmt.Sprintf(", within one standard error of the least, %.4f at %g", at(ch.Best).Error, ch.Best)
	}
	return line
}

// atTheEdge says that a better C may lie beyond those tried.
func atTheEdge(ch *experiment.Choice) []string {
	if ch == nil {
		return nil
	}
	last := ch.Points[len(ch.Points)-1].C
	switch {
	case ch.Best == last:
		return []string{fmt.Sprintf("the error is least at the largest C tried: --c %g may be better still", 10*last)}
	case ch.C == ch.Points[0].C:
		return []string{fmt.Sprintf("the smallest C tried is good enough: --c %g may be too, or the features say little", ch.C/10)}
	}
	return nil
}
