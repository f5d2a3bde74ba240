// Package cmdline checks command lines before a command does anything: the number of arguments, empty names, flags that exclude each
// other, values of a list. Its errors are in words for users.
package cmdline

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/host/terminal"
)

// keyExclusive is the annotation of a command with the names of exclusive flags, in groups with a
// semicolon between them.
const keyExclusive = "exclusive"

// Exclusive lets a command take one of some flags.
func Exclusive(cmd *cobra.Command, names ...string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	if groups := cmd.Annotations[keyExclusive]; groups != "" {
		names = append([]string{groups + ";"}, names...)
	}
	cmd.Annotations[keyExclusive] = strings.Join(names, " ")
}

// CheckExclusive refuses a command line with two flags of a group.
func CheckExclusive(cmd *cobra.Command) error {
	for group := range strings.SplitSeq(cmd.Annotations[keyExclusive], ";") {
		if err := checkGroup(cmd, group); err != nil {
			return err
		}
	}
	return nil
}

func checkGroup(cmd *cobra.Command, group string) error {
	var given []string
	for name := range strings.FieldsSeq(group) {
		if cmd.Flags().Changed(name) {
			given = append(given, "--"+name)
		}
	}
	if len(given) < 2 {
		return nil
	}
	return fmt.Errorf("%s exclude each other: give one", strings.Join(given, " and "))
}

// FlagFault describes the error in the value of a flag in words for users.
func FlagFault(_ *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var odd *pflag.InvalidSyntaxError
	var wrong *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return fmt.Errorf("unknown flag: %s%s", flagName(unknown), adviceFor(flagName(unknown)))
	case errors.As(err, &bare):
		return fmt.Errorf("--%s needs a value, %s", bare.GetFlag().Name, bare.GetFlag().Value.Type())
	case errors.As(err, &odd):
		return fmt.Errorf("%q is no flag: want one such as --help%s", odd.GetSpecifiedFlag(), adviceFor(odd.GetSpecifiedFlag()))
	case !errors.As(err, &wrong):
		return err
	}
	flag := wrong.GetFlag()
	kind := flag.Value.Type()
	if named, ok := flag.Value.(settings.NamedValue); ok {
		kind = named.Value.Type()
	}
	want := ""
	switch kind {
	case "uint64", "int":
		want = "is no number: want one such as 12"
	case "duration":
		want = "is no time: want one such as 90s, 30m or 24h"
	case "bool":
		want = "is neither true nor false"
	default:
		return fmt.Errorf("--%s %q: %w", flag.Name, wrong.GetValue(), errors.Unwrap(err))
	}
	return fmt.Errorf("--%s %q %s", flag.Name, wrong.GetValue(), want)
}

// adviceFor returns the rest of the sentence about a flag that does not exist, if it is meant as a text: a comment of SQL
// and of Lua begins with two dashes.
func adviceFor(flag string) string {
	if !strings.ContainsFunc(flag, unicode.IsSpace) {
		return ""
	}
	return "; a text that begins with - is given last, behind --"
}

// flagName returns the name that a command line has for a flag that does not exist.
func flagName(unknown *pflag.NotExistError) string {
	if unknown.GetSpecifiedShortnames() == "" {
		return "--" + unknown.GetSpecifiedName()
	}
	if unknown.GetSpecifiedName() == unknown.GetSpecifiedShortnames() {
		return "-" + unknown.GetSpecifiedName()
	}
	return fmt.Sprintf("-%s in -%s", unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames())
}

// StringFlag adds a flag for a text, with the name that help has for its value.
func StringFlag(flags *pflag.FlagSet, p *string, name, value, usage string) {
	flags.StringVar(p, name, "", usage)
	settings.Placeholder(flags, name, value)
}

// OneOf refuses a value that is none of a list.
func OneOf(flag, value string, values ...string) error {
	if slices.Contains(values, value) {
		return nil
	}
	return terminal.Fail(terminal.Usage, "--%s %q is none of %s", flag, value, strings.Join(values, ", "))
}

// maxTitle is the most bytes that the title of a notebook has.
const maxTitle = 1024

// CheckTitle refuses a text that can be no title.
func CheckTitle(title string) error {
	switch {
	case strings.TrimSpace(title) == "":
		return terminal.Fail(terminal.Usage, "the title is empty")
	case !utf8.ValidString(title):
		return terminal.Fail(terminal.Usage, "the title is not UTF-8")
	case len(title) > maxTitle:
		return terminal.Fail(terminal.Usage, "the title has %d bytes, and at most %d fit", len(title), maxTitle)
	}
	return nil
}

// Want accepts exactly the arguments with these names.
func Want(names ...string) cobra.PositionalArgs {
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

// WantUpTo accepts a required argument and an optional one.
func WantUpTo(required, optional string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < 2 {
			return Want(required)(cmd, args)
		}
		return Want(required, optional)(cmd, args)
	}
}

// mayBeEmpty are the arguments that are no names of things, which commands check.
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

// CheckFlagsNotEmpty is checkNotEmpty for naming flags and for those of settings: an empty value
// would remove the limit that the variable or the file sets.
func CheckFlagsNotEmpty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		s := settings.Named(f.Name)
		isSetting := s != nil && s.Commands != "" // the value of the flag of colours is not its text
		if (isSetting || slices.Contains(namingFlags, f.Name)) && (f.Value.String() == "" || f.Value.String() == "[]") {
			err = cmp.Or(err, fmt.Errorf("--%s is empty", f.Name))
		}
	})
	return err
}
