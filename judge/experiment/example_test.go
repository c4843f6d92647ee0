package experiment_test

import (
	"context"
	"fmt"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/judge/experiment"
	"github.com/halfspace-ml/halfspace/learn/closed"
	"github.com/halfspace-ml/halfspace/learn/online"
)

// Two learners on the same ten folds.
func ExampleBench_Compare() {
	s, err := sample.Read("@gauss:n=300,d=5")
	if err != nil {
		panic(err)
	}
	plan, err := experiment.Folds(s, 10, 1, 1)
	if err != nil {
		panic(err)
	}
	candidates := []experiment.Candidate{
		{Name: "perceptron", Way: experiment.Plain(func(part *data.Set) (halfspace.Learner, halfspace.Run, error) {
			return &online.Perceptron{}, halfspace.Run{Set: part}, nil
		})},
		{Name: "fisher", Way: experiment.Plain(func(part *data.Set) (halfspace.Learner, halfspace.Run, error) {
			return &closed.Fisher{}, halfspace.Run{Set: part}, nil
		})},
	}
	c, err := (&experiment.Bench{}).Compare(context.Background(), candidates, plan, 0.95)
	if err != nil {
		panic(err)
	}
	for _, r := range c.Rows {
		fmt.Printf("%s: error %.3f, from %.3f to %.3f\n", r.Name, r.Error, r.Interval.Low, r.Interval.High)
	}
	d := c.Differences[0]
	fmt.Printf("%s is better: p = %.3f\n", d.First, d.P)
	// Output:
	// perceptron: error 0.253, from 0.207 to 0.305
	// fisher: error 0.183, from 0.144 to 0.231
	// fisher is better: p = 0.011
}

// The error after learning from the first n examples, on those n and on others.
func ExampleBench_OverFirst() {
	train, err := sample.Read("@digits35")
	if err != nil {
		panic(err)
	}
	test, err := sample.Read("@digits35-test")
	if err != nil {
		panic(err)
	}
	way := experiment.Plain(func(part *data.Set) (halfspace.Learner, halfspace.Run, error) {
		return &online.Averaged{}, halfspace.Run{Set: part}, nil
	})
	sizes := []int{10, 50, 243}
	points, err := (&experiment.Bench{}).OverFirst(context.Background(), way, experiment.Given(train, test, 1, 1), sizes)
	if err != nil {
		panic(err)
	}
	for i, p := range points {
		fmt.Printf("n = %d: %.3f and %.3f\n", sizes[i], *p.Train, *p.Test)
	}
	// Output:
	// n = 10: 0.000 and 0.139
	// n = 50: 0.000 and 0.033
	// n = 243: 0.000 and 0.000
}
