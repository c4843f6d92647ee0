package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/judge/metric"
	"github.com/halfspace-ml/halfspace/learn"
	"github.com/halfspace-ml/halfspace/learn/multi"
	"github.com/halfspace-ml/halfspace/learn/network"
	"github.com/halfspace-ml/halfspace/show/figure"
)

// What plot trains for each figure.

// check refuses flags that do not go together, before any work.
func (p *plotting) check(f *figure.Figure, args []string) error {
	for _, n := range []struct {
		flag  string
		value int
	}{{"frames", p.frames}, {"runs", p.runs}} {
		if n.value < 1 || n.value > 1000 {
			return usage("--%s = %d is not possible; it must be a whole number from 1 to 1000", n.flag, n.value)
		}
	}
	if err := notNegative("columns", p.wide); err != nil {
		return err
	}
	if p.per != "" && p.per != "update" && p.per != "loop" {
		return usage("--per = %q is not possible; it must be update or loop", p.per)
	}
	if f.Need == figure.NeedGates {
		if len(args) > 0 {
			return usage("the figure %s is of no data; leave %s out", f.Name, args[0])
		}
		return nil
	}
	if len(args) == 0 {
		return usage("no DATA given; use: halfspace plot DATA --figure %s -o %s.svg", f.Name, f.Name)
	}
	if p.model != "" && f.Need != figure.NeedModel && f.Need != figure.NeedTwo && f.Need != figure.NeedSet {
		return usage("the figure %s is of a training, and --model brings one that is over; leave --model out", f.Name)
	}
	return checkTest(p.test, args[0])
}

// subject is what the figure needs.
func (p *plotting) subject(c *cobra.Command, f *figure.Figure, args []string) (*figure.Subject, error) {
	if f.Need == figure.NeedGates {
		return gates()
	}
	s := &figure.Subject{Name: shortName(args[0]), Features: p.features, Columns: p.wide}
	if p.model != "" {
		return s, p.saved(c, s, args[0])
	}
	l, err := p.t.new(c.Flags())
	if err != nil {
		return nil, err
	}
	if s.Set, err = p.in.read(c, args[0]); err != nil {
		return nil, err
	}
	test, err := p.in.readTest(c, p.test, s.Set)
	if err != nil {
		return nil, err
	}
	g := &gathering{plotting: p, c: c, l: l, s: s, name: args[0], test: test}
	return s, g.gather(f)
}

// shortName is DATA in the title of a figure.
func shortName(name string) string {
	if name == "-" || sample.Is(name) {
		return called(name)
	}
	return filepath.Base(name)
}

// saved fills in a model from a file.
func (p *plotting) saved(c *cobra.Command, s *figure.Subject, name string) (err error) {
	if s.Model, err = loadModel(c, p.model); err != nil {
		return err
	}
	if s.Set, err = p.in.readFor(c, name, s.Model); err != nil {
		return err
	}
	s.Learner = p.model
	train := s.Model.Tally(s.Set, p.t.workers)
	s.Model.Report.Train = &train
	judge(s, s.Set, s.Name, p.t.workers)
	return nil
}

// gathering is the trainings for one figure.
type gathering struct {
	*plotting
	c    *cobra.Command
	l    halfspace.Learner
	s    *figure.Subject
	name string
	test *data.Set
}

func (g *gathering) gather(f *figure.Figure) error {
	if err := f.Fits(g.s); err != nil {
		return err
	}
	switch f.Need {
	case figure.NeedSet:
		return nil
	case figure.NeedRates:
		return g.compareRates()
	case figure.NeedMany:
		return g.manySeparators()
	case figure.NeedLoops:
		return g.overLoops()
	case figure.NeedFirst:
		return g.overFirst()
	case figure.NeedWays:
		return g.ways()
	case figure.NeedSteps:
		if formula(g.l.Name()) {
			return usage("%s is a formula: it takes no steps to draw; try --figure boundary, or another learner", g.l.Name())
		}
	}
	history := f.Need == figure.NeedSteps
	m, h, err := g.fit(g.l, g.s.Set, history, g.frames)
	if err != nil && (m == nil || !errors.Is(err, errInterrupted)) {
		return err
	}
	g.interrupted = err != nil
	g.s.Model, g.s.History = m, h
	g.s.Learner = g.described(m)
	if g.test != nil {
		judge(g.s, g.test, shortName(g.plotting.test), g.t.workers)
	} else {
		judge(g.s, g.s.Set, g.s.Name+", which it was trained on", g.t.workers)
	}
	return nil
}

// described is the learner with the parameters that differ from the defaults.
func (g *gathering) described(m *halfspace.Model) string {
	return m.Report.Learner + changed(&fitReport{Report: m.Report})
}

// fit trains once, with a history of at most so many moments if asked for.
func (g *gathering) fit(l halfspace.Learner, s *data.Set, record bool, moments int) (*halfspace.Model, *figure.History, error) {
	r, err := g.t.run(s)
	if err != nil {
		return nil, nil, err
	}
	bar := newProgress(g.c)
	defer bar.end()
	show := bar.loops(l.Name())
	r.Hooks.Pass = show
	var h *figure.History
	if record {
		h = &figure.History{Set: s, Maps: r.Maps, Tie: tieOf(l), Most: moments, Loops: g.per == "loop"}
		r.Hooks = h.Hooks()
		pass := r.Hooks.Pass
		r.Hooks.Pass = func(p *halfspace.Pass) { pass(p); show(p) }
	}
	m, interrupted, err := fit(g.c.Context(), l, r)
	if err != nil {
		return nil, nil, named(g.name, err)
	}
	if interrupted {
		return m, h, errInterrupted
	}
	return m, h, nil
}

// errInterrupted comes with the model so far, of which one figure can be drawn;
// one that compares several cannot.
var errInterrupted = &exit{exitNo, errors.New("interrupted before there was enough to draw")}

// again is the learner anew, with one parameter changed.
func (g *gathering) again(name, value string) (halfspace.Learner, error) {
	l, err := g.t.new(g.c.Flags())
	if err != nil {
		return nil, err
	}
	params := l.Params()
	i := slices.IndexFunc(params, func(q halfspace.Param) bool { return q.Name == name })
	if i < 0 {
		return nil, usage("the figure %s changes --%s, which learner %s has not; it has %s", g.figure, name, l.Name(), paramNames(params))
	}
	if err := params[i].Set(value); err != nil {
		return nil, usage("--%w", err)
	}
	return l, nil
}

// compareRates trains with each of --rates.
func (g *gathering) compareRates() error {
	for _, rate := range g.rates {
		l, err := g.again("rate", strings.TrimSpace(rate))
		if err != nil {
			return err
		}
		m, h, err := g.fit(l, g.s.Set, true, 400)
		if err != nil {
			return fmt.Errorf("with --rate %s: %w", rate, err)
		}
		g.s.Runs = append(g.s.Runs, figure.Run{Name: "η = " + strings.TrimSpace(rate), Model: m, History: h})
	}
	g.s.Learner = g.l.Name()
	return nil
}

// manySeparators trains from random starts, or with several learners.
func (g *gathering) manySeparators() error {
	if len(g.learners) == 0 && formula(g.l.Name()) {
		return usage("%s is a formula and always gives the same; name several with --learners, or use another", g.l.Name())
	}
	for _, name := range g.learners {
		l, err := g.other(name)
		if err != nil {
			return err
		}
		m, _, err := g.fit(l, g.s.Set, false, 0)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		g.s.Runs = append(g.s.Runs, figure.Run{Name: name, Model: m})
	}
	if len(g.learners) > 0 {
		return nil
	}
	seed := g.t.seed
	defer func(init string) { g.t.seed, g.t.init = seed, init }(g.t.init)
	g.t.init = "random"
	if g.l.Name() == "network" {
		g.t.init = ""
	}
	for k := range g.runs {
		g.t.seed = seed + uint64(k)
		l, err := g.t.new(g.c.Flags())
		if err != nil {
			return err
		}
		m, _, err := g.fit(l, g.s.Set, false, 0)
		if err != nil {
			return err
		}
		g.s.Runs = append(g.s.Runs, figure.Run{Name: fmt.Sprintf("seed %d", g.t.seed), Model: m})
	}
	g.s.Learner = g.described(g.s.Runs[0].Model)
	return nil
}

// other is a learner with the parameters that were given, of those it has.
func (g *gathering) other(name string) (halfspace.Learner, error) {
	l, err := learn.New(strings.TrimSpace(name))
	if err != nil {
		return nil, &exit{exitUsage, err}
	}
	for _, q := range l.Params() {
		if value := *g.t.values[q.Name]; value != "" {
			if err := q.Set(value); err != nil {
				return nil, usage("--%w", err)
			}
		}
	}
	return l, nil
}

// overLoops trains with 1, 2, … loops and counts errors.
func (g *gathering) overLoops() error {
	most := 0
	for _, q := range g.l.Params() {
		if v, ok := q.Value().(int); ok && q.Name == "epochs" {
			most = v
		}
	}
	if most == 0 {
		return usage("the figure %s changes --epochs, which learner %s has not", g.figure, g.l.Name())
	}
	for _, k := range stages(most, 40) {
		l, err := g.again("epochs", fmt.Sprint(k))
		if err != nil {
			return err
		}
		m, _, err := g.fit(l, g.s.Set, false, 0)
		if err != nil {
			return err
		}
		g.count(k, m, m.Report.Train.Error)
		if m.Report.Converged && m.Report.Epochs < k { // more loops change nothing
			break
		}
	}
	g.s.Curve.Over = "loops over the examples"
	return nil
}

// overFirst trains on the first n examples and counts errors on those. A learner
// may refuse the first few; what it says counts if it refuses all.
func (g *gathering) overFirst() error {
	var refused error
	for _, n := range stages(g.s.Set.Len(), 24) {
		part := g.s.Set.First(n)
		counts, _ := part.Counts()
		if slices.Contains(counts, 0) { // not all classes yet
			continue
		}
		l, err := g.t.new(g.c.Flags())
		if err != nil {
			return err
		}
		m, _, err := g.fit(l, part, false, 0)
		if errors.Is(err, errInterrupted) {
			return err
		}
		if err != nil {
			refused = err
			continue
		}
		g.count(n, m, m.Report.Train.Error)
	}
	if len(g.s.Curve.X) == 0 && refused != nil {
		return refused
	}
	g.s.Curve.Over = "first n examples learned from"
	return nil
}

// count adds the errors of a model to the curve.
func (g *gathering) count(x int, m *halfspace.Model, train float64) {
	k := &g.s.Curve
	k.X, k.Train = append(k.X, float64(x)), append(k.Train, train)
	if g.test != nil {
		k.Test = append(k.Test, m.Tally(g.test, g.t.workers).Error)
	}
	g.s.Learner = g.l.Name()
}

// stages are whole numbers from 1 to most, at most about so many, evenly spread
// on a logarithmic scale once they are not all taken.
func stages(most, about int) []int {
	var out []int
	for x := 1.0; ; {
		n := int(x)
		if n >= most {
			return append(out, most)
		}
		out = append(out, n)
		x = max(x+1, x*(1+8/float64(about)))
	}
}

// ways trains by each way to many classes.
func (g *gathering) ways() error {
	defer func(was string) { g.t.multi = was }(g.t.multi)
	for _, way := range []struct {
		scheme multi.Scheme
		name   string
	}{{multi.OVR, "one against the rest"}, {multi.OVO, "one against one"}, {multi.Kesler, "all at once (Kesler)"}} {
		g.t.multi = string(way.scheme)
		l, err := g.t.new(g.c.Flags())
		if err != nil {
			return usage("the figure %s compares ways to many classes; %w", g.figure, err)
		}
		m, _, err := g.fit(l, g.s.Set, false, 0)
		if err != nil {
			return err
		}
		g.s.Runs = append(g.s.Runs, figure.Run{Name: way.name, Model: m})
	}
	g.s.Learner = g.l.Name()
	return nil
}

// calibrationBins is how many bins a calibration has.
const calibrationBins = 10

// judge fills in how the model of two classes does on a set.
func judge(s *figure.Subject, set *data.Set, name string, workers int) {
	s.Judged = &figure.Judged{Name: name}
	if len(set.Classes()) != 2 {
		return
	}
	o := metric.Predict(s.Model, set, workers)
	j := s.Judged
	j.Proba = o.Proba != nil
	positive, proba := make([]bool, len(o.True)), make([]float64, len(o.True))
	for i, c := range o.True {
		proba[i] = 1 / (1 + math.Exp(-o.Scores[i][0]))
		if j.Proba {
			proba[i] = o.Proba[i][0]
		}
		weight := 1.0
		if o.Weight != nil {
			weight = o.Weight[i]
		}
		if positive[i] = c == 0; positive[i] {
			j.Positives += weight
		} else {
			j.Negatives += weight
		}
	}
	ranking, err := o.Ranking(0)
	if err != nil {
		return
	}
	points, err := ranking.ROC(o.Weight)
	if err != nil {
		return // a class is missing, which the figure says
	}
	for _, p := range points {
		j.Cuts = append(j.Cuts, figure.Cut{Threshold: p.Threshold, Alarms: p.FalsePositive, Hits: p.TruePositive})
	}
	// What can be missing is missing above, too.
	j.AUC, _ = ranking.AUC(o.Weight)
	j.AveragePrecision, _ = ranking.AveragePrecision(o.Weight)
	bins, _ := metric.Reliability(proba, positive, o.Weight, calibrationBins)
	j.CalibrationError, _ = metric.CalibrationError(bins)
	for _, b := range bins {
		j.Bins = append(j.Bins, figure.Bin{Low: b.Low, High: b.High, Count: b.Weight, Said: b.Proba, Share: b.Share})
	}
}

// gates are the units of two inputs, and XOR put together from them, each
// beside its truth table.
func gates() (*figure.Subject, error) {
	s := &figure.Subject{}
	for _, g := range []struct {
		name string
		net  network.Network
	}{
		{"AND", network.Network{{network.And()}}},
		{"OR", network.Network{{network.Or()}}},
		{"NAND", network.Network{{network.Nand()}}},
		{"NOR", network.Network{{network.Nor()}}},
		{"XOR", network.XOR()},
	} {
		m, err := g.net.Model()
		if err != nil {
			return nil, err
		}
		set, err := sample.Read("@" + strings.ToLower(g.name))
		if err != nil {
			return nil, err
		}
		s.Gates = append(s.Gates, figure.GateUnit{Name: g.name, Set: set, Model: m})
	}
	return s, nil
}
