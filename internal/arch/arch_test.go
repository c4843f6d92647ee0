// Package arch holds the rule of who may import whom; see ARCHITECTURE.md.
package arch

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/halfspace-ml/halfspace"

// floors gives every room its floor, the longest prefix counting; a room
// imports only rooms on lower floors. internal/… has no floor: it is plumbing,
// open to all, and imports nothing of ours but plumbing.
var floors = map[string]int{
	"vec":             1,
	"data":            2,
	"data/prep":       3,
	"data/format":     4,
	"data/sample":     5,
	".":               5, // halfspace: the vocabulary
	"learn/online":    6,
	"learn/batch":     7,
	"learn/closed":    7,
	"learn/risk":      7,
	"learn/risk/loss": 1, "learn/risk/penalty": 1,
	"learn/risk/solve": 6, "learn/risk/joint": 6,
	"learn/multi":   6,
	"learn/network": 7,
	"learn":         9,
	"learntest":     6,
	"judge/metric":  9,
	"judge":         10,
	"show":          10,
	"serve":         11,
	"cmd":           12,

	// What checks proofs sees the data, and nothing that finds them.
	"judge/proof/certificate": 4,
	"judge/proof":             11,
}

// strangers are packages from outside that learners may use.
var strangers = []string{"gonum.org/v1/gonum"}

// heavy are rooms that learners may not use though they are below them: they
// would bring files, compression and the built-in sets into the browser.
var heavy = []string{"data/format", "data/sample"}

func floor(room string) (int, bool) {
	for r := room; ; r = path.Dir(r) {
		if f, ok := floors[r]; ok && (r != "." || room == ".") {
			return f, true
		}
		if r == "." || r == "/" {
			return 0, false
		}
	}
}

func TestImportsGoOneWay(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, file)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") && rel != "." || d.Name() == "testdata" || nested(rel) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		seen++
		for _, imp := range f.Imports {
			target, _ := strconv.Unquote(imp.Path.Value)
			if complaint := judge(path.Dir(rel), target); complaint != "" {
				t.Errorf("%s: %s", rel, complaint)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 30 {
		t.Fatalf("only %d files seen: the test looks in the wrong place", seen)
	}
}

// nested reports whether the folder is a module of its own.
func nested(rel string) bool { return rel == "cluster" || rel == "bench" || rel == "tools" }

func judge(room, target string) string {
	here, ok := floor(room)
	internal := strings.HasPrefix(room, "internal/")
	if !ok && !internal {
		return "the room " + room + " has no floor; give it one in internal/arch and in ARCHITECTURE.md"
	}
	if target != module && !strings.HasPrefix(target, module+"/") {
		outside := strings.Contains(strings.Split(target, "/")[0], ".")
		if outside && strings.HasPrefix(room, "learn") && !allowed(target) {
			return "a learner imports " + target
		}
		return ""
	}
	there := strings.TrimPrefix(strings.TrimPrefix(target, module), "/")
	if there == "" {
		there = "."
	}
	if strings.HasPrefix(there, "internal/") {
		return ""
	}
	if internal {
		return "plumbing imports " + there
	}
	if strings.HasPrefix(room, "learn") && slices.Contains(heavy, there) {
		return "a learner imports " + there
	}
	if room == "show/figure" && (there == "learn" || strings.HasPrefix(there, "learn/")) {
		return "a figure imports " + there + ": it is drawn from sets, models and arrays"
	}
	if up, ok := floor(there); !ok || up >= here {
		return room + " imports " + there + ", which is not below it"
	}
	return ""
}

func allowed(target string) bool {
	for _, s := range strangers {
		if strings.HasPrefix(target, s) {
			return true
		}
	}
	return false
}

func TestRule(t *testing.T) {
	for _, c := range []struct {
		room, target string
		fine         bool
	}{
		{"learn/online", module, true},
		{"learn/online", module + "/vec", true},
		{"learn/online", module + "/learn", false},
		{"vec", module + "/data", false},
		{"data", module, false},
		{".", module + "/learn/online", false},
		{"cmd/halfspace", module + "/show/trace", true},
		{"show/trace", module + "/cmd/halfspace", false},
		{"show/figure", module, true},
		{"show/figure", module + "/learn/online", false},
		{"internal/block", module + "/vec", false},
		{"learn/online", "github.com/spf13/cobra", false},
		{"learn/online", module + "/data/format", false},
		{"learn/batch", module + "/data/sample", false},
		{"cmd/halfspace", module + "/data/format", true},
		{"attic", "fmt", false},
	} {
		if got := judge(c.room, c.target) == ""; got != c.fine {
			t.Errorf("%s → %s: fine = %v, want %v", c.room, c.target, got, c.fine)
		}
	}
}
