package experiment

import (
	"context"
	"fmt"
	"math"

	"github.com/halfspace-ml/halfspace/data"
)

// Candidate is a way to train, with its name.
type Candidate struct {
	Name string // says all that sets it apart
	Way  Way
}

// Point is a place of a curve: the mean over the parts of a plan.
type Point struct {
	Runs      int      // trainings that gave a model
	Converged int      // of them
	Train     *float64 // mean share of wrong ones among the examples learned from; nil: no model
	TrainSD   *float64 // standard deviation between the runs; nil: fewer than two
	Test      *float64 // nil: no model, or nothing to test on
	TestSD    *float64
	Boundary  int    // test predictions with a score of exactly zero, of all runs
	Tested    int    // test predictions, of all runs
	Refused   string // why some parts gave no model; "": all did
}

// OverFirst is the error after learning from the first n examples of each part,
// counted on those n and on the test examples (document 003, task 5).
func (b *Bench) OverFirst(ctx context.Context, way Way, plan Plan, sizes []int) ([]Point, error) {
	return b.overSizes(ctx, way, plan, sizes, "first", func(s *data.Set, n int, _ uint64) *data.Set { return s.First(n) })
}

// OverSample is the same for n examples drawn at random in each part, the
// larger samples holding the smaller.
func (b *Bench) OverSample(ctx context.Context, way Way, plan Plan, sizes []int) ([]Point, error) {
	return b.overSizes(ctx, way, plan, sizes, "sample of", (*data.Set).Sample)
}

func (b *Bench) overSizes(ctx context.Context, way Way, plan Plan, sizes []int, what string, cut func(s *data.Set, n int, seed uint64) *data.Set) ([]Point, error) {
	var trials []Trial
	for _, n := range sizes {
		for _, p := range plan.Parts {
			trials = append(trials, Trial{
				Piece: fmt.Sprintf("%s %d; %s", what, n, p.Name), Way: way,
				Sets: func() (*data.Set, *data.Set, error) {
					train, test := p.Sets()
					if n > train.Len() {
						return nil, nil, fmt.Errorf("there are only %s to learn from", examples(train.Len()))
					}
					return cut(train, n, p.Seed), test, nil
				},
			})
		}
	}
	return b.points(ctx, trials, len(sizes))
}

// Over is the error of each candidate: of one learner with several values of a
// parameter, a validation curve.
func (b *Bench) Over(ctx context.Context, candidates []Candidate, plan Plan) ([]Point, error) {
	return b.points(ctx, trialsOf(candidates, plan), len(candidates))
}

// trialsOf are all candidates on all parts, candidate by candidate.
func trialsOf(candidates []Candidate, plan Plan) []Trial {
	var trials []Trial
	for _, c := range candidates {
		for _, p := range plan.Parts {
			trials = append(trials, Trial{
				Piece: c.Name + "; " + p.Name, Way: c.Way,
				Sets: func() (*data.Set, *data.Set, error) {
					train, test := p.Sets()
					return train, test, nil
				},
			})
		}
	}
	return trials
}

// points runs trials and sums up each of n equal groups of them.
func (b *Bench) points(ctx context.Context, trials []Trial, n int) ([]Point, error) {
	out, err := b.Run(ctx, trials)
	if err != nil || n == 0 {
		return nil, err
	}
	points := make([]Point, n)
	each := len(out) / n
	for k := range points {
		points[k] = pointOf(out[k*each : (k+1)*each])
	}
	return points, nil
}

func pointOf(out []Outcome) Point {
	var p Point
	var train, test []float64
	for _, o := range out {
		if o.Refused != "" {
			if p.Refused == "" {
				p.Refused = o.Refused
			}
			continue
		}
		p.Runs++
		if o.Converged {
			p.Converged++
		}
		train = append(train, o.Train.Error)
		if o.Test != nil {
			test = append(test, o.Test.Error)
			p.Boundary += o.Test.Boundary
			p.Tested += o.Test.Examples
		}
	}
	p.Train, p.TrainSD = spread(train)
	p.Test, p.TestSD = spread(test)
	return p
}

// spread is the mean and the standard deviation, nil where they do not exist.
func spread(v []float64) (mean, sd *float64) {
	if len(v) == 0 {
		return nil, nil
	}
	m := 0.0
	for _, x := range v {
		m += x
	}
	m /= float64(len(v))
	if len(v) == 1 {
		return &m, nil
	}
	q := 0.0
	for _, x := range v {
		q += float64((x - m) * (x - m))
	}
	q = math.Sqrt(q / float64(len(v)-1))
	return &m, &q
}
