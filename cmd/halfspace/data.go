package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/sample"
)

// classesShown is enough for any set of classes, and keeps a column of names
// that was taken for the label from filling the screen.
const classesShown = 50

func dataCommand() *cobra.Command {
	var in input
	var asJSON bool
	c := &cobra.Command{
		Use:   "data [DATA]",
		Short: "List the built-in sets, or describe a set",
		Example: `  halfspace data
  halfspace data mushrooms.gz
  halfspace data @rings:n=200,noise=0.1,seed=3`,
		Args: cobra.MaximumNArgs(1),
	}
	in.training(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return listSamples(c, asJSON)
		}
		s, err := in.read(c, args[0])
		if err != nil {
			return err
		}
		d := halfspace.Describe(s)
		d.Digest = s.Digest()
		if asJSON {
			return printJSON(c.OutOrStdout(), struct {
				halfspace.DataReport
				Format string `json:"format"`
			}{d, s.Input().Format})
		}
		out := c.OutOrStdout()
		fmt.Fprintf(out, "format     %s\nexamples   %d\nfeatures   %d", s.Input().Format, d.Examples, d.Features)
		if d.Columns > 0 {
			fmt.Fprintf(out, " from %s", plural(d.Columns, "column"))
		}
		fmt.Fprintf(out, "\nnonzeros   %d (%.3g %%)\nclasses    %d\n", d.Nonzeros, 100*float64(d.Nonzeros)/float64(max(1, d.Examples)*max(1, d.Features)), len(d.Classes))
		for k, name := range d.Classes[:min(classesShown, len(d.Classes))] {
			fmt.Fprintf(out, "  %8d  %s\n", d.Counts[k], name)
		}
		if more := len(d.Classes) - classesShown; more > 0 {
			fmt.Fprintf(out, "            … and %d more (--json has all)\n", more)
		}
		fmt.Fprintf(out, "digest     %s\n", d.Digest)
		return nil
	}
	return c
}

func listSamples(c *cobra.Command, asJSON bool) error {
	type row struct {
		Name    string `json:"name"`
		Doc     string `json:"doc"`
		Source  string `json:"source"`
		Licence string `json:"licence"`
	}
	var rows []row
	for _, s := range sample.All {
		rows = append(rows, row{s.Usage(), s.Doc, s.Source, s.Licence})
	}
	if asJSON {
		return printJSON(c.OutOrStdout(), rows)
	}
	for _, r := range rows {
		name := r.Name
		if len(name) > 15 { // the long ones stand on a line of their own
			name += "\n" + strings.Repeat(" ", 15)
		}
		fmt.Fprintf(c.OutOrStdout(), "%-15s %s\n%-15s source: %s; licence: %s\n", name, r.Doc, "", strings.TrimSuffix(r.Source, "."), r.Licence)
	}
	return nil
}
