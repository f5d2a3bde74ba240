package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// want accepts exactly the arguments with these names.
func want(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == len(names):
			return checkNotEmpty(names, args)
		case len(names) == 0:
			return fmt.Errorf("%s takes no arguments, got %q", cmd.Name(), args[0])
		case len(args) > len(names):
			return fmt.Errorf("%s takes %s, got %q besides", cmd.Name(), strings.Join(names, " and "), args[len(names)])
		}
		return fmt.Errorf("%s needs %s", cmd.Name(), strings.Join(names[len(args):], " and "))
	}
}

// mayBeEmpty are the arguments that are no names of things: what they say is judged elsewhere.
var mayBeEmpty = []string{"SOURCE", "TITLE"}

// checkNotEmpty refuses an empty name, such as that of a variable of a shell that is not set.
func checkNotEmpty(names, args []string) error {
	for i, arg := range args {
		if arg == "" && !slices.Contains(mayBeEmpty, names[i]) {
			return fmt.Errorf("%s is empty", names[i])
		}
	}
	return nil
}

// namingFlags are the flags whose values are names of things, which are never empty.
var namingFlags = []string{"output", "report", "params-file", "token-file", "after", "cell", "format", "from", "to", "spool"}

// checkNamingFlags is checkNotEmpty for flags.
func checkNamingFlags(cmd *cobra.Command) error {
	for _, name := range namingFlags {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed && (f.Value.String() == "" || f.Value.String() == "[]") {
			return fmt.Errorf("--%s is empty", name)
		}
	}
	return nil
}
