package calibrate_test

import (
	"context"
	"fmt"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/judge/calibrate"
	"github.com/halfspace-ml/halfspace/learn/closed"
)

func ExampleCrossFit() {
	ctx := context.Background()
	set, _ := sample.Read("@digits35")
	model, _ := halfspace.Fit(ctx, &closed.Ridge{}, halfspace.Run{Set: set})
	model.Proba, _ = calibrate.CrossFit(ctx, halfspace.LinkPlatt, set, 5, 1, func(_ int, part *data.Set) (halfspace.Learner, halfspace.Run, error) {
		return &closed.Ridge{}, halfspace.Run{Set: part}, nil
	})
	scorer := model.Scorer()
	proba := scorer.Proba(scorer.Scores(set.Row(7)))
	fmt.Printf("%s %.3f, %s %.3f\n", model.Classes[0], proba[0], model.Classes[1], proba[1])
	// Output: three 0.017, five 0.983
}

func ExamplePlatt() {
	a, b, _ := calibrate.Platt([]float64{1, -1}, []bool{true, false}, nil)
	fmt.Printf("A = %.4f, B = %.4f\n", a, b)
	// Output: A = -0.6931, B = 0.0000
}

func ExampleIsotonic() {
	x, y, _ := calibrate.Isotonic([]float64{-2, -1, 1, 2}, []bool{false, true, false, true}, nil)
	fmt.Println(x, y)
	// Output: [-2 -1 1 2] [0 0.5 0.5 1]
}
