package server_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
)

// store is a directory with access and logs in memory. It outlives the servers
// that use it.
type store struct {
	mu     sync.Mutex
	books  map[string]*directory.Notebook
	roles  map[grant]access.Role
	logs   map[string]*bookLog
	full   error // what appends fail with
	purged map[string]bool
	fault  any // what the next look at a notebook fails or, if it is no error, panics with
}

type grant struct{ notebook, person string }

// bookLog is a log that keeps its notebook's entry in the directory up to date.
type bookLog struct {
	*roomtest.Memory
	store   *store
	id      string
	appends int
}

func (l *bookLog) Append(ctx context.Context, b room.Batch) error {
	l.store.mu.Lock()
	defer l.store.mu.Unlock()
	if l.store.full != nil {
		return l.store.full
	}
	if err := l.Memory.Append(ctx, b); err != nil {
		return err
	}
	l.appends++
	if n := l.store.books[l.id]; n != nil {
		n.Updated = b.Time
		if b.Title != nil {
			n.Title = *b.Title
		}
		if b.Cells != nil {
			n.Cells = b.Cells
		}
	}
	return nil
}

func newStore() *store {
	return &store{
		books: map[string]*directory.Notebook{}, roles: map[grant]access.Role{}, logs: map[string]*bookLog{},
		purged: map[string]bool{},
	}
}

func (s *store) grant(notebook, person string, role access.Role) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roles[grant{notebook, person}] = role
}

func (s *store) fail(fault any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

func (s *store) Log(id string) room.Log { return s.log(id) }

func (s *store) log(id string) *bookLog {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.logs[id] == nil {
		s.logs[id] = &bookLog{Memory: roomtest.NewMemory(), store: s, id: id}
	}
	return s.logs[id]
}

func (s *store) CreateNotebook(_ context.Context, n directory.Notebook) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.books[n.ID] != nil {
		return directory.ErrExists
	}
	s.books[n.ID] = &n
	s.roles[grant{n.ID, n.Owner}] = access.Owner
	return nil
}

func (s *store) Notebook(_ context.Context, id string) (directory.Notebook, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if fault := s.fault; fault != nil {
		s.fault = nil
		if err, ok := fault.(error); ok {
			return directory.Notebook{}, err
		}
		panic(fault)
	}
	n := s.books[id]
	if s.purged[id] {
		return directory.Notebook{}, fmt.Errorf("%w: %w", directory.ErrPurged, directory.ErrNotFound)
	}
	if n == nil {
		return directory.Notebook{}, directory.ErrNotFound
	}
	return *n, nil
}

func (s *store) DeleteNotebook(_ context.Context, id string, at event.Time) error {
	return s.setDeleted(id, at)
}

func (s *store) RestoreNotebook(_ context.Context, id string) error { return s.setDeleted(id, 0) }

func (s *store) setDeleted(id string, at event.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.books[id]
	if n == nil {
		return directory.ErrNotFound
	}
	n.Deleted = at
	return nil
}

func (s *store) ListNotebooks(_ context.Context, q directory.Query) ([]directory.Listing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []directory.Listing
	for id, n := range s.books {
		if role := s.roles[grant{id, q.Person}]; role != "" && (n.Deleted != 0) == q.Deleted {
			list = append(list, directory.Listing{Notebook: *n, Role: role})
		}
	}
	list = slices.DeleteFunc(list, func(l directory.Listing) bool { return !q.Matches(l.Title) })
	slices.SortFunc(list, func(a, b directory.Listing) int { return compare(q, q.Cursor(a), q.Cursor(b)) })
	if q.After.ID != "" {
		list = slices.DeleteFunc(list, func(l directory.Listing) bool { return compare(q, q.Cursor(l), q.After) <= 0 })
	}
	return list[:min(len(list), q.Limit)], nil
}

// compare compares places in the list that a query asks for.
func compare(q directory.Query, a, b directory.Cursor) int {
	order := cmp.Or(
		cmp.Compare(a.Time, b.Time), cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)), cmp.Compare(a.ID, b.ID),
	)
	if q.Ascending {
		return order
	}
	return -order
}

func (s *store) Role(_ context.Context, notebook, person string) (access.Role, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.roles[grant{notebook, person}], nil
}

// crash makes the log of a notebook unavailable to its room, and gives later rooms its records.
func (s *store) crash(id string) {
	l := s.log(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logs[id] = &bookLog{Memory: l.Reopen(), store: s, id: id}
}

// put gives a notebook another log.
func (s *store) put(id string, l *bookLog) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logs[id] = l
}

// appends returns how often a notebook's log was appended to.
func (s *store) appends(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logs[id].appends
}

func (s *store) failAppends(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.full = err
}

// PurgeNotebook implements [server.Purger].
func (s *store) PurgeNotebook(_ context.Context, id string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.books[id] == nil {
		return nil, directory.ErrNotFound
	}
	delete(s.books, id)
	delete(s.logs, id)
	s.purged[id] = true
	return nil, nil
}
