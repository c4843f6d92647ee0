package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/halfspace-ml/halfspace/internal/atomicfile"
	"github.com/halfspace-ml/halfspace/show/figure"
)

// plotting is the flags of plot.
type plotting struct {
	in                 input
	t                  training
	figure, out, to    string
	model, test        string
	size, theme, per   string
	features, rates    []string
	learners           []string
	frames, runs, wide int
	interrupted        bool // the model is what was learned until then
}

func plotCommand() *cobra.Command {
	var p plotting
	c := &cobra.Command{
		Use:   "plot DATA",
		Short: "Draw a figure: SVG, PNG, PDF, an animation, or text",
		Long: `Train on DATA as fit does and draw a figure of it. The extension of -o says how:
.svg, .png, .pdf, .gif or .txt; -o - draws on the terminal, and is SVG in a pipe
unless --to says else. Of more than two features, two can be named with
--features; else the picture is of the plane on which the classes differ most,
and says so.

` + figureList(),
		Example: `  halfspace plot @points00 --rate 0.01 --init 1,1,-1 -o boundary.svg
  halfspace plot sheet.bmp --rate 1e-4 --init .1,.1,.1 --figure steps -o steps.gif
  halfspace plot @handout --learner perceptron-batch --figure rates --rates 0.1,1,10 -o rates.pdf
  halfspace plot @digits35 --no-bias --figure weights -o -
  halfspace plot --figure gates -o gates.png`,
		Args: cobra.RangeArgs(0, 1),
	}
	f := c.Flags()
	f.StringVar(&p.figure, "figure", "boundary", "the `NAME` of the figure: "+strings.Join(figure.Names(), ", "))
	f.StringVarP(&p.out, "output", "o", "-", "write to `FILE`, or - for the terminal")
	f.StringVar(&p.to, "to", "", "`FORMAT`, if the name of FILE does not say: "+strings.Join(figure.FormatNames(), ", "))
	f.StringVar(&p.size, "size", "screen", "`SIZE`: "+strings.Join(figure.Sizes(), ", ")+", or WIDTHxHEIGHT in pixels")
	f.StringVar(&p.theme, "theme", "light", "`light` or dark")
	f.StringSliceVar(&p.features, "features", nil, "the two features to draw on, `A,B`, the others at their mean")
	f.StringVar(&p.model, "model", "", "draw the model of this `FILE` instead of training one")
	f.StringVar(&p.test, "test", "", "test `DATA` [loops, first, roc, pr, calibration]")
	f.IntVar(&p.frames, "frames", 60, "at most `N` moments [steps]")
	f.StringVar(&p.per, "per", "", "a moment an `update` or a loop (update, if the learner has them) [steps, loss, rates]")
	f.StringSliceVar(&p.rates, "rates", []string{"0.01", "0.1", "1"}, "the learning rates to compare, `A,B,…` [rates]")
	f.StringSliceVar(&p.learners, "learners", nil, "a line for each of these learners, `A,B,…`, instead of random starts [separators]")
	f.IntVar(&p.runs, "runs", 12, "`N` random starts [separators]")
	f.IntVar(&p.wide, "columns", 0, "pixels a `ROW` of the images (found out if they are square) [digits, weights]")
	p.in.training(f)
	p.t.flags(c)
	c.RegisterFlagCompletionFunc("figure", cobra.FixedCompletions(figure.Names(), cobra.ShellCompDirectiveNoFileComp))
	c.RunE = func(c *cobra.Command, args []string) error {
		err := p.run(c, args)
		var wrong *figure.Misuse
		if errors.As(err, &wrong) {
			return &exit{exitUsage, err}
		}
		return err
	}
	return c
}

// figureList is the figures as help shows them.
func figureList() string {
	var b strings.Builder
	b.WriteString("Figures:\n")
	for _, f := range figure.All {
		fmt.Fprintf(&b, "  %-12s %s\n", f.Name, f.Doc)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (p *plotting) run(c *cobra.Command, args []string) error {
	f, err := figure.ByName(p.figure)
	if err != nil {
		return err
	}
	style, write, err := p.writer(c)
	if err != nil {
		return err
	}
	if err := p.check(f, args); err != nil {
		return err
	}
	s, err := p.subject(c, f, args)
	if err != nil {
		return err
	}
	d, err := f.Draw(s, style)
	if err != nil {
		return err
	}
	if err := p.write(c, f, d, write); err != nil {
		return err
	}
	if p.interrupted {
		return &exit{exitNo, errors.New("interrupted; the figure is of what was learned until then")}
	}
	return nil
}

// write writes the figure and says so.
func (p *plotting) write(c *cobra.Command, f *figure.Figure, d *figure.Drawing, write func(io.Writer, *figure.Drawing) error) error {
	if p.out == "-" {
		return write(c.OutOrStdout(), d)
	}
	size := 0
	err := atomicfile.Write(p.out, func(w io.Writer) error {
		counted := &counter{w: w}
		err := write(counted, d)
		size = counted.n
		return err
	})
	if err != nil {
		return fmt.Errorf("the figure cannot be written: %w", err)
	}
	frames := ""
	if n := len(d.Frames); n > 0 {
		frames = ", " + plural(n, "frame")
	}
	fmt.Fprintf(c.ErrOrStderr(), "%s: %s%s, %.0f kB\n", p.out, f.Name, frames, max(1, float64(size)/1000))
	return nil
}

// writer is how the figure will look and be written.
func (p *plotting) writer(c *cobra.Command) (figure.Style, func(io.Writer, *figure.Drawing) error, error) {
	if p.out != "-" {
		if err := checkOutput(p.out); err != nil {
			return figure.Style{}, nil, err
		}
	}
	if p.out == "-" && p.to == "" {
		if columns, rows, ok := terminal(c.OutOrStdout()); ok {
			return figure.Terminal(columns, rows), func(w io.Writer, d *figure.Drawing) error { return figure.Text(w, d, os.Getenv("NO_COLOR") == "") }, nil
		}
		p.to = "svg"
	}
	format, err := figure.FormatOf(p.out, p.to)
	if err != nil {
		return figure.Style{}, nil, err
	}
	if format.Name == "txt" {
		return figure.Terminal(pageColumns, pageRows), format.Write, nil
	}
	style, err := figure.ParseSize(p.size)
	if err != nil {
		return style, nil, usage("--size: %w", err)
	}
	if p.theme != "light" && p.theme != "dark" {
		return style, nil, usage("--theme = %q is not possible; it must be light or dark", p.theme)
	}
	style.Dark, style.Still = p.theme == "dark", format.Still
	return style, format.Write, nil
}

// terminal is the size in letters of the terminal that w is; false if it is none.
func terminal(w io.Writer) (columns, rows int, ok bool) {
	if o, remembers := w.(*stdout); remembers {
		w = o.Writer
	}
	f, file := w.(*os.File)
	if !file || !term.IsTerminal(int(f.Fd())) {
		return 0, 0, false
	}
	columns, rows, err := term.GetSize(int(f.Fd()))
	if err != nil {
		columns, rows = pageColumns, pageRows
	}
	return min(max(columns, 40), 160) - 1, min(max(rows, 18), 60) - 2, true
}

// A picture in a text file has this size.
const pageColumns, pageRows = 80, 28

// counter counts what is written.
type counter struct {
	w io.Writer
	n int
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += n
	return n, err
}
