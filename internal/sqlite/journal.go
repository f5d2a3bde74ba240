package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/quirehq/quire/core/event"
)

// drainBytes is the size of the journal at which its batches move to segments. It bounds the memory
// of the tail, and the reading at a start after a crash.
const drainBytes = 2 << 20

// drainJob requests a drain of the journal, which happens before its transaction executes any job.
type drainJob struct{}

func (drainJob) events() int    { return 0 }
func (drainJob) do(t *tx) error { return nil }

// writeJournal stores the batches of the transaction in one row.
func (t *tx) writeJournal() error {
	if len(t.pending) == 0 {
		return nil
	}
	t.row = t.row[:0]
	for _, e := range t.pending {
		t.row = appendEntry(t.row, e)
	}
	if err := t.run(insertJournal, t.row); err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	if cap(t.row) > drainBytes {
		t.row = nil // do not keep the memory of a huge batch
	}
	return nil
}

func appendEntry(dst []byte, e entry) []byte {
	dst = binary.AppendUvarint(dst, uint64(e.number))
	dst = binary.AppendUvarint(dst, uint64(e.first))
	dst = binary.AppendUvarint(dst, uint64(e.count()))
	return appendBytes(dst, e.data)
}

// readEntries appends the batches of a row to the list.
func readEntries(list []entry, row []byte) ([]entry, error) {
	in := byteReader{rest: row}
	for len(in.rest) > 0 {
		e := entry{number: int64(in.uvarint())}
		e.first = event.Seq(in.uvarint())
		e.last = e.first + event.Seq(in.uvarint()) - 1
		e.data = in.block()
		if in.bad {
			return nil, fmt.Errorf("%w: the journal ends too early", errDamaged)
		}
		list = append(list, e)
	}
	return list, nil
}

// drain moves the tail to segments, within the transaction.
func (t *tx) drain() error {
	for _, number := range slices.Sorted(maps.Keys(t.tail.logs)) { // only the writer modifies it
		if err := t.drainLog(number, t.tail.logs[number]); err != nil {
			return fmt.Errorf("move journal to segments: %w", err)
		}
	}
	if err := t.exec(clearJournal); err != nil {
		return fmt.Errorf("clear journal: %w", err)
	}
	t.drains = true
	return nil
}

// drainLog joins batches of one log to segments that are at most a little more than full.
func (t *tx) drainLog(number int64, list []segment) error {
	log, err := t.log(number)
	if err != nil {
		return err
	}
	s := segment{first: list[0].first}
	for i, b := range list {
		s.last, s.data = b.last, append(s.data, b.data...)
		if i < len(list)-1 && s.count() < fullEvents && len(s.data) < fullBytes {
			continue
		}
		if err := t.exec(insertSegment, place(number, s.first), int64(s.last), int64(formLines), s.data); err != nil {
			return err
		}
		log.loose, log.bytes = log.loose+s.count(), log.bytes+len(s.data)
		s = segment{first: b.last + 1}
	}
	if log.loose >= ripeEvents || log.bytes >= ripeBytes {
		log.loose, log.bytes = 0, 0
		t.ripe = append(t.ripe, number)
	}
	return nil
}

// recover drains the journal of an earlier process.
func (w *writer) recover(ctx context.Context) error {
	rows, err := w.tx.conn.QueryContext(ctx, `SELECT data FROM journal ORDER BY id`)
	if err != nil {
		return fmt.Errorf("read journal: %w", err)
	}
	var list []entry
	for rows.Next() && err == nil {
		var row []byte
		if err = rows.Scan(&row); err == nil {
			list, err = readEntries(list, row)
		}
	}
	if err := errors.Join(err, rows.Err(), rows.Close()); err != nil {
		return fmt.Errorf("read journal: %w", err)
	}
	if len(list) == 0 {
		return nil
	}
	w.tx.tail.update(false, list)
	return w.empty()
}

// empty drains the journal in a transaction of its own.
func (w *writer) empty() error {
	if w.tx.tail.bytes == 0 {
		return nil
	}
	return w.transact([]*request{{ctx: context.Background(), job: drainJob{}}})
}
