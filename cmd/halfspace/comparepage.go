package main

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/internal/atomicfile"
	"github.com/halfspace-ml/halfspace/show/figure"
)

// The page of compare --report: one file that asks nothing of any network.

//go:embed compare.html
var comparePage string

var compareTemplate = template.Must(template.New("compare").Parse(comparePage))

// pageView is what the page shows.
type pageView struct {
	*compareReport
	Name, DataLine, Program, Command string
	Test                             string // how differences are tested
	TestDigest                       string
	Head                             []string
	Table                            [][]string
	Last                             int // column of Table
	Figures                          []template.HTML
	Ways                             []wayView
	Fits                             []string
	Alpha, LevelPercent              string
}

type wayView struct{ Name, Described, Tuned, Chosen string }

// checkReport finds out before the work that the page cannot be written.
func (k *comparing) checkReport() error {
	if k.report == "" {
		return nil
	}
	if info, err := os.Stat(k.report); err == nil && !info.IsDir() {
		return usage("--report %s is a file; name a directory", k.report)
	}
	if info, err := os.Stat(filepath.Dir(filepath.Clean(k.report))); err != nil || !info.IsDir() {
		return usage("--report %s: there is no directory %s; make it first", k.report, filepath.Dir(filepath.Clean(k.report)))
	}
	return nil
}

// writeReport writes the page and returns its name.
func (k *comparing) writeReport(c *cobra.Command, rep *compareReport, name string, s, test *data.Set) (string, error) {
	view := k.view(c, rep, name, s)
	if test != nil {
		view.TestDigest = fmt.Sprintf("%s: %s; %s", k.leave.test, plural(test.Len(), "example"), test.Digest())
	}
	var err error
	if view.Figures, err = rep.figures(name); err != nil {
		return "", err
	}
	if err := os.MkdirAll(k.report, 0o755); err != nil {
		return "", fmt.Errorf("the report cannot be written: %w", err)
	}
	page := filepath.Join(k.report, "index.html")
	if err := atomicfile.Write(page, func(w io.Writer) error { return compareTemplate.Execute(w, view) }); err != nil {
		return "", fmt.Errorf("the report cannot be written: %w", err)
	}
	return page, nil
}

func (k *comparing) view(c *cobra.Command, rep *compareReport, name string, s *data.Set) *pageView {
	table := rep.table()
	v := &pageView{
		compareReport: rep, Name: name, DataLine: dataLine(name, s), Program: halfspace.Program, Test: rep.Comparison.Test,
		Command: commandLine(c, name), Head: table[0], Table: table[1:], Last: len(table[0]) - 1,
		Alpha: fmt.Sprintf("%.4g", 1-rep.Level), LevelPercent: fmt.Sprintf("%g", 100*rep.Level),
	}
	for i, w := range rep.Ways {
		v.Ways = append(v.Ways, wayView{w.Name, w.described, w.Tuned, strings.Join(rep.Rows[i].Chosen, ", ")})
		if w.Tuned == "" {
			v.Fits = append(v.Fits, fitLine(c, name, w.again))
		}
	}
	return v
}

// figures are the errors with their intervals and, of a few parts, those of
// each.
func (rep *compareReport) figures(name string) ([]template.HTML, error) {
	st, err := figure.ParseSize("screen")
	if err != nil {
		return nil, err
	}
	bars := &figure.Intervals{Title: "Error on " + shortName(name), About: fmt.Sprintf("With %g %% intervals; tested on %s.", 100*rep.Level, rep.Plan), Label: "error"}
	parts := &figure.Sweep{Title: "Error on each part", About: "All learn from and are tested on the same examples.", Over: "part"}
	for _, r := range rep.ranked() {
		if r.Refused != "" {
			continue
		}
		bars.Rows = append(bars.Rows, figure.Whisker{Name: r.Name, Value: r.Error, Low: r.Interval.Low, High: r.Interval.High})
		parts.Series = append(parts.Series, figure.Series{Name: r.Name, Y: r.Parts})
	}
	st.H = max(200, 140+44*float64(len(bars.Rows)))
	pictures := []interface {
		Draw(figure.Style) (*figure.Drawing, error)
	}{bars}
	if n := len(parts.Series[0].Y); n > 1 && n <= 20 && len(parts.Series) <= 6 {
		for i := range n {
			parts.Words = append(parts.Words, strconv.Itoa(i+1)) // no order between them
		}
		pictures = append(pictures, parts)
	}
	var out []template.HTML
	for i, p := range pictures {
		if i > 0 {
			st.H = 400
		}
		d, err := p.Draw(st)
		if err != nil {
			return nil, err
		}
		var b strings.Builder
		if err := figure.SVG(&b, d); err != nil {
			return nil, err
		}
		out = append(out, template.HTML(b.String())) // the writer has escaped every text
	}
	return out, nil
}

// commandLine is the command as it can be typed again.
func commandLine(c *cobra.Command, name string) string {
	args := []string{"halfspace", c.Name(), name}
	return shellWords(append(args, flagWords(c, "report", "journal", "json", "workers")...))
}

// fitLine trains one of those compared on all examples.
func fitLine(c *cobra.Command, name string, recipe []string) string {
	args := append([]string{"halfspace", "fit", name}, recipe...)
	var not []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(fitShares, f.Name) {
			not = append(not, f.Name)
		}
	})
	return shellWords(append(args, flagWords(c, not...)...))
}

// fitShares are the flags that mean the same to fit and are in no recipe.
var fitShares = []string{"format", "label", "labels", "relabel", "missing", "header", "drop", "first", "nominal", "weight", "words",
	"names", "hash", "positive", "pair", "multi", "init", "no-bias", "seed", "scale", "class-weight", "test"}

// flagWords are the flags that were given, but some.
func flagWords(c *cobra.Command, but ...string) []string {
	var out []string
	c.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(but, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
			if f.Value.Type() == "stringSlice" {
				values = []string{strings.Join(values, ",")}
			}
		}
		for _, v := range values {
			if f.Value.Type() == "bool" && v == "true" {
				out = append(out, "--"+f.Name)
			} else {
				out = append(out, "--"+f.Name+"="+v)
			}
		}
	})
	return out
}

// shellWords joins words so that a shell takes them apart again.
func shellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		plain := w != "" && !strings.ContainsFunc(w, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=.,:/@+%", r)
		})
		if quoted[i] = w; !plain {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
