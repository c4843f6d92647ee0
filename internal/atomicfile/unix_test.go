//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestWriteThroughLink writes the file that a link names and leaves the link.
func TestWriteThroughLink(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, saying("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != fs.ModeSymlink {
		t.Errorf("the link became %v, %v", info, err)
	}
	if got := content(t, file); got != "new" {
		t.Errorf("the file has %q, want \"new\"", got)
	}
	if got := files(t, dir); got != "file link" {
		t.Errorf("files %q, want \"file link\"", got)
	}
}

// TestWritePipe writes into a pipe, as it must into a device, and does not put
// a file in its place.
func TestWritePipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no named pipes here:", err)
	}
	r, err := os.OpenFile(pipe, os.O_RDWR, 0) // does not wait for the other end
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := Write(pipe, saying("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Fatalf("the pipe became %v, %v", info, err)
	}
	got := make([]byte, 3)
	if _, err := r.Read(got); err != nil || string(got) != "new" {
		t.Errorf("read %q, %v, want \"new\"", got, err)
	}
}
