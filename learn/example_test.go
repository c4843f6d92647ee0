package learn_test

import (
	"context"
	"fmt"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learn"
)

// A learner by name, with a parameter set from text.
func ExampleNew() {
	l, err := learn.New("passive-aggressive")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range l.Params() {
		if p.Name == "variant" {
			err = p.Set("pa-2")
		}
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	set, err := sample.Read("@handout")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := halfspace.Fit(context.Background(), l, halfspace.Run{Set: set})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Report.Learner, m.Report.Parameters["variant"], m.Report.Train.Errors, "errors")

	_, err = learn.New("percepton")
	fmt.Println(err)
	// Output:
	// passive-aggressive pa-2 0 errors
	// no learner "percepton"; did you mean perceptron?
}
