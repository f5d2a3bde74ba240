// Package catalogue lists the models of several providers at once, and remembers them for a time.
package catalogue

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/quirehq/quire/core/assist"
)

// Config has the providers of a catalogue.
type Config struct {
	Providers []assist.Provider // in the order in which they are listed
	// Age is how old a list may be before it is asked for again; 5 minutes if 0.
	Age time.Duration
	// Timeout bounds the time of a provider; 20 seconds if 0.
	Timeout time.Duration
}

// Catalogue has the models of several providers. Its methods may be called by several goroutines at once.
type Catalogue struct {
	config Config
	turn   chan struct{} // held by the goroutine that asks the providers

	mu    sync.Mutex
	lists []list // one for each provider
}

// list is what is known of the models of a provider.
type list struct {
	models []assist.ModelInfo
	err    error     // of the last attempt
	at     time.Time // of the last attempt; zero if there was none
}

// Listing is what a catalogue has.
type Listing struct {
	Models   []assist.ModelInfo `json:"models"`
	Failures []Failure          `json:"failures,omitempty"`
	At       time.Time          `json:"at"` // when the oldest list in it was asked for
}

// Failure says why a provider could not list its models. Those that it listed before are in the listing all the same.
type Failure struct {
	Provider string
	Err      error
}

// MarshalText implements [encoding.TextMarshaler].
func (f Failure) MarshalText() ([]byte, error) {
	if _, ok := errors.AsType[*assist.ModelError](f.Err); ok { // it names its provider
		return []byte(f.Err.Error()), nil
	}
	return []byte(f.Provider + ": " + f.Err.Error()), nil
}

// New returns a catalogue that has asked no provider yet.
func New(c Config) *Catalogue {
	c.Age = cmp.Or(c.Age, 5*time.Minute)
	c.Timeout = cmp.Or(c.Timeout, 20*time.Second)
	return &Catalogue{config: c, turn: make(chan struct{}, 1), lists: make([]list, len(c.Providers))}
}

// Provider returns a provider by its name.
func (c *Catalogue) Provider(name string) (assist.Provider, bool) {
	i := slices.IndexFunc(c.config.Providers, func(p assist.Provider) bool { return p.Name() == name })
	if i < 0 {
		return nil, false
	}
	return c.config.Providers[i], true
}

// List returns the models, and asks those providers whose lists are too old. Its error is the cause of ctx.
func (c *Catalogue) List(ctx context.Context) (Listing, error) { return c.list(ctx, c.config.Age) }

// Refresh asks all providers, and returns the models. Its error is the cause of ctx.
func (c *Catalogue) Refresh(ctx context.Context) (Listing, error) { return c.list(ctx, -1) }

// list asks the providers whose lists are older than an age.
func (c *Catalogue) list(ctx context.Context, age time.Duration) (Listing, error) {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return Listing{}, context.Cause(ctx)
	}
	defer func() { <-c.turn }()
	var all sync.WaitGroup
	for i, p := range c.config.Providers {
		if l := c.at(i); !l.at.IsZero() && time.Since(l.at) <= age {
			continue
		}
		all.Go(func() { c.ask(ctx, i, p) })
	}
	all.Wait()
	if ctx.Err() != nil {
		return Listing{}, context.Cause(ctx)
	}
	return c.listing(), nil
}

func (c *Catalogue) at(i int) list {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lists[i]
}

// errSlow is the failure of a provider that does not list its models in time.
var errSlow = errors.New("it did not list its models in time")

// ask asks a provider. One that fails keeps the models that it had.
func (c *Catalogue) ask(ctx context.Context, i int, p assist.Provider) {
	limited, cancel := context.WithTimeoutCause(ctx, c.config.Timeout, errSlow)
	defer cancel()
	models, err := p.Models(limited)
	if ctx.Err() != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	l := &c.lists[i]
	l.at, l.err = time.Now(), err
	if err == nil {
		l.models = models
	}
}

func (c *Catalogue) listing() Listing {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := Listing{Models: []assist.ModelInfo{}}
	for i, l := range c.lists {
		all.Models = append(all.Models, l.models...)
		if l.err != nil {
			all.Failures = append(all.Failures, Failure{c.config.Providers[i].Name(), l.err})
		}
		if all.At.IsZero() || l.at.Before(all.At) {
			all.At = l.at
		}
	}
	return all
}
