package sample

import (
	"context"
	"embed"
	"slices"
	"strings"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/format"
)

//go:embed sets
var files embed.FS

type open = func(ctx context.Context, args Args, spec *format.Spec) (*data.Set, error)

func lines(file, positive string) open { return stored("lines", file, positive) }
func gate(file string) open            { return stored("csv", file, "1") }

// stored reads a file of sets, as any file of the user is read. An empty
// positive leaves the classes as the file has them.
func stored(kind, file, positive string) open {
	return func(ctx context.Context, _ Args, spec *format.Spec) (*data.Set, error) {
		f, err := files.Open("sets/" + file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		name, _, _ := strings.Cut(file, ".")
		src, err := format.NewSource("@"+name, f)
		if err != nil {
			return nil, err
		}
		defer src.Close()
		if spec.Format == "" {
			spec.Format = kind
		}
		s, err := format.ReadSet(ctx, src, spec)
		if err != nil || len(s.Classes()) != 2 || !slices.Contains(s.Classes(), positive) {
			return s, err
		}
		return s.WithPositive(positive)
	}
}
