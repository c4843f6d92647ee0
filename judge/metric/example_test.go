package metric_test

import (
	"fmt"

	"github.com/halfspace-ml/halfspace/judge/metric"
)

func ExampleSummarise() {
	out := []metric.Outcome{
		{True: 0, Predicted: 0, Score: 2},
		{True: 0, Predicted: 0, Score: 1},
		{True: 0, Predicted: 1, Score: -1, Wrong: true},
		{True: 1, Predicted: 1, Score: -3},
	}
	sum := metric.Summarise(out, []string{"spam", "ham"})
	fmt.Printf("%d of %d wrong, AUC %.2f\n", sum.Errors, sum.Examples, *sum.AUC)
	for _, c := range sum.Classes {
		fmt.Printf("%s: precision %.2f, recall %.2f\n", c.Class, c.Precision, c.Recall)
	}
	// Output:
	// 1 of 4 wrong, AUC 1.00
	// spam: precision 1.00, recall 0.67
	// ham: precision 0.50, recall 1.00
}
