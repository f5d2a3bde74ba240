package script

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/lang"
)

//go:embed drivers
var drivers embed.FS

// Language is a language that an installed interpreter executes with a driver of ours.
type Language struct {
	Info     lang.Info // without a version
	Programs []string  // names of interpreters, best first
	Args     []string  // their arguments, with a placeholder for the driver
	Driver   string    // its file in drivers
}

// Languages returns the table of languages that have a driver, by name.
func Languages() []Language {
	return []Language{
		{
			Info:     lang.Info{Language: "javascript", Extension: ".js", MIME: "text/javascript"},
			Programs: []string{"node", "nodejs"}, Args: []string{"--expose-internals", "-e", driverInline}, Driver: "node.js",
		},
		{
			Info:     lang.Info{Language: "ruby", Extension: ".rb", MIME: "text/x-ruby"},
			Programs: []string{"ruby"}, Args: []string{"-e", driverInline}, Driver: "ruby.rb",
		},
	}
}

// Find returns the language of a name.
func Find(name string) (Language, bool) {
	all := Languages()
	if i := slices.IndexFunc(all, func(l Language) bool { return l.Info.Language == name }); i >= 0 {
		return all[i], true
	}
	return Language{}, false
}

// Locate returns the path of the interpreter in an environment, "key=value" each. An error says which programs were looked
// for.
func (l Language) Locate(env []string) (string, error) {
	for _, program := range l.Programs {
		if path, err := lookPath(program, env, ""); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("it is not installed: there is no %s in PATH", strings.Join(l.Programs, " or "))
}

// Engine returns the engine of a language. Of the configuration it sets what the language determines, and the program
// unless Command has one.
func (l Language) Engine(config Config) (*Engine, error) {
	source, err := drivers.ReadFile("drivers/" + l.Driver)
	if err != nil {
		return nil, fmt.Errorf("read the driver of %s: %w", l.Info.Language, err)
	}
	programs := l.Programs
	if len(config.Command) > 0 {
		programs = config.Command[:1]
	}
	config.Info, config.Driver, config.Pipes = l.Info, string(source), Descriptors
	var first error
	for _, program := range programs {
		config.Command = append([]string{program}, l.Args...)
		engine, err := New(config)
		if err == nil {
			return engine, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}
