package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/learn"
)

func learnersCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:       "learners [NAME]",
		Short:     "List the learners, or the parameters of one",
		Example:   "  halfspace learners\n  halfspace learners pocket",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: learn.Names(),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	c.RunE = func(c *cobra.Command, args []string) error {
		entries := learn.All
		if len(args) == 1 {
			l, err := learn.New(args[0])
			if err != nil {
				return &exit{exitUsage, err}
			}
			for _, e := range learn.All {
				if e.Name == l.Name() {
					entries = []learn.Entry{e}
				}
			}
		}
		if asJSON {
			return printJSON(c.OutOrStdout(), learnerViews(entries))
		}
		out := c.OutOrStdout()
		for _, v := range learnerViews(entries) {
			fmt.Fprintf(out, "%-19s %s\n%-19s source: %s\n", v.Name, v.Doc, "", v.Source)
			if len(args) == 1 {
				for _, p := range v.Parameters {
					fmt.Fprintf(out, "  --%-15s %s\n", p.Name, p.text())
				}
			}
		}
		return nil
	}
	return c
}

type learnerView struct {
	Name       string      `json:"name"`
	Doc        string      `json:"doc"`
	Source     string      `json:"source"`
	Streams    bool        `json:"streams"` // can learn one example at a time
	Parameters []paramView `json:"parameters"`
}

type paramView struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Default string   `json:"default,omitempty"`
	Choices []string `json:"choices,omitempty"`
}

func (p paramView) text() string {
	t := p.Doc
	if len(p.Choices) > 0 {
		t += ": " + strings.Join(p.Choices, ", ")
	}
	if p.Default != "" {
		t += " (default " + p.Default + ")"
	}
	return t
}

func learnerViews(entries []learn.Entry) []learnerView {
	var views []learnerView
	for _, e := range entries {
		l := e.New()
		_, streams := l.(halfspace.Streamer)
		v := learnerView{Name: e.Name, Doc: e.Doc, Source: e.Source, Streams: streams, Parameters: []paramView{}}
		for _, p := range l.Params() {
			v.Parameters = append(v.Parameters, paramView{p.Name, p.Doc, p.Default, p.Choices})
		}
		views = append(views, v)
	}
	return views
}
