package engines

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
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
	d, err := script.Described(path)
	if err != nil {
		return nil, "", terminal.Fail(terminal.Usage, "%w", err)
	}
	o := describedOffer(d)
	o.Name, o.Display = strings.ToLower(path), path
	return append(Offers{o}, list...), o.Language, nil
}

// CheckEngines notes the engines of the settings that cannot be used, and makes their paths absolute: runtimes start in the
// folders of notebooks, whose programs write there.
func (f *Factory) CheckEngines(wrong *settings.Errors) {
	for i, path := range f.Config.Engines {
		absolute, err := filepath.Abs(path)
		if err != nil {
			wrong.Add("engine", "%v", err)
			continue
		}
		f.Config.Engines[i] = absolute
	}
	var names []string
	for _, o := range f.describedOffers() {
		name := strings.ToLower(o.Name)
		switch {
		case o.Fault != nil:
			wrong.Add("engine", "%v", o.Fault)
		case slices.Contains(names, name):
			wrong.Add("engine", "two engines have the name %q: give one of them another \"name\" in its %s", name, script.ManifestName)
		}
		names = append(names, name)
	}
}

// describedOffers are the engines of the settings. A notebook can choose one of them by its name, and no other program.
func (f *Factory) describedOffers() Offers {
	var list Offers
	for _, path := range f.Config.Engines {
		all, err := script.DescribedIn(path)
		if err == nil && f.isWritten(path) {
			err = fmt.Errorf("%s is among the files of notebooks, whose programs could change it", path)
		}
		if err != nil {
			list = append(list, Offer{Name: filepath.Base(path), Source: Described, Place: path, Fault: err})
			continue
		}
		for _, d := range all {
			list = append(list, describedOffer(d))
		}
	}
	return list
}

func describedOffer(d script.Description) Offer {
	o := Offer{
		Name: d.Name, Language: d.Language, Display: d.Title, Aliases: d.Aliases, Source: Described, Place: d.Path,
		open: func(f *Factory, dir string, l limits) (lang.Engine, error) {
			config := d.Config()
			config.Dir, config.Env = dir, f.env.environ(f.Environ)
			config.Limits, config.Start = f.env.bounds(l.ofProcess()), f.env.starter()
			return script.New(config)
		},
	}
	if d.Extension != "" {
		o.Extensions = []string{d.Extension}
	}
	return o
}

// Faults returns the reasons why engines of the settings cannot be used.
func (f *Factory) Faults() error {
	var all []error
	for _, o := range f.describedOffers() {
		all = append(all, o.Fault)
	}
	return errors.Join(all...)
}
