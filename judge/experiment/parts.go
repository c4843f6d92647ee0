package experiment

import (
	"fmt"
	"math"

	"github.com/halfspace-ml/halfspace/data"
)

// Part is one way to part the examples into those to learn from and those to
// test on. The sets are made when they are needed, and again each time.
type Part struct {
	Name   string // within its plan
	Repeat int    // from 0
	Seed   uint64 // of what is drawn from its examples
	Sets   func() (train, test *data.Set)
}

// Plan is the parts of an experiment, the same for all that is compared.
type Plan struct {
	Name    string // in words
	Repeats int
	Parts   []Part
}

// again is the seed of a repeat; the first has the seed itself.
func again(seed uint64, repeat int) uint64 {
	return seed ^ uint64(repeat)*0x9e3779b97f4a7c15
}

// Given trains on one set and tests on another, which may be nil. Repeats
// differ in what is drawn.
func Given(train, test *data.Set, repeats int, seed uint64) Plan {
	p := Plan{Name: "the test data", Repeats: repeats}
	if test == nil {
		p.Name = "no test data"
	}
	for r := range repeats {
		p.Parts = append(p.Parts, Part{
			Name: fmt.Sprintf("given, repeat %d", r+1), Repeat: r, Seed: again(seed, r),
			Sets: func() (*data.Set, *data.Set) { return train, test },
		})
	}
	return p
}

// HoldOut leaves out a share of every class, anew in each repeat.
func HoldOut(s *data.Set, share float64, repeats int, seed uint64) (Plan, error) {
	if !(share > 0 && share < 1) {
		return Plan{}, fmt.Errorf("a share of %v cannot be left out; it must be a number between 0 and 1", share)
	}
	counts, _ := s.Counts()
	out := 0
	for c, n := range counts {
		left := int(math.Round((1 - share) * float64(n)))
		out += n - left
		if n > 0 && left == 0 {
			return Plan{}, fmt.Errorf("class %q has %s: with a share of %v left out there is none to learn from", s.Classes()[c], examples(n), share)
		}
	}
	if out == 0 {
		return Plan{}, fmt.Errorf("a share of %v of %s leaves none to test on", share, examples(s.Len()))
	}
	p := Plan{Name: fmt.Sprintf("%g %% left out", 100*share), Repeats: repeats}
	for r := range repeats {
		p.Parts = append(p.Parts, Part{
			Name: fmt.Sprintf("%g left out, repeat %d", share, r+1), Repeat: r, Seed: again(seed, r),
			Sets: func() (*data.Set, *data.Set) { return s.Split(1-share, again(seed, r)) },
		})
	}
	if repeats > 1 {
		p.Name += fmt.Sprintf(", %d times", repeats)
	}
	return p, nil
}

// Folds cuts the examples into k parts that are left out in turn, anew in each
// repeat. As many folds as examples leave out one at a time, and then repeats
// are all the same.
func Folds(s *data.Set, k, repeats int, seed uint64) (Plan, error) {
	if k < 2 || k > s.Len() {
		return Plan{}, fmt.Errorf("%s cannot be left out in %d parts; it must be from 2 to %d", examples(s.Len()), k, s.Len())
	}
	counts, _ := s.Counts()
	for c, n := range counts {
		if n == 1 {
			return Plan{}, fmt.Errorf("class %q has one example, and while it is left out there is none to learn from", s.Classes()[c])
		}
	}
	p := Plan{Name: fmt.Sprintf("%d folds", k), Repeats: repeats}
	if k == s.Len() {
		p.Name, p.Repeats = "one left out at a time", 1
	}
	for r := range p.Repeats {
		for f := range k {
			p.Parts = append(p.Parts, Part{
				Name: fmt.Sprintf("fold %d of %d, repeat %d", f+1, k, r+1), Repeat: r, Seed: again(seed, r),
				Sets: func() (*data.Set, *data.Set) {
					fold := s.Fold(f, k, again(seed, r))
					return fold.Train, fold.Test
				},
			})
		}
	}
	if p.Repeats > 1 {
		p.Name += fmt.Sprintf(", %d times", repeats)
	}
	return p, nil
}

func examples(n int) string {
	if n == 1 {
		return "1 example"
	}
	return fmt.Sprintf("%d examples", n)
}
