package halfspace

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/internal/block"
	"github.com/halfspace-ml/halfspace/vec"
)

// Model is a trained linear classifier with all that is needed to use it on
// raw data and to tell where it comes from. A network is one too: linear in the
// outputs of its hidden units, which are the last of its maps. Treat it as
// immutable.
type Model struct {
	Classes  []string
	Weights  *Weights // after the maps
	Voters   []Voter  // not empty: they vote, and Weights is the last of them
	State    *State   // what a stream needs to go on where Weights are not the latest; may be nil
	Tie      Tie
	Decision Decision     // with more than two classes
	Proba    *Calibration // from scores to probabilities; nil: the model gives none
	Input    data.Input
	Features *data.Features // before the maps
	Maps     prep.Pipeline
	Report   Report
}

// Voter is one classifier of many with its number of votes.
type Voter struct {
	Votes   int
	Weights *Weights
}

// State is where a learner stands whose answer is the mean of its weights. It
// keeps both the weights and the sum, since neither follows from the mean and
// the other to the last bit.
type State struct {
	Visits  int      // examples seen
	Weights *Weights // the latest
	Sum     *Weights // Σ (visits before it)·step over all steps: the mean is Weights − Sum/Visits
}

// EmptyModel knows no class and no feature yet.
func EmptyModel(tie Tie, bias bool) *Model {
	return &Model{Weights: NewWeights(0, 0), Tie: tie, Features: data.NewFeatures(), Report: Report{Bias: bias}}
}

// all is every weight vector of the model.
func (m *Model) all() []*Weights {
	all := []*Weights{m.Weights}
	for _, v := range m.Voters {
		all = append(all, v.Weights)
	}
	if m.State != nil {
		all = append(all, m.State.Weights, m.State.Sum)
	}
	return all
}

// Positive is the class that scores above zero when there are two.
func (m *Model) Positive() string {
	if len(m.Classes) > 0 && len(m.Classes) <= 2 {
		return m.Classes[0]
	}
	return ""
}

// MappedFeatures are the features the weights belong to.
func (m *Model) MappedFeatures() *data.Features { return m.Maps.Features(m.Features) }

// Hidden is the layer of units whose outputs the weights see; nil if the model
// is not a network.
func (m *Model) Hidden() *prep.Layer {
	if len(m.Maps) == 0 {
		return nil
	}
	layer, _ := m.Maps[len(m.Maps)-1].(*prep.Layer)
	return layer
}

// HiddenWeights are those of a layer, in the same memory.
func HiddenWeights(l *prep.Layer) *Weights { return &Weights{W: l.W, Bias: l.Bias} }

// sound returns what is wrong with the weights and those of hidden units.
func (m *Model) sound(noBias bool) error {
	for _, w := range append(m.all(), m.inner()...) {
		if noBias && slices.ContainsFunc(w.Bias, func(b float64) bool { return b != 0 }) {
			return fmt.Errorf("%w: centred features need a bias; use standardise:no-centre, or allow the bias", ErrMaps)
		}
	}
	for _, w := range append(m.all(), m.inner()...) {
		if !w.Finite() {
			return errors.New("the weights grew beyond what numbers can hold; scale the features (--scale) or lower the rate")
		}
	}
	return nil
}

// flat reports whether all examples of a set get the same scores.
func (m *Model) flat(s *data.Set) bool {
	scorer := m.Scorer()
	first := slices.Clone(scorer.Scores(s.Row(0)))
	for i := 1; i < s.Len(); i++ {
		if !slices.Equal(first, scorer.Scores(s.Row(i))) {
			return false
		}
	}
	return true
}

// inner is the weights of the hidden units, if there are any.
func (m *Model) inner() []*Weights {
	if l := m.Hidden(); l != nil {
		return []*Weights{HiddenWeights(l)}
	}
	return nil
}

// fold takes the maps over into the model, before those the learner made. What
// can be is folded into the weights that see the mapped rows: the hidden
// units' in a network, else the model's own.
func (m *Model) fold(maps prep.Pipeline) {
	rest, folders := maps.Unfolded()
	seeing := m.all()
	if len(m.Maps) > 0 {
		layer, ok := m.Maps[0].(*prep.Layer)
		if !ok {
			m.Maps = slices.Concat(maps, m.Maps)
			return
		}
		seeing = []*Weights{HiddenWeights(layer)}
	}
	m.Maps = slices.Concat(rest, m.Maps)
	for _, w := range seeing {
		for _, f := range folders { // the last map first
			for k := range w.W {
				f.Fold(w.W[k], &w.Bias[k])
			}
		}
	}
}

// Scorer scores raw rows with a model, one goroutine at a time.
type Scorer struct {
	m       *Model
	applier *prep.Applier
	scores  []float64
	one     []float64 // of one voter, or of the duels
	sums    []float64 // of the duels' scores, by class
	proba   []float64
}

// Scorer makes a scorer with its own working memory.
func (m *Model) Scorer() *Scorer {
	n := len(m.Weights.W)
	s := &Scorer{m: m, applier: m.Maps.Applier(), scores: make([]float64, n), one: make([]float64, n), proba: make([]float64, len(m.Classes))}
	if s.duels() {
		s.scores, s.sums = make([]float64, len(m.Classes)), make([]float64, len(m.Classes))
	}
	return s
}

// duels reports whether the vectors are not one a class.
func (s *Scorer) duels() bool { return s.m.Decision == OneVsOne && len(s.m.Classes) > 2 }

// Map is x as the weights see it, borrowed until the next call.
func (s *Scorer) Map(x vec.Row) vec.Row {
	return s.applier.Row(x.Trim(s.m.Features.Len())).Trim(s.m.Weights.Dim())
}

// Scores are the scores of x: one with two classes, positive for class 0; one
// a class with more (OneVsOne: the duels it wins). Borrowed until the next
// call.
func (s *Scorer) Scores(x vec.Row) []float64 {
	x = s.Map(x)
	if s.duels() {
		score(s.one, s.m.Weights, x)
		s.m.Decision.count(s.one, s.scores, s.sums)
		return s.scores
	}
	if len(s.m.Voters) == 0 {
		score(s.scores, s.m.Weights, x)
		return s.scores
	}
	return s.vote(x)
}

func score(dst []float64, w *Weights, x vec.Row) {
	for k := range w.W {
		dst[k] = w.Score(k, x)
	}
}

// vote is the share of votes: for class 0 less those for class 1 of two.
func (s *Scorer) vote(x vec.Row) []float64 {
	one := s.one
	clear(s.scores)
	total := 0.0
	for _, v := range s.m.Voters {
		score(one, v.Weights, x)
		c := s.m.Tie.decide(one)
		switch {
		case len(one) > 1:
			s.scores[c] += float64(v.Votes)
		case c == 0:
			s.scores[0] += float64(v.Votes)
		default:
			s.scores[0] -= float64(v.Votes)
		}
		total += float64(v.Votes)
		if !vec.Finite(one) {
			total = math.NaN() // its vote means nothing
		}
	}
	for k := range s.scores {
		s.scores[k] /= total
	}
	return s.scores
}

// Classify is the class of x and its scores, borrowed until the next call. A
// model that has seen one class knows no other, and one that has seen none
// answers data.None.
func (s *Scorer) Classify(x vec.Row) (class int, scores []float64) {
	scores = s.Scores(x)
	return min(s.m.Tie.decide(scores), len(s.m.Classes)-1), scores
}

// Margins are, for the scores of the row scored last, by how much each class is
// ahead of its strongest rival; with two classes the score itself. Borrowed until
// the next call of Margins or Proba.
func (s *Scorer) Margins(scores []float64) []float64 {
	switch {
	case len(scores) == 1:
		return scores
	case s.duels():
		s.m.Decision.worst(s.proba, s.one)
	default:
		Margins(s.proba, scores)
	}
	return s.proba
}

// Proba is the probability of every class for the scores of the row scored
// last, in the order of the classes; nil if the model gives none. Borrowed until
// the next call.
func (s *Scorer) Proba(scores []float64) []float64 {
	switch c := s.m.Proba; {
	case c == nil:
		return nil
	case len(c.Curves) > 0:
		c.bend(s.proba, s.Margins(scores))
	default:
		c.link(s.proba, scores)
	}
	return s.proba
}

// Wrong reports whether an example of that class with those scores counts as
// an error, and whether it lies exactly on the boundary. A model of one class
// has nothing to mistake it for.
func (m *Model) Wrong(scores []float64, class int) (wrong, boundary bool) {
	if len(m.Classes) == 1 {
		return false, false
	}
	y, z, rival := m.Tie.Judge(scores, class)
	return y*m.Tie.Settle(y, z, class, rival) < 0, z == 0
}

// Judge is Weights.Judge from given scores.
func (t Tie) Judge(scores []float64, class int) (y, z float64, rival int) {
	if len(scores) == 1 {
		if class == 0 {
			return 1, scores[0], 1
		}
		return -1, scores[0], 0
	}
	rival = -1
	for k, s := range scores {
		if k != class && (rival < 0 || t.beats(s, scores[rival])) {
			rival = k
		}
	}
	return 1, scores[class] - scores[rival], rival
}

// decide is the class with the best score.
func (t Tie) decide(scores []float64) int {
	if len(scores) == 1 {
		if scores[0] > 0 || scores[0] == 0 && t != TieNegative {
			return 0
		}
		return 1
	}
	best := 0
	for k, s := range scores {
		if t.beats(s, scores[best]) {
			best = k
		}
	}
	return best
}

// Tally counts the model's errors on a set of raw examples whose classes are
// numbered as the model's. Examples without a class are not counted.
func (m *Model) Tally(s *data.Set, workers int) Tally {
	parts := make([]Tally, block.Count(s.Len()))
	block.Each(s.Len(), workers, func(b, lo, hi int) {
		scorer := m.Scorer()
		t := &parts[b]
		for i := lo; i < hi; i++ {
			if s.Class(i) == data.None {
				continue
			}
			scores := scorer.Scores(s.Row(i))
			wrong, boundary := m.Wrong(scores, s.Class(i))
			t.Examples++
			if !vec.Finite(scores) {
				t.Overflow++
			}
			if wrong {
				t.Errors++
			}
			if boundary {
				t.Boundary++
			}
			if m.Undecided(scores) {
				t.Undecided++
			}
		}
	})
	var t Tally
	for _, p := range parts {
		t.Examples += p.Examples
		t.Errors += p.Errors
		t.Boundary += p.Boundary
		t.Overflow += p.Overflow
		t.Undecided += p.Undecided
	}
	if t.Examples > 0 {
		t.Error = float64(t.Errors) / float64(t.Examples)
	}
	return t
}
