package sqlite_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
	"github.com/quirehq/quire/internal/sqlite"
)

// BenchmarkAppend measures durable events a second, and the commits they took.
func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct{ logs, producers, batch int }{
		{50, 2, 1}, {50, 2, 16}, {100, 1, 1}, {1, 10, 1}, {1, 10, 16}, {1, 1, 1}, {1, 1, 256},
	} {
		b.Run(fmt.Sprintf("logs=%d/producers=%d/batch=%d", c.logs, c.producers, c.batch), func(b *testing.B) {
			db := open(b, sqlite.Config{})
			rooms := make([]*batcher, c.logs)
			for i := range rooms {
				rooms[i] = &batcher{log: openLog(b, db, fmt.Sprint("log", i))}
			}
			before := db.Stats().Commits
			b.ResetTimer()
			var left atomic.Int64
			left.Store(int64(b.N))
			var wg sync.WaitGroup
			for i := range c.logs * c.producers {
				wg.Go(func() {
					for left.Add(-int64(c.batch)) > -int64(c.batch) {
						if err := rooms[i%c.logs].append(b, c.batch); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64(b.N)/float64(db.Stats().Commits-before), "events/commit")
		})
	}
}

// batcher joins events that arrive during an append into the next batch, like a room.
type batcher struct {
	log     room.Log
	mu      sync.Mutex
	last    event.Seq
	busy    bool
	events  int
	waiting []chan error
}

// append appends n events and returns once they are on disk.
func (r *batcher) append(b *testing.B, n int) error {
	done := make(chan error, 1)
	r.mu.Lock()
	r.events, r.waiting = r.events+n, append(r.waiting, done)
	if !r.busy {
		r.busy = true
		r.flushLocked(b)
		r.busy = false
	}
	r.mu.Unlock()
	return <-done
}

func (r *batcher) flushLocked(b *testing.B) {
	for r.events > 0 {
		batch := room.Batch{After: r.last, Records: roomtest.Records(r.last, r.events), Time: event.Time(r.last)}
		r.last += event.Seq(r.events)
		waiting := r.waiting
		r.events, r.waiting = 0, nil
		r.mu.Unlock()
		err := r.log.Append(b.Context(), batch)
		r.mu.Lock()
		for _, w := range waiting {
			w <- err
		}
	}
}

// BenchmarkBareSQLite is the limit: one goroutine inserts rows of one event, many in a transaction,
// without callers.
func BenchmarkBareSQLite(b *testing.B) {
	for _, group := range []int{1, 10, 50, 100} {
		b.Run(fmt.Sprint("group=", group), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "bare.db")
			db, err := sql.Open("sqlite", "file:"+path+"?_journal_mode=wal&_synchronous=full&_txlock=immediate")
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Exec(`CREATE TABLE rows (at INTEGER PRIMARY KEY, data BLOB)`); err != nil {
				b.Fatal(err)
			}
			data := roomtest.Records(0, 1)[0].Data
			b.ResetTimer()
			for n := 0; n < b.N; n += group {
				insertRows(b, db, data, n, group)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

func insertRows(b *testing.B, db *sql.DB, data []byte, first, count int) {
	tx, err := db.Begin()
	if err != nil {
		b.Fatal(err)
	}
	stmt, err := tx.Prepare(`INSERT INTO rows VALUES (?, ?)`)
	if err != nil {
		b.Fatal(err)
	}
	for i := range count {
		if _, err := stmt.Exec(first+i, data); err != nil {
			b.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
}
