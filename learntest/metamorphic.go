package learntest

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// The checks here change the data in a way whose effect on the answer is known.

// tight makes a learner that solves to a tolerance solve well beyond what is
// compared.
func tight(t *testing.T, l halfspace.Learner) halfspace.Learner {
	t.Helper()
	return with(t, l, "tol", "1e-10")
}

// calm makes the steps of a descent so small that they do not amplify rounding.
func calm(t *testing.T, l halfspace.Learner) halfspace.Learner {
	t.Helper()
	return with(t, tight(t, l), "rate", "1e-3")
}

// with gives a parameter a value, if the learner has it.
func with(t *testing.T, l halfspace.Learner, name, value string) halfspace.Learner {
	t.Helper()
	for _, p := range l.Params() {
		if p.Name == name {
			if err := p.Set(value); err != nil {
				t.Fatal(err)
			}
		}
	}
	return l
}

// throughSums skips a learner unless it sees the examples only through sums
// over all of them: it is a formula, minimises an objective, or looks at all
// before each step.
func throughSums(t *testing.T, new maker, reason string) {
	t.Helper()
	oneByOne := false
	m := Fit(t, new(), halfspace.Run{Set: Cloud(20, 4, 2, 16), Hooks: halfspace.Hooks{Step: func(s *halfspace.Step) {
		oneByOne = oneByOne || !s.Deferred
	}}})
	if oneByOne && m.Report.Objective == nil {
		t.Skip(reason)
	}
}

// noisy is a cloud that no plane separates: every 17th example has moved to
// another class.
func noisy(n, features, classes int, seed uint64) *data.Set {
	s := Cloud(n, features, classes, seed)
	return rebuilt(s, func(b *data.Builder, i int) {
		class := s.Class(i)
		if i%17 == 0 {
			class = (class + 1) % classes
		}
		b.Add(s.Row(i), []byte(s.Classes()[class]), 1)
	})
}

// rebuilt is a set of what add makes of each example of s.
func rebuilt(s *data.Set, add func(b *data.Builder, i int)) *data.Set {
	b := data.NewBuilder(nil)
	b.Declare(s.Classes()...)
	for i := range s.Len() {
		add(b, i)
	}
	return b.Set(s.Input())
}

// refuses reports whether the learner needs a plane that separates the classes,
// and there is none.
func refuses(l halfspace.Learner, s *data.Set) bool {
	_, err := halfspace.Fit(context.Background(), l, halfspace.Run{Set: s})
	return errors.Is(err, halfspace.ErrNotSeparable)
}

// alike fits two sets that should be one to a learner that sees sums.
func alike(t *testing.T, new maker, a, b *data.Set) {
	t.Helper()
	if refuses(new(), a) {
		if !refuses(new(), b) {
			t.Error("the one is refused, and the other is not")
		}
		return
	}
	m, n := Fit(t, calm(t, new()), halfspace.Run{Set: a}), Fit(t, calm(t, new()), halfspace.Run{Set: b})
	v, w := m.Report.Objective, n.Report.Objective
	if v == nil {
		same(t, m, n, 1e-9)
		return
	}
	if !(math.Abs(v.Primal-w.Primal) <= 1e-9*math.Abs(v.Primal)) {
		t.Errorf("objectives %v and %v", v.Primal, w.Primal)
	}
	if _, formula := new().(halfspace.Direct); formula {
		same(t, m, n, 1e-9)
	}
}

func weightTwo(t *testing.T, new maker) {
	throughSums(t, new, "one example at a time: weight 2 is one step of twice the length, and two examples are two visits, the second after a step")
	for _, classes := range []int{2, 3} {
		for _, s := range []*data.Set{Cloud(80, 4, classes, 17), noisy(80, 4, classes, 17)} {
			name := func(i int) []byte { return []byte(s.Classes()[s.Class(i)]) }
			weighted := rebuilt(s, func(b *data.Builder, i int) { b.Add(s.Row(i), name(i), float64(1+i%3)) })
			repeated := rebuilt(s, func(b *data.Builder, i int) {
				for range 1 + i%3 {
					b.Add(s.Row(i), name(i), 1)
				}
			})
			alike(t, new, weighted, repeated)
		}
	}
}

func orderless(t *testing.T, new maker) {
	throughSums(t, new, "one example at a time: the order is part of the method")
	for _, classes := range []int{2, 3} {
		for _, s := range []*data.Set{Cloud(80, 4, classes, 18), noisy(80, 4, classes, 18)} {
			alike(t, new, s, s.Shuffle(5))
		}
	}
}

func swapped(t *testing.T, new maker) {
	for _, s := range []*data.Set{Cloud(200, 4, 2, 19), noisy(200, 4, 2, 19)} {
		if refuses(new(), s) {
			continue
		}
		plain := Fit(t, tight(t, new()), halfspace.Run{Set: s, Seed: 3})
		if plain.Hidden() != nil {
			t.Skip("the output's start weights are drawn, and the other class's would be their negatives")
		}
		b := data.NewBuilder(nil)
		b.Declare(s.Classes()[1], s.Classes()[0])
		for i := range s.Len() {
			b.Add(s.Row(i), []byte(s.Classes()[s.Class(i)]), 1)
		}
		other := Fit(t, tight(t, new()), halfspace.Run{Set: b.Set(s.Input()), Seed: 3})
		for j, w := range plain.Weights.W[0] {
			near(t, "weight", w, -other.Weights.W[0][j])
		}
		near(t, "bias", plain.Weights.Bias[0], -other.Weights.Bias[0])
	}
}

func zeroColumn(t *testing.T, new maker) {
	for _, classes := range []int{2, 3} {
		s := Cloud(200, 4, classes, 20)
		plain := Fit(t, tight(t, new()), halfspace.Run{Set: s})
		if plain.Hidden() != nil {
			t.Skip("the hidden units' start weights are drawn one a feature, so that another feature is another start")
		}
		const at = 2
		wide := rebuilt(s, func(b *data.Builder, i int) {
			x := sliceOf(s.Dim() + 1)
			for j, v := range s.Row(i).All() {
				if j >= at {
					j++
				}
				x[j] = v
			}
			b.Add(vec.Dense(x...), []byte(s.Classes()[s.Class(i)]), 1)
		})
		other := Fit(t, tight(t, new()), halfspace.Run{Set: wide})
		for k, w := range other.Weights.W {
			if w[at] != 0 {
				t.Errorf("the weight of a feature that is always zero is %v", w[at])
			}
			for j, v := range plain.Weights.W[k] {
				if j >= at {
					j++
				}
				near(t, "weight", v, w[j])
			}
			near(t, "bias", plain.Weights.Bias[k], other.Weights.Bias[k])
		}
	}
}
