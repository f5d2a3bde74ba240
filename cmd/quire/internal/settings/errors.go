package settings

import (
	"errors"
	"fmt"
	"strings"
)

// Errors are the missing and wrong settings of a command, so that all of them are reported at once.
type Errors []string

// Add notes one fault, with the flag and the variable that would mend it.
func (e *Errors) Add(name, format string, args ...any) {
	mend := "--" + name
	if s := Named(name); s != nil && s.Variable != "" {
		mend += " or " + s.Variable
	}
	*e = append(*e, mend+": "+fmt.Sprintf(format, args...))
}

// Err returns one error for all, nil if there are none.
func (e Errors) Err() error {
	switch len(e) {
	case 0:
		return nil
	case 1:
		return errors.New(e[0])
	}
	return fmt.Errorf("%d settings are missing or wrong:\n  %s", len(e), strings.Join(e, "\n  "))
}
