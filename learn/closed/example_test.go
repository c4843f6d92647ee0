package closed_test

import (
	"context"
	"fmt"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learn/closed"
)

func show(name string, l halfspace.Learner) {
	set, err := sample.Read(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := halfspace.Fit(context.Background(), l, halfspace.Run{Set: set})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("w = %.4f, bias %.4f, %d errors\n", m.Weights.W[0], m.Weights.Bias[0], m.Report.Train.Errors)
}

// The points of document 000: (−742, −5534)/48991 and the bias 101185/48991.
func ExampleLeastSquares() {
	show("@points00", &closed.LeastSquares{})
	// Output: w = [-0.0151 -0.1130], bias 2.0654, 0 errors
}

// scikit-learn 1.9.1, Ridge(alpha=100): −0.00969926, −0.08691959, 1.50444620.
func ExampleRidge() {
	show("@points00", &closed.Ridge{Lambda: 100})
	// Output: w = [-0.0097 -0.0869], bias 1.5044, 0 errors
}

// The worked example of document 004.
func ExampleFisher() {
	show("@handout", &closed.Fisher{})
	// Output: w = [3.3878 -0.1626], bias -1.4432, 0 errors
}
