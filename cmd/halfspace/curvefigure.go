package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/show/figure"
)

// The curve as a figure.

// show prints the curve and draws it.
func (k *curving) show(c *cobra.Command, rep *curveReport, name string, s *data.Set) error {
	if k.json {
		if err := printJSON(c.OutOrStdout(), rep); err != nil {
			return err
		}
	} else if k.plot.out != "-" {
		rep.print(c.OutOrStdout(), name, s)
	}
	style, write, err := k.plot.drawn(c)
	if err != nil || write == nil {
		return err
	}
	d, err := rep.sweep(name).Draw(style)
	if err != nil {
		return err
	}
	return k.plot.write(c, &figure.Figure{Name: "curve"}, d, write)
}

// drawn is how -o is drawn; nothing without it.
func (p *plotting) drawn(c *cobra.Command) (style figure.Style, write func(io.Writer, *figure.Drawing) error, err error) {
	if p.out == "" {
		return style, nil, nil
	}
	style, write, err = p.writer(c)
	var wrong *figure.Misuse
	if errors.As(err, &wrong) {
		err = &exit{exitUsage, err}
	}
	return style, write, err
}

// sweep is the curve as a figure.
func (rep *curveReport) sweep(name string) *figure.Sweep {
	k := &figure.Sweep{Title: fmt.Sprintf("Error of %s on %s", rep.title, shortName(name)), About: "Tested on " + rep.Tested + ".", Over: rep.How}
	var train, test, recent figure.Series
	for _, p := range rep.Points {
		if v, err := strconv.ParseFloat(p.value, 64); err == nil && p.kind != "word" {
			k.X = append(k.X, v)
		} else {
			k.Words = append(k.Words, p.value)
		}
		train.Add(p.Train, p.TrainSD)
		test.Add(p.Test, p.TestSD)
		recent.Add(p.recent, nil)
	}
	for _, s := range []struct {
		name string
		figure.Series
	}{{"test error", test}, {"training error", train}, {"error since the last", recent}} {
		if slices.ContainsFunc(s.Y, func(y float64) bool { return !math.IsNaN(y) }) {
			s.Name = s.name
			k.Series = append(k.Series, s.Series)
		}
	}
	return k
}
