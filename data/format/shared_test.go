package format

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// readBytes reads content as a file of that name.
func readBytes(name string, content []byte, spec Spec) (*data.Set, error) {
	src, err := NewSource(name, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return ReadSet(context.Background(), src, &spec)
}

// dump is a set as text, a line an example: class, then feature:value from 0.
func dump(s *data.Set) string {
	var b strings.Builder
	for i := range s.Len() {
		if c := s.Class(i); c == data.None {
			b.WriteString("?")
		} else {
			b.WriteString(s.Classes()[c])
		}
		for j, v := range s.Row(i).All() {
			fmt.Fprintf(&b, " %d:%v", j, v)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// badInput is content that must be refused with a message.
type badInput struct {
	name, content string
	spec          Spec
	want          string
}

func testBad(t *testing.T, format, file string, tests []badInput) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.spec.Format = format
			_, err := readBytes(file, []byte(test.content), test.spec)
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

// fuzzFormat reads whatever it is given: examples must be sound, and errors must
// say where.
func fuzzFormat(t *testing.T, content []byte, spec Spec, text bool) *data.Set {
	t.Helper()
	s, err := readBytes("fuzz", content, spec)
	if err != nil {
		var in *data.InputError
		if !errors.As(err, &in) {
			t.Fatalf("error of type %T: %v", err, err)
		}
		// What concerns the whole file has no line.
		whole := strings.HasPrefix(in.What, "no examples") || strings.HasPrefix(in.What, "the file is empty") || strings.HasPrefix(in.What, "the compressed data")
		if in.File != "fuzz" || text && in.Line == 0 && !whole {
			t.Fatalf("no place: %v", err)
		}
		return nil
	}
	for i := range s.Len() {
		if err := s.Row(i).Check(); err != nil {
			t.Fatalf("example %d: %v", i+1, err)
		}
		if s.Row(i).Dim() > s.Dim() {
			t.Fatalf("example %d has feature %d of %d", i+1, s.Row(i).Dim(), s.Dim())
		}
	}
	return s
}

// setOf is a set of dense rows for tests of writers.
func setOf(labels []string, rows ...[]float64) *data.Set {
	b := data.NewBuilder(nil)
	for i, values := range rows {
		b.Add(vec.Dense(values...), []byte(labels[i]), 1)
	}
	return b.Set(data.Input{})
}
