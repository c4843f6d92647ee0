// Package multi makes learners of two classes into learners of many, by one of
// three constructions of document 004: one class against the rest, one against
// one, and Kesler's.
package multi

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/halfspace-ml/halfspace"
)

// Scheme is a way from many classes to two.
type Scheme string

const (
	// OVR trains one plane a class, its examples against all others. The
	// largest score decides.
	OVR Scheme = "ovr"
	// OVO trains one plane for every two classes, on their examples only. The
	// class that wins most duels is the answer.
	OVO Scheme = "ovo"
	// Kesler trains one plane through the origin on the vectors of Kesler's
	// construct; its pieces are one vector a class. The largest score decides,
	// and no point is left undecided.
	Kesler Scheme = "kesler"
)

// Schemes are the names of all.
var Schemes = []string{string(OVR), string(OVO), string(Kesler)}

// Two learns a run of two classes. It may be called by several goroutines at
// once, each with a run of its own.
type Two = func(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error)

// Fit learns a run of any number of classes by learning runs of two. With two
// classes it is two itself. Parts of OVR and OVO are independent and share the
// workers; each has the start weights that the run has for it, and the run's
// seed. When the run is watched they come one after the other, so that hooks
// are called in the order of the parts, in the terms of the run: its examples
// and classes, and the part's name.
func Fit(ctx context.Context, run *halfspace.Run, scheme Scheme, two Two) (*halfspace.Model, error) {
	if len(run.Set.Classes()) <= 2 {
		return two(ctx, run)
	}
	switch scheme {
	case OVR:
		return fitParts(ctx, run, halfspace.OneVsRest, against, two)
	case OVO:
		return fitParts(ctx, run, halfspace.OneVsOne, duels, two)
	case Kesler:
		return fitKesler(ctx, run, two)
	}
	return nil, &halfspace.ParamError{Name: "multi", Value: string(scheme), Allowed: "one of " + strings.Join(Schemes, ", ")}
}

// Reduction is a learner of two classes that learns many by a scheme. Its name
// and its parameters are the inner learner's; the report of a model of more
// than two classes has the scheme as the parameter "multi".
type Reduction struct {
	scheme Scheme
	inner  halfspace.Learner
}

// New makes a learner of two classes learn many by the scheme. The parameters
// of l must be plain values: each part is learned by a copy of l.
func New(scheme Scheme, l halfspace.Learner) halfspace.Learner { return &Reduction{scheme, l} }

// Name is the inner learner's name.
func (r *Reduction) Name() string { return r.inner.Name() }

// Params is the inner learner's table.
func (r *Reduction) Params() []halfspace.Param { return r.inner.Params() }

// Scheme is the way from many classes to two.
func (r *Reduction) Scheme() Scheme { return r.scheme }

// Fit learns the parts.
func (r *Reduction) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	if err := halfspace.Complete(r.Params()); err != nil {
		return nil, err
	}
	m, err := Fit(ctx, run, r.scheme, func(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
		return clone(r.inner).Fit(ctx, run)
	})
	if m != nil && len(run.Set.Classes()) > 2 {
		m.Report.Parameters = map[string]any{"multi": string(r.scheme)}
	}
	return m, err
}

// clone is a copy of a learner, which one goroutine may use.
func clone(l halfspace.Learner) halfspace.Learner {
	v := reflect.ValueOf(l)
	if v.Kind() != reflect.Pointer {
		return l
	}
	c := reflect.New(v.Type().Elem())
	c.Elem().Set(v.Elem())
	return c.Interface().(halfspace.Learner)
}

// Ways are the ways to many classes that a learner can go, its own first where
// it has a name. A learner that has a parameter "multi" has said it there.
func Ways(l halfspace.Learner) []string {
	if p := own(l); p != nil {
		return p.Choices
	}
	if m, ok := l.(halfspace.ManyClasses); ok {
		return m.Multi()
	}
	return Schemes
}

func own(l halfspace.Learner) *halfspace.Param {
	params := l.Params()
	i := slices.IndexFunc(params, func(p halfspace.Param) bool { return p.Name == "multi" })
	if i < 0 {
		return nil
	}
	return &params[i]
}

// Auto is the learner's own way, whatever it is.
const Auto = "auto"

// By is the learner on the named way to many classes: l itself if that is its
// own, or it can be told to.
func By(way string, l halfspace.Learner) (halfspace.Learner, error) {
	if way == Auto {
		return l, nil
	}
	ways := Ways(l)
	if !slices.Contains(ways, way) {
		return nil, fmt.Errorf("learner %s cannot learn many classes by %q; it can by %s, or leave it to %s", l.Name(), way, strings.Join(ways, ", "), Auto)
	}
	if p := own(l); p != nil {
		return l, p.Set(way)
	}
	if _, ok := l.(halfspace.ManyClasses); ok && way == ways[0] {
		return l, nil
	}
	return New(Scheme(way), l), nil
}
