// Package closed holds learners that are one formula: least squares, ridge and
// Fisher's discriminant. They look at the examples through one summable
// triangular factor (see moments) and solve a small system made from it.
package closed

import (
	"fmt"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/internal/block"
)

// MaxFeatures is the most features, with the classes, that are factorised: time
// grows with their square for every example, memory with their square.
const MaxFeatures = 2048

func affordable(name string, run *halfspace.Run) error {
	if p := run.Set.Dim() + len(run.Set.Classes()); p > MaxFeatures {
		return fmt.Errorf("%w: %s factorises all features and classes at once and takes at most %d, and there are %d; use --map hash:10, or a learner that takes any number, e.g. --learner averaged", halfspace.ErrTooWide, name, MaxFeatures, p)
	}
	return nil
}

// model completes what a formula gave.
func model(w *halfspace.Weights, warnings []string, run *halfspace.Run) *halfspace.Model {
	if run.Init != nil {
		warnings = append(warnings, "a formula has no start: the start weights (--init) were not used")
	}
	return &halfspace.Model{Weights: w, Tie: halfspace.TieWrong, Report: halfspace.Report{Epochs: 1, Converged: true, Warnings: warnings}}
}

// nothing is the model of a run that ended before the formula could be used.
func nothing(run *halfspace.Run) *halfspace.Model {
	return &halfspace.Model{Weights: halfspace.NewWeights(len(run.Set.Classes()), run.Set.Dim()), Tie: halfspace.TieWrong}
}

// watch shows the one pass to a hook, with the errors of the answer.
func watch(run *halfspace.Run, p halfspace.Pass) {
	if run.Hooks.Pass == nil {
		return
	}
	wrong := make([]int, block.Count(run.Set.Len()))
	block.Each(run.Set.Len(), run.Workers, func(b, lo, hi int) {
		for i := lo; i < hi; i++ {
			if y, z, _ := p.W.Judge(run.Set.Row(i), run.Set.Class(i), halfspace.TieWrong); !(y*z > 0) {
				wrong[b]++
			}
		}
	})
	p.Epochs, p.Examples, p.Done, p.After = 1, run.Set.Len(), true, true
	for _, n := range wrong {
		p.Mistakes += n
	}
	run.Hooks.Pass(&p)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
