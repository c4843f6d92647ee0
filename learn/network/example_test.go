package network_test

import (
	"context"
	"fmt"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learn/network"
)

// Each gate is one unit; its line runs between the inputs it tells apart.
func ExampleUnit() {
	for _, g := range []struct {
		name string
		unit network.Unit
	}{{"AND", network.And()}, {"OR", network.Or()}, {"NAND", network.Nand()}, {"NOR", network.Nor()}} {
		u := g.unit
		fmt.Printf("%-4s 00→%g 01→%g 10→%g 11→%g  line %v\n", g.name, u.Output(0, 0), u.Output(0, 1), u.Output(1, 0), u.Output(1, 1), u.Line())
	}
	// Output:
	// AND  00→0 01→0 10→0 11→1  line x1 + x2 - 1.5 = 0
	// OR   00→0 01→1 10→1 11→1  line x1 + x2 - 0.5 = 0
	// NAND 00→1 01→1 10→1 11→0  line -x1 - x2 + 1.5 = 0
	// NOR  00→1 01→0 10→0 11→0  line -x1 - x2 + 0.5 = 0
}

// XOR is AND of OR and NAND: the band between two lines.
func ExampleXOR() {
	xor := network.XOR()
	for _, x := range [][]float64{{0, 0}, {0, 1}, {1, 0}, {1, 1}} {
		fmt.Println(x, "→", xor.Outputs(x...)[0])
	}
	for _, line := range xor.Lines() {
		fmt.Println(line)
	}
	// Output:
	// [0 0] → 0
	// [0 1] → 1
	// [1 0] → 1
	// [1 1] → 0
	// x1 + x2 - 0.5 = 0
	// -x1 - x2 + 1.5 = 0
}

// A trained network solves XOR too; its model is used as any other.
func ExampleBackPropagation() {
	set, err := sample.Read("@xor")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := halfspace.Fit(context.Background(), &network.BackPropagation{}, halfspace.Run{Set: set, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	scorer := m.Scorer()
	for i := range set.Len() {
		class, _ := scorer.Classify(set.Row(i))
		fmt.Println(m.Classes[set.Class(i)], "→", m.Classes[class])
	}
	fmt.Println(len(network.Lines(m.Hidden())), "hidden units,", m.Report.Train.Errors, "errors")
	// Output:
	// 0 → 0
	// 1 → 1
	// 1 → 1
	// 0 → 0
	// 16 hidden units, 0 errors
}
