package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/quirehq/quire/core/event"
)

// Read calls yield with each record after the number.
//
// It reads a page of segments at a time and holds no database resources while yield runs: a slow
// reader neither keeps old pages alive nor blocks a connection, and may use the log itself.
func (l *log) Read(ctx context.Context, after event.Seq, yield func(event.Record) error) error {
	number, err := l.db.number(ctx, l.id)
	if err != nil {
		return err
	}
	// The tail is read first: earlier records must be in segments already.
	hot := l.db.writer.tx.tail.after(number, after)
	var p page
	for after < maxSeq && (len(hot) == 0 || after+1 < hot[0].first) {
		if err := p.load(ctx, l.db.reads.page, number, after); err != nil {
			return l.failed("read", err)
		}
		if len(p.segments) == 0 {
			break
		}
		if after, err = l.yieldSegments(ctx, p.segments, after, yield); err != nil {
			return err
		}
	}
	_, err = l.yieldSegments(ctx, hot, after, yield)
	return err
}

// yieldSegments calls yield with the records of the segments after the number, and
// returns the last one.
func (l *log) yieldSegments(ctx context.Context, list []segment, after event.Seq, yield func(event.Record) error) (event.Seq, error) {
	for _, s := range list {
		if err := l.yieldAll(ctx, s, after, yield); err != nil {
			return after, err
		}
		after = max(after, s.last)
	}
	return after, nil
}

// yieldAll calls yield with the records of a segment after the number.
func (l *log) yieldAll(ctx context.Context, s segment, after event.Seq, yield func(event.Record) error) error {
	if s.last <= after {
		return nil
	}
	lines, err := l.db.codec.unpack(s)
	if err != nil {
		return l.failed(fmt.Sprintf("unpack records %d to %d", s.first, s.last), err)
	}
	seq := s.first
	for line := range splitLines(lines) {
		if seq > after {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := yield(event.Record{Seq: seq, Data: line}); err != nil {
				return err
			}
		}
		seq++
	}
	return nil
}

// page is consecutive segments, with one buffer for the bytes of all.
type page struct {
	segments []segment
	buf      []byte
}

// pageBytes is the size at which a page is full; its last segment may exceed it.
const pageBytes = 256 << 10

// load reads the page that begins with the record after the number.
func (p *page) load(ctx context.Context, stmt *sql.Stmt, number int64, after event.Seq) error {
	p.segments, p.buf = p.segments[:0], p.buf[:0]
	rows, err := stmt.QueryContext(ctx, place(number, 0), place(number, after+1), place(number, maxSeq))
	if err != nil {
		return err
	}
	for len(p.buf) < pageBytes && rows.Next() {
		if err := p.add(rows); err != nil {
			_ = rows.Close() // the first error is returned
			return err
		}
	}
	if err := rows.Err(); err != nil {
		_ = rows.Close()
		return err
	}
	if err := rows.Close(); err != nil {
		return err
	}
	p.slice()
	if n := len(p.segments); n > 0 && p.segments[n-1].last <= after {
		p.segments = p.segments[:0] // it has only earlier records, and none follow
	}
	return nil
}

func (p *page) add(rows *sql.Rows) error {
	var (
		s    segment
		at   int64
		data sql.RawBytes
	)
	if err := rows.Scan(&at, &s.last, &s.form, &data); err != nil {
		return err
	}
	s.first, s.size = firstOf(at), len(data)
	p.buf = append(p.buf, data...)
	p.segments = append(p.segments, s)
	return nil
}

// slice assigns each segment its part of the buffer, which is final by now.
func (p *page) slice() {
	rest := p.buf
	for i := range p.segments {
		s := &p.segments[i]
		s.data, rest = rest[:s.size:s.size], rest[s.size:]
	}
}
