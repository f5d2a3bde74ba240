package lang

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/quirehq/quire/core/internal/ctxmutex"
	"github.com/quirehq/quire/core/lang/names"
)

// Spec has the constructor of a language's engine.
type Spec struct {
	Language string
	Aliases  []string // other names of a language that is not in the table of package names, in lower case
	New      func() (Engine, error)
}

// Set has the engines of one runtime, at most one a language. Each is made and loaded at its first use. Its methods may
// be called from any goroutine; loading one language does not block another.
type Set struct {
	slots []*slot // in the order of the table; never changes
}

// slot is the entry of one language in a set.
type slot struct {
	spec Spec

	mu     ctxmutex.Mutex // held while an engine loads
	engine Engine         // nil until loaded, and again after Discard
	closed bool
}

// NewSet returns a set of the engines in the table, none of them loaded. The first entry of a language counts.
func NewSet(table []Spec) *Set {
	set := &Set{}
	for _, spec := range table {
		if set.slot(spec.Language) == nil {
			set.slots = append(set.slots, &slot{spec: spec, mu: ctxmutex.New()})
		}
	}
	return set
}

// Languages returns the names of all languages, in the order of the table.
func (s *Set) Languages() []string {
	list := make([]string, len(s.slots))
	for i, slot := range s.slots {
		list[i] = slot.spec.Language
	}
	return list
}

// Language returns the name of a language in the table, by any of its names.
func (s *Set) Language(name string) (id string, ok bool) {
	slot := s.slot(name)
	if slot == nil {
		return "", false
	}
	return slot.spec.Language, true
}

// Get returns the engine of a language, loaded. An engine that failed to load is closed, and the next Get tries again.
// When ctx ends while another Get loads the engine, it returns the cause and the loading goes on.
func (s *Set) Get(ctx context.Context, language string, progress func(Progress)) (Engine, error) {
	slot := s.slot(language)
	if slot == nil {
		return nil, fmt.Errorf("%w: %q", ErrUnknown, language)
	}
	return slot.get(ctx, progress)
}

// Loaded returns the engine of a language if it is loaded, and nil if it is not loaded yet. It does not wait.
func (s *Set) Loaded(language string) (Engine, error) {
	slot := s.slot(language)
	if slot == nil {
		return nil, fmt.Errorf("%w: %q", ErrUnknown, language)
	}
	select {
	case slot.mu <- struct{}{}:
		defer slot.mu.Unlock()
		return slot.engine, nil
	default:
		return nil, nil
	}
}

// Discard closes the engine of a language, if it is still the given one; the next Get makes another. It is for an
// engine that died.
func (s *Set) Discard(language string, engine Engine) error {
	slot := s.slot(language)
	if slot == nil {
		return fmt.Errorf("%w: %q", ErrUnknown, language)
	}
	slot.mu.Lock()
	defer slot.mu.Unlock()
	if slot.engine != engine {
		return nil
	}
	slot.engine = nil
	return engine.Close()
}

// Drain drains the loaded engines that have a Drainer, one after another, and reports whether background work of
// their runs is left. They can only be closed afterwards.
func (s *Set) Drain(ctx context.Context, p Patience) (left bool) {
	for _, slot := range s.slots {
		engine, _ := s.Loaded(slot.spec.Language) // the language is in the set
		if engine == nil {
			continue
		}
		if drainer := engine.Abilities().Drainer; drainer != nil && drainer.Drain(ctx, p) {
			left = true
		}
	}
	return left
}

// Close closes all engines, and waits for one that is loading. Get then fails
// with ErrClosed.
func (s *Set) Close() error {
	var errs []error
	for _, slot := range s.slots {
		errs = append(errs, slot.close())
	}
	return errors.Join(errs...)
}

// slot returns the entry of a language by any of its names, nil if there is none. A runtime has a handful: a map would be
// no faster.
func (s *Set) slot(language string) *slot {
	id := names.ID(language)
	for _, slot := range s.slots {
		if slot.spec.Language == language || slot.spec.Language == id {
			return slot
		}
	}
	for _, slot := range s.slots {
		if slices.Contains(slot.spec.Aliases, id) {
			return slot
		}
	}
	return nil
}

func (s *slot) get(ctx context.Context, progress func(Progress)) (Engine, error) {
	if err := s.mu.LockContext(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	if s.engine != nil {
		return s.engine, nil
	}
	engine, err := s.spec.New()
	if err != nil {
		return nil, fmt.Errorf("make the engine for %s: %w", s.spec.Language, err)
	}
	if err := engine.Load(ctx, progress); err != nil {
		return nil, errors.Join(fmt.Errorf("load the engine for %s: %w", s.spec.Language, err), engine.Close())
	}
	s.engine = engine
	return engine, nil
}

func (s *slot) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.engine == nil {
		return nil
	}
	engine := s.engine
	s.engine = nil
	return engine.Close()
}
