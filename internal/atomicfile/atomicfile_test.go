package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func saying(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// files are the names in a directory.
func files(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, text := range []string{"first", "", strings.Repeat("long ", 1<<16), "last"} {
		if err := Write(path, saying(text)); err != nil {
			t.Fatal(err)
		}
		if content(t, path) != text {
			t.Errorf("%d bytes were not written as they are", len(text))
		}
		if got := files(t, dir); got != "f" {
			t.Errorf("files %q, want \"f\"", got)
		}
	}
}

func TestWriteKeepsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permission bits")
	}
	path := filepath.Join(t.TempDir(), "f")
	for _, mode := range []os.FileMode{0o644, 0o600} { // a new file, and one made private
		if err := Write(path, saying("x")); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := Write(path, saying("y")); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != mode {
			t.Errorf("mode %v, want %v", info.Mode().Perm(), mode)
		}
	}
}

// Whatever goes wrong, what was there stays and nothing is left beside it.
func TestWriteFails(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name string
		fill func(io.Writer) error
	}{
		{"at once", func(io.Writer) error { return broken }},
		{"after some text", func(w io.Writer) error {
			fmt.Fprint(w, strings.Repeat("half ", 1<<16))
			return broken
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			if err := Write(path, c.fill); !errors.Is(err, broken) {
				t.Errorf("error %v, want %v", err, broken)
			}
			if got := files(t, dir); got != "" {
				t.Errorf("left behind: %q", got)
			}
			if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := Write(path, c.fill); !errors.Is(err, broken) {
				t.Errorf("error %v, want %v", err, broken)
			}
			if got := files(t, dir); got != "f" || content(t, path) != "old" {
				t.Errorf("files %q with %q, want \"f\" with \"old\"", got, content(t, path))
			}
		})
	}
}

func TestWritePanics(t *testing.T) {
	dir := t.TempDir()
	func() {
		defer func() {
			if r := recover(); r != "stop" {
				t.Errorf("recovered %v, want the panic of fill", r)
			}
		}()
		Write(filepath.Join(dir, "f"), func(io.Writer) error { panic("stop") })
	}()
	if got := files(t, dir); got != "" {
		t.Errorf("left behind: %q", got)
	}
}

func TestWriteToNoPlace(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "folder", "inner"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "folder"), saying("x")); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if err := Write(filepath.Join(dir, "nowhere", "f"), saying("x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want that the folder does not exist", err)
	}
	if got := files(t, dir); got != "folder" {
		t.Errorf("files %q, want \"folder\"", got)
	}
}
