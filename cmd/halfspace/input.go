package main

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/data/sample"
)

// input is the flags that say how to read DATA.
type input struct {
	spec     format.Spec
	positive string
	relabel  string
	pair     string
	first    int
}

// reading adds the flags that make sense with any data.
func (in *input) reading(f *pflag.FlagSet) {
	f.StringVar(&in.spec.Format, "format", "", "the `FORMAT` of DATA (recognised by content): "+strings.Join(format.Names(), ", "))
	f.StringVar(&in.spec.Label, "label", "", "label `COLUMN` of a table, by name or number; of an archive: folder or name")
	f.StringVar(&in.spec.Labels, "labels", "", "IDX: the `FILE` of labels")
	f.StringVar(&in.relabel, "relabel", "", "rename classes by `RULES`, first match wins: 'spam*=spam,*=ham'; an empty name drops; write \\= and \\, for = and , in a name")
	f.StringVar(&in.spec.Missing, "missing", "", "tables: what missing values do: `mean`, zero or drop (refused)")
	f.StringVar(&in.spec.Header, "header", "", "tables: `yes` or no, whether the first row is a header (found out)")
	f.StringSliceVar(&in.spec.Drop, "drop", nil, "tables: `COLUMNS` to leave out")
	f.IntVar(&in.first, "first", 0, "use only the first `N` examples (default all)")
}

// training adds the flags that a model remembers.
func (in *input) training(f *pflag.FlagSet) {
	in.reading(f)
	f.StringSliceVar(&in.spec.Nominal, "nominal", nil, "tables: `COLUMNS` to read as names though they look like numbers")
	f.StringVar(&in.spec.Weight, "weight", "", "tables: `COLUMN` with the weight of each example")
	f.StringVar(&in.spec.Words, "words", "", "text: `counts` or binary (default counts)")
	f.StringVar(&in.spec.Names, "names", "", "`FILE` of feature names, line n naming feature n")
	f.IntVar(&in.spec.Hash, "hash", 0, "hash feature names into 2^`BITS` numbers")
	f.StringVar(&in.positive, "positive", "", "the positive `CLASS` of two (else the larger number, else the first seen)")
	f.StringVar(&in.pair, "pair", "", "use only the examples of two classes, `A,B`; A is positive")
}

func (in *input) check() error {
	oneOf := func(flag, value string, allowed ...string) error {
		if value != "" && !slices.Contains(allowed, value) {
			return usage("--%s = %q is not possible; it must be one of %s", flag, value, strings.Join(allowed, ", "))
		}
		return nil
	}
	if err := oneOf("format", in.spec.Format, format.Names()...); err != nil {
		return err
	}
	if err := oneOf("header", in.spec.Header, "yes", "no"); err != nil {
		return err
	}
	if err := oneOf("missing", in.spec.Missing, "mean", "zero", "drop"); err != nil {
		return err
	}
	if err := oneOf("words", in.spec.Words, "counts", "binary"); err != nil {
		return err
	}
	if in.spec.Hash < 0 || in.spec.Hash > 30 {
		return usage("--hash = %d is not possible; it must be a whole number from 1 to 30", in.spec.Hash)
	}
	return notNegative("first", in.first)
}

// read reads a data set to train on, with the choice of classes made.
func (in *input) read(c *cobra.Command, name string) (*data.Set, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	spec := in.spec
	s, err := load(c, name, &spec)
	if err != nil {
		return nil, err
	}
	if s, err = in.choose(s); err != nil {
		if exitCode(err) == exitUsage {
			return nil, err
		}
		return nil, &data.InputError{File: called(name), What: err.Error(), Err: err}
	}
	return s, nil
}

// readFor reads a data set for a model: with its features, and the classes
// numbered as it numbers them.
func (in *input) readFor(c *cobra.Command, name string, m *halfspace.Model) (*data.Set, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	spec := in.spec
	spec.Known, spec.Features = &m.Input, m.Features.Frozen()
	s, err := load(c, name, &spec)
	if err != nil {
		return nil, in.readAs(err, name, m)
	}
	warnUnknown(c, called(name), spec.Features)
	choice := *in
	choice.positive = ""
	if s, err = choice.choose(s); err == nil {
		s, err = s.WithClasses(m.Classes)
	}
	if exitCode(err) == exitUsage {
		return nil, err
	}
	if err != nil {
		do := "rename classes with --relabel 'OLD=NEW', or choose the label with --label"
		if was := m.Report.Relabel; was != "" && in.relabel == "" {
			do = "the model was trained with --relabel '" + was + "': give it here too"
		}
		return nil, &data.InputError{File: called(name), What: err.Error(), Do: do, Err: err}
	}
	return s, nil
}

// readAs adds to an error in the first line that the file looks like another
// format than the model's, in which it was read.
func (in *input) readAs(err error, name string, m *halfspace.Model) error {
	var bad *data.InputError
	if !errors.As(err, &bad) || bad.Line != 1 || in.spec.Format != "" || name == "-" || sample.Is(name) {
		return err
	}
	if f := format.Guess(name); f != "" && f != m.Input.Format {
		more := *bad
		more.Do += fmt.Sprintf("; the file looks like %s and the model's data was %s", f, m.Input.Format)
		table := f == "csv" || f == "tsv"
		switch {
		case !table || len(m.Input.Columns) > 0:
			more.Do += ": try --format " + f
		case slices.Contains(writable(), m.Input.Format): // a model of no table cannot read one
			more.Do += fmt.Sprintf(": convert it first, 'halfspace convert %s OUT --to %s'", name, m.Input.Format)
		}
		return &more
	}
	return err
}

// loadModel reads a model, and knows DATA that was given in its place.
func loadModel(c *cobra.Command, path string) (*halfspace.Model, error) {
	if sample.Is(path) {
		return nil, usage("%s is a set, not a model; use: halfspace %s", path, c.Use)
	}
	return halfspace.Load(path)
}

func warnUnknown(c *cobra.Command, name string, f *data.Features) {
	if n := f.Unknown(); n > 0 {
		warn(c, "%s: %s of features that the model does not know left out", name, plural(n, "value"))
	}
}

func warn(c *cobra.Command, format string, args ...any) {
	fmt.Fprintf(c.ErrOrStderr(), "warning: "+format+"\n", args...)
}

// load reads a file or a built-in set, with progress.
func load(c *cobra.Command, name string, spec *format.Spec) (*data.Set, error) {
	s, err := loadSet(c, name, spec)
	if err != nil && c.Context().Err() != nil {
		return nil, &exit{exitNo, fmt.Errorf("interrupted while reading %s", called(name))}
	}
	return s, err
}

func loadSet(c *cobra.Command, name string, spec *format.Spec) (*data.Set, error) {
	ctx := c.Context()
	if sample.Is(name) {
		return sample.ReadSpec(ctx, name, spec)
	}
	src, err := openSource(c, name)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	bar := newProgress(c)
	defer bar.end()
	spec.Progress = func(n int) {
		bar.show(func() string { return readingLine(src, n, bar.elapsed()) })
	}
	return format.ReadSet(ctx, src, spec)
}

// called is DATA as messages call it.
func called(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

func openSource(c *cobra.Command, name string) (*format.Source, error) {
	if name == "-" {
		return format.NewSource(called(name), c.InOrStdin())
	}
	return format.OpenFile(name)
}

// choose applies the flags about classes and the number of examples.
func (in *input) choose(s *data.Set) (*data.Set, error) {
	var err error
	if in.relabel != "" {
		rename, err := parseRelabel(in.relabel)
		if err != nil {
			return nil, err
		}
		s = s.Relabel(rename)
	}
	if in.pair != "" {
		a, b, ok := strings.Cut(in.pair, ",")
		if !ok {
			return nil, usage("--pair is %q; name two classes with a comma between", in.pair)
		}
		if s, err = s.Pair(className(s, a), className(s, b)); err != nil {
			return nil, err
		}
	}
	if in.positive != "" {
		if s, err = s.WithPositive(className(s, in.positive)); err != nil {
			return nil, err
		}
	}
	if in.first > 0 {
		s = s.First(in.first)
	}
	return s, nil
}

// className is the class a user means: +1 for 1.
func className(s *data.Set, name string) string {
	if slices.Contains(s.Classes(), name) {
		return name
	}
	if v, err := strconv.ParseFloat(name, 64); err == nil {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return name
}

// parseRelabel reads 'PATTERN=NAME,…'; patterns are those of file names, and a
// backslash makes = and , a part of them or of a name.
func parseRelabel(text string) (func(string) string, error) {
	type rule struct{ pattern, name string }
	var rules []rule
	for _, part := range splitRules(text) {
		i := len(part) - 1
		for i >= 0 && (part[i] != '=' || i > 0 && part[i-1] == '\\') {
			i--
		}
		if i < 0 {
			return nil, usage("--relabel has %q; write PATTERN=NAME", part)
		}
		r := rule{part[:i], strings.NewReplacer(`\=`, "=", `\,`, ",").Replace(part[i+1:])}
		if _, err := path.Match(r.pattern, ""); err != nil {
			return nil, usage("--relabel has the pattern %q: %v", r.pattern, err)
		}
		rules = append(rules, r)
	}
	return func(class string) string {
		for _, r := range rules {
			if ok, _ := path.Match(r.pattern, class); ok {
				return r.name
			}
		}
		return class
	}, nil
}

// splitRules cuts at commas that have no backslash before them.
func splitRules(text string) []string {
	var rules []string
	start := 0
	for i := range len(text) {
		if text[i] == ',' && (i == 0 || text[i-1] != '\\') {
			rules, start = append(rules, text[start:i]), i+1
		}
	}
	return append(rules, text[start:])
}

// answerEach makes reading row by row give every row, for answers that stand
// line by line beside them: a row with a missing value is refused, not dropped.
func answerEach(spec *format.Spec) error {
	if spec.Missing == "drop" {
		return usage("--missing drop would leave rows without an answer; use --missing zero, or remove the rows")
	}
	if spec.Missing == "" && spec.Known != nil && spec.Known.Missing == "drop" {
		known := *spec.Known
		known.Missing = ""
		spec.Known = &known
	}
	return nil
}
