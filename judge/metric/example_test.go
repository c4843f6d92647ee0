package metric_test

import (
	"fmt"

	"github.com/halfspace-ml/halfspace/judge/metric"
)

func ExampleSummarise() {
	sum := metric.Summarise(&metric.Outcomes{
		Classes:   []string{"spam", "ham"},
		True:      []int{0, 0, 0, 1},
		Predicted: []int{0, 0, 1, 1},
		Wrong:     []bool{false, false, true, false},
		Boundary:  make([]bool, 4),
		Scores:    [][]float64{{2}, {1}, {-1}, {-3}},
	})
	fmt.Printf("%d of %d wrong, AUC %.2f\n", sum.Errors, sum.Examples, *sum.AUC)
	for _, c := range sum.Classes {
		fmt.Printf("%s: precision %.2f, recall %.2f\n", c.Class, c.Precision, c.Recall)
	}
	// Output:
	// 1 of 4 wrong, AUC 1.00
	// spam: precision 1.00, recall 0.67
	// ham: precision 0.50, recall 1.00
}

func ExampleRanking_ROC() {
	r, _ := metric.NewRanking([]float64{2, 1, 1, -3}, []bool{true, true, false, false})
	points, _ := r.ROC(nil)
	for _, p := range points {
		fmt.Printf("score ≥ %v: %v of the negatives, %v of the positives\n", p.Threshold, p.FalsePositive, p.TruePositive)
	}
	// Output:
	// score ≥ +Inf: 0 of the negatives, 0 of the positives
	// score ≥ 2: 0 of the negatives, 0.5 of the positives
	// score ≥ 1: 0.5 of the negatives, 1 of the positives
	// score ≥ -3: 1 of the negatives, 1 of the positives
}

func ExampleConfuse() {
	c := metric.Confuse([]int{0, 0, 1, 1}, []int{0, 1, 1, 1}, nil, 2)
	matthews, _ := c.Matthews()
	fmt.Printf("%v, Matthews %.4f\n", c, matthews)
	// Output: [[1 1] [0 2]], Matthews 0.5774
}

func ExampleCompare() {
	first := []bool{true, true, true, false, true, true}
	second := []bool{false, false, false, true, true, false}
	test := metric.Compare(first, second)
	fmt.Printf("%d against %d, p = %.4f\n", test.OnlyFirst, test.OnlySecond, test.ExactP)
	// Output: 4 against 1, p = 0.3750
}
