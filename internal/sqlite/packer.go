package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/quirehq/quire/core/event"
)

// packer packs many small segments into few large ones with fewer bytes. It reads and compresses on
// its own goroutine or a caller's, so the writer only replaces rows.
type packer struct {
	db *DB
	mu sync.Mutex // held while packing: one log at a time
}

func newPacker(db *DB) *packer { return &packer{db: db} }

// run packs the ripe logs when the database is quiet.
func (p *packer) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case number := <-p.db.writer.ripe:
			if !p.awaitQuiet(ctx) {
				return
			}
			if err := p.pack(ctx, number, hotEvents); err != nil && ctx.Err() == nil {
				p.db.config.Fault(fmt.Errorf("pack old records: %w", p.db.explain(err)))
			}
		}
	}
}

// patience bounds the wait for quiet.
const patience = time.Minute

// awaitQuiet waits until nothing was committed for a while, and returns false if ctx ends.
func (p *packer) awaitQuiet(ctx context.Context) bool {
	tick := time.NewTicker(p.db.config.Quiet)
	defer tick.Stop()
	deadline := time.Now().Add(patience)
	for before := p.db.writer.commits.Load(); ; {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		now := p.db.writer.commits.Load()
		if now == before || time.Now().After(deadline) {
			return true
		}
		before = now
	}
}

// pack packs the unpacked segments of a log, except the latest hot records.
func (p *packer) pack(ctx context.Context, number int64, hot event.Seq) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	name, last, err := p.describe(ctx, number)
	if err != nil {
		return err
	}
	if last <= hot {
		return nil
	}
	for after := event.Seq(0); ; {
		r, err := p.next(ctx, number, after, last-hot)
		if err != nil {
			return err
		}
		if r == nil {
			return p.vacuum(ctx)
		}
		// In the background, records that do not fill a segment wait until they do.
		if hot > 0 && !r.full() {
			return p.vacuum(ctx)
		}
		if err := p.replace(ctx, name, r); err != nil {
			return err
		}
		after = r.last
	}
}

// describe returns the id of a log and its last number.
func (p *packer) describe(ctx context.Context, number int64) (name string, last event.Seq, err error) {
	err = p.db.read.QueryRowContext(ctx, `SELECT id FROM logs WHERE number = ?`, number).Scan(&name)
	if err != nil {
		return "", 0, fmt.Errorf("find log: %w", err)
	}
	err = p.db.reads.last.QueryRowContext(ctx, place(number, 0), place(number, maxSeq)).Scan(&last)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", 0, fmt.Errorf("find last number: %w", err)
	}
	return name, last, nil
}

// next reads the next run of segments worth packing, after one number and up to another; nil if
// there is none.
func (p *packer) next(ctx context.Context, number int64, after, upTo event.Seq) (*run, error) {
	first, err := p.skipFull(ctx, number, after, upTo)
	if err != nil || first == 0 {
		return nil, err
	}
	rows, err := p.db.reads.page.QueryContext(ctx, place(number, 0), place(number, first), place(number, upTo))
	if err != nil {
		return nil, fmt.Errorf("read segments: %w", err)
	}
	r := &run{number: number, first: first, last: first - 1}
	err = p.collect(rows, r, upTo)
	if err := errors.Join(err, rows.Err(), rows.Close()); err != nil {
		return nil, fmt.Errorf("read segments: %w", err)
	}
	if r.rows == 0 {
		return nil, nil
	}
	return r, nil
}

// skipFull returns the first number of the first segment that is in lines, or is packed but far
// from full and not the last; 0 if there is none.
func (p *packer) skipFull(ctx context.Context, number int64, after, upTo event.Seq) (event.Seq, error) {
	var at int64
	err := p.db.read.QueryRowContext(ctx, `SELECT place FROM segments
		WHERE place BETWEEN ?1 AND ?2 AND last <= ?3 AND (form = 0 OR
			last - (place & ?4) < ?5 AND length(data) < ?6 AND
			EXISTS (SELECT 1 FROM segments AS s WHERE s.place BETWEEN segments.last + (segments.place - (segments.place & ?4)) + 1 AND ?2 AND s.last <= ?3))
		ORDER BY place LIMIT 1`,
		place(number, after+1), place(number, upTo), int64(upTo), int64(maxSeq), fullEvents/2, fullBytes/8).Scan(&at)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("find loose segments: %w", err)
	}
	return firstOf(at), nil
}

// collect adds rows to a run until it is full.
func (p *packer) collect(rows *sql.Rows, r *run, upTo event.Seq) error {
	for !r.full() && rows.Next() {
		var (
			s  segment
			at int64
			b  sql.RawBytes
		)
		if err := rows.Scan(&at, &s.last, &s.form, &b); err != nil {
			return err
		}
		s.first, s.data = firstOf(at), b
		if s.last > upTo {
			return nil
		}
		lines, err := p.db.codec.unpack(s)
		if err != nil {
			return fmt.Errorf("unpack records %d to %d: %w", s.first, s.last, err)
		}
		r.lines = append(r.lines, lines...)
		r.last, r.rows, r.raw = s.last, r.rows+1, r.raw+len(b)
	}
	return nil
}

func (p *packer) replace(ctx context.Context, name string, r *run) error {
	f, data, err := p.db.codec.pack(r.lines, r.count())
	if err != nil {
		return fmt.Errorf("pack records %d to %d: %w", r.first, r.last, err)
	}
	if err := p.db.do(ctx, replaceJob{run: r, form: f, data: data}); err != nil {
		return fmt.Errorf("store records %d to %d: %w", r.first, r.last, err)
	}
	p.db.config.Packed(name, r.count(), r.raw, len(data))
	return nil
}

// Free pages are returned once they are many and a large share of the file; until then new records
// reuse them.
const (
	vacuumAbove = 128 // pages
	vacuumShare = 4   // one in so many
	vacuumStep  = 512 // pages in one transaction
)

func (p *packer) vacuum(ctx context.Context) error {
	for before := -1; ; {
		var free, all int
		err := p.db.read.QueryRowContext(ctx,
			`SELECT freelist_count, page_count FROM pragma_freelist_count, pragma_page_count`).Scan(&free, &all)
		if err != nil {
			return fmt.Errorf("count free pages: %w", err)
		}
		if free < vacuumAbove || free < all/vacuumShare || free == before {
			return nil // free == before: the file was created without auto_vacuum
		}
		before = free
		if err := p.db.do(ctx, vacuumJob{pages: vacuumStep}); err != nil {
			return err
		}
	}
}
