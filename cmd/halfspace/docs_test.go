package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files and the outputs shown in documents")

// TestDocuments runs every "$ halfspace …" line of the console blocks in the
// documents and compares what follows with what the program prints. Commands
// of one document run in one empty folder, in order.
func TestDocuments(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, "../../README.md")
	ran := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		file, err = filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Chdir(t.TempDir())
			got, n := replay(t, string(text))
			ran += n
			if got == string(text) {
				return
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("%s does not show what the program prints; run 'make update' and read the diff\n%s", filepath.Base(file), firstDifference(string(text), got))
		})
	}
	if ran == 0 {
		t.Error("no command in any document")
	}
}

// replay is the document with the real outputs, and the number of commands.
// What a block shows under "$ cat FILE" is that file. A block that opens with
// names after the word console needs these files of the public data sets; where
// they are not at hand, the block is left as it is.
func replay(t *testing.T, text string) (string, int) {
	var out strings.Builder
	block, skip, n := false, false, 0
	file := "" // being shown
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "```console" || strings.HasPrefix(trimmed, "```console "):
			block = lent(t, strings.Fields(trimmed)[1:])
		case trimmed == "```":
			block, skip, file = false, false, ""
		case block && strings.HasPrefix(line, "$ "):
			out.WriteString(line)
			file, _ = strings.CutPrefix(trimmed, "$ cat ")
			if file == trimmed {
				file = ""
			}
			args, ours := strings.CutPrefix(trimmed, "$ halfspace ")
			skip = ours
			if ours {
				out.WriteString(output(t, args))
				n++
			}
			continue
		case file != "":
			appendTo(t, file, line)
		}
		if !skip || !block {
			out.WriteString(line)
		}
	}
	return out.String(), n
}

// shared is the folder of public data sets, named before any test changes folders.
var shared = func() string {
	dir, err := filepath.Abs(filepath.Join("..", "..", "..", "shared", "data"))
	if err != nil {
		panic(err)
	}
	return dir
}()

// lent links public data sets into the folder, and reports whether all are there.
func lent(t *testing.T, names []string) bool {
	for _, name := range names {
		from := filepath.Join(shared, filepath.FromSlash(name))
		if _, err := os.Stat(from); err != nil {
			t.Logf("a block was not run, for %s is not beside the repository", name)
			return false
		}
		if err := os.Symlink(from, filepath.Base(from)); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
	return true
}

func appendTo(t *testing.T, file, line string) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(line)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// output is what a command line prints on both streams; a trailing "| head -N"
// or "| grep WORD" is understood.
func output(t *testing.T, line string) string {
	line, word, filtered := strings.Cut(line, " | grep ")
	line, head, piped := strings.Cut(line, " | head -")
	var out bytes.Buffer
	code := run(context.Background(), words(line), strings.NewReader(""), &out, &out)
	text := out.String()
	if piped {
		n := 0
		for _, c := range head {
			n = 10*n + int(c-'0')
		}
		text = strings.Join(strings.SplitAfter(text, "\n")[:n], "")
	}
	if filtered {
		text = strings.Join(slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(l string) bool { return !strings.Contains(l, word) }), "")
	}
	if code != 0 {
		t.Logf("halfspace %s: exit %d", line, code)
	}
	return text
}

// words splits a command line at blanks, keeping what stands in single quotes.
func words(line string) []string {
	var args []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	return args
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := 0; i < len(x) && i < len(y); i++ {
		if x[i] != y[i] {
			return "shown:   " + x[i] + "\nprinted: " + y[i]
		}
	}
	return "one is longer than the other"
}
