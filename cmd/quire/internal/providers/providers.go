// Package providers opens the providers of language models that this machine has: those that were stored in the data
// directory, and those whose keys the environment has.
package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strings"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/internal/llm/anthropic"
	"github.com/quirehq/quire/internal/llm/call"
	"github.com/quirehq/quire/internal/llm/ollama"
	"github.com/quirehq/quire/internal/llm/openai"
	"github.com/quirehq/quire/internal/llm/retry"
	"github.com/quirehq/quire/internal/llm/scripted"
)

// kind is a kind of providers.
type kind struct {
	name string
	url  string // of its service; empty for one without
	open func(call.Config) (assist.Provider, error)
	// Variables of the environment with the key and the URL; empty for none.
	keyVariable, urlVariable string
	needsKey                 bool // the service at url does
}

// kinds is the table of all kinds.
var kinds = []kind{
	{"anthropic", anthropic.URL, openAnthropic, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", true},
	{"groq", "https://api.groq.com/openai/v1", openOpenAI, "GROQ_API_KEY", "", true},
	{"ollama", ollama.URL, openOllama, "OLLAMA_API_KEY", "OLLAMA_HOST", false},
	{"openai", openai.URL, openOpenAI, "OPENAI_API_KEY", "OPENAI_BASE_URL", true},
	{name: scriptedKind},
}

// scriptedKind is the kind of models that play a file.
const scriptedKind = "scripted"

func openAnthropic(c call.Config) (assist.Provider, error) { return anthropic.New(c) }
func openOpenAI(c call.Config) (assist.Provider, error)    { return openai.New(c) }
func openOllama(c call.Config) (assist.Provider, error)    { return ollama.New(c) }

// Kinds returns the names of all kinds.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// NeedsKey reports whether a provider of a kind has to have a key. Servers of one's own seldom want one.
func NeedsKey(name, url string) bool {
	k, ok := find(name)
	return ok && k.needsKey && url == ""
}

// TakesKey reports whether a provider of a kind can have a key.
func TakesKey(name string) bool {
	k, ok := find(name)
	return ok && k.open != nil
}

func find(name string) (kind, bool) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return kind{}, false
	}
	return kinds[i], true
}

// Check returns the fault of a provider that is to be stored, without its key.
func Check(p datadir.Provider) error {
	k, ok := find(p.Kind)
	switch {
	case !ok:
		return fmt.Errorf("there is no kind %q: the kinds are %s", p.Kind, strings.Join(Kinds(), ", "))
	case k.name == scriptedKind && (p.URL != "" || p.Key != ""):
		return errors.New("a scripted provider has a script, and neither a URL nor a key")
	case k.name == scriptedKind:
		_, err := scripted.Read(p.Script)
		return err
	case p.Script != "":
		return fmt.Errorf("a provider of the kind %s has no script", p.Kind)
	}
	_, err := k.open(call.Config{Provider: p.Name, URL: p.URL, Key: p.Key})
	return err
}

// Found is a provider of this machine.
type Found struct {
	datadir.Provider
	Source string // "stored", or the variable that it is from
	Err    error  // why it cannot be used, without its key
}

// Place returns where a provider is: its URL, or the path of its script.
func (f Found) Place() string {
	k, _ := find(f.Kind)
	return cmp.Or(f.URL, f.Script, k.url)
}

// Find returns the providers, sorted by name: the stored ones, and those of the environment whose names no stored one
// has. A stored one without a URL takes the key of the environment if it has none, since that key is for the service of
// the kind.
func Find(stored []datadir.Provider, variable func(string) string) []Found {
	var all []Found
	for _, p := range stored {
		f := Found{Provider: p, Source: "stored"}
		k, ok := find(p.Kind)
		if ok && p.Key == "" && p.URL == "" && k.keyVariable != "" {
			f.Key = variable(k.keyVariable)
		}
		if !ok {
			f.Err = fmt.Errorf("this version has no kind %q: remove the provider %s", p.Kind, p.Name)
		}
		all = append(all, f)
	}
	for _, k := range kinds {
		if slices.ContainsFunc(all, func(f Found) bool { return f.Name == k.name }) {
			continue
		}
		if f, ok := k.inEnvironment(variable); ok {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b Found) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// inEnvironment returns the provider of a kind that the environment has.
func (k kind) inEnvironment(variable func(string) string) (Found, bool) {
	f := Found{Provider: datadir.Provider{Name: k.name, Kind: k.name}}
	if k.keyVariable != "" {
		f.Key, f.Source = variable(k.keyVariable), k.keyVariable
	}
	if k.urlVariable != "" {
		f.URL = variable(k.urlVariable)
	}
	if k.name == "ollama" && f.URL != "" {
		f.URL, f.Source = ollamaURL(f.URL), k.urlVariable
	}
	return f, f.Key != "" || !k.needsKey && f.URL != ""
}

// ollamaURL returns the URL of what OLLAMA_HOST has: a host, a port, both, or a URL. The address on which Ollama serves
// all is none that can be asked.
func ollamaURL(text string) string {
	if !strings.Contains(text, "://") {
		if strings.HasPrefix(text, ":") {
			text = "localhost" + text
		}
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		return text // it fails when it is opened
	}
	host, port := u.Hostname(), u.Port()
	if host == "0.0.0.0" || host == "::" {
		host = "localhost"
	}
	if port == "" && u.Scheme == "http" {
		port = "11434"
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if u.Host = host; port != "" {
		u.Host += ":" + port
	}
	return u.String()
}

// Open opens a provider, which repeats requests that fail for a passing reason. One that cannot be used says so when it
// is asked, so that it hides no other.
func Open(f Found) assist.Provider {
	if f.Err != nil {
		return unusable{f.Name, f.Err}
	}
	if f.Kind == scriptedKind {
		s, err := scripted.Read(f.Script)
		if err != nil {
			return unusable{f.Name, err}
		}
		return scripted.New(scripted.Config{Provider: f.Name, Script: s})
	}
	k, _ := find(f.Kind)
	p, err := k.open(call.Config{Provider: f.Name, URL: f.URL, Key: f.Key})
	if err != nil {
		return unusable{f.Name, err}
	}
	return retry.New(p, retry.Config{})
}

// Ollama opens a provider as a server of Ollama, which can pull models.
func Ollama(f Found) (*ollama.Provider, error) {
	if f.Kind != "ollama" {
		return nil, fmt.Errorf("the provider %s is of the kind %s: only Ollama loads models", f.Name, f.Kind)
	}
	return ollama.New(call.Config{Provider: f.Name, URL: f.URL, Key: f.Key})
}

// unusable is a provider whose configuration is wrong.
type unusable struct {
	name string
	err  error
}

func (u unusable) failure() error {
	return &assist.ModelError{Kind: assist.FailedRequest, Provider: u.name, Err: u.err}
}

// Name implements [assist.Provider].
func (u unusable) Name() string { return u.name }

// Models implements [assist.Provider].
func (u unusable) Models(context.Context) ([]assist.ModelInfo, error) { return nil, u.failure() }

// Answer implements [assist.Model].
func (u unusable) Answer(context.Context, assist.Request) iter.Seq2[assist.Chunk, error] {
	return func(yield func(assist.Chunk, error) bool) { yield(assist.Chunk{}, u.failure()) }
}
