package datadir

import (
	"fmt"
	"maps"
	"slices"
)

// providersFile is the name of the file with the providers of language models, which have keys.
const providersFile = "providers.json"

// Providers are the services of language models that were stored. No error of its methods has a key.
type Providers struct {
	Dir string // the data directory
}

// Provider is a service of language models.
type Provider struct {
	Name   string `json:"-"`
	Kind   string `json:"kind"`
	URL    string `json:"url,omitempty"`    // that of the kind if empty
	Key    string `json:"key,omitempty"`    // secret
	Script string `json:"script,omitempty"` // the path of what a scripted model plays
}

// String returns the provider without its key, for logs.
func (p Provider) String() string { return fmt.Sprintf("%s (%s)", p.Name, p.Kind) }

// GoString returns the provider without its key, for logs.
func (p Provider) GoString() string { return p.String() }

// List returns the providers, sorted by name.
func (p Providers) List() ([]Provider, error) {
	stored, err := p.file().read()
	if err != nil {
		return nil, err
	}
	var list []Provider
	for _, name := range slices.Sorted(maps.Keys(stored)) {
		one := stored[name]
		one.Name = name
		list = append(list, one)
	}
	return list, nil
}

// Set stores a provider, in place of an earlier one of its name.
func (p Providers) Set(one Provider) error {
	if !isName(one.Name) {
		return fmt.Errorf("%q is no name for a provider: want at most 64 small letters, digits, _ and -", one.Name)
	}
	return p.file().change(func(stored map[string]Provider) error {
		stored[one.Name] = one
		return nil
	})
}

// Remove removes a provider.
func (p Providers) Remove(name string) error {
	return p.file().change(func(stored map[string]Provider) error {
		if _, ok := stored[name]; !ok {
			return fmt.Errorf("there is no stored provider %q", name)
		}
		delete(stored, name)
		return nil
	})
}

func (p Providers) file() secretMap[Provider] {
	return secretMap[Provider]{p.Dir, providersFile, "providers"}
}
