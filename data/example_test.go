package data_test

import (
	"fmt"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

func ExampleBuilder() {
	b := data.NewBuilder(data.NewFeatures("length", "height"))
	b.Add(vec.Dense(2.4, 1.6), []byte("horse"), 1)
	b.Add(vec.Dense(5.8, 3.2), []byte("elephant"), 1)
	b.Add(vec.Dense(2.2, 1.5), []byte("horse"), 1)
	s := b.Set(data.Input{})

	fmt.Println(s.Len(), "examples of", s.Classes())
	for i := range s.First(2).Len() {
		fmt.Println(s.Classes()[s.Class(i)], s.Row(i).Val)
	}
	// Output:
	// 3 examples of [horse elephant]
	// horse [2.4 1.6]
	// elephant [5.8 3.2]
}

func ExampleSet_Folds() {
	b := data.NewBuilder(nil)
	for i := range 9 {
		b.Add(vec.Dense(float64(i+1)), []byte{"ab"[i%3/2]}, 1)
	}
	s := b.Set(data.Input{})
	for _, f := range s.Folds(3, 1) {
		counts, _ := f.Test.Counts()
		fmt.Println(f.Train.Len(), "to train,", f.Test.Len(), "to test with", counts, "of", s.Classes())
	}
	// Output:
	// 6 to train, 3 to test with [2 1] of [a b]
	// 6 to train, 3 to test with [2 1] of [a b]
	// 6 to train, 3 to test with [2 1] of [a b]
}
