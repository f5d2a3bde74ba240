package roomtest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
)

// Memory is a log in memory. It keeps the rules of a log, except that nothing survives the
// process, and a test can make it crash and fail.
type Memory struct {
	mu    sync.Mutex
	disk  *disk // nil once the log was reopened
	fault *fault
}

// disk survives a crash: it has everything that was acknowledged.
type disk struct {
	records  []event.Record
	snapshot room.Snapshot
	title    string
}

// fault is the error of the next append.
type fault struct {
	err    error
	stored bool
}

var _ room.Log = (*Memory)(nil)

// NewMemory returns an empty log.
func NewMemory() *Memory { return &Memory{disk: &disk{}} }

// Reopen crashes the log and returns a new one that has everything that was acknowledged.
// The old one becomes unavailable.
func (m *Memory) Reopen() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.disk
	m.disk = nil
	return &Memory{disk: d}
}

// Fail makes the next append return err. Stored decides whether its batch is stored all the
// same, which its caller cannot know. Nil takes an error back that no append has had.
func (m *Memory) Fail(err error, stored bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fault = nil; err == nil {
		return
	}
	m.fault = &fault{err: err, stored: stored}
}

// Title returns the title of the last batch that has one.
func (m *Memory) Title() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.disk == nil {
		return ""
	}
	return m.disk.title
}

// Append stores a batch.
func (m *Memory) Append(ctx context.Context, b room.Batch) error {
	if err := check(b); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.readyLocked(ctx); err != nil {
		return err
	}
	if f := m.fault; f != nil {
		m.fault = nil
		if f.stored {
			_ = m.disk.append(b)
		}
		return f.err
	}
	return m.disk.append(b)
}

// Read calls yield with each record after the number.
func (m *Memory) Read(ctx context.Context, after event.Seq, yield func(event.Record) error) error {
	m.mu.Lock()
	err := m.readyLocked(ctx)
	var records []event.Record
	if err == nil && after < m.disk.last() {
		records = m.disk.records[after:]
	}
	m.mu.Unlock()
	if err != nil {
		return err
	}
	// The elements of the slice never change, so yield may take its time.
	for _, r := range records {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := yield(r); err != nil {
			return err
		}
	}
	return nil
}

// Last returns the number of the last record.
func (m *Memory) Last(ctx context.Context) (event.Seq, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.readyLocked(ctx); err != nil {
		return 0, err
	}
	return m.disk.last(), nil
}

// SaveSnapshot replaces the snapshot.
func (m *Memory) SaveSnapshot(ctx context.Context, s room.Snapshot) error {
	s.Data = bytes.Clone(s.Data)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.readyLocked(ctx); err != nil {
		return err
	}
	if last := m.disk.last(); s.Seq > last {
		return fmt.Errorf("a snapshot at %d is ahead of the log, which ends at %d", s.Seq, last)
	}
	m.disk.snapshot = s
	return nil
}

// Snapshot returns the newest snapshot.
func (m *Memory) Snapshot(ctx context.Context) (room.Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.readyLocked(ctx); err != nil {
		return room.Snapshot{}, err
	}
	s := m.disk.snapshot
	s.Data = bytes.Clone(s.Data)
	return s, nil
}

func (m *Memory) readyLocked(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.disk == nil {
		return fmt.Errorf("log has crashed: %w", room.ErrUnavailable)
	}
	return nil
}

func (d *disk) last() event.Seq { return event.Seq(len(d.records)) }

func (d *disk) append(b room.Batch) error {
	if b.After != d.last() {
		return fmt.Errorf("append after %d, the last is %d: %w", b.After, d.last(), room.ErrConflict)
	}
	for _, r := range b.Records {
		d.records = append(d.records, event.Record{Seq: r.Seq, Data: slices.Clone(r.Data)})
	}
	if b.Title != nil {
		d.title = *b.Title
	}
	return nil
}

// check checks that a batch is well formed.
func check(b room.Batch) error {
	for i, r := range b.Records {
		if want := b.After + event.Seq(i) + 1; r.Seq != want {
			return fmt.Errorf("append after %d: record %d has number %d, want %d", b.After, i, r.Seq, want)
		}
		if len(r.Data) == 0 || bytes.IndexByte(r.Data, '\n') >= 0 {
			return fmt.Errorf("append record %d: it is not one line", r.Seq)
		}
	}
	return nil
}
