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
	Name     string    // by which users choose it
	Info     lang.Info // without a version
	Programs []string  // names of interpreters, best first
	Args     []string  // their arguments, with a placeholder for the driver
	Driver   string    // its file in drivers
}

// Languages returns the table of languages that have a driver, by name.
func Languages() []Language {
	return []Language{
		{
			Name:     "node",
			Info:     lang.Info{Language: "javascript", Extension: ".js", MIME: "text/javascript"},
			Programs: []string{"node", "nodejs"}, Args: []string{"--expose-internals", "-e", driverInline}, Driver: "node.js",
		},
		{
			// Its configuration needs Translate.
			Name:     "node-typescript",
			Info:     lang.Info{Language: "typescript", Extension: ".ts", MIME: "text/typescript"},
			Programs: []string{"node", "nodejs"}, Args: []string{"--expose-internals", "-e", driverInline, "typescript"}, Driver: "node.js",
		},
		{
			Name:     "ruby",
			Info:     lang.Info{Language: "ruby", Extension: ".rb", MIME: "text/x-ruby"},
			Programs: []string{"ruby"}, Args: []string{"-e", driverInline}, Driver: "ruby.rb",
		},
		{
			Name:     "lua",
			Info:     lang.Info{Language: "lua", Extension: ".lua", MIME: "text/x-lua"},
			Programs: []string{"lua", "lua5.4", "lua5.3", "lua5.2", "lua5.1", "luajit"}, Args: luaArgs(), Driver: "lua.lua",
		},
		{
			Name:     "perl",
			Info:     lang.Info{Language: "perl", Extension: ".pl", MIME: "text/x-perl"},
			Programs: []string{"perl"}, Args: []string{driverByFile}, Driver: "perl.pl",
		},
		{
			Name:     "php",
			Info:     lang.Info{Language: "php", Extension: ".php", MIME: "text/x-php"},
			Programs: []string{"php"}, Args: []string{"-d", "display_errors=stderr", driverByFile}, Driver: "php.php",
		},
		{
			Name:     "Rscript",
			Info:     lang.Info{Language: "r", Extension: ".r", MIME: "text/x-r-source"},
			Programs: []string{"Rscript"}, Args: []string{"--no-save", "--no-restore", driverByFile}, Driver: "r.R",
		},
		{
			Name:     "guile",
			Info:     lang.Info{Language: "scheme", Extension: ".scm", MIME: "text/x-scheme"},
			Programs: []string{"guile", "guile-3.0", "guile-2.2"}, Args: []string{"--no-auto-compile", "-s", driverByFile}, Driver: "guile.scm",
		},
	}
}

// luaSteps bounds the interrupts of one Lua: its interpreter takes one for each chunk of its command line.
const luaSteps = 1000

// luaArgs returns the arguments of Lua: the driver, and a chunk for each interrupt.
func luaArgs() []string {
	args := []string{"-e", driverInline}
	for range luaSteps {
		args = append(args, "-e", "quire_step()")
	}
	return args
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
