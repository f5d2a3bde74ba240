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

// settleBytes is how much the journal holds before its batches move to segments.
// It bounds the memory of the tail, and what a start after a crash has to read.
const settleBytes = 2 << 20

// settleJob asks for the journal to be emptied, which happens before its
// transaction does any job.
type settleJob struct{}

func (settleJob) events() int    { return 0 }
func (settleJob) do(t *tx) error { return nil }
func isSettle(r *request) bool   { _, ok := r.job.(settleJob); return ok }

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
	if cap(t.row) > settleBytes {
		t.row = nil // one huge batch should not cost its memory for ever
	}
	return nil
}

func appendEntry(dst []byte, e entry) []byte {
	dst = binary.AppendUvarint(dst, uint64(e.number))
	dst = binary.AppendUvarint(dst, uint64(e.first))
	dst = binary.AppendUvarint(dst, uint64(e.count()))
	return appendBytes(dst, e.data)
}

// readEntries adds the batches of a row to the list.
func readEntries(list []entry, row []byte) ([]entry, error) {
	in := input{rest: row}
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

// settle moves the tail to segments, within the transaction.
func (t *tx) settle() error {
	for _, number := range slices.Sorted(maps.Keys(t.tail.logs)) { // only the writer changes it
		if err := t.settleLog(number, t.tail.logs[number]); err != nil {
			return fmt.Errorf("move journal to segments: %w", err)
		}
	}
	if err := t.exec(clearJournal); err != nil {
		return fmt.Errorf("clear journal: %w", err)
	}
	t.settled = true
	return nil
}

// settleLog joins batches of one log to segments that are at most a little more
// than full.
func (t *tx) settleLog(number int64, list []segment) error {
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

// recover settles what an earlier process left in the journal.
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
	w.tx.tail.turn(false, list)
	return w.empty()
}

// empty settles the journal in a transaction of its own.
func (w *writer) empty() error {
	if w.tx.tail.bytes == 0 {
		return nil
	}
	return w.transact([]*request{{ctx: context.Background(), job: settleJob{}}})
}
