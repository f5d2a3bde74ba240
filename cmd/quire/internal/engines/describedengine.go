package engines

import (
	"path/filepath"
	"strings"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/script"
)

// Described is an engine of a user, which a path names.
const Described Source = "described"

// IsPath reports whether the name of an engine is a path to one of a user: it has a slash, as a path in a shell has to.
func IsPath(name string) bool { return strings.ContainsRune(name, filepath.Separator) }

// With returns the engines with the one at a path before the others, and its language. Only a user may give the path: a
// file could name any program.
func (list Offers) With(path string) (Offers, string, error) {
	config, err := script.Described(path)
	if err != nil {
		return nil, "", terminal.Fail(terminal.Usage, "%w", err)
	}
	o := Offer{
		Name: strings.ToLower(path), Language: config.Info.Language, Display: path, Source: Described, Place: path, Interrupt: "message",
		open: func(f *Factory, dir string, l limits) (lang.Engine, error) {
			config := config
			config.Dir, config.Env = dir, f.env.environ(f.Environ)
			config.Limits, config.Start = f.env.bounds(l.ofProcess()), f.env.starter()
			return script.New(config)
		},
	}
	return append(Offers{o}, list...), config.Info.Language, nil
}
