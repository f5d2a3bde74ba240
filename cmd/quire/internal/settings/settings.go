// Package settings has the one table of the settings that users can make: the flag, the environment variable and the key of the
// configuration file of each, with its unit, default and help. The flags of commands, the keys of the file, the limits of a server
// and of a notebook, the arguments of a launched runtime and docs/settings.md come from that table. What a setting does is up to
// the packages that use it.
package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/quirehq/quire/host/server"
)

// Group is the part of Quire that settings are about.
type Group string

// The groups, in the order of the documentation.
const (
	Common   Group = "All commands"
	Runtimes Group = "Runtimes"
	Limits   Group = "Limits of a runtime"
	Sandbox  Group = "Sandbox"
	Network  Group = "Network"
	Storage  Group = "Storage"
	Logging  Group = "Log"
)

// Setting is one row of the table.
type Setting struct {
	Group     Group
	Name      string // of the flag
	Variable  string // of the environment; empty if only a server sets it for its runtimes
	Key       string // of the configuration file
	FormerKey string // an older key that still counts
	Unit      Unit   // of the value; empty for switches
	Default   string // the value if none is set
	Without   string // the words of help for the default; Default if empty
	Least     string // the lowest value with which Quire and programs can work; empty for any
	Noun      string // the words for the limit in the error of a run that has hit it
	Help      string
	Commands  string             // with the flag; "quire" is all of them
	In        map[string]Variant // of commands whose help differs
	Words     bool               // a list with spaces or commas between its elements, which may have colons
	Lenient   bool               // a switch that any text but a no turns on

	text  func(*Config) any                 // the field of a setting that is no limit: *string, *bool or *[]string
	limit func(*server.LimitValues) *string // the field of a limit
	apply func(*Numbers, int64)             // sets the number of a setting with a unit
}

// Variant is the help of a setting in one command.
type Variant struct{ Help, Without string }

// Named returns the setting of a flag, nil if the flag is not in the table.
func Named(name string) *Setting {
	i := slices.IndexFunc(table[:], func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &table[i]
}

// Variables returns the environment variables of all settings.
func Variables() []string {
	var all []string
	for _, s := range table {
		if s.Variable != "" {
			all = append(all, s.Variable)
		}
	}
	return all
}

// Usage returns the help of the flag in a command.
func (s *Setting) Usage(command string) string {
	v := s.In[command]
	usage := cmp.Or(v.Help, s.Help)
	if s.Variable != "" {
		usage += " (" + s.Variable + ")"
	}
	if without := cmp.Or(v.Without, s.Without, s.Default); without != "" {
		usage += "; default: " + without
	}
	return usage
}

// of returns the settings that a command has.
func of(command string) []*Setting {
	var all []*Setting
	for i := range table {
		if slices.Contains(strings.Fields(table[i].Commands), command) {
			all = append(all, &table[i])
		}
	}
	return all
}

// in returns the settings of a group.
func in(group Group) []*Setting {
	var all []*Setting
	for i := range table {
		if table[i].Group == group {
			all = append(all, &table[i])
		}
	}
	return all
}

// field returns the place of the setting in a configuration: *string, *bool or *[]string.
func (s *Setting) field(c *Config) any {
	if s.limit != nil {
		return s.limit(&c.Limits)
	}
	return s.text(c)
}

// number returns the number of a text in the unit of the setting. One that is too low to work with is an error as well.
func (s *Setting) number(text string) (int64, error) {
	n, err := s.Unit.parse(text)
	if err != nil || s.Least == "" {
		return n, err
	}
	if least, err := s.Unit.parse(s.Least); err != nil || n < least {
		fault := "%q is too little to work with: want %s or more"
		if s.Group == Limits {
			fault = "with %q no program can run: want %s or more"
		}
		return n, fmt.Errorf(fault, text, s.Least)
	}
	return n, nil
}
