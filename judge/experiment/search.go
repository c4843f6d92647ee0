package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
)

// Value is one parameter of a learner as a user writes it.
type Value struct{ Name, Text string }

// Setting is values of several parameters.
type Setting []Value

func (s Setting) String() string {
	var parts []string
	for _, v := range s {
		parts = append(parts, v.Name+"="+v.Text)
	}
	return strings.Join(parts, " ")
}

// Axis is the values of a parameter to search among: a list, or the numbers
// between Low and High.
type Axis struct {
	Name      string
	Values    []string
	Low, High float64
	Whole     bool // whole numbers only
}

// ParseAxis reads NAME=A,B,C or NAME=LOW..HIGH.
func ParseAxis(text string) (Axis, error) {
	name, values, ok := strings.Cut(text, "=")
	a := Axis{Name: strings.TrimSpace(name)}
	if !ok || a.Name == "" || strings.TrimSpace(values) == "" {
		return a, fmt.Errorf("%q is nothing to search; write NAME=A,B,C or NAME=LOW..HIGH", text)
	}
	low, high, span := strings.Cut(values, "..")
	if !span {
		for v := range strings.SplitSeq(values, ",") {
			a.Values = append(a.Values, strings.TrimSpace(v))
		}
		return a, nil
	}
	var err1, err2 error
	a.Low, err1 = strconv.ParseFloat(strings.TrimSpace(low), 64)
	a.High, err2 = strconv.ParseFloat(strings.TrimSpace(high), 64)
	if err1 != nil || err2 != nil || !(a.Low < a.High) || math.IsInf(a.High-a.Low, 0) {
		return a, fmt.Errorf("%q is no range; write NAME=LOW..HIGH with two numbers, the smaller first", text)
	}
	return a, nil
}

// Grid is every combination of the values of axes that are lists.
func Grid(axes []Axis) ([]Setting, error) {
	grid := []Setting{nil}
	for _, a := range axes {
		if a.Values == nil {
			return nil, fmt.Errorf("%s is a range, from which values must be drawn; say how many, or list them", a.Name)
		}
		if len(grid) > 1e6/len(a.Values) {
			return nil, errors.New("the grid has more than a million points; draw some of them")
		}
		var more []Setting
		for _, s := range grid {
			for _, v := range a.Values {
				more = append(more, append(s[:len(s):len(s)], Value{a.Name, v}))
			}
		}
		grid = more
	}
	return grid, nil
}

// Draw is n settings at random, fixed by seed: of a list each value as likely,
// of a range of positive numbers each order of magnitude.
func Draw(axes []Axis, n int, seed uint64) []Setting {
	r := rand.New(rand.NewPCG(seed, 0x5ea2c4))
	drawn := make([]Setting, n)
	for i := range drawn {
		for _, a := range axes {
			drawn[i] = append(drawn[i], Value{a.Name, a.draw(r)})
		}
	}
	return drawn
}

func (a *Axis) draw(r *rand.Rand) string {
	if a.Values != nil {
		return a.Values[r.IntN(len(a.Values))]
	}
	u := r.Float64()
	v := a.Low + float64(u*(a.High-a.Low))
	if a.Low > 0 {
		v = a.Low * math.Pow(a.High/a.Low, u)
	}
	if a.Whole {
		return strconv.FormatFloat(math.Round(v), 'f', -1, 64)
	}
	// Three digits are enough to choose by, and can be typed.
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// Search chooses a setting by cross-validation and trains with it.
type Search struct {
	Settings []Setting
	Start    func(Setting) Start
	Folds    int
	Seed     uint64
}

// Way is the search as a way to train. Tested on examples left out of the
// whole, it is nested validation: what was chosen saw none of them.
func (s *Search) Way() Way {
	return func(ctx context.Context, part *data.Set, workers int) (*halfspace.Model, Setting, error) {
		best, err := s.Choose(ctx, part, workers)
		if err != nil {
			return nil, nil, err
		}
		m, _, err := Plain(s.Start(best))(ctx, part, workers)
		return m, best, err
	}
}

// Choose is the setting with the least mean error over the folds, the first of
// equals.
func (s *Search) Choose(ctx context.Context, part *data.Set, workers int) (Setting, error) {
	plan, err := Folds(part, min(s.Folds, part.Len()), 1, s.Seed)
	if err != nil {
		return nil, fmt.Errorf("nothing can be chosen: %w", err)
	}
	ways := make([]Candidate, len(s.Settings))
	for k, setting := range s.Settings {
		ways[k] = Candidate{strconv.Itoa(k), Plain(s.Start(setting))}
	}
	bench := &Bench{Workers: workers}
	points, err := bench.Over(ctx, ways, plan)
	if err != nil {
		return nil, err
	}
	best := -1
	for k, p := range points {
		if p.Test != nil && p.Refused == "" && (best < 0 || *p.Test < *points[best].Test) {
			best = k
		}
	}
	if best < 0 {
		return nil, fmt.Errorf("no setting can be trained: %s", points[0].Refused)
	}
	return s.Settings[best], nil
}
