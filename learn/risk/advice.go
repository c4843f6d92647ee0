package risk

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/learn/risk/loss"
	"github.com/halfspace-ml/halfspace/learn/risk/penalty"
	"github.com/halfspace-ml/halfspace/learn/risk/solve"
)

// advice is what the user should know of how it went, and the flag to try next.
func (o *Options) advice(run *halfspace.Run, t *solve.Task, s solve.Solver, out *outcome) []string {
	var all []string
	if run.Init != nil && !usable(run, t, s) {
		all = append(all, unused(t, s))
	}
	switch {
	case out.separated:
		all = append(all, "a plane separates the classes, so without a penalty longer weights always fit better and none are best: these are a direction, of length 1, with no example on the wrong side; --penalty l2 has an answer, and --learner svm-hard gives the direction with the widest margin")
	case !out.reached:
		all = append(all, o.notReached(run, t, out))
	case t.Loss == (loss.Perceptron{}) && t.Penalty != penalty.None:
		all = append(all, "with a penalty the perceptron loss is least for weights of zero, and these are; --loss hinge asks for a margin, or --learner perceptron stops at the first plane")
	}
	return all
}

// unused says why the start weights were not used.
func unused(t *solve.Task, s solve.Solver) string {
	if !s.Cold {
		return "the start weights were not used: there the objective is beyond what numbers can hold"
	}
	text := "the start weights were not used: the solver (" + s.Name + ") starts from multipliers"
	if solve.Newton.Cannot(t) == "" {
		text += "; --solver newton uses them"
	}
	return text
}

// notReached says how far it is from the end, and what would help.
func (o *Options) notReached(run *halfspace.Run, t *solve.Task, out *outcome) string {
	far := fmt.Sprintf("the gradient is still %.2g long", out.cert.Slope)
	if out.cert.HasDual {
		far = fmt.Sprintf("the objective may be up to %.2g of itself above the least possible, and --tol asked for %g", out.cert.RelativeGap(), t.Tol)
	}
	var next []string
	if out.epochs >= o.Epochs {
		next = append(next, fmt.Sprintf("more loops (--epochs %d)", 10*o.Epochs))
	} else {
		next = append(next, "a larger --tol, since rounding allows no further step")
	}
	if !slices.Contains(run.Maps.Kinds(), "standardise") && uneven(t) {
		next = append(next, "features of one size (--scale)")
	}
	if t.Penalty != penalty.None {
		next = append(next, fmt.Sprintf("a smaller C (--c %g)", o.C/10))
	}
	loops := "loops"
	if out.epochs == 1 {
		loops = "loop"
	}
	return fmt.Sprintf("stopped after %d %s: %s; next, try %s", out.epochs, loops, far, strings.Join(next, ", or "))
}

// uneven reports whether some features are much larger than others.
func uneven(t *solve.Task) bool {
	largest := make([]float64, t.Set.Dim())
	for i := range t.Set.Len() {
		for j, v := range t.Set.Row(i).All() {
			largest[j] = max(largest[j], math.Abs(v))
		}
	}
	low, high := math.Inf(1), 0.0
	for _, v := range largest {
		if v > 0 {
			low, high = min(low, v), max(high, v)
		}
	}
	return high > 100*low
}
