package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfspace-ml/halfspace/internal/near"
)

// Wrong use: what is said when the program was called in a way it cannot be.

// usage is a mistake in how the program was called.
func usage(format string, args ...any) error {
	return &exit{exitUsage, fmt.Errorf(format, args...)}
}

// wrapArgs makes wrong numbers of arguments, and unknown commands, wrong use.
func wrapArgs(root *cobra.Command) {
	root.Args = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return noCommand(root, args[0])
		}
		return nil
	}
	root.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	root.SetHelpCommand(helpCommand(root))
	root.InitDefaultCompletionCmd(root.Name()) // else it appears too late to be wrapped
	for _, c := range root.Commands() {
		check := c.Args
		c.Args = func(c *cobra.Command, args []string) error {
			if check == nil || check(c, args) == nil {
				return nil
			}
			if c.HasSubCommands() {
				return usage("no %s %q; see 'halfspace %s --help'", c.Name(), args[0], c.Name())
			}
			return usage("%s given to %s; use: halfspace %s", plural(len(args), "argument"), c.Name(), c.Use)
		}
		if c.HasSubCommands() && c.RunE == nil {
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

func noCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return usage("no command %q; %s", name, near.Advice(name, "commands", names))
}

func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return noCommand(root, args[0])
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}

// flagError says what is wrong with a flag in words of this program.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if found := near.Names(unknown.GetSpecifiedName(), names); len(found) > 0 {
			return usage("%w; did you mean --%s?", err, strings.Join(found, " or --"))
		}
	case errors.As(err, &invalid):
		return usage("--%s = %s is not possible; it must be %s", invalid.GetFlag().Name, invalid.GetValue(), allowedOf(invalid.GetFlag()))
	}
	return usage("%w; see '%s --help'", err, c.CommandPath())
}

func allowedOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "bool":
		return "true or false"
	case "int":
		return "a whole number"
	case "uint64":
		return "a whole number of at least 0"
	}
	return "a " + f.Value.Type()
}

// notNegative refuses numbers below 0 where they say how many.
func notNegative(flag string, n int) error {
	if n < 0 {
		return usage("--%s = %d is not possible; it must be a whole number of at least 0", flag, n)
	}
	return nil
}
