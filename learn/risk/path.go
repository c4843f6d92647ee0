package risk

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/learn/risk/solve"
)

// path remembers where the last fit on the same examples ended, for each part
// of a problem of many classes: the next C is not far from there.
type path struct {
	mu   sync.Mutex
	ends map[string]end
	last *halfspace.Weights // of all classes at once
}

type end struct {
	point solve.Point
	c     []float64
}

// part names a problem of two classes: a path is of one set.
func part(run *halfspace.Run) string { return strings.Join(run.Set.Classes(), "\x00") }

// start is the end of the fit before. A multiplier that was at its bound goes to
// the new one.
func (p *path) start(run *halfspace.Run, t *solve.Task) solve.Point {
	if p == nil {
		return solve.Point{}
	}
	p.mu.Lock()
	e, ok := p.ends[part(run)]
	p.mu.Unlock()
	if !ok {
		return solve.Point{}
	}
	pt := solve.Point{W: slices.Clone(e.point.W), Bias: e.point.Bias, Alpha: slices.Clone(e.point.Alpha)}
	for i, a := range pt.Alpha {
		if a >= e.c[i]*(1-1e-9) {
			pt.Alpha[i] = t.C[i] * (a / e.c[i])
		}
	}
	return pt
}

func (p *path) keep(run *halfspace.Run, t *solve.Task, out *outcome) {
	if p == nil || out.separated {
		return
	}
	p.mu.Lock()
	pt := out.point
	pt.W = slices.Clone(pt.W) // the model's become the user's
	p.ends[part(run)] = end{pt, t.C}
	p.mu.Unlock()
}

// weights is where the last fit of all classes at once ended.
func (p *path) weights() *halfspace.Weights {
	if p == nil {
		return nil
	}
	return p.last
}

func (p *path) keepWeights(w *halfspace.Weights) {
	if p != nil {
		p.last = w.Clone() // the model's become the user's
	}
}

// follow fits a learner for each C in turn, every fit from the end of the one
// before.
func (o *Options) follow(ctx context.Context, l halfspace.Learner, run halfspace.Run, cs []float64, each func(c float64, m *halfspace.Model) error) error {
	o.path = &path{ends: map[string]end{}}
	c := o.C
	defer func() { o.C, o.path = c, nil }()
	for _, o.C = range cs {
		m, err := halfspace.Fit(ctx, l, run)
		if err != nil {
			return err
		}
		if err := each(o.C, m); err != nil {
			return err
		}
	}
	return nil
}

// Path fits for each C in turn, from the answer before.
func (r *Risk) Path(ctx context.Context, run halfspace.Run, cs []float64, each func(c float64, m *halfspace.Model) error) error {
	return r.follow(ctx, r, run, cs, each)
}

// Path fits for each C in turn, from the answer before.
func (s *SVM) Path(ctx context.Context, run halfspace.Run, cs []float64, each func(c float64, m *halfspace.Model) error) error {
	return s.follow(ctx, s, run, cs, each)
}

// Path fits for each C in turn, from the answer before.
func (l *Logistic) Path(ctx context.Context, run halfspace.Run, cs []float64, each func(c float64, m *halfspace.Model) error) error {
	return l.follow(ctx, l, run, cs, each)
}
