package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/vec"
)

func predictCommand() *cobra.Command {
	var in input
	p := &predictor{all: []prediction{}}
	c := &cobra.Command{
		Use:   "predict MODEL DATA",
		Short: "Print the class of every example, one a line",
		Long: `Print the class of every example of DATA, one a line. DATA is read as the
model's training data was: raw, with or without a label.

--scores and --proba add columns, separated by tabs: after the class its scores
(one for two classes, else one a class), then the probability of every class in
the order of the model's classes, the positive one first; they add up to 1. The
class is that of the best score, with or without probabilities.`,
		Example: `  halfspace predict flowers.model new.csv
  halfspace predict flowers.model new.csv --scores
  halfspace predict mail.model new.tsv --proba
  echo '1.4 0.2' | halfspace predict small.model - --explain`,
		Args: cobra.ExactArgs(2),
	}
	in.reading(c.Flags())
	c.Flags().BoolVar(&p.scores, "scores", false, "print the scores behind the class, separated by tabs (an ovo model: the duels each class wins)")
	c.Flags().BoolVar(&p.proba, "proba", false, "print the probability of every class, the positive one first")
	c.Flags().BoolVar(&p.explain, "explain", false, "print the signed distance from the plane and the largest contributions")
	c.Flags().BoolVar(&p.undecided, "undecided", false, "answer none where the parts of an ovr or ovo model name no class, or several")
	c.Flags().IntVar(&p.top, "top", 5, "how many contributions --explain prints")
	c.Flags().BoolVar(&p.json, "json", false, "print one JSON object")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := notNegative("top", p.top); err != nil {
			return err
		}
		if c.Flags().Changed("top") && !p.explain {
			return usage("--top is for --explain; add it, or leave --top out")
		}
		m, err := loadModel(c, args[0])
		if err != nil {
			return err
		}
		if p.proba && m.Proba == nil {
			return usage("%s gives no probabilities; fit it again with 'halfspace fit DATA --learner %s%s --calibrate platt -o %s', or leave --proba out", args[0], m.Report.Learner, changed(&fitReport{Report: m.Report}), args[0])
		}
		if p.explain && len(m.Voters) > 0 {
			return usage("%s decides by the votes of %d planes, so that no one plane explains it; use --scores, or fit it with --learner averaged", args[0], len(m.Voters))
		}
		if p.undecided {
			warnUndecided(c, args[0], m)
		}
		p.m, p.scorer, p.names = m, m.Scorer(), m.MappedFeatures().Name
		p.out = bufio.NewWriter(c.OutOrStdout())
		err = in.eachFor(c, args[1], m, p.print)
		if p.json {
			if err != nil {
				return err
			}
			return printJSON(c.OutOrStdout(), map[string]any{"classes": m.Classes, "predictions": p.all})
		}
		p.out.Flush() // also what was answered before an error; run reports one of its own
		return err
	}
	return c
}

// none is the answer where --undecided leaves a point without a class.
const none = "none"

// warnUndecided says it when --undecided changes nothing, or can be mistaken.
func warnUndecided(c *cobra.Command, name string, m *halfspace.Model) {
	switch {
	case !m.HasUndecided():
		warn(c, fmt.Sprintf("--undecided changes nothing: %s decides among all its classes at once, so that every point has one; a model made with --multi ovr or ovo can leave points undecided", name))
	case slices.Contains(m.Classes, none):
		warn(c, fmt.Sprintf("a class of %s is called %s, as the answer for undecided points is; --json tells them apart", name, none))
	}
}

// eachFor reads a file for a model, one example at a time.
func (in *input) eachFor(c *cobra.Command, name string, m *halfspace.Model, do func(*format.Example) error) error {
	if sample.Is(name) {
		s, err := in.readFor(c, name, m)
		if err != nil {
			return err
		}
		for i := range s.Len() {
			if err := do(&format.Example{X: s.Row(i), Line: s.Number(i)}); err != nil {
				return err
			}
		}
		return nil
	}
	if err := in.check(); err != nil {
		return err
	}
	src, err := openSource(c, name)
	if err != nil {
		return interrupted(err, 0)
	}
	defer src.Close()
	spec := in.spec
	spec.Known, spec.Features = &m.Input, m.Features.Frozen()
	if err := answerEach(&spec); err != nil {
		return err
	}
	r, err := format.Open(src, &spec)
	if err != nil {
		return in.readAs(interrupted(err, 0), name, m)
	}
	defer warnUnknown(c, called(name), spec.Features)
	return in.readAs(each(c, r, in.first, do), name, m)
}

// each calls do for the first examples (0: all) of a reader.
func each(c *cobra.Command, r format.Reader, first int, do func(*format.Example) error) error {
	var ex format.Example
	for n := 0; first == 0 || n < first; n++ {
		if err := c.Context().Err(); err != nil {
			return interrupted(err, n)
		}
		err := r.Read(&ex)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return interrupted(err, n)
		}
		if err := do(&ex); err != nil {
			return err
		}
	}
	return nil
}

// interrupted is the error, or that Ctrl-C was the reason for it.
func interrupted(err error, n int) error {
	if errors.Is(err, context.Canceled) {
		return &exit{exitNo, fmt.Errorf("interrupted after %s", plural(n, "example"))}
	}
	return err
}

// predictor prints predictions.
type predictor struct {
	scores, proba, explain, json bool
	undecided                    bool
	top                          int
	m                            *halfspace.Model
	scorer                       *halfspace.Scorer
	names                        func(j int) string
	out                          *bufio.Writer
	all                          []prediction // with json: printed at the end, as one object
}

// prediction is one answer as JSON.
type prediction struct {
	Class         string         `json:"class"`
	Undecided     bool           `json:"undecided,omitempty"`
	Scores        []float64      `json:"scores,omitempty"`
	Proba         []float64      `json:"probabilities,omitempty"` // in the order of the classes
	Against       string         `json:"against,omitempty"`       // many classes: the runner-up
	Distance      *float64       `json:"distance,omitempty"`
	Contributions []contribution `json:"contributions,omitempty"`
}

type contribution struct {
	Feature string  `json:"feature"`
	Value   float64 `json:"value"`
	Weight  float64 `json:"weight"`
	Adds    float64 `json:"adds"`
}

func (p *predictor) print(ex *format.Example) error {
	class, scores := p.scorer.Classify(ex.X)
	a := prediction{Class: p.m.Classes[class]}
	if p.undecided && p.m.Undecided(scores) {
		a.Class, a.Undecided = none, true
	}
	if p.scores || p.explain {
		a.Scores = scores
	}
	if p.proba {
		a.Proba = p.scorer.Proba(scores)
	}
	if p.explain {
		p.explanation(&a, p.scorer.Map(ex.X), class)
	}
	if p.json {
		a.Scores, a.Proba = slices.Clone(a.Scores), slices.Clone(a.Proba) // they are borrowed
		p.all = append(p.all, a)
		return nil
	}
	p.out.WriteString(a.Class)
	for _, s := range a.Scores {
		fmt.Fprintf(p.out, "\t%.6g", s)
	}
	for _, v := range a.Proba {
		fmt.Fprintf(p.out, "\t%.6g", v)
	}
	if a.Distance != nil {
		fmt.Fprintf(p.out, "\tdistance %.6g", *a.Distance)
		if a.Against != "" {
			fmt.Fprintf(p.out, " from %s", a.Against)
		}
	}
	for _, c := range a.Contributions {
		fmt.Fprintf(p.out, "\n  %+.6g\t%s = %.6g × %.6g", c.Adds, c.Feature, c.Value, c.Weight)
	}
	return p.out.WriteByte('\n')
}

// explanation is why: against the plane w·x + b = 0 of two classes; with more,
// against the plane between the class and the runner-up.
func (p *predictor) explanation(a *prediction, x vec.Row, class int) {
	w, bias, second := p.plane(class, a.Scores)
	if second >= 0 {
		a.Against = p.m.Classes[second]
	}
	norm := vec.Norm(w)
	if norm > 0 && p.m.Hidden() == nil { // among outputs of hidden units, a distance says nothing
		d := (vec.Dot(w, x) + bias) / norm
		a.Distance = &d
	}
	for j, v := range x.All() {
		if w[j] != 0 {
			a.Contributions = append(a.Contributions, contribution{p.names(j), v, w[j], v * w[j]})
		}
	}
	if bias != 0 {
		a.Contributions = append(a.Contributions, contribution{"bias", 1, bias, bias})
	}
	slices.SortStableFunc(a.Contributions, func(s, t contribution) int { return cmp.Compare(math.Abs(t.Adds), math.Abs(s.Adds)) })
	a.Contributions = a.Contributions[:min(p.top, len(a.Contributions))]
}

// plane is the one that decided, and the runner-up among many classes (else -1).
func (p *predictor) plane(class int, scores []float64) (weights []float64, bias float64, second int) {
	if w := p.m.Weights; len(w.W) == 1 {
		return w.W[0], w.Bias[0], -1
	}
	second = -1
	for k := range scores {
		if k != class && (second < 0 || scores[k] > scores[second]) {
			second = k
		}
	}
	weights, bias = p.m.Plane(class, second)
	return weights, bias, second
}
