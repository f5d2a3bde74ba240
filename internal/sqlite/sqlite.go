// Package sqlite keeps logs, and the directory of notebooks and people, in one
// SQLite file of a data directory.
//
// What it acknowledged is on disk and survives the end of the process and of the
// machine. One goroutine writes: it gathers what all logs append at the same time
// into one row of a journal and one transaction, so that they share the wait for
// the disk, and answers each on its own. From the journal records move to segments
// of their log, and when they are old they are packed there in the background, to a
// few bytes each. A second process that opens the same directory is refused. Who
// may call what is left to the host.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/quirehq/quire/core/room"
	_ "modernc.org/sqlite" // the driver
)

// Config says where the data is and how much may wait or be grouped. Only Dir is
// needed.
type Config struct {
	Dir string // the data directory; it is created if need be

	Queue    int // how many writes may wait before callers do; 1024 if 0
	Group    int // how many writes share a transaction at most; 512 if 0
	MaxBatch int // bytes of records in one batch at most; 64 MiB if 0

	// MaxBytes is how large the file may become, but for what is yet to be moved into it; any
	// size if 0. Then the database is as on a full disk.
	MaxBytes int64

	// Quiet is how long nothing must be written before old records are packed; 500 ms if
	// 0. Where there is no quiet for a minute they are packed all the same.
	Quiet time.Duration

	// Observe is told of every commit: how many batches and events it stored, and
	// how long it took. Packed is told of every run of records that was packed. Both
	// may be nil, and must not block.
	Observe func(batches, events int, took time.Duration)
	Packed  func(log string, events, before, after int)
	// Fault is told when packing in the background fails. Nothing is lost by that,
	// and it is tried again. It may be nil.
	Fault func(error)
}

func (c Config) withDefaults() (Config, error) {
	if c.Dir == "" {
		return c, errors.New("open database: no data directory is given")
	}
	if c.Queue < 0 || c.Group < 0 || c.MaxBatch < 0 || c.Quiet < 0 {
		return c, errors.New("open database: a limit is below zero")
	}
	c.Queue = orDefault(c.Queue, 1024)
	c.Group = orDefault(c.Group, 512)
	c.MaxBatch = orDefault(c.MaxBatch, 64<<20)
	c.Quiet = orDefault(c.Quiet, 500*time.Millisecond)
	if c.Observe == nil {
		c.Observe = func(int, int, time.Duration) {}
	}
	if c.Packed == nil {
		c.Packed = func(string, int, int, int) {}
	}
	if c.Fault == nil {
		c.Fault = func(error) {}
	}
	return c, nil
}

func orDefault[N int | time.Duration](v, otherwise N) N {
	if v == 0 {
		return otherwise
	}
	return v
}

// DB is an open data directory. Its methods may be called from any goroutine.
type DB struct {
	config Config
	lock   *lock
	write  *sql.DB // one connection, the writer's
	read   *sql.DB // many connections, which cannot write
	reads  reads
	codec  *codec
	files  *files
	writer *writer
	packer *packer

	running sync.WaitGroup
	stop    context.CancelFunc // stops the packer
	close   func() error       // once
	logs    sync.Map           // the number of each log by its id, once looked up
}

// Stats says what the database does and did since it was opened.
type Stats struct {
	Queued   int // writes that wait
	Capacity int // how many may
	Commits  uint64
	Batches  uint64
	Events   uint64
}

// Open opens a data directory, creating what is missing and bringing an older
// database up to date. Its error is a [*Error] where people can do something
// about it. The caller must Close the DB.
func Open(ctx context.Context, config Config) (*DB, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	db := &DB{config: config}
	db.close = sync.OnceValue(db.shut)
	if err := db.open(ctx); err != nil {
		return nil, errors.Join(explain(config.Dir, err), db.release())
	}
	ctx, db.stop = context.WithCancel(context.WithoutCancel(ctx))
	db.running.Go(db.writer.run)
	db.running.Go(func() { db.packer.run(ctx) })
	return db, nil
}

func (db *DB) open(ctx context.Context) error {
	dir, err := prepare(db.config.Dir)
	if err != nil {
		return err
	}
	if db.lock, err = acquire(dir); err != nil {
		return err
	}
	if db.write, err = openFile(ctx, dir, writing); err != nil {
		return err
	}
	if err := migrate(ctx, db.write, migrations()); err != nil {
		return err
	}
	if err := bound(ctx, db.write, db.config.MaxBytes); err != nil {
		return err
	}
	if db.read, err = openFile(ctx, dir, reading); err != nil {
		return err
	}
	if db.reads, err = prepareReads(ctx, db.read); err != nil {
		return err
	}
	if db.codec, err = newCodec(); err != nil {
		return err
	}
	if db.writer, err = newWriter(ctx, db.write, db.config); err != nil {
		return err
	}
	if err := db.writer.recover(ctx); err != nil {
		return err
	}
	if db.files, err = filesOf(dir); err != nil {
		return err
	}
	db.writer.files = db.files
	db.packer = newPacker(db)
	return nil
}

// Close stores what waits, and closes the files. Later calls of the DB and its
// logs find it unavailable. Close may be called twice.
func (db *DB) Close() error { return db.close() }

func (db *DB) shut() error {
	db.stop()
	db.writer.close()
	db.running.Wait()
	if err := db.release(); err != nil {
		return fmt.Errorf("close database: %w", err)
	}
	return nil
}

// release frees what open took, however far it came.
func (db *DB) release() error {
	var errs []error
	if db.writer != nil {
		errs = append(errs, db.writer.release())
	}
	if db.codec != nil {
		db.codec.close()
	}
	for _, pool := range []*sql.DB{db.read, db.write} { // the last to close moves the WAL into the file
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	if db.lock != nil {
		errs = append(errs, db.lock.release())
	}
	return errors.Join(errs...)
}

// Stats returns what the database does now.
func (db *DB) Stats() Stats {
	return Stats{
		Queued:   len(db.writer.queue),
		Capacity: cap(db.writer.queue),
		Commits:  db.writer.commits.Load(),
		Batches:  db.writer.batches.Load(),
		Events:   db.writer.events.Load(),
	}
}

// do has a write done by the writer, alone or with others, and explains its error.
func (db *DB) do(ctx context.Context, j job) error { return db.explain(db.writer.do(ctx, j)) }

// explain says of an error what it means for the data directory, and that the
// database is closed where that is why.
func (db *DB) explain(err error) error {
	if err == nil {
		return nil
	}
	select {
	case <-db.writer.closing:
		if errors.Is(err, room.ErrUnavailable) || errors.Is(err, context.Canceled) {
			return err
		}
		return errors.Join(errClosed, err)
	default:
	}
	if gone := db.files.check(); gone != nil {
		err = gone // whatever else it looks like
	}
	return explain(db.config.Dir, err)
}

// errClosed answers every call after Close.
var errClosed = fmt.Errorf("the database is closed: %w", room.ErrUnavailable)

// Queued returns how many writes wait now, and how many may.
func (db *DB) Queued() (waiting, capacity int) {
	s := db.Stats()
	return s.Queued, s.Capacity
}
