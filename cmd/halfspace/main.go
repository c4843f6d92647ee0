// Command halfspace learns linear classifiers, uses them and shows how they
// were found. This file is the way in; each command is a file of its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
)

// Exit codes, a contract with scripts.
const (
	exitNo    = 1 // ran, but the answer is no
	exitUsage = 2 // wrong use
	exitInput = 3 // bad input
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program without its process: tests call it too.
func run(ctx context.Context, args []string, in io.Reader, out, talk io.Writer) int {
	root := newRoot()
	printed := &stdout{Writer: out}
	root.SetArgs(args)
	root.SetIn(&stdin{ctx: ctx, in: in})
	root.SetOut(printed)
	root.SetErr(talk)
	err := root.ExecuteContext(ctx)
	if printed.err != nil {
		err = fmt.Errorf("standard output: %w", printed.err)
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(talk, "halfspace: %v\n", err)
	return exitCode(err)
}

// exit is an error that knows its exit code.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string { return e.err.Error() }
func (e *exit) Unwrap() error { return e.err }

func exitCode(err error) int {
	var e *exit
	var in *data.InputError
	var class *data.UnknownClass
	var param *halfspace.ParamError
	switch {
	case errors.As(err, &e):
		return e.code
	case errors.As(err, &param), errors.Is(err, halfspace.ErrInit), errors.Is(err, halfspace.ErrParams):
		return exitUsage
	case errors.As(err, &in), errors.As(err, &class), errors.Is(err, halfspace.ErrOneClass),
		errors.Is(err, halfspace.ErrNoClass), errors.Is(err, errUnprovable), errors.Is(err, halfspace.ErrMaps), errors.Is(err, halfspace.ErrTooWide):
		return exitInput
	}
	return exitNo
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "halfspace",
		Short: "Linear classification: learn it, check it, watch it, use it",
		Long: `halfspace learns linear classifiers, uses them and shows how they were found.

DATA is a file (LIBSVM, CSV, TSV, labelled lines, JSON lines, label<TAB>text,
points in a BMP, MNIST's IDX, a tar of mails; compressed or not; recognised by
content), - for standard input, or @name for a built-in set (see 'halfspace data').`,
		Example: `  halfspace fit @points00 --rate 0.01 --init 1,1,-1
  halfspace trace @points00 --rate 0.01 --init 1,1,-1
  halfspace fit train.csv --label species --test test.csv -o flowers.model
  halfspace predict flowers.model new.csv`,
		Version:       halfspace.Program,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	for _, add := range commands {
		root.AddCommand(add())
	}
	wrapArgs(root)
	return root
}

// commands is the list of commands: one file each.
var commands = []func() *cobra.Command{
	fitCommand, predictCommand, evalCommand, learnCommand, traceCommand,
	separableCommand, verifyCommand, compareCommand, curveCommand, plotCommand,
	showCommand, convertCommand, dataCommand, learnersCommand,
}
