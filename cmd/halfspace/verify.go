package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace/judge/proof/certificate"
)

// errUnprovable says that a set is not one that planes could separate.
var errUnprovable = errors.New("nothing to prove")

func verifyCommand() *cobra.Command {
	var in input
	var asJSON bool
	c := &cobra.Command{
		Use:   "verify CERT DATA",
		Short: "Check a certificate of 'halfspace separable' exactly",
		Long: `Check that a certificate is right about DATA, in exact arithmetic on the decimals
in the file, with nothing of the program that found it. Give the same flags that
choose and name the examples as were given to 'halfspace separable'.

Exit 0: it is right. 1: it is not.`,
		Example: `  halfspace verify xor.proof @xor
  halfspace verify pair.proof iris.csv --pair versicolor,virginica`,
		Args: cobra.ExactArgs(2),
	}
	in.training(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print the answer as JSON")
	c.RunE = func(c *cobra.Command, args []string) error {
		cert, err := certificate.Load(args[0])
		if err != nil {
			return err
		}
		s, err := in.read(c, args[1])
		if err != nil {
			return err
		}
		wrong := cert.Verify(s)
		if asJSON {
			view := verifyReport{Verified: wrong == nil, Claim: cert.Claim, Data: cert.Data}
			if wrong != nil {
				view.Wrong = wrong.Error()
			}
			if err := printJSON(c.OutOrStdout(), view); err != nil {
				return err
			}
		}
		if wrong != nil {
			return &exit{exitNo, fmt.Errorf("%s does not prove anything about %s: %w", args[0], called(args[1]), wrong)}
		}
		if !asJSON {
			fmt.Fprintf(c.OutOrStdout(), "verified   %s: %s%s\n", args[1], cert.Claim, conditions(cert))
			for _, p := range cert.Proofs {
				fmt.Fprintf(c.OutOrStdout(), "proof      %s: %s, by %s\n", strings.Join(p.Classes, ", "), p.Kind, by(&p))
			}
		}
		return nil
	}
	return c
}

type verifyReport struct {
	Verified bool             `json:"verified"`
	Claim    string           `json:"claim"`
	Wrong    string           `json:"wrong,omitempty"`
	Data     certificate.Data `json:"data"`
}

// conditions say of which planes the claim is.
func conditions(c *certificate.Certificate) string {
	text := ""
	if !c.Bias {
		text += ", by planes through the origin"
	}
	if len(c.Maps) > 0 {
		text += ", after --map " + strings.Join(c.Maps, " --map ")
	}
	if c.Data.Rounded > 0 {
		text += fmt.Sprintf(", with %s rounded when read", plural(c.Data.Rounded, "value"))
	}
	return text
}

// by is what the proof consists of.
func by(p *certificate.Proof) string {
	var parts []string
	if n := len(p.Rows); n > 0 {
		parts = append(parts, fmt.Sprintf("%s that add up to zero", plural(n, "row")))
	}
	if len(p.Weights) > 0 {
		parts = append(parts, "weights, the smallest score "+short(p.Smallest))
	}
	return strings.Join(parts, " and ")
}

func short(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
