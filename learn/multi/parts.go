package multi

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
)

// part is one problem of two classes among those of a reduction.
type part struct {
	name    string
	set     func() *data.Set
	init    *halfspace.Weights // nil: none
	empty   bool               // one of its classes has no example
	missing float64            // the bias that then keeps to the other class
	index   func() []int       // positions of its examples in the run's set; nil: the same
}

// against is the parts of OVR, one a class.
func against(run *halfspace.Run) []part {
	counts, _ := run.Set.Counts()
	parts := make([]part, len(counts))
	for c, name := range run.Set.Classes() {
		parts[c] = part{name: name + " against the rest", set: func() *data.Set { return run.Set.Against(c) }, empty: counts[c] == 0, missing: -1}
		if run.Init != nil {
			parts[c].init = &halfspace.Weights{W: run.Init.W[c : c+1], Bias: run.Init.Bias[c : c+1]}
		}
	}
	return parts
}

// duels is the parts of OVO, in the order of halfspace.OneVsOne. One starts
// from the difference of the start weights of its two classes.
func duels(run *halfspace.Run) []part {
	counts, _ := run.Set.Counts()
	names := run.Set.Classes()
	var parts []part
	for a := range names {
		for b := a + 1; b < len(names); b++ {
			p := part{
				name:  names[a] + " against " + names[b],
				set:   func() *data.Set { return run.Set.Between(a, b) },
				empty: counts[a] == 0 || counts[b] == 0,
				index: func() []int { return positions(run.Set, a, b) },
			}
			switch {
			case counts[a] > 0:
				p.missing = 1
			case counts[b] > 0:
				p.missing = -1
			}
			if run.Init != nil {
				w, bias := (&halfspace.Model{Classes: names, Weights: run.Init}).Plane(a, b)
				p.init = &halfspace.Weights{W: [][]float64{w}, Bias: []float64{bias}}
			}
			parts = append(parts, p)
		}
	}
	return parts
}

func positions(s *data.Set, a, b int) []int {
	var at []int
	for i := range s.Len() {
		if c := s.Class(i); c == a || c == b {
			at = append(at, i)
		}
	}
	return at
}

// outcome is what learning a part gave.
type outcome struct {
	m   *halfspace.Model
	err error
}

func fitParts(ctx context.Context, run *halfspace.Run, d halfspace.Decision, cut func(*halfspace.Run) []part, two Two) (*halfspace.Model, error) {
	// Before they are made: of 10,000 classes there are 50 million duels.
	if features, n := run.Set.Dim(), d.Vectors(len(run.Set.Classes())); features > halfspace.MaxWeights/n {
		return nil, fmt.Errorf("%w: %d parts of %d features each; learn all classes at once, or hash the features with --map hash:BITS", halfspace.ErrTooWide, n, features)
	}
	parts := cut(run)
	results := make([]outcome, len(parts))
	workers := 1
	if run.Hooks.Step == nil && run.Hooks.Pass == nil {
		workers = run.Workers
		if workers <= 0 {
			workers = runtime.GOMAXPROCS(0)
		}
		workers = min(workers, len(parts))
	}
	var mu sync.Mutex
	done := 0
	each(len(parts), workers, func(i int) {
		sub := *run
		sub.Maps, sub.RandomInit, sub.Init = nil, false, parts[i].init
		if workers > 1 {
			sub.Workers = 1
		}
		results[i] = learn(ctx, run, &sub, &parts[i], two)
		if run.Hooks.Part != nil {
			mu.Lock()
			defer mu.Unlock()
			done++
			run.Hooks.Part(done, len(parts))
		}
	})
	return join(ctx, d, parts, results)
}

// each calls do for 0 … n-1, on that many workers.
func each(n, workers int, do func(i int)) {
	if workers <= 1 {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}

func learn(ctx context.Context, run, sub *halfspace.Run, p *part, two Two) outcome {
	if p.empty {
		m := &halfspace.Model{Weights: halfspace.NewWeights(2, run.Set.Dim()), Tie: halfspace.TieWrong}
		if !run.NoBias {
			m.Weights.Bias[0] = p.missing
		}
		m.Report.Converged = true
		m.Report.Warnings = []string{"a class without examples; the part was not learned and decides for the other"}
		if run.NoBias {
			m.Report.Warnings = []string{"a class without examples; the part was not learned and, without a bias, gives every example a score of 0"}
		}
		return outcome{m, nil}
	}
	sub.Set = p.set()
	sub.Hooks = watched(run, p)
	m, err := two(ctx, sub)
	switch {
	case m == nil && err != nil && ctx.Err() != nil:
		m = &halfspace.Model{Weights: halfspace.NewWeights(2, run.Set.Dim()), Tie: halfspace.TieWrong}
	case m == nil:
	case len(m.Voters) > 0 || len(m.Maps) > 0 || len(m.Weights.W) != 1 || m.Weights.Dim() != run.Set.Dim():
		return outcome{nil, ErrNotPlane}
	}
	return outcome{m, err}
}

// ErrNotPlane says that a learner's answer is not one plane, so that it cannot
// be a part.
var ErrNotPlane = errors.New("the learner's answer is not one plane, so that many classes cannot be put together from it; leave the way to many classes to the learner (--multi auto)")

// watched is the run's hooks for a part: it tells examples and classes as the
// run knows them.
func watched(run *halfspace.Run, p *part) (h halfspace.Hooks) {
	if run.Hooks.Step != nil {
		var index []int
		if p.index != nil {
			index = p.index()
		}
		h.Step = func(s *halfspace.Step) {
			shown := *s
			if index != nil {
				shown.Index = index[s.Index]
			}
			shown.Class, shown.Part = run.Set.Class(shown.Index), p.name
			run.Hooks.Step(&shown)
		}
	}
	if run.Hooks.Pass != nil {
		h.Pass = func(s *halfspace.Pass) {
			shown := *s
			shown.Part = p.name
			run.Hooks.Pass(&shown)
		}
	}
	return h
}

// join puts the parts together.
func join(ctx context.Context, d halfspace.Decision, parts []part, results []outcome) (*halfspace.Model, error) {
	m := &halfspace.Model{Weights: &halfspace.Weights{}, Decision: d}
	var reports []halfspace.Report
	var ended error
	cut := 0
	for i, r := range results {
		if r.err != nil {
			cut++
			if ended == nil {
				ended = r.err
			}
		}
		if r.m == nil || r.err != nil && ctx.Err() == nil {
			return nil, fmt.Errorf("%s: %w", parts[i].name, r.err)
		}
		m.Weights.W = append(m.Weights.W, r.m.Weights.W[0])
		m.Weights.Bias = append(m.Weights.Bias, r.m.Weights.Bias[0])
		if !parts[i].empty {
			m.Tie = r.m.Tie
		}
		reports = append(reports, r.m.Report)
	}
	m.Report = sum(parts, reports)
	if cut > 0 {
		m.Report.Warnings = append(m.Report.Warnings, fmt.Sprintf("%d of %d parts were not learned to their end; where they decide, the model is unfinished", cut, len(parts)))
	}
	return m, ended
}
