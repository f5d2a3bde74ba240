package directorytest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
)

// Memory is a directory in memory, with its index of artifacts.
type Memory struct {
	mu        sync.Mutex
	notebooks map[string]*directory.Notebook
	logs      map[string]*roomtest.Memory
	people    map[string]directory.Person
	roles     map[string]map[string]access.Role // by notebook and person
	artifacts map[string]map[string]*kept       // by notebook and hash
}

// NewMemory returns a directory without notebooks and people.
func NewMemory() *Memory {
	return &Memory{
		notebooks: map[string]*directory.Notebook{},
		logs:      map[string]*roomtest.Memory{},
		people:    map[string]directory.Person{},
		roles:     map[string]map[string]access.Role{},
		artifacts: map[string]map[string]*kept{},
	}
}

// with calls f with the directory locked, unless ctx has ended.
func (m *Memory) with(ctx context.Context, f func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	return f()
}

// withNotebook calls f with a notebook.
func (m *Memory) withNotebook(ctx context.Context, id string, f func(*directory.Notebook) error) error {
	return m.with(ctx, func() error {
		n := m.notebooks[id]
		if n == nil {
			return fmt.Errorf("notebook %s: %w", id, directory.ErrNotFound)
		}
		return f(n)
	})
}

// CreateNotebook implements [Directory].
func (m *Memory) CreateNotebook(ctx context.Context, n directory.Notebook) error {
	return m.with(ctx, func() error {
		if m.notebooks[n.ID] != nil {
			return fmt.Errorf("notebook %s: %w", n.ID, directory.ErrExists)
		}
		if _, known := m.people[n.Owner]; !known {
			return fmt.Errorf("owner %s: %w", n.Owner, directory.ErrNotFound)
		}
		n.Updated, n.Cells = max(n.Created, n.Updated), new(int)
		m.notebooks[n.ID], m.logs[n.ID] = &n, roomtest.NewMemory()
		m.roles[n.ID] = map[string]access.Role{n.Owner: access.Owner}
		return nil
	})
}

// Notebook implements [Directory].
func (m *Memory) Notebook(ctx context.Context, id string) (found directory.Notebook, err error) {
	err = m.withNotebook(ctx, id, func(n *directory.Notebook) error {
		found = *n
		return nil
	})
	return found, err
}

// DeleteNotebook implements [Directory].
func (m *Memory) DeleteNotebook(ctx context.Context, id string, at event.Time) error {
	return m.withNotebook(ctx, id, func(n *directory.Notebook) error {
		if n.Deleted == 0 {
			n.Deleted = at
		}
		return nil
	})
}

// RestoreNotebook implements [Directory].
func (m *Memory) RestoreNotebook(ctx context.Context, id string) error {
	return m.withNotebook(ctx, id, func(n *directory.Notebook) error {
		n.Deleted = 0
		return nil
	})
}

// ListNotebooks implements [Directory].
func (m *Memory) ListNotebooks(ctx context.Context, q directory.Query) (list []directory.Listing, err error) {
	err = m.with(ctx, func() error {
		for _, n := range m.notebooks {
			role := m.roles[n.ID][q.Person]
			switch {
			case q.Person != "" && role == "", q.Owner != "" && n.Owner != q.Owner, (n.Deleted != 0) != q.Deleted, !q.Matches(n.Title):
				continue
			}
			l := directory.Listing{Notebook: *n, Role: role}
			if q.After.ID == "" || compare(q, q.Cursor(l), q.After) > 0 {
				list = append(list, l)
			}
		}
		return nil
	})
	slices.SortFunc(list, func(a, b directory.Listing) int { return compare(q, q.Cursor(a), q.Cursor(b)) })
	if q.Limit > 0 && len(list) > q.Limit {
		list = list[:q.Limit]
	}
	return list, err
}

// compare compares two positions in the list of a query.
func compare(q directory.Query, a, b directory.Cursor) int {
	c := cmp.Or(cmp.Compare(a.Time, b.Time), strings.Compare(lowerASCII(a.Title), lowerASCII(b.Title)), strings.Compare(a.ID, b.ID))
	if q.Ascending {
		return c
	}
	return -c
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// UpsertPerson implements [Directory].
func (m *Memory) UpsertPerson(ctx context.Context, p directory.Person) error {
	return m.with(ctx, func() error {
		if old, known := m.people[p.ID]; known {
			p.Created = old.Created
		}
		m.people[p.ID] = p
		return nil
	})
}

// Person implements [Directory].
func (m *Memory) Person(ctx context.Context, id string) (p directory.Person, err error) {
	err = m.with(ctx, func() error {
		known := false
		if p, known = m.people[id]; !known {
			return fmt.Errorf("person %s: %w", id, directory.ErrNotFound)
		}
		return nil
	})
	return p, err
}

// Grant implements [Directory].
func (m *Memory) Grant(ctx context.Context, g directory.Grant) error {
	return m.withNotebook(ctx, g.Notebook, func(n *directory.Notebook) error {
		_, known := m.people[g.Person]
		switch {
		case !g.Role.Valid() || g.Role.Serves():
			return fmt.Errorf("%q is no role of a person", g.Role)
		case n.Owner == g.Person:
			return directory.ErrOwner
		case !known:
			return fmt.Errorf("person %s: %w", g.Person, directory.ErrNotFound)
		}
		m.roles[n.ID][g.Person] = g.Role
		return nil
	})
}

// Revoke implements [Directory].
func (m *Memory) Revoke(ctx context.Context, notebook, person string) error {
	return m.withNotebook(ctx, notebook, func(n *directory.Notebook) error {
		if n.Owner == person {
			return directory.ErrOwner
		}
		delete(m.roles[n.ID], person)
		return nil
	})
}

// Role implements [Directory].
func (m *Memory) Role(ctx context.Context, notebook, person string) (role access.Role, err error) {
	err = m.with(ctx, func() error {
		role = m.roles[notebook][person]
		return nil
	})
	return role, err
}

// Access implements [Directory].
func (m *Memory) Access(ctx context.Context, notebook string) (grants []directory.Grant, err error) {
	err = m.with(ctx, func() error {
		for _, person := range slices.Sorted(maps.Keys(m.roles[notebook])) {
			grants = append(grants, directory.Grant{Notebook: notebook, Person: person, Role: m.roles[notebook][person]})
		}
		return nil
	})
	return grants, err
}

// Log implements [Directory].
func (m *Memory) Log(notebook string) room.Log {
	m.mu.Lock()
	defer m.mu.Unlock()
	log := m.logs[notebook]
	if log == nil {
		return noLog{}
	}
	return &listedLog{Memory: log, directory: m, notebook: notebook}
}

// listedLog is a log that brings the listing of its notebook up to date.
type listedLog struct {
	*roomtest.Memory
	directory *Memory
	notebook  string
}

// Append implements [room.Log].
func (l *listedLog) Append(ctx context.Context, b room.Batch) error {
	if err := l.Memory.Append(ctx, b); err != nil {
		return err
	}
	l.directory.mu.Lock()
	defer l.directory.mu.Unlock()
	n := l.directory.notebooks[l.notebook]
	if b.Time >= n.Updated+second {
		n.Updated = b.Time
	}
	if b.Title != nil {
		n.Title = *b.Title
	}
	if b.Cells != nil {
		n.Cells = new(*b.Cells)
	}
	return nil
}

// second is how late the time of a listing may be, in milliseconds.
const second event.Time = 1000

// noLog is the log of a notebook that does not exist.
type noLog struct{}

// Append implements [room.Log].
func (noLog) Append(context.Context, room.Batch) error { return room.ErrNotFound }

// Last implements [room.Log].
func (noLog) Last(context.Context) (event.Seq, error) { return 0, room.ErrNotFound }

// Read implements [room.Log].
func (noLog) Read(context.Context, event.Seq, func(event.Record) error) error {
	return room.ErrNotFound
}

// Snapshot implements [room.Log].
func (noLog) Snapshot(context.Context) (room.Snapshot, error) {
	return room.Snapshot{}, room.ErrNotFound
}

// SaveSnapshot implements [room.Log].
func (noLog) SaveSnapshot(context.Context, room.Snapshot) error { return room.ErrNotFound }
