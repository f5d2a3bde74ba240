package main

import (
	"cmp"
	"path/filepath"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/quirehq/quire/host/terminal"
)

// config is everything that can be set, with its defaults. A flag counts more than
// the environment, that more than the configuration file, and that more than a
// default. Nothing else reads the environment,
// except that programs which are started inherit it.
type config struct {
	Server   string // URL of the server to talk to
	Token    string // to show it
	Data     string // data directory, where a server is looked for
	Notebook string // that a runtime serves
	Python   string // interpreter that runtimes use
	Kernel   string // that runtimes use where a notebook asks for none
	Addr     string // that serve listens on
	Editor   string // command line that edit starts
	Term     string // kind of terminal
	NoColour bool   // asked for by NO_COLOR
	Colour   string // when to write colours

	// What servers and runtimes keep to, as it was set.
	Idle        string // how long a runtime stays that nobody uses
	Grace       string // how long one that is stopped may take to end
	MaxRuntimes string // of a server; empty for any number
	Limits      limitTexts
	Sandbox     sandboxTexts
	Artifacts   artifactTexts
	Sizes       sizeTexts
	Network     networkTexts
	HistoryFor  string // the least role that sees what was in a notebook
	Held        bool   // limits must hold for all programs of a runtime together
	TrustAll    bool   // also notebooks that were imported

	LogLevel  string
	LogFormat string
}

// defaultConfig returns the defaults and what the environment says.
func defaultConfig(getenv func(string) string, home func() (string, error)) config {
	return config{
		Server:   getenv("QUIRE_SERVER"),
		Token:    getenv("QUIRE_TOKEN"),
		Data:     cmp.Or(getenv("QUIRE_DATA"), defaultData(getenv("XDG_DATA_HOME"), home)),
		Notebook: getenv("QUIRE_NOTEBOOK"),
		Python:   getenv("QUIRE_PYTHON"),
		Kernel:   getenv("QUIRE_KERNEL"),
		Addr:     cmp.Or(getenv("QUIRE_ADDR"), "127.0.0.1:8642"),
		Editor:   cmp.Or(getenv("VISUAL"), getenv("EDITOR"), "vi"),
		Term:     getenv("TERM"),
		NoColour: getenv("NO_COLOR") != "",
		Colour:   cmp.Or(getenv("QUIRE_COLOR"), terminal.ColourAuto),

		Idle: getenv("QUIRE_IDLE"), Grace: cmp.Or(getenv("QUIRE_GRACE"), "8s"), MaxRuntimes: getenv("QUIRE_MAX_RUNTIMES"),
		Limits:     limitTextsOf(getenv),
		Sandbox:    sandboxTextsOf(getenv),
		Artifacts:  artifactTextsOf(getenv),
		Sizes:      sizeTextsOf(getenv),
		Network:    networkTextsOf(getenv),
		HistoryFor: cmp.Or(getenv("QUIRE_HISTORY_FOR"), "viewer"),
		Held:       isYes(getenv("QUIRE_REQUIRE_LIMITS")),
		TrustAll:   isYes(getenv("QUIRE_TRUST_IMPORTS")),

		LogLevel:  cmp.Or(getenv("QUIRE_LOG"), "info"),
		LogFormat: cmp.Or(getenv("QUIRE_LOG_FORMAT"), "text"),
	}
}

// defaultData follows the XDG base directories: a relative one does not count.
func defaultData(xdg string, home func() (string, error)) string {
	if filepath.IsAbs(xdg) {
		return filepath.Join(xdg, "quire")
	}
	dir, err := home()
	if err != nil {
		return "" // the commands that need one say so
	}
	return filepath.Join(dir, ".local", "share", "quire")
}

// addGlobalFlags adds the flags of all commands.
func (c *config) addGlobalFlags(flags *pflag.FlagSet) {
	stringFlag(flags, &c.Server, "server", "URL", "the server to use (QUIRE_SERVER); default: the one that serves the data directory")
	stringFlag(flags, &c.Token, "token", "TOKEN", "what to show the server (QUIRE_TOKEN)")
	stringFlag(flags, &c.Data, "data", "DIR", "the data directory (QUIRE_DATA); default: ~/.local/share/quire")
}

// stringFlag adds a flag whose default is what the variable holds. Help does not
// show that: it would differ from one machine to the next, and a token is a secret.
func stringFlag(flags *pflag.FlagSet, p *string, name, value, usage string) {
	flags.StringVar(p, name, *p, usage)
	flags.Lookup(name).DefValue = ""
	placeholder(flags, name, value)
}

// boolFlag is stringFlag for a switch.
func boolFlag(flags *pflag.FlagSet, p *bool, name, usage string) {
	flags.BoolVar(p, name, *p, usage)
	flags.Lookup(name).DefValue = "false"
}

// listFlag is stringFlag for a flag that may be given again.
func listFlag(flags *pflag.FlagSet, p *[]string, name, value, usage string) {
	flags.StringArrayVar(p, name, *p, usage)
	flags.Lookup(name).DefValue = "[]"
	placeholder(flags, name, value)
}

// placeholder gives a flag the name by which help calls its value. A default that
// is nothing is not shown.
func placeholder(flags *pflag.FlagSet, name, value string) {
	f := flags.Lookup(name)
	f.Value = namedValue{f.Value, value}
	if f.DefValue == "0s" || f.DefValue == "[]" {
		f.DefValue = ""
	}
}

// namedValue is the value of a flag that help calls by a name.
type namedValue struct {
	pflag.Value
	name string
}

// Type returns the name.
func (v namedValue) Type() string { return v.name }

// isYes reports whether a variable is set to a yes. What is no answer counts as one: it is
// for what must not be missed.
func isYes(text string) bool {
	yes, err := strconv.ParseBool(text)
	return yes || err != nil && text != ""
}
