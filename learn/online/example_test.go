package online_test

import (
	"fmt"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/learn/online"
	"github.com/halfspace-ml/halfspace/vec"
)

// Learning mail by mail: the classes appear on the way, and only mistakes
// change the weights.
func ExamplePerceptron_Start() {
	features := data.NewFeatures()
	words := func(mail ...string) vec.Row {
		var b vec.Buffer
		b.Reset()
		for _, word := range mail {
			j, _ := features.Named([]byte(word))
			b.Add(j, 1)
		}
		return b.Row()
	}
	stream, err := new(online.Perceptron).Start(halfspace.EmptyModel(halfspace.TieWrong, true))
	if err != nil {
		fmt.Println(err)
		return
	}
	const spam, ham = 0, 1
	stream.Learn(words("win", "money"), spam)
	stream.Learn(words("see", "you"), ham)
	stream.Learn(words("win", "you"), spam)

	m := stream.Snapshot()
	m.Classes, m.Features = []string{"spam", "ham"}, features
	fmt.Println(m.Report.Learned, "learned,", m.Report.Mistakes, "mistakes")
	class, scores := m.Scorer().Classify(words("money", "money", "see"))
	fmt.Println(m.Classes[class], scores[0])
	// Output:
	// 3 learned, 3 mistakes
	// spam 2
}
