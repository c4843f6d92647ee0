package format

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
)

// readText reads text as the file "f".
func readText(text string, spec *Spec) (*data.Set, error) {
	src, err := NewSource("f", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return ReadSet(context.Background(), src, spec)
}

// corpus is the path of a public data set, if it is there.
func corpus(t testing.TB, name string) string {
	path := filepath.Join("..", "..", "..", "shared", "data", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the data set %s is not here", name)
	}
	return path
}

// describe is a set as text: a line an example, label|weight|name:value …
func describe(s *data.Set) string {
	var lines []string
	for i := range s.Len() {
		line := "-"
		if c := s.Class(i); c != data.None {
			line = s.Classes()[c]
		}
		if s.Weight(i) != 1 {
			line += "*" + decimal(s.Weight(i))
		}
		for j, v := range s.Row(i).All() {
			line += " " + s.Features().Name(j) + ":" + decimal(v)
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

// checkFuzzed fails unless err is a good complaint and s a good set.
func checkFuzzed(t *testing.T, s *data.Set, err error, lines bool) {
	t.Helper()
	if err == nil {
		for i := range s.Len() {
			if err := s.Row(i).Check(); err != nil {
				t.Fatalf("row %d: %v", i+1, err)
			}
			if s.Row(i).Dim() > s.Dim() {
				t.Fatalf("row %d reaches feature %d of %d", i+1, s.Row(i).Dim(), s.Dim())
			}
		}
		if slices.Contains(s.Classes(), "") {
			t.Fatal("an empty label")
		}
		return
	}
	var in *data.InputError
	if !errors.As(err, &in) || in.File == "" {
		t.Fatalf("an error without a file: %v", err)
	}
	whole := strings.HasPrefix(in.What, "no examples") || strings.HasPrefix(in.What, "the file is empty") || strings.HasPrefix(in.What, "the compressed data")
	if lines && in.Line == 0 && !whole {
		t.Fatalf("an error without a line: %v", err)
	}
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
