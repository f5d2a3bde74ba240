package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
)

// memory is a log in the memory of this process.
type memory struct {
	mu       sync.Mutex
	records  []event.Record
	snapshot room.Snapshot
}

func newMemory() *memory { return &memory{} }

// Append implements [room.Log]. It copies the data, because the room reuses its buffer.
func (m *memory) Append(ctx context.Context, b room.Batch) error {
	records, err := copyBatch(b)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if last := event.Seq(len(m.records)); b.After != last {
		return fmt.Errorf("append after %d, the last is %d: %w", b.After, last, room.ErrConflict)
	}
	m.records = append(m.records, records...)
	return nil
}

// errMalformed says that a batch does not continue the log.
var errMalformed = errors.New("records must be one line each, numbered without gaps")

// copyBatch returns copies of the records of a batch, with their data in one allocation.
func copyBatch(b room.Batch) ([]event.Record, error) {
	size := 0
	for i, r := range b.Records {
		if r.Seq != b.After+event.Seq(i)+1 || len(r.Data) == 0 || bytes.IndexByte(r.Data, '\n') >= 0 {
			return nil, fmt.Errorf("append record %d after %d: %w", r.Seq, b.After, errMalformed)
		}
		size += len(r.Data)
	}
	buf := make([]byte, 0, size)
	records := make([]event.Record, 0, len(b.Records))
	for _, r := range b.Records {
		at := len(buf)
		buf = append(buf, r.Data...)
		records = append(records, event.Record{Seq: r.Seq, Data: buf[at:len(buf):len(buf)]})
	}
	return records, nil
}

// Read implements [room.Log].
func (m *memory) Read(ctx context.Context, after event.Seq, yield func(event.Record) error) error {
	m.mu.Lock()
	var records []event.Record
	if after < event.Seq(len(m.records)) {
		records = m.records[after:]
	}
	m.mu.Unlock()
	for _, r := range records { // records do not change, so that yield may take its time
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := yield(r); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Last implements [room.Log].
func (m *memory) Last(ctx context.Context) (event.Seq, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return event.Seq(len(m.records)), ctx.Err()
}

// SaveSnapshot implements [room.Log].
func (m *memory) SaveSnapshot(ctx context.Context, s room.Snapshot) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.Data = bytes.Clone(s.Data)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.snapshot = s
	return nil
}

// Snapshot implements [room.Log].
func (m *memory) Snapshot(ctx context.Context) (room.Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.snapshot
	s.Data = bytes.Clone(s.Data)
	return s, ctx.Err()
}
