package multi

import (
	"context"
	"fmt"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
)

// MaxEntries bounds the numbers in the vectors of Kesler's construct, 1.5 GiB
// of them.
const MaxEntries = 1 << 27

// Kesler's construct (document 004): for each example of class k and every
// other class j, the vector γ with +x̃ in block k and −x̃ in block j. A plane
// v = (v_1 … v_K) through the origin with v·γ > 0 for all of them has
// v_k·x̃ > v_j·x̃: it classifies every example. The vectors are those of
// data.Duels; what a learner of two classes makes of them is cut into blocks.
//
// Cost: that of K−1 times as many examples with twice as many values. A trace
// of it shows each vector as its example, class and rival.
func fitKesler(ctx context.Context, run *halfspace.Run, two Two) (*halfspace.Model, error) {
	if n := run.Set.DuelEntries(!run.NoBias); n > MaxEntries {
		return nil, fmt.Errorf("%w: Kesler's vectors of %d examples would hold %d numbers, and %d are the most; use another way (--multi ovr), or a perceptron, whose own way is Kesler's and needs no vectors", halfspace.ErrTooWide, run.Set.Len(), n, MaxEntries)
	}
	k := &construct{run: run, duels: run.Set.Duels(!run.NoBias)}
	sub := *run
	sub.Set, sub.Maps, sub.NoBias, sub.RandomInit = k.duels, nil, true, false
	if run.Init != nil {
		sub.Init = k.flat(run.Init)
	}
	sub.Hooks = k.watched()
	m, err := two(ctx, &sub)
	if m == nil {
		return nil, err
	}
	if len(m.Maps) > 0 || len(m.Weights.W) != 1 || m.Weights.Dim() != k.duels.Dim() {
		return nil, ErrNotPlane
	}
	whole := &halfspace.Model{Weights: k.blocks(m.Weights), Tie: m.Tie, Report: m.Report}
	for _, v := range m.Voters {
		whole.Voters = append(whole.Voters, halfspace.Voter{Votes: v.Votes, Weights: k.blocks(v.Weights)})
	}
	for i, w := range m.Report.Warnings {
		whole.Report.Warnings[i] = "on Kesler's vectors, whose blocks sum to zero: " + w
	}
	whole.Report.Supports, whole.Report.Support = k.supports(&m.Report), nil
	return whole, err
}

// construct tells the terms of the vectors from those of the run.
type construct struct {
	run   *halfspace.Run
	duels *data.Set
}

// size is the number of features of a block.
func (k *construct) size() int { return k.duels.Dim() / len(k.run.Set.Classes()) }

// blocks cuts v into one vector a class.
func (k *construct) blocks(v *halfspace.Weights) *halfspace.Weights {
	w := halfspace.NewWeights(len(k.run.Set.Classes()), k.run.Set.Dim())
	for c := range w.W {
		b := v.W[0][c*k.size() : (c+1)*k.size()]
		copy(w.W[c], b)
		if !k.run.NoBias {
			w.Bias[c] = b[len(b)-1]
		}
	}
	return w
}

// flat is the opposite of blocks.
func (k *construct) flat(w *halfspace.Weights) *halfspace.Weights {
	v := &halfspace.Weights{W: [][]float64{nil}, Bias: []float64{0}}
	for c := range w.W {
		v.W[0] = append(v.W[0], w.W[c]...)
		if !k.run.NoBias {
			v.W[0] = append(v.W[0], w.Bias[c])
		}
	}
	return v
}

// of is the example that vector p is of, and its rival.
func (k *construct) of(p int) (example, rival int) {
	rivals := len(k.run.Set.Classes()) - 1
	example, rival = p/rivals, p%rivals
	if rival >= k.run.Set.Class(example) {
		rival++
	}
	return example, rival
}

// watched is the run's hooks, told each vector as its example and rival.
func (k *construct) watched() (h halfspace.Hooks) {
	if run := k.run; run.Hooks.Step != nil {
		h.Step = func(s *halfspace.Step) {
			shown := *s
			shown.Index, shown.Rival = k.of(s.Index)
			shown.Class, shown.X = run.Set.Class(shown.Index), run.Set.Row(shown.Index)
			shown.Y, shown.Score, shown.Tau = 1, s.Y*s.Score, s.Y*s.Tau
			if !run.NoBias {
				shown.RateBias = s.Rate
			}
			shown.W = k.blocks(s.W)
			run.Hooks.Step(&shown)
		}
	}
	if run := k.run; run.Hooks.Pass != nil {
		h.Pass = func(s *halfspace.Pass) {
			shown := *s
			shown.W = k.blocks(s.W)
			if s.Gradient != nil {
				shown.Gradient = k.blocks(s.Gradient)
			}
			run.Hooks.Pass(&shown)
		}
	}
	return h
}

// supports is the number of examples that have a support vector among theirs.
func (k *construct) supports(r *halfspace.Report) int {
	if len(r.Support) != r.Supports {
		return 0
	}
	examples := map[int]bool{}
	for _, s := range r.Support {
		example, _ := k.of(s.Row - 1)
		examples[example] = true
	}
	return len(examples)
}
