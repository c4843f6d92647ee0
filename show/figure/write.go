package figure

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/halfspace-ml/halfspace/internal/near"
)

// Format is one kind of file.
type Format struct {
	Name  string // also its extension
	Still bool   // it cannot move
	Write func(w io.Writer, d *Drawing) error
}

// Formats is the one list of them.
var Formats = []Format{
	{"svg", false, SVG},
	{"png", true, PNG},
	{"pdf", true, PDF},
	{"gif", false, GIF},
	{"txt", true, func(w io.Writer, d *Drawing) error { return Text(w, d, false) }},
}

// FormatNames are the names of all formats.
func FormatNames() []string {
	var names []string
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return names
}

// FormatOf is the format that a file name ends with, or the one named.
func FormatOf(path, name string) (*Format, error) {
	if name == "" {
		name = strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	}
	for i := range Formats {
		if Formats[i].Name == name {
			return &Formats[i], nil
		}
	}
	if name == "" {
		return nil, misuse("%s has no extension; a figure is written as .%s", path, strings.Join(FormatNames(), ", ."))
	}
	return nil, fmt.Errorf("%w; %s", misuse("no figure is written as .%s", name), near.Advice(name, "extensions", FormatNames()))
}
