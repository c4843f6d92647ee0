package format

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// Helpers of the tests of all formats.

// publicFile is the path of a public data set; it skips the test without.
func publicFile(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "data", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the public data set %s is not here", name)
	}
	return path
}

// read reads content as a file of that name.
func read[T string | []byte](name string, content T, spec Spec) (*data.Set, error) {
	src, err := NewSource(name, strings.NewReader(string(content)))
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return ReadSet(context.Background(), src, &spec)
}

func mustRead(t testing.TB, content string, spec Spec) *data.Set {
	t.Helper()
	s, err := read("t", content, spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// show is a set as text, a line an example: class*weight name:value …
func show(s *data.Set) string {
	return text(s, func(j int) string { return s.Features().Name(j) })
}

// dump is the same with the numbers of the features, from 0, and the last line
// ended.
func dump(s *data.Set) string {
	return text(s, func(j int) string { return fmt.Sprint(j) }) + "\n"
}

func text(s *data.Set, name func(j int) string) string {
	var lines []string
	for i := range s.Len() {
		line := "-"
		if c := s.Class(i); c != data.None {
			line = s.Classes()[c]
		}
		if s.Weight(i) != 1 {
			line += fmt.Sprint("*", s.Weight(i))
		}
		for j, v := range s.Row(i).All() {
			line += fmt.Sprint(" ", name(j), ":", v)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// counts is the number of examples of each class.
func counts(s *data.Set) map[string]int {
	per, none := s.Counts()
	out := map[string]int{}
	for c, n := range per {
		out[s.Classes()[c]] = n
	}
	if none > 0 {
		out[""] = none
	}
	return out
}

// badInput is content that must be refused with a message.
type badInput struct {
	name, content string
	spec          Spec
	want          string
}

// testBad reads every content as a file of that name and format; "" leaves the
// format to be recognised.
func testBad(t *testing.T, format, file string, tests []badInput) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if format != "" {
				test.spec.Format = format
			}
			_, err := read(file, test.content, test.spec)
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
			var in *data.InputError
			if !errors.As(err, &in) {
				t.Errorf("error of type %T, want *data.InputError", err)
			}
		})
	}
}

// fuzzFormat reads whatever it is given: examples must be sound, and errors
// must say where, in which line if lines is set. It is nil after an error.
func fuzzFormat[T string | []byte](t *testing.T, content T, spec Spec, lines bool) *data.Set {
	t.Helper()
	s, err := read("fuzz", content, spec)
	if err != nil {
		var in *data.InputError
		if !errors.As(err, &in) {
			t.Fatalf("%q gives an error of type %T: %v", content, err, err)
		}
		// What concerns the whole file has no line.
		whole := slices.ContainsFunc([]string{"no examples", "no rows", "the file is empty", "the compressed data"},
			func(what string) bool { return strings.HasPrefix(in.What, what) })
		if in.File != "fuzz" || lines && in.Line == 0 && !whole {
			t.Fatalf("%q gives an error without a place: %v", content, err)
		}
		return nil
	}
	for i := range s.Len() {
		if err := s.Row(i).Check(); err != nil {
			t.Fatalf("%q: example %d: %v", content, i+1, err)
		}
		if s.Row(i).Dim() > s.Dim() {
			t.Fatalf("%q: example %d has feature %d of %d", content, i+1, s.Row(i).Dim(), s.Dim())
		}
	}
	if slices.Contains(s.Classes(), "") {
		t.Fatalf("%q: an empty label", content)
	}
	return s
}

// fuzzRoundTrip writes what was read and reads it again.
func fuzzRoundTrip(t *testing.T, s *data.Set, f Format) {
	t.Helper()
	var b strings.Builder
	if err := f.Write(&b, s); err != nil {
		t.Fatalf("what was read cannot be written: %v", err)
	}
	again, err := read("again", b.String(), Spec{Format: f.Name})
	if err != nil || again.Digest() != s.Digest() {
		t.Fatalf("written and read again: %v\n%s", err, b.String())
	}
}

// testUnwritable writes sets that must be refused with a message.
func testUnwritable(t *testing.T, f Format, tests []unwritable) {
	t.Helper()
	for _, test := range tests {
		if err := f.Write(&strings.Builder{}, test.set); err == nil || err.Error() != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}

type unwritable struct {
	set  *data.Set
	want string
}

// setOf is a set of dense rows for tests of writers.
func setOf(labels []string, rows ...[]float64) *data.Set {
	b := data.NewBuilder(nil)
	for i, values := range rows {
		b.Add(vec.Dense(values...), []byte(labels[i]), 1)
	}
	return b.Set(data.Input{})
}
