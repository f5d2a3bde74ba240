package settings

import (
	"errors"
	"fmt"
	"strings"
)

// Errors are the missing and wrong settings of a command, so that all of them are reported at once.
type Errors []fault

// fault is the fault of a setting, for users.
type fault struct{ name, text string }

// Add notes one fault of a setting.
func (e *Errors) Add(name, format string, args ...any) {
	*e = append(*e, fault{name, fmt.Sprintf(format, args...)})
}

// Err returns one error for all, nil if there are none. It names the flag, the variable or the line of the file that has set each.
func (e Errors) Err(c *Config) error {
	var lines []string
	for _, f := range e {
		lines = append(lines, c.Place(f.name)+": "+f.text)
	}
	switch len(lines) {
	case 0:
		return nil
	case 1:
		return errors.New(lines[0])
	}
	return fmt.Errorf("%d settings are missing or wrong:\n  %s", len(lines), strings.Join(lines, "\n  "))
}
