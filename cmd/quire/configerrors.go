package main

import (
	"fmt"
	"strings"
)

// configErrors are the missing and wrong settings in the configuration of a command, so that
// all of it is said at once.
type configErrors []string

// add notes one fault, with the flag and the variable that would mend it.
func (f *configErrors) add(flag, variable, format string, args ...any) {
	name := "--" + flag
	if variable != "" {
		name += " or " + variable
	}
	*f = append(*f, name+": "+fmt.Sprintf(format, args...))
}

// error returns an error of usage that says them all, nil if there are none.
func (f configErrors) error(command string) error {
	switch len(f) {
	case 0:
		return nil
	case 1:
		return fail(exitUsage, "%s: %s", command, f[0])
	}
	return fail(exitUsage, "%s: %d settings are missing or wrong:\n  %s", command, len(f), strings.Join(f, "\n  "))
}
