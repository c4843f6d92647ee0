package multi

import (
	"fmt"
	"math"
	"strings"

	"github.com/halfspace-ml/halfspace"
)

// sum is the report of all parts together: the most loops that any took, all
// updates and mistakes, the sum of what was minimised.
func sum(parts []part, reports []halfspace.Report) halfspace.Report {
	total := halfspace.Report{Converged: true}
	for _, r := range reports {
		total.Epochs = max(total.Epochs, r.Epochs)
		total.Updates += r.Updates
		total.Mistakes += r.Mistakes
		total.Converged = total.Converged && r.Converged
	}
	total.Objective = objectives(reports)
	total.KKT = conditions(reports)
	total.Supports = supports(reports)
	total.Warnings = warnings(parts, reports)
	return total
}

// objectives is the sum, or nil if a part has none.
func objectives(reports []halfspace.Report) *halfspace.Objective {
	o := &halfspace.Objective{}
	var dual, gap float64
	bounded := true
	for _, r := range reports {
		if r.Objective == nil {
			return nil
		}
		o.Primal += r.Objective.Primal
		bounded = bounded && r.Objective.Dual != nil && r.Objective.Gap != nil
		if bounded {
			dual += *r.Objective.Dual
			gap += *r.Objective.Gap
		}
	}
	if !bounded {
		return o
	}
	o.Dual, o.Gap = &dual, &gap
	if o.Primal != 0 {
		relative := gap / o.Primal
		o.RelativeGap = &relative
	}
	return o
}

// conditions is the worst of the parts, or nil if a part has none.
func conditions(reports []halfspace.Report) *halfspace.KKT {
	worst := halfspace.KKT{Margin: math.Inf(1)}
	for _, r := range reports {
		k := r.KKT
		if k == nil {
			return nil
		}
		worst.Stationarity = max(worst.Stationarity, k.Stationarity)
		worst.Balance = max(worst.Balance, k.Balance)
		worst.Sign = max(worst.Sign, k.Sign)
		worst.Slackness = max(worst.Slackness, k.Slackness)
		worst.Feasibility = max(worst.Feasibility, k.Feasibility)
		worst.Margin = min(worst.Margin, k.Margin)
	}
	return &worst
}

// supports is the number of different examples that carry any plane, 0 if not
// every list is complete.
func supports(reports []halfspace.Report) int {
	rows := map[int]bool{}
	for _, r := range reports {
		if len(r.Support) != r.Supports {
			return 0
		}
		for _, s := range r.Support {
			rows[s.Row] = true
		}
	}
	return len(rows)
}

// most is the number of different warnings that are told in full.
const most = 5

// warnings is what the parts warn of, each text once with the parts it is from.
func warnings(parts []part, reports []halfspace.Report) []string {
	var texts []string
	from := map[string][]string{}
	for i, r := range reports {
		for _, w := range r.Warnings {
			if from[w] == nil {
				texts = append(texts, w)
			}
			from[w] = append(from[w], parts[i].name)
		}
	}
	var all []string
	for i, w := range texts {
		if i == most {
			all = append(all, fmt.Sprintf("%d more warnings of other parts are like these", len(texts)-most))
			break
		}
		all = append(all, whose(from[w], len(parts))+": "+w)
	}
	return all
}

// whose names the parts.
func whose(names []string, all int) string {
	switch {
	case len(names) == all:
		return "every part"
	case len(names) > 3:
		return fmt.Sprintf("%s and %d more parts", strings.Join(names[:2], ", "), len(names)-2)
	}
	return strings.Join(names, ", ")
}
