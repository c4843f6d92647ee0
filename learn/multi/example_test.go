package multi_test

import (
	"context"
	"fmt"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learn/closed"
	"github.com/halfspace-ml/halfspace/learn/multi"
)

// Least squares of each iris against the rest, and of every two: a point may
// have no score above 0, or several.
func ExampleNew() {
	iris, err := sample.Read("@iris")
	if err != nil {
		panic(err)
	}
	for _, scheme := range []multi.Scheme{multi.OVR, multi.OVO, multi.Kesler} {
		m, err := halfspace.Fit(context.Background(), multi.New(scheme, &closed.LeastSquares{}), halfspace.Run{Set: iris})
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s: %d vectors, %d errors, %d undecided\n", scheme, len(m.Weights.W), m.Report.Train.Errors, m.Report.Train.Undecided)
	}
	// Output:
	// ovr: 3 vectors, 23 errors, 29 undecided
	// ovo: 3 vectors, 3 errors, 0 undecided
	// kesler: 3 vectors, 17 errors, 0 undecided
}
