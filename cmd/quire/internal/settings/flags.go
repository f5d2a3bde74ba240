package settings

import (
	"github.com/spf13/pflag"

	"github.com/quirehq/quire/host/server"
)

// AddFlags adds the flags of a command, which set a configuration.
func (c *Config) AddFlags(flags *pflag.FlagSet, command string) {
	c.flags = append(c.flags, flags)
	for _, s := range of(command) {
		s.add(flags, s.field(c), s.Usage(command))
	}
}

// AddLimits adds the flags that change the limits of a notebook.
func AddLimits(flags *pflag.FlagSet, change *server.LimitValues) {
	for _, s := range in(Limits) {
		s.add(flags, s.limit(change), s.Help)
	}
}

// add adds a flag whose default is the value of the field. Help does not show that: it would differ from one machine to the next,
// and a token is a secret.
func (s *Setting) add(flags *pflag.FlagSet, field any, usage string) {
	switch field := field.(type) {
	case *string:
		flags.StringVar(field, s.Name, *field, usage)
		flags.Lookup(s.Name).DefValue = ""
	case *bool:
		flags.BoolVar(field, s.Name, *field, usage)
		flags.Lookup(s.Name).DefValue = "false"
	case *[]string:
		flags.StringArrayVar(field, s.Name, *field, usage)
		flags.Lookup(s.Name).DefValue = ""
	}
	if s.Unit != "" {
		Placeholder(flags, s.Name, string(s.Unit))
	}
	flags.Lookup(s.Name).Hidden = s.Variable == ""
}

// Placeholder gives a flag the name that help has for its value. Help shows no default that is nothing.
func Placeholder(flags *pflag.FlagSet, name, value string) {
	f := flags.Lookup(name)
	f.Value = NamedValue{f.Value, value}
	if f.DefValue == "0s" || f.DefValue == "[]" {
		f.DefValue = ""
	}
}

// NamedValue is the value of a flag with the name that help has for it.
type NamedValue struct {
	pflag.Value
	Name string
}

// Type returns the name.
func (v NamedValue) Type() string { return v.Name }
