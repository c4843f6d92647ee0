package sample_test

import (
	"fmt"

	"github.com/halfspace-ml/halfspace/data/sample"
)

func ExampleRead() {
	s, err := sample.Read("@weak")
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range s.Len() {
		fmt.Println(s.Classes()[s.Class(i)], s.Row(i).Val)
	}
	// Output:
	// 1 [1 1 1]
	// 1 [-1 -1 -1]
	// -1 [1 1 -1]
}

func ExampleRead_generator() {
	s, _ := sample.Read("@separable:n=500,d=3,margin=0.2,seed=7")
	fmt.Println(s.Len(), s.Dim(), s.Classes())
	_, err := sample.Read("@seperable")
	fmt.Println(err)
	// Output:
	// 500 3 [1 -1]
	// @seperable: no built-in set of this name; did you mean @separable?
}
