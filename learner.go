package halfspace

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/vec"
)

// Learner makes a model from examples. Fit the function, not the method, is
// what callers call: it checks the run and completes the model. A learner is
// used by one goroutine at a time: its zero parameters become their defaults.
type Learner interface {
	// Name is the learner's name in the list of learners.
	Name() string
	// Params is the table of its parameters, bound to the receiver.
	Params() []Param
	// Fit learns. When ctx ends it returns the best model so far with
	// ctx.Err(). The model's report holds what only the learner knows: loops,
	// updates, mistakes, convergence, warnings. Maps in the model are those the
	// learner made itself, after the run's: the hidden units of a network.
	Fit(ctx context.Context, run *Run) (*Model, error)
}

// Streamer is a learner that can learn from one example at a time.
type Streamer interface {
	Learner
	// Start goes on from a model, exactly as if what the model has learned had
	// been the beginning of the stream. EmptyModel is a beginning.
	Start(m *Model) (Online, error)
}

// Online learns from one example at a time.
type Online interface {
	// Learn judges an example and learns from it if need be. New features and
	// classes are those beyond the ones seen; the classes are numbered in order
	// of appearance, from 0. It allocates only when they appear. The row is not
	// checked: one from elsewhere than a reader must pass its Check.
	Learn(x vec.Row, class int) Visit
	// Snapshot is what has been learned: weights, voters, state and counts. It
	// stays as it is when the stream goes on; classes, features, maps and the
	// rest of the report are the caller's to fill in.
	Snapshot() *Model
}

// Direct is a learner that is a formula: one pass, no steps, and no start, so
// that start weights change nothing but a warning.
type Direct interface {
	Learner
	Direct()
}

// ManyClasses is a learner whose way to more than two classes has a name.
type ManyClasses interface {
	Learner
	// Multi is the ways it can go, by name; the first is its own, and the
	// others are those by which it can be a part (see learn/multi). A learner
	// that can itself go several has a parameter "multi" instead.
	Multi() []string
}

// Pather is a learner with a C between penalty and losses that it can move
// along, each answer being the start of the next.
type Pather interface {
	Learner
	// Path fits the run for each C in turn and hands over the models.
	Path(ctx context.Context, run Run, cs []float64, each func(c float64, m *Model) error) error
}

// Run is one training: the data and the circumstances.
type Run struct {
	Set        *data.Set
	Maps       prep.Pipeline // fitted on Set, then part of the model
	Init       *Weights      // start weights, after the maps; nil: zero
	RandomInit bool          // start weights drawn from [-1, 1] by Seed
	NoBias     bool          // the plane goes through the origin
	Seed       uint64
	Workers    int // 0: one a processor; never changes a result
	Hooks      Hooks
}

// Hooks watch a training. A nil hook is off.
type Hooks struct {
	Step func(*Step) // before every visit's update
	Pass func(*Pass) // after every loop over the examples

	// Part hears how many of the parts of a problem of many classes are learned.
	// Unlike the others it leaves them to share the workers.
	Part func(done, all int)
}

// Visit is what a learner saw in one example: the score z, and the step τ (with
// the sign of y, before the rate) it is going to make; 0 leaves the weights.
type Visit struct {
	Score, Tau float64
	Rival      int  // the class it competes with
	Mistake    bool // on the wrong side, by the tie rule
}

// Step is one visit, as seen by a hook. X and W are borrowed: valid during the
// call, W as it was before the update.
type Step struct {
	Visit
	Epoch, Index   int // from 0; Index is the position in the set
	Class          int
	Y              float64 // +1 or −1; +1 with more than two classes
	X              vec.Row
	Rate, RateBias float64 // Tau is multiplied by these
	W              *Weights
	Deferred       bool        // the update waits for the end of the loop
	Layer          *prep.Layer // networks: the hidden units; borrowed
	Hidden         vec.Row     // networks: their outputs, which W sees instead of X; borrowed
	Loss           float64     // of the example, where HasLoss
	HasLoss        bool
	Part           string // many classes by parts: the name of this one
}

// Pass is one loop over the examples, as seen by a hook. W is borrowed.
type Pass struct {
	Epoch    int // from 0
	Epochs   int // at most
	Examples int
	Updates  int
	Mistakes int
	Loss     float64 // where HasLoss
	HasLoss  bool
	Gradient *Weights // batch learners: ∇L of the step that follows; nil: none does
	Rate     float64
	W        *Weights    // after the loop; for batch learners before the step
	Layer    *prep.Layer // networks: the hidden units that W belongs to; borrowed
	Part     string      // many classes by parts: the name of this one
	Done     bool        // the learner stops here
	After    bool        // Mistakes are those of W (at least so many, if the look ended early), not those met on the way to it
}

// Error is the share of the examples that made the learner update.
func (p *Pass) Error() float64 { return float64(p.Updates) / float64(p.Examples) }

// Program is the name and version that reports carry.
const Program = "halfspace 0.1.0"

// Fit is the one way to train: it validates the run, maps the features, lets
// the learner learn, and completes the model and its report. When ctx ends
// early it returns the model so far with ctx.Err().
func Fit(ctx context.Context, l Learner, run Run) (*Model, error) {
	if err := check(run.Set, run.Workers); err != nil {
		return nil, err
	}
	raw := run.Set
	var err error
	if run.Set, err = run.Maps.Fit(raw.Weighty()); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMaps, err)
	}
	classes := len(run.Set.Classes())
	if err := affordable(classes, run.Set.Dim()); err != nil {
		return nil, err
	}
	if run.RandomInit {
		run.Init = randomWeights(classes, run.Set.Dim(), !run.NoBias, run.Seed)
	}
	if run.Init != nil {
		if err := run.Init.fits(classes, run.Set.Dim()); err != nil {
			return nil, err
		}
		if run.NoBias && slices.ContainsFunc(run.Init.Bias, func(b float64) bool { return b != 0 }) {
			return nil, fmt.Errorf("%w: they have a bias, and the run is without", ErrInit)
		}
	}
	m, err := l.Fit(ctx, &run)
	if m == nil {
		return nil, err
	}
	m.Classes = raw.Classes()
	m.Input = raw.Input()
	m.Features = raw.Features()
	m.fold(run.Maps)
	if err := m.sound(run.NoBias); err != nil {
		return nil, tooSmall(raw, err)
	}
	m.Report.stamp(l, &run, raw)
	if err != nil {
		m.Report.Interrupted = true
	}
	train := m.Tally(raw, run.Workers)
	m.Report.Train = &train
	if train.Overflow > 0 {
		return nil, fmt.Errorf("the scores of %d of %d examples are beyond what numbers can hold; scale the features (--scale)", train.Overflow, train.Examples)
	}
	if err == nil && len(m.Report.Warnings) == 0 && m.flat(raw) {
		m.Report.Warnings = append(m.Report.Warnings, "every example gets the same score, so the features decide nothing: they say nothing about the class, or are too small or too large for this learner (--scale)")
	}
	return m, err
}

// tooSmall is err, or what is behind it if a feature is so small that no number
// is large enough to be its weight.
func tooSmall(s *data.Set, err error) error {
	most := make([]float64, s.Dim())
	for i := range s.Len() {
		for j, v := range s.Row(i).All() {
			most[j] = max(most[j], math.Abs(v))
		}
	}
	for j, v := range most {
		if v > 0 && v < 0x1p-1000 {
			return fmt.Errorf("feature %s is at most %.3g, so small that its weight may be beyond what numbers can hold; multiply it by some power of ten, or leave it out", s.Features().Name(j), v)
		}
	}
	return err
}

// MaxWeights is the most weights that a model may have, 2 GiB of them: a slip in
// one index must not take a machine's memory.
const MaxWeights = 1 << 28

// ErrTooWide says that a model would have more weights than MaxWeights.
var ErrTooWide = errors.New("too many weights")

func affordable(classes, features int) error {
	if vectors := len(NewWeights(classes, 0).W); features > MaxWeights/vectors {
		return fmt.Errorf("%w: %d features for %d classes; look for a slip in the largest index, or hash the features with --map hash:BITS", ErrTooWide, features, classes)
	}
	return nil
}

// Why a training cannot begin.
var (
	ErrOneClass = errors.New("one class only")
	ErrNoClass  = errors.New("examples without a class")
	ErrMaps     = errors.New("the feature maps do not fit the data")
	ErrInit     = errors.New("the start weights do not fit the data")
)

// ErrParams says that parameters which are possible one by one are not so
// together.
var ErrParams = errors.New("the parameters do not go together")

// ErrNotSeparable says that no plane separates the classes, from a learner that
// needs one.
var ErrNotSeparable = errors.New("no plane separates the classes")

func check(s *data.Set, workers int) error {
	if s == nil || s.Len() == 0 {
		return errors.New("no examples to learn from")
	}
	if err := checkRows(s, workers); err != nil {
		return err
	}
	counts, unlabelled := s.Weighty().Counts()
	if unlabelled > 0 {
		return fmt.Errorf("%w: %d of %d; a learner needs the class of each", ErrNoClass, unlabelled, s.Len())
	}
	present := 0
	name := ""
	for c, n := range counts {
		if n > 0 {
			present++
			name = s.Classes()[c]
		}
	}
	if present < 2 {
		return fmt.Errorf("%w: every example is of class %q; a classifier needs examples of two classes or more", ErrOneClass, name)
	}
	return nil
}

// checkRows returns what is wrong with the first bad example. Readers let none
// through; a set built or weighted by a program may hold any number.
func checkRows(s *data.Set, workers int) error {
	bad := make([]error, block.Count(s.Len()))
	block.Each(s.Len(), workers, func(b, lo, hi int) {
		for i := lo; i < hi && bad[b] == nil; i++ {
			if err := s.Row(i).Check(); err != nil {
				bad[b] = fmt.Errorf("row %d: %w", s.Number(i), err)
			} else if w := s.Weight(i); !(w >= 0) || math.IsInf(w, 0) {
				bad[b] = fmt.Errorf("row %d has the weight %v; weights must be finite and not negative", s.Number(i), w)
			}
		}
	})
	for _, err := range bad {
		if err != nil {
			return err
		}
	}
	return nil
}

func randomWeights(classes, features int, bias bool, seed uint64) *Weights {
	r := rand.New(rand.NewPCG(seed, 0x57a27))
	w := NewWeights(classes, features)
	w.Each(func(v []float64) {
		for j := range v {
			v[j] = 2*r.Float64() - 1
		}
	})
	if !bias {
		clear(w.Bias)
	}
	return w
}
