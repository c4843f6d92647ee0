package proof_test

import (
	"context"
	"fmt"

	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/judge/proof"
)

func ExampleClasses() {
	s, _ := sample.Read("@xor")
	a, _ := proof.Classes(context.Background(), s, proof.Options{})
	c, _ := a.Certificate(s, proof.Options{}, "")
	fmt.Println(c.Claim, c.Proofs[0].Rows, c.Proofs[0].Multipliers)
	fmt.Println("wrong:", c.Verify(s))
	// Output:
	// not separable [1 2 3 4] [1/2 1/2 1/2 1/2]
	// wrong: <nil>
}

func ExampleSeparable() {
	s, _ := sample.Read("@points00")
	r, _ := proof.Separable(context.Background(), s, "red", "blue", proof.Options{})
	fmt.Printf("%s, margin %.4f\n", r.Verdict, r.Margin)
	// Output: separable, margin 5.0249
}

func ExampleMistakeBound() {
	s, _ := sample.Read("@points00")
	b, _ := proof.MistakeBound(context.Background(), s, proof.Steps{}, 0)
	fmt.Printf("R = %.3f, γ = %.3f: at most %.0f mistakes\n", b.Radius, b.Margin, b.Mistakes)
	// Output: R = 35.482, γ = 0.942: at most 1420 mistakes
}

func ExampleBestErrors() {
	s, _ := sample.Read("@xor")
	b, _ := proof.BestErrors(context.Background(), s, proof.Options{}, 0)
	fmt.Println(b.Lower, b.Upper)
	// Output: 1 1
}
