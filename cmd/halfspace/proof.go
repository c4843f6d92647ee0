package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/halfspace-ml/halfspace"
)

// printProof prints what proves the answer of a learner that minimises.
func printProof(out io.Writer, r *halfspace.Report) {
	if o := r.Objective; o != nil && o.RelativeGap != nil {
		// + 0 makes 0 of −0.
		fmt.Fprintf(out, "objective  %.6g, at least %.6g for any weights: relative gap %s\n", o.Primal, *o.Dual+0, small(*o.RelativeGap))
	}
	if k := r.KKT; k != nil {
		where := ""
		if len(r.Maps) > 0 {
			where = ", in the mapped features"
		}
		fmt.Fprintf(out, "margin     2/‖w‖ = %.6g%s\n", k.Margin, where)
		fmt.Fprintf(out, "KKT        off by: stationarity %s, balance %s, sign %s, slackness %s, feasibility %s\n",
			small(k.Stationarity), small(k.Balance), small(k.Sign), small(k.Slackness), small(k.Feasibility))
	}
	if r.Supports > 0 {
		fmt.Fprintf(out, "support    %s%s\n", plural(r.Supports, "example"), multipliers(r.Support))
	}
}

// small is a number that should be zero: its size is what matters.
func small(v float64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("%.0e", v)
}

// multipliers lists the rows of a few support vectors.
func multipliers(list []halfspace.Support) string {
	if len(list) == 0 || len(list) > 10 {
		return ""
	}
	var parts []string
	for _, s := range list {
		parts = append(parts, fmt.Sprintf("row %d λ %.6g", s.Row, s.Multiplier))
	}
	return ": " + strings.Join(parts, ", ")
}
