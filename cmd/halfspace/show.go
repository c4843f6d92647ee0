package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/vec"
)

func showCommand() *cobra.Command {
	var asJSON bool
	var top int
	c := &cobra.Command{
		Use:     "show MODEL",
		Short:   "Show a model: its weights, its geometry, where it comes from",
		Example: "  halfspace show flowers.model --top 20",
		Args:    cobra.ExactArgs(1),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	c.Flags().IntVar(&top, "top", 10, "how many of the heaviest features to show")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := notNegative("top", top); err != nil {
			return err
		}
		m, err := loadModel(c, args[0])
		if err != nil {
			return err
		}
		v := describe(m, top)
		if asJSON {
			return printJSON(c.OutOrStdout(), v)
		}
		v.print(c.OutOrStdout())
		return nil
	}
	return c
}

// modelView is what show prints.
type modelView struct {
	Classes  []string               `json:"classes"`
	Positive string                 `json:"positive,omitempty"`
	Features int                    `json:"features"`
	Tie      halfspace.Tie          `json:"tie"`
	Decision string                 `json:"decision,omitempty"`
	Voters   int                    `json:"voters,omitempty"`
	Proba    *halfspace.Calibration `json:"probabilities,omitempty"`
	Hidden   *prep.Layer            `json:"hidden,omitempty"` // networks: the planes are in the space of its outputs
	Planes   []plane                `json:"planes"`
	Report   halfspace.Report       `json:"report"`
}

// plane is one weight vector as geometry.
type plane struct {
	Class    string   `json:"class"`
	Bias     float64  `json:"bias"`
	Norm     float64  `json:"norm"`               // ‖w‖
	Distance *float64 `json:"distance,omitempty"` // of the plane from the origin, |w0|/‖w‖
	Nonzeros int      `json:"nonzeros"`
	Top      []weight `json:"top"`
}

type weight struct {
	Feature string  `json:"feature"`
	Weight  float64 `json:"weight"`
}

func describe(m *halfspace.Model, top int) modelView {
	v := modelView{
		Classes: m.Classes, Positive: m.Positive(), Features: m.Weights.Dim(), Tie: m.Tie, Decision: string(m.Decision), Voters: len(m.Voters), Proba: m.Proba, Hidden: m.Hidden(), Report: m.Report,
	}
	names := m.MappedFeatures()
	for k, w := range m.Weights.W {
		p := plane{Class: m.VectorName(k), Bias: m.Weights.Bias[k], Norm: vec.Norm(w)}
		if p.Norm > 0 && m.Hidden() == nil { // among outputs of units, a distance says nothing
			d := math.Abs(p.Bias) / p.Norm
			p.Distance = &d
		}
		var order []int
		for j, x := range w {
			if x != 0 {
				order = append(order, j)
			}
		}
		p.Nonzeros = len(order)
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(w[b]), math.Abs(w[a])) })
		for _, j := range order[:min(top, len(order))] {
			p.Top = append(p.Top, weight{names.Name(j), w[j]})
		}
		v.Planes = append(v.Planes, p)
	}
	return v
}

// printHidden says what the planes see.
func (v *modelView) printHidden(out io.Writer) {
	if v.Hidden == nil {
		return
	}
	fmt.Fprintf(out, "hidden     %s; h is their outputs, %s of w·x + w0\n", plural(len(v.Hidden.W), "unit"), v.Hidden.Activation)
	for k, w := range v.Hidden.W {
		fmt.Fprintf(out, "  h%d: ‖w‖ = %.6g, w0 = %.6g\n", k+1, vec.Norm(w), v.Hidden.Bias[k])
	}
}

func (v *modelView) print(out io.Writer) {
	r := v.Report
	fmt.Fprintf(out, "learner    %s%s\n", r.Learner, changed(&fitReport{Report: r}))
	if r.Data.Examples > 0 {
		fmt.Fprintf(out, "data       %s, %s, %s\n", plural(r.Data.Examples, "example"), plural(r.Data.Features, "feature"), classList(r.Data))
		fmt.Fprintf(out, "digest     %s\n", r.Data.Digest)
	}
	printProven(out, r.Proof, &r)
	fmt.Fprintf(out, "made by    %s, seed %d; %s\n", r.Program, r.Seed, effort(r))
	if r.Learned > 0 {
		fmt.Fprintf(out, "learned    from %s one at a time since\n", plural(r.Learned, "example"))
	}
	printTally(out, "train", r.Train)
	printProof(out, &r)
	printProba(out, v.Proba)
	if v.Voters > 0 {
		fmt.Fprintf(out, "voters     %d; below is the latest of them\n", v.Voters)
	}
	switch halfspace.Decision(v.Decision) {
	case halfspace.OneVsRest:
		fmt.Fprintln(out, "decision   the largest score; undecided where not exactly one class has a score above 0")
	case halfspace.OneVsOne:
		fmt.Fprintln(out, "decision   the class that wins most duels; undecided where none wins all of its own")
	}
	v.printHidden(out)
	for _, p := range v.Planes {
		what := p.Class
		if len(v.Planes) == 1 {
			what = "w·x + w0 > 0 is " + p.Class
			if v.Hidden != nil {
				what = "w·h + w0 > 0 is " + p.Class
			}
		}
		fmt.Fprintf(out, "\n%s\n  ‖w‖ = %.6g, w0 = %.6g", what, p.Norm, p.Bias)
		if p.Distance != nil {
			fmt.Fprintf(out, ", distance of the plane from the origin |w0|/‖w‖ = %.6g", *p.Distance)
		}
		fmt.Fprintf(out, "\n  %d of %d weights are not zero; the heaviest:\n", p.Nonzeros, v.Features)
		for _, t := range p.Top {
			fmt.Fprintf(out, "  %+12.6g  %s\n", t.Weight, t.Feature)
		}
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(out, "\nwarning: %s\n", w)
	}
}
