package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/format"
	"github.com/halfspace-ml/halfspace/internal/atomicfile"
)

// extensions says which format a file name means.
var extensions = map[string]string{
	".svm": "libsvm", ".libsvm": "libsvm", ".csv": "csv", ".tsv": "tsv",
	".jsonl": "json", ".json": "json", ".lines": "lines", ".txt": "lines",
}

func convertCommand() *cobra.Command {
	var in input
	var t training
	var to string
	c := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Write data in another format",
		Long: `Read IN and write it to OUT. The format of OUT follows from its name (.svm,
.csv, .tsv, .jsonl, .lines) or --to; a name that goes on with .gz or .zst is
compressed. OUT may be - for standard output, with --to.`,
		Example: `  halfspace convert adult.data.gz adult.svm --missing zero --relabel '>50K=1,<=50K=-1'
  halfspace convert sheet.bmp sheet.csv
  halfspace convert @digits35 - --to json`,
		Args: cobra.ExactArgs(2),
	}
	in.training(c.Flags())
	c.Flags().StringArrayVar(&t.maps, "map", nil, "feature map, repeatable")
	c.Flags().StringVar(&to, "to", "", "format of OUT: "+strings.Join(writable(), ", "))
	c.RunE = func(c *cobra.Command, args []string) error {
		f, err := outFormat(args[1], to)
		if err != nil {
			return err
		}
		maps, err := t.pipeline()
		if err != nil {
			return err
		}
		if args[1] != "-" {
			if err := checkOutput(args[1]); err != nil {
				return err
			}
		}
		s, err := in.read(c, args[0])
		if err != nil {
			return err
		}
		if s, err = maps.Fit(s); err != nil {
			return named(args[0], fmt.Errorf("%w: %w", halfspace.ErrMaps, err))
		}
		write := func(w io.Writer) error {
			return compressed(w, args[1], func(w io.Writer) error {
				err := f.Write(w, s)
				if errno := syscall.Errno(0); err == nil || errors.As(err, &errno) {
					return err // a full disk is not the data's fault
				}
				return &exit{exitInput, fmt.Errorf("%s: %w", args[0], err)}
			})
		}
		if args[1] == "-" {
			return write(c.OutOrStdout())
		}
		if err := atomicfile.Write(args[1], write); err != nil {
			return err
		}
		fmt.Fprintf(c.ErrOrStderr(), "%s: %s, %s, %s\n", args[1], plural(s.Len(), "example"), plural(s.Dim(), "feature"), f.Name)
		return nil
	}
	return c
}

func writable() []string {
	var names []string
	for _, f := range format.All {
		if f.Write != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

func outFormat(path, to string) (*format.Format, error) {
	if to == "" {
		name := strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst")
		to = extensions[strings.ToLower(filepath.Ext(name))]
	}
	if f := format.ByName(to); f != nil && f.Write != nil {
		return f, nil
	}
	return nil, usage("cannot tell the format of %s; name it with --to %s", path, strings.Join(writable(), "|"))
}

// compressed writes through the compression that the file's name asks for.
func compressed(w io.Writer, path string, fill func(io.Writer) error) error {
	var z io.WriteCloser
	var err error
	switch filepath.Ext(path) {
	case ".gz":
		z = gzip.NewWriter(w)
	case ".zst":
		if z, err = zstd.NewWriter(w); err != nil {
			return err
		}
	default:
		return fill(w)
	}
	if err := fill(z); err != nil {
		return err
	}
	return z.Close()
}
