package online

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/halfspace-ml/halfspace"
)

// Voted is the perceptron that keeps every weight vector it ever had, each
// with as many votes as visits it survived; a prediction is the majority.
//
// Source: Freund and Schapire (1999), figure 1. Cost: a copy of the weights a
// mistake, and a score a voter to predict; Voters bounds both by keeping the
// vectors that lasted longest, and the report says when any were let go.
type Voted struct {
	Perceptron
	Voters int
}

// Name is the learner's name.
func (*Voted) Name() string { return "voted" }

// Params is the table of parameters.
func (p *Voted) Params() []halfspace.Param {
	return append(p.Options.Params(), halfspace.Int(&p.Voters, "voters", "1000", 1, math.MaxInt, "keep at most this many vectors, those that lasted longest"))
}

// Multi says that its voters cannot be parts.
func (*Voted) Multi() []string { return []string{"kesler"} }

func (p *Voted) voting(e *engine) { e.votes = &ballot{most: p.Voters, grow: e.grow} }

// Fit loops over the examples.
func (p *Voted) Fit(ctx context.Context, run *halfspace.Run) (*halfspace.Model, error) {
	return fit(ctx, run, p, p, &p.Options, p.voting)
}

// Start begins a stream.
func (p *Voted) Start(m *halfspace.Model) (halfspace.Online, error) {
	return stream(m, p, p, &p.Options, p.voting)
}

// ballot keeps the voters.
type ballot struct {
	most     int
	grow     func(w *halfspace.Weights, class, dim int)
	kept     []halfspace.Voter
	survived int // visits by the current weights
	dropped  int
}

// visited notes a visit by w, which is about to change if it erred.
func (b *ballot) visited(w *halfspace.Weights, erred bool) {
	if !erred {
		b.survived++
		return
	}
	if b.survived > 0 {
		b.add(w, b.survived)
	}
	b.survived = 1 // Freund and Schapire give a new vector one vote
}

// add keeps a copy of w if it lasted longer than one of those kept.
func (b *ballot) add(w *halfspace.Weights, votes int) {
	if len(b.kept) >= b.most {
		b.dropped++
		least := 0
		for i, k := range b.kept {
			if k.Votes < b.kept[least].Votes {
				least = i
			}
		}
		if b.kept[least].Votes >= votes {
			return
		}
		b.kept = slices.Delete(b.kept, least, least+1)
	}
	b.kept = append(b.kept, halfspace.Voter{Votes: votes, Weights: w.Clone()})
}

// voters are those kept, and the current weights as the last; none before the
// first visit.
func (b *ballot) voters(w *halfspace.Weights) []halfspace.Voter {
	if b.survived == 0 {
		return nil
	}
	for i, v := range b.kept { // classes and features may have come since
		if len(v.Weights.W) < len(w.W) || v.Weights.Dim() < w.Dim() {
			grown := v.Weights.Clone() // an earlier snapshot may hold v's
			b.grow(grown, len(w.W)-1, w.Dim())
			b.kept[i].Weights = grown
		}
	}
	return append(slices.Clone(b.kept), halfspace.Voter{Votes: b.survived, Weights: w.Clone()})
}

func (b *ballot) warning() string {
	if b.dropped == 0 {
		return ""
	}
	return fmt.Sprintf("kept the %d vectors that lasted longest and let %d go; --voters N keeps more", len(b.kept), b.dropped)
}
