package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// want accepts exactly the arguments with these names.
func want(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == len(names):
			return nil
		case len(names) == 0:
			return fmt.Errorf("%s takes no arguments, got %q", cmd.Name(), args[0])
		case len(args) > len(names):
			return fmt.Errorf("%s takes %s, got %q besides", cmd.Name(), strings.Join(names, " and "), args[len(names)])
		}
		return fmt.Errorf("%s needs %s", cmd.Name(), strings.Join(names[len(args):], " and "))
	}
}
