package figure

import (
	"slices"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/vec"
)

// History is what a training went through, thinned: when it holds twice as many
// moments as asked for, every second is dropped, and from then on only every
// second is kept.
type History struct {
	Set     *data.Set     // before the maps
	Maps    prep.Pipeline // of the run; fitted when training begins
	Tie     halfspace.Tie
	Most    int  // moments to keep; 0: 100
	Loops   bool // a moment a loop, though updates could be had
	Moments []Moment
	Updates int // in all

	every   int
	seen    int
	stepped bool // examples were told one by one
	waiting bool // updates wait for the end of a loop
	pending bool // the last moment waits for the weights after it
}

// byLoop reports whether a moment is a loop: asked for, or all there is.
func (h *History) byLoop() bool { return h.Loops || h.waiting || !h.stepped }

// Moment is the model at one time. Index is the example that changes it, -1 if
// it is not one example; After is the weights that follow, nil if they are not
// known.
type Moment struct {
	Step, Epoch int // updates and loops before it, from 0
	Index       int
	Model       *halfspace.Model
	After       *halfspace.Model
	Loss        float64 // that the learner told, where HasLoss
	HasLoss     bool
}

// Hooks record a training.
func (h *History) Hooks() halfspace.Hooks {
	if h.Most == 0 {
		h.Most = 100
	}
	h.every = 1
	return halfspace.Hooks{Step: h.step, Pass: h.pass}
}

func (h *History) step(s *halfspace.Step) {
	if !h.whole(s.W) {
		return
	}
	h.stepped = true
	if s.Deferred || s.Layer != nil {
		h.waiting = true
		return
	}
	if h.Loops {
		if len(h.Moments) == 0 {
			h.keep(Moment{Index: -1, Model: h.model(s.W, nil)}, func() {})
		}
		if s.Tau != 0 {
			h.Updates++
		}
		return
	}
	h.settle(s.W)
	if s.Tau != 0 {
		h.keep(Moment{Step: h.Updates, Epoch: s.Epoch, Index: s.Index, Model: nil}, func() {
			h.Moments[len(h.Moments)-1].Model = h.model(s.W, nil)
			h.pending = true
		})
		h.Updates++
	}
}

func (h *History) pass(p *halfspace.Pass) {
	if !h.whole(p.W) {
		return
	}
	if !h.byLoop() {
		h.settle(p.W)
		return
	}
	// W is the weights after the loop, those of a batch learner before its step.
	h.keep(Moment{Step: p.Epoch + btoi(!h.waiting), Epoch: p.Epoch, Index: -1, Loss: p.Loss, HasLoss: p.HasLoss}, func() {
		h.Moments[len(h.Moments)-1].Model = h.model(p.W, p.Layer)
	})
	switch {
	case h.waiting:
		h.Updates = p.Epoch + btoi(!p.Done)
	case !h.stepped:
		h.Updates = p.Epoch + 1
	}
}

// whole reports whether weights are those of all classes, not of a part that
// a model of many is put together from.
func (h *History) whole(w *halfspace.Weights) bool {
	return w != nil && len(w.W) == halfspace.Joint.Vectors(len(h.Set.Classes()))
}

// settle gives the last moment the weights that followed it.
func (h *History) settle(w *halfspace.Weights) {
	if h.pending {
		h.Moments[len(h.Moments)-1].After = h.model(w, nil)
		h.pending = false
	}
}

// keep adds a moment if its turn has come; fill completes it.
func (h *History) keep(m Moment, fill func()) {
	turn := h.seen%h.every == 0
	h.seen++
	if !turn {
		return
	}
	if len(h.Moments) == 2*h.Most {
		kept := h.Moments[:0]
		for i := 0; i < len(h.Moments); i += 2 {
			kept = append(kept, h.Moments[i])
		}
		h.Moments = kept
		h.every *= 2
		if (h.seen-1)%h.every != 0 {
			return
		}
	}
	h.Moments = append(h.Moments, m)
	fill()
}

// model is the weights as a model of raw rows.
func (h *History) model(w *halfspace.Weights, layer *prep.Layer) *halfspace.Model {
	m := &halfspace.Model{Classes: h.Set.Classes(), Weights: w.Clone(), Tie: h.Tie, Input: h.Set.Input(), Features: h.Set.Features()}
	rest, folders := h.Maps.Unfolded()
	m.Maps = slices.Clone(rest)
	seeing := m.Weights
	if layer != nil {
		c := *layer
		hidden := halfspace.HiddenWeights(layer).Clone()
		c.W, c.Bias = hidden.W, hidden.Bias
		m.Maps = append(m.Maps, &c)
		seeing = halfspace.HiddenWeights(&c)
	}
	for _, f := range folders {
		for k := range seeing.W {
			f.Fold(seeing.W[k], &seeing.Bias[k])
		}
	}
	return m
}

// finish ends the history with the model that came out, and thins it to length.
func (h *History) finish(final *halfspace.Model) ([]Moment, error) {
	if !h.stepped && len(h.Moments) == 0 {
		return nil, misuse("%s tells no steps of all classes together; try --multi auto, two classes with --pair A,B, or --figure boundary", final.Report.Learner)
	}
	moments := h.Moments
	if n := len(moments); n > h.Most {
		thin := make([]Moment, 0, h.Most)
		for i := range h.Most {
			thin = append(thin, moments[i*n/h.Most])
		}
		moments = thin
	}
	last := Moment{Step: h.Updates, Index: -1, Model: final, Epoch: final.Report.Epochs}
	if h.byLoop() && !h.waiting {
		last.Step = final.Report.Epochs
	}
	if n := len(moments); n > 0 && moments[n-1].Index < 0 && moments[n-1].Step == last.Step { // the end itself
		last.Loss, last.HasLoss = moments[n-1].Loss, moments[n-1].HasLoss
		moments = moments[:n-1]
	}
	return append(slices.Clone(moments), last), nil
}

// cost is the perceptron cost of a model on a set, (1/n) Σ max(0, −y·z), and
// the number of examples it gets wrong.
func cost(m *halfspace.Model, s *data.Set) (loss float64, wrong int) {
	scorer := m.Scorer()
	for i := range s.Len() {
		if s.Class(i) == data.None {
			continue
		}
		l, bad := exampleCost(m, scorer, s.Row(i), s.Class(i))
		loss += l
		wrong += btoi(bad)
	}
	return loss / float64(max(1, s.Len())), wrong
}

func exampleCost(m *halfspace.Model, scorer *halfspace.Scorer, x vec.Row, class int) (loss float64, wrong bool) {
	scores := scorer.Scores(x)
	wrong, _ = m.Wrong(scores, class)
	return max(0, -lead(scores, class)), wrong
}
