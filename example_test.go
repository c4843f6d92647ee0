package halfspace_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/vec"
)

// The five points of the worked example, two red and three blue.
func fivePoints() *data.Set {
	b := data.NewBuilder(data.NewFeatures("column", "row"))
	for _, p := range []struct {
		colour string
		x, y   float64
	}{{"red", 23, 5}, {"red", 15, 11}, {"blue", 14, 21}, {"blue", 27, 23}, {"blue", 20, 27}} {
		b.Add(vec.Dense(p.x, p.y), []byte(p.colour), 1)
	}
	return b.Set(data.Input{})
}

func ExampleFit() {
	start := halfspace.NewWeights(2, 2)
	start.Bias[0], start.W[0][0], start.W[0][1] = 1, 1, -1

	learner := &online.Perceptron{Options: online.Options{Rate: 0.01}}
	m, err := halfspace.Fit(context.Background(), learner, halfspace.Run{Set: fivePoints(), Init: start})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d loops, %d updates, %d errors\n", m.Report.Epochs, m.Report.Updates, m.Report.Train.Errors)
	fmt.Printf("bias %.2f, weights %.2f\n", m.Weights.Bias[0], m.Weights.W[0])

	class, scores := m.Scorer().Classify(vec.Dense(10, 10))
	fmt.Printf("(10, 10) is %s, score %.2f\n", m.Classes[class], scores[0])
	// Output:
	// 3 loops, 2 updates, 0 errors
	// bias 1.00, weights [0.88 -1.12]
	// (10, 10) is blue, score -1.40
}

// A map is fitted with the model and belongs to it: scaling is folded into the
// weights, which are then in the units of the data.
func ExampleFit_standardised() {
	run := halfspace.Run{Set: fivePoints(), Maps: prep.Pipeline{&prep.Standardise{}}}
	m, err := halfspace.Fit(context.Background(), &online.Perceptron{}, run)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Report.Train.Errors, "errors with", len(m.Maps), "maps left to apply")
	// Output: 0 errors with 0 maps left to apply
}

// Watching a training step by step.
func ExampleHooks() {
	start := halfspace.NewWeights(2, 2)
	start.Bias[0], start.W[0][0], start.W[0][1] = 1, 1, -1
	hooks := halfspace.Hooks{Step: func(s *halfspace.Step) {
		if s.Mistake {
			fmt.Printf("loop %d, point %d: z = %.2f is wrong\n", s.Epoch+1, s.Index+1, s.Score)
		}
	}}
	learner := &online.Perceptron{Options: online.Options{Rate: 0.01}}
	if _, err := halfspace.Fit(context.Background(), learner, halfspace.Run{Set: fivePoints(), Init: start, Hooks: hooks}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// loop 1, point 4: z = 5.00 is wrong
	// loop 2, point 2: z = -1.59 is wrong
}

func ExampleLoad() {
	m, err := halfspace.Fit(context.Background(), &online.Perceptron{}, halfspace.Run{Set: fivePoints()})
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "points.model")
	if err := m.Save(path); err != nil {
		fmt.Println(err)
		return
	}
	back, err := halfspace.Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(back.Classes, back.Report.Learner, back.Tally(fivePoints(), 0).Errors, "errors")
	// Output: [red blue] perceptron 0 errors
}
