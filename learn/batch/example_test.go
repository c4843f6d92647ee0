package batch_test

import (
	"context"
	"fmt"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learn/batch"
	"github.com/halfspace-ml/halfspace/learn/online"
)

// The worked example of document 004: one summed step from [0, 1, −0.5].
func ExamplePerceptron() {
	set, err := sample.Read("@handout")
	if err != nil {
		fmt.Println(err)
		return
	}
	start := halfspace.NewWeights(2, 2)
	start.W[0][1], start.Bias[0] = 1, -0.5
	l := &batch.Perceptron{Options: online.Options{Tie: halfspace.TieRight}, Sum: true}
	hooks := halfspace.Hooks{Pass: func(p *halfspace.Pass) {
		fmt.Printf("%d wrong, L = %.2f, w = %.2f, bias %.2f\n", p.Mistakes, p.Loss, p.W.W[0], p.W.Bias[0])
	}}
	if _, err := halfspace.Fit(context.Background(), l, halfspace.Run{Set: set, Init: start, Hooks: hooks}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 4 wrong, L = 1.60, w = [0.00 1.00], bias -0.50
	// 0 wrong, L = 0.00, w = [1.45 -0.60], bias -0.50
}

// The same example by logistic regression, until nothing is wrong.
func ExampleLogistic() {
	set, err := sample.Read("@handout")
	if err != nil {
		fmt.Println(err)
		return
	}
	start := halfspace.NewWeights(2, 2)
	start.W[0][1], start.Bias[0] = 1, -0.5
	l := &batch.Logistic{Options: online.Options{StopError: 0.01}}
	hooks := halfspace.Hooks{Pass: func(p *halfspace.Pass) {
		fmt.Printf("%d wrong, L = %.4f, w = %.4f, bias %.4f\n", p.Mistakes, p.Loss, p.W.W[0], p.W.Bias[0])
	}}
	if _, err := halfspace.Fit(context.Background(), l, halfspace.Run{Set: set, Init: start, Hooks: hooks}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 4 wrong, L = 5.9036, w = [0.0000 1.0000], bias -0.5000
	// 1 wrong, L = 4.1227, w = [1.3544 0.4376], bias -0.5975
	// 0 wrong, L = 3.2808, w = [2.1110 -0.1547], bias -1.1470
}
