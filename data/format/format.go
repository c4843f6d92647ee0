// Package format turns files into examples and back. A format is one file
// here and one line in All; it is recognised by content.
package format

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// Format is one way of writing examples down.
type Format struct {
	Name string
	Doc  string
	// Binary says that files of this format are never text.
	Binary bool
	// Takes is what of the Spec this format has a use for, among what not every
	// format has.
	Takes []string
	// Recognise reports whether a file that starts with head is of this format.
	Recognise func(head []byte) bool
	// Open starts reading.
	Open func(src *Source, spec *Spec) (Reader, error)
	// Write writes a set; nil if the format is only read.
	Write func(w io.Writer, s *data.Set) error
}

// All is the one list of formats, in the order in which they are recognised:
// a format that asks for more comes before one that asks for less.
var All = []Format{
	bmpFormat,
	idxFormat,
	archiveFormat,
	jsonFormat,
	linesFormat,
	libsvmFormat,
	textFormat,
	tsvFormat,
	csvFormat,
}

// Reader yields examples one after another.
type Reader interface {
	// Read fills ex; io.EOF after the last example. What ex holds is borrowed:
	// valid until the next Read.
	Read(ex *Example) error
}

// Example is one example as read.
type Example struct {
	X      vec.Row
	Label  []byte  // nil: none
	Weight float64 // 1 unless the file says otherwise
	Line   int     // where it stands, from 1; 0: not in a line
}

// Spec says how to read what content alone cannot tell. The zero Spec finds
// out everything it can.
type Spec struct {
	Format  string   // name in All; "": recognise
	Label   string   // "none": there are no labels; tables: label column by name or number from 1; JSON: its key; archives: folder or name
	Header  string   // tables: "", yes or no
	Missing string   // tables: "" refuses missing values; mean, zero or drop
	Nominal []string // tables: columns to be read as names though they look like numbers
	Drop    []string // tables: columns to leave out
	Weight  string   // tables: column with the weight of each example
	Labels  string   // IDX: the file of labels, if its name does not follow from the images'
	Words   string   // text: counts (default) or binary
	Names   string   // a file of feature names, line n naming feature n
	Hash    int      // > 0: hash feature names into 2^Hash

	// Known is how a model's data was read; the file is then read the same
	// way and must fit. Nil when training.
	Known *data.Input
	// Features numbers the features: open when training, frozen to predict.
	// Nil is an empty open list.
	Features *data.Features

	// Unlabelled says that examples may lack a label, as they may for a model.
	Unlabelled bool

	// Progress, if not nil, is called now and then with the examples read.
	Progress func(examples int)

	// Found is what the reader found out; it is complete after the last Read.
	Found data.Input
}

// Open starts reading src, recognising its format unless spec names one.
func Open(src *Source, spec *Spec) (Reader, error) {
	r, err := open(src, spec)
	if err != nil {
		return nil, err
	}
	return guard(r, src, spec), nil
}

func open(src *Source, spec *Spec) (Reader, error) {
	if spec.Features == nil {
		spec.Features = data.NewFeatures()
		if spec.Hash > 0 {
			spec.Features = data.HashedFeatures(spec.Hash)
		}
	}
	if spec.Names != "" && spec.Known == nil {
		if err := readNames(spec); err != nil {
			return nil, err
		}
	}
	f, err := choose(src, spec)
	if err != nil {
		return nil, err
	}
	if err := f.refuse(src, spec); err != nil {
		return nil, err
	}
	spec.Found.Format = f.Name
	return f.Open(src, spec)
}

func choose(src *Source, spec *Spec) (*Format, error) {
	if spec.Format != "" {
		f := ByName(spec.Format)
		if f == nil {
			return nil, fmt.Errorf("no format %q; formats are %s", spec.Format, strings.Join(Names(), ", "))
		}
		return f, nil
	}
	// A file for a model in the model's own format needs no second look: what
	// looks like a table to one file may look like text to another.
	if spec.Known != nil {
		f, start := ByName(spec.Known.Format), src.start()
		if f != nil && !f.Binary && len(start) > 0 && !binary(start) {
			return f, nil
		}
	}
	head := src.Head()
	if len(head) == 0 {
		if err := src.headErr; err != nil && err != io.EOF {
			return nil, err
		}
		return nil, src.fail(0, 0, "the file is empty", "", "give a file with at least one example")
	}
	if f := recognise(head); f != nil {
		return f, nil
	}
	if err := src.headErr; err != nil && err != io.EOF {
		return nil, err
	}
	if err := src.checkText(head); err != nil {
		return nil, err
	}
	if f, some := mostLike(head); f != nil {
		return f, nil
	} else if some {
		return nil, src.fail(1, 1, "the format is not recognised", firstLine(head),
			"name it with --format "+strings.Join(Names(), "|"))
	}
	return nil, src.noExamples()
}

func recognise(head []byte) *Format {
	for i := range All {
		if All[i].Recognise(head) {
			return &All[i]
		}
	}
	return nil
}

// Guess is the name of the format that a file looks like, "" if like none.
func Guess(path string) string {
	src, err := OpenFile(path)
	if err != nil {
		return ""
	}
	defer src.Close()
	if f := recognise(src.Head()); f != nil {
		return f.Name
	}
	return ""
}

// mostLike is the format that most of the first examples have, each looked at
// alone: one slip spoils the whole picture, but the format's own reader names
// its place. It is nil if there is none; some reports whether there are
// examples at all.
func mostLike(head []byte) (f *Format, some bool) {
	votes := map[*Format]int{}
	for line := range sampleLines(head) {
		some = true
		if g := recognise(append(bytes.Clone(line), '\n')); g != nil {
			if votes[g]++; f == nil || votes[g] > votes[f] {
				f = g
			}
		}
	}
	return f, some
}

// ByName is the format of that name, nil if there is none.
func ByName(name string) *Format {
	if i := slices.IndexFunc(All, func(f Format) bool { return f.Name == name }); i >= 0 {
		return &All[i]
	}
	return nil
}

// Names are the names of all formats.
func Names() []string {
	var names []string
	for _, f := range All {
		names = append(names, f.Name)
	}
	return names
}

// finisher is a reader with something left to do to the whole set: replacing
// missing values by means that are known only at the end.
type finisher interface{ Finish(s *data.Set) *data.Set }

// declarer is a reader whose classes are known, with their order, beforehand.
type declarer interface{ Classes() []string }

// ReadSet reads all of src into a set. Ending ctx ends it with an error.
func ReadSet(ctx context.Context, src *Source, spec *Spec) (*data.Set, error) {
	r, err := open(src, spec)
	if err != nil {
		return nil, err
	}
	b := data.NewBuilder(spec.Features)
	if d, ok := r.(declarer); ok {
		b.Declare(d.Classes()...)
	}
	if _, ok := r.(*libsvm); ok && spec.Features.Open() {
		err = readPieces(ctx, src, spec, b, runtime.GOMAXPROCS(0), firstPiece)
	} else {
		err = readRows(ctx, guard(r, src, spec), spec.Progress, b)
	}
	if err != nil {
		return nil, err
	}
	if b.Len() == 0 {
		return nil, src.noExamples()
	}
	spec.Found.Rounded = src.rounded
	s := b.Set(spec.Found)
	if f, ok := r.(finisher); ok {
		s = f.Finish(s)
	}
	return s, nil
}

// readRows adds all that r yields to b.
func readRows(ctx context.Context, r Reader, progress func(examples int), b *data.Builder) error {
	var ex Example
	for n := 0; ; n++ {
		if n%64 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if progress != nil {
				progress(n)
			}
		}
		err := r.Read(&ex)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		b.Add(ex.X, ex.Label, ex.Weight)
	}
}

// ReadFile reads the set in the named file ("-": standard input).
func ReadFile(ctx context.Context, path string, spec *Spec) (*data.Set, error) {
	src, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return ReadSet(ctx, src, spec)
}

// readNames reads feature names, one a line.
func readNames(spec *Spec) error {
	src, err := OpenFile(spec.Names)
	if err != nil {
		return err
	}
	defer src.Close()
	seen := map[string]int{}
	for {
		line, err := src.Line()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if first, twice := seen[string(line)]; twice {
			return src.fail(src.LineNumber(), 1, fmt.Sprintf("the name of line %d again", first), string(line), "give every feature its own name")
		}
		seen[string(line)] = src.LineNumber()
		spec.Features.Named(line)
	}
}
