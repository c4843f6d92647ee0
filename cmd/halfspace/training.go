package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/learn"
	"github.com/halfspace-ml/halfspace/learn/multi"
)

// training is the flags that say how to learn. Those of the learners come from
// their tables of parameters.
type training struct {
	learner string
	multi   string
	values  map[string]*string
	init    string
	noBias  bool
	seed    uint64
	workers int
	maps    []string
	scale   bool
	weights string
}

func (t *training) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&t.learner, "learner", "perceptron", "the learner's `NAME`, one of "+strings.Join(learn.Names(), ", "))
	f.StringVar(&t.multi, "multi", multi.Auto, "`WAY` to more than two classes: auto (the learner's own), "+strings.Join(ways(), ", "))
	f.StringVar(&t.init, "init", "", "start `WEIGHTS`, bias first: 0.1,0.1,0.1; or random (default zero)")
	f.BoolVar(&t.noBias, "no-bias", false, "no bias: the plane goes through the origin")
	f.Uint64Var(&t.seed, "seed", 1, "seed `N` of everything random")
	f.IntVar(&t.workers, "workers", 0, "`N` threads (default one a processor); never changes a result")
	f.StringArrayVar(&t.maps, "map", nil, "feature `MAP`, repeatable: "+strings.Join(prep.Names(), ", "))
	f.BoolVar(&t.scale, "scale", false, "standardise the features for the fit; the weights are given in the data's own units")
	f.StringVar(&t.weights, "class-weight", "", "`WEIGHTS` of classes: balanced, or NAME=W,NAME=W")
	t.learnerFlags(f)
	c.RegisterFlagCompletionFunc("multi", cobra.FixedCompletions(append([]string{multi.Auto}, ways()...), cobra.ShellCompDirectiveNoFileComp))
	c.RegisterFlagCompletionFunc("learner", cobra.FixedCompletions(learn.Names(), cobra.ShellCompDirectiveNoFileComp))
}

// ways are those to many classes that any learner can go.
func ways() []string {
	all := slices.Clone(multi.Schemes)
	for _, e := range learn.All {
		for _, way := range multi.Ways(e.New()) {
			if way != multi.Auto && !slices.Contains(all, way) {
				all = append(all, way)
			}
		}
	}
	return all
}

// learnerFlags adds a flag for every parameter of any learner but "multi",
// which all have.
func (t *training) learnerFlags(f *pflag.FlagSet) {
	t.values = map[string]*string{}
	uses := map[string][]use{}
	var order []string
	for _, e := range learn.All {
		for _, p := range e.New().Params() {
			if p.Name == "multi" {
				continue
			}
			if len(uses[p.Name]) == 0 {
				order = append(order, p.Name)
			}
			uses[p.Name] = append(uses[p.Name], use{p, []string{e.Name}})
		}
	}
	for _, name := range order {
		v := &paramFlag{kind: uses[name][0].Kind}
		t.values[name] = &v.text
		f.Var(v, name, flagDoc(uses[name]))
		if v.kind == "bool" {
			f.Lookup(name).NoOptDefVal = "true"
		}
	}
}

// use is a parameter and the learners that mean the same by it.
type use struct {
	halfspace.Param
	owners []string
}

// doc is what it is, whose, what it may be, and its default.
func (u use) doc() string {
	doc := u.Doc
	if len(u.owners) < len(learn.All)/2 {
		doc += " [" + strings.Join(u.owners, ", ") + "]"
	}
	if len(u.Choices) > 0 {
		doc += ": " + strings.Join(u.Choices, ", ")
	}
	if u.Default != "" {
		doc += " (default " + u.Default + ")"
	}
	return doc
}

// flagDoc is the help of a parameter. Most learners mean the same by a common
// one; of a rarer one each meaning is told.
func flagDoc(all []use) string {
	common := use{Param: all[0].Param}
	var distinct []use
	for _, u := range all {
		if u.Default != common.Default {
			common.Default = "by learner"
		}
		common.owners = append(common.owners, u.owners...)
		i := slices.IndexFunc(distinct, func(d use) bool {
			return d.Doc == u.Doc && d.Default == u.Default && slices.Equal(d.Choices, u.Choices)
		})
		if i < 0 {
			distinct = append(distinct, u)
		} else {
			distinct[i].owners = append(distinct[i].owners, u.owners...)
		}
	}
	if len(all) >= len(learn.All)/2 {
		return common.doc()
	}
	var docs []string
	for _, u := range distinct {
		docs = append(docs, u.doc())
	}
	return strings.Join(docs, "; ")
}

// paramFlag is a learner's parameter as it was written; the learner's table
// reads it.
type paramFlag struct{ kind, text string }

func (f *paramFlag) Set(text string) error { f.text = text; return nil }
func (f *paramFlag) String() string        { return f.text }
func (f *paramFlag) Type() string          { return f.kind }

// new makes the learner with the parameters that were given.
func (t *training) new(f *pflag.FlagSet) (halfspace.Learner, error) {
	if err := notNegative("workers", t.workers); err != nil {
		return nil, err
	}
	l, err := learn.New(t.learner)
	if err != nil {
		return nil, &exit{exitUsage, err}
	}
	params := l.Params()
	var wrong error
	f.Visit(func(flag *pflag.Flag) {
		value, ours := t.values[flag.Name]
		if !ours || wrong != nil {
			return
		}
		i := slices.IndexFunc(params, func(p halfspace.Param) bool { return p.Name == flag.Name })
		if i < 0 {
			wrong = usage("learner %s has no parameter --%s; it has %s", t.learner, flag.Name, paramNames(params))
			return
		}
		if err := params[i].Set(*value); err != nil {
			wrong = &exit{exitUsage, fmt.Errorf("--%w", err)}
		}
	})
	if wrong != nil {
		return nil, wrong
	}
	if l, err = multi.By(t.multi, l); err != nil {
		return nil, &exit{exitUsage, fmt.Errorf("--multi: %w", err)}
	}
	return l, halfspace.Complete(params)
}

func paramNames(params []halfspace.Param) string {
	if len(params) == 0 {
		return "none"
	}
	var names []string
	for _, p := range params {
		names = append(names, "--"+p.Name)
	}
	return strings.Join(names, ", ")
}

// pipeline is the maps of --map and --scale.
func (t *training) pipeline() (prep.Pipeline, error) {
	p, err := prep.ParsePipeline(t.maps...)
	if err != nil {
		return nil, &exit{exitUsage, err}
	}
	if t.scale {
		p = append(p, &prep.Standardise{NoCentre: t.noBias})
	}
	return p, nil
}

// prepare makes the learner, reads the data and sets up the training.
func (t *training) prepare(c *cobra.Command, in *input, name string) (l halfspace.Learner, s *data.Set, r halfspace.Run, err error) {
	if l, err = t.new(c.Flags()); err != nil {
		return nil, nil, r, err
	}
	if s, err = in.read(c, name); err != nil {
		return nil, nil, r, err
	}
	r, err = t.run(s)
	return l, s, r, err
}

// run is the training of a set, as the flags say.
func (t *training) run(s *data.Set) (halfspace.Run, error) {
	r := halfspace.Run{Set: s, NoBias: t.noBias, Seed: t.seed, Workers: t.workers}
	var err error
	if r.Maps, err = t.pipeline(); err != nil {
		return r, err
	}
	if r.Set, err = t.classWeights(s); err != nil {
		return r, err
	}
	switch t.init {
	case "", "zero":
	case "random":
		r.RandomInit = true
	default:
		if r.Init, err = t.start(s.Classes()); err != nil {
			return r, err
		}
	}
	return r, nil
}

// start reads --init 1,1,-1, bias first.
func (t *training) start(classes []string) (*halfspace.Weights, error) {
	if len(classes) > 2 {
		return nil, usage("--init gives one weight vector, and %d classes have one each; leave it out or use --init random", len(classes))
	}
	var values []float64
	for _, text := range strings.Split(t.init, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, usage("--init has %q; write numbers, bias first: 0.1,0.1,0.1", text)
		}
		values = append(values, v)
	}
	w := &halfspace.Weights{W: [][]float64{values}, Bias: []float64{0}}
	if !t.noBias {
		w.Bias[0], w.W[0] = values[0], values[1:]
	}
	return w, nil
}

// classWeights applies --class-weight.
func (t *training) classWeights(s *data.Set) (*data.Set, error) {
	if t.weights == "" {
		return s, nil
	}
	factor := make([]float64, len(s.Classes()))
	counts, _ := s.Counts()
	for c := range factor {
		factor[c] = 1
		if t.weights == "balanced" && counts[c] > 0 {
			factor[c] = float64(s.Len()) / float64(len(factor)*counts[c])
		}
	}
	if t.weights != "balanced" {
		for _, part := range strings.Split(t.weights, ",") {
			i := strings.LastIndexByte(part, '=')
			if i < 0 {
				return nil, usage("--class-weight has %q; write NAME=WEIGHT, or balanced", part)
			}
			c := slices.Index(s.Classes(), className(s, part[:i]))
			v, err := strconv.ParseFloat(part[i+1:], 64)
			if c < 0 || err != nil || v < 0 || math.IsInf(v, 0) || math.IsNaN(v) {
				return nil, usage("--class-weight has %q; write NAME=WEIGHT with a class of %q and a weight of at least 0", part, s.Classes())
			}
			factor[c] = v
		}
	}
	return s.WithWeights(func(i int) float64 { return factor[s.Class(i)] }), nil
}

// fit trains; when it was interrupted the model is what was learned so far.
func fit(ctx context.Context, l halfspace.Learner, r halfspace.Run) (m *halfspace.Model, interrupted bool, err error) {
	m, err = halfspace.Fit(ctx, l, r)
	if m != nil && err != nil && ctx.Err() != nil {
		return m, true, nil
	}
	return m, false, err
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
