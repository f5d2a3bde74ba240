package sqlite

import (
	"bytes"
	"fmt"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
)

// appendJob stores one batch.
type appendJob struct {
	number int64 // of the log
	after  event.Seq
	count  int
	data   []byte // the records in lines
	time   event.Time
	title  *string
	cells  *int
}

// newAppend makes the job of a batch, with a copy of its records. The callers copy, since they run
// in parallel and the writer is one goroutine.
func newAppend(number int64, b room.Batch, limit int) (*appendJob, error) {
	size := 0
	for i, r := range b.Records {
		if want := b.After + event.Seq(i) + 1; r.Seq != want || want > maxSeq {
			return nil, fmt.Errorf("append after %d: record %d has number %d, want %d", b.After, i, r.Seq, want)
		}
		if len(r.Data) == 0 || bytes.IndexByte(r.Data, '\n') >= 0 {
			return nil, fmt.Errorf("append record %d: it is not one line", r.Seq)
		}
		size += len(r.Data) + 1
	}
	if size > limit {
		return nil, fmt.Errorf("append after %d: the batch has %d bytes, at most %d fit", b.After, size, limit)
	}
	return &appendJob{
		number: number, after: b.After, count: len(b.Records),
		data: joinLines(make([]byte, 0, size), b.Records), time: b.Time, title: clone(b.Title), cells: clone(b.Cells),
	}, nil
}

func clone[T any](v *T) *T {
	if v == nil {
		return nil
	}
	return new(*v)
}

func (a *appendJob) events() int { return a.count }

func (a *appendJob) do(t *tx) error {
	log, err := t.log(a.number)
	if err != nil {
		return err
	}
	if log.last != a.after {
		return refusal{fmt.Errorf("append after %d, the last is %d: %w", a.after, log.last, room.ErrConflict)}
	}
	if err := a.touch(t, log); err != nil {
		return err
	}
	if a.count > 0 {
		log.last += event.Seq(a.count)
		s := segment{first: a.after + 1, last: log.last, form: formLines, data: a.data}
		t.pending = append(t.pending, entry{number: a.number, segment: s})
	}
	return nil
}

// touch updates the time of the notebook's entry. A write with each batch would double its cost, so
// the entry may lag by a second.
func (a *appendJob) touch(t *tx, log *logState) error {
	const lag = 1000
	if a.time >= log.updated+lag {
		if err := t.exec(setUpdated, int64(a.time), a.number); err != nil {
			return fmt.Errorf("set time of notebook: %w", err)
		}
		log.updated = a.time
	}
	if a.title != nil {
		if err := t.exec(setTitle, *a.title, a.number); err != nil {
			return fmt.Errorf("set title of notebook: %w", err)
		}
	}
	if a.cells != nil {
		if err := t.exec(setCells, *a.cells, a.number); err != nil {
			return fmt.Errorf("set number of cells of notebook: %w", err)
		}
	}
	return nil
}
