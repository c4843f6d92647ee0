package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/judge/proof"
)

func main() {
	for _, f := range os.Args[1:] {
		s, err := format.ReadFile(context.Background(), f, &format.Spec{})
		if err != nil {
			fmt.Println(f, err)
			continue
		}
		for a := range s.Classes() {
			for b := a + 1; b < len(s.Classes()); b++ {
				for _, nb := range []bool{false, true} {
					t := time.Now()
					r, err := proof.Separable(context.Background(), s, s.Classes()[a], s.Classes()[b], proof.Options{NoBias: nb})
					if err != nil {
						fmt.Println(f, err)
						continue
					}
					rows, dig := 0, 0
					if r.Proof != nil {
						rows = len(r.Proof.Rows)
						for _, m := range r.Proof.Multipliers {
							dig = max(dig, len(m))
						}
					}
					weak := "?"
					if r.Weakly != nil {
						weak = fmt.Sprint(*r.Weakly)
					}
					fmt.Println(f, r.Classes, "nobias", nb, r.Verdict, r.Reason, "margin", r.Margin, r.Widest, "R", r.Radius, "rows", rows, "digits", dig, "weak", weak, "rounded", s.Input().Rounded, time.Since(t))
				}
			}
		}
	}
}
