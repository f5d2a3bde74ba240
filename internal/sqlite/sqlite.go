// Package sqlite stores logs, and the directory of notebooks and people, in one
// SQLite file of a data directory.
//
// Acknowledged writes are on disk and survive a crash of the process and of the
// machine. One goroutine writes: it joins concurrent appends to all logs into one row
// of a journal and one transaction, so they share one sync of the disk, and answers
// each separately. Records move from the journal to segments of their log, and old
// segments are packed in the background, to a few bytes a record. A second process
// that opens the same directory is refused. Access control is left to the host.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/quirehq/quire/core/room"
	_ "modernc.org/sqlite" // the driver
)

// Config is the place of the data, with bounds of queues and groups. Only Dir is required.
type Config struct {
	Dir string // the data directory; it is created if missing

	Queue    int // queued writes before callers block; 1024 if 0
	Group    int // maximum of writes in a transaction; 512 if 0
	MaxBatch int // maximum bytes of records in one batch; 64 MiB if 0

	// MaxBytes bounds the file, without the write-ahead log; unbounded if 0. Beyond it the database
	// behaves as on a full disk.
	MaxBytes int64

	// Quiet is the time without writes before old records are packed; 500 ms if 0. Without such a
	// pause for a minute they are packed anyway.
	Quiet time.Duration

	// Observe is called for every commit with its batches, its events and its duration. Packed is
	// called for every run of records that was packed. Both may be nil, and must not block.
	Observe func(batches, events int, took time.Duration)
	Packed  func(log string, events, before, after int)
	// Fault is called when packing in the background fails. No data is lost, and it is retried. It
	// may be nil.
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
	write  *sql.DB // one connection, of the writer
	read   *sql.DB // many read-only connections
	reads  reads
	codec  *codec
	files  *files
	writer *writer
	packer *packer

	running sync.WaitGroup
	stop    context.CancelFunc // stops the packer
	close   func() error       // once
	logs    sync.Map           // cached numbers of logs by id
}

// Stats are counts of the database since it was opened.
type Stats struct {
	Queued   int // queued writes
	Capacity int // bound of the queue
	Commits  uint64
	Batches  uint64
	Events   uint64
}

// Open opens a data directory, creates missing files and migrates an older database. Its error is a
// [*Error] where the user can act on it. The caller must Close the DB.
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

// Close stores the queued writes, and closes the files. Later calls of the DB and its logs return
// that it is unavailable. Close may be called twice.
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

// release frees the resources of open, even after a partial open.
func (db *DB) release() error {
	var errs []error
	if db.writer != nil {
		errs = append(errs, db.writer.release())
	}
	if db.codec != nil {
		db.codec.close()
	}
	for _, pool := range []*sql.DB{db.read, db.write} { // the last one to close checkpoints the WAL
		if pool != nil {
			errs = append(errs, pool.Close())
		}
	}
	if db.lock != nil {
		errs = append(errs, db.lock.release())
	}
	return errors.Join(errs...)
}

// Stats returns the current counts.
func (db *DB) Stats() Stats {
	return Stats{
		Queued:   len(db.writer.queue),
		Capacity: cap(db.writer.queue),
		Commits:  db.writer.commits.Load(),
		Batches:  db.writer.batches.Load(),
		Events:   db.writer.events.Load(),
	}
}

// do has the writer execute a write, grouped with others, and explains its error.
func (db *DB) do(ctx context.Context, j job) error { return db.explain(db.writer.do(ctx, j)) }

// explain translates an error for the data directory, and reports a closed database as such.
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
		err = gone // the removal explains any other error
	}
	return explain(db.config.Dir, err)
}

// errClosed is the result of every call after Close.
var errClosed = fmt.Errorf("the database is closed: %w", room.ErrUnavailable)

// Queued returns the number of queued writes, and the bound.
func (db *DB) Queued() (waiting, capacity int) {
	s := db.Stats()
	return s.Queued, s.Capacity
}

// The files of a data directory.
const (
	fileName = "quire.db"
	lockName = "quire.lock"
)

// prepare creates the directory and the file, accessible to our user only: SQLite gives the files
// beside it the same mode.
func prepare(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.OpenFile(filepath.Join(dir, fileName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", err
	}
	return dir, f.Close()
}

// use is the purpose of a pool of connections.
type use int

const (
	writing use = iota
	reading
)

// openFile opens the database of a directory, and pings it, because database/sql connects lazily.
func openFile(ctx context.Context, dir string, u use) (*sql.DB, error) {
	db, err := sql.Open("sqlite", dsn(filepath.Join(dir, fileName), u))
	if err != nil {
		return nil, err
	}
	n := 1
	if u == reading {
		n = max(4, 2*runtime.GOMAXPROCS(0))
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", fileName, err), db.Close())
	}
	return db, nil
}

// bound limits the size of the file, but not below its present size.
func bound(ctx context.Context, db *sql.DB, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	var page int64
	if err := db.QueryRowContext(ctx, "PRAGMA page_size").Scan(&page); err != nil {
		return fmt.Errorf("read page size: %w", err)
	}
	var pages int64
	if err := db.QueryRowContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", max(1, bytes/page))).Scan(&pages); err != nil {
		return fmt.Errorf("bound the size of the database: %w", err)
	}
	return nil
}

// dsn returns the driver's name of the file with the settings of a connection.
func dsn(path string, u use) string {
	path = filepath.ToSlash(path)
	if path[0] != '/' {
		path = "/" + path // a Windows drive
	}
	q := url.Values{"_busy_timeout": {"5000"}, "_dqs": {"false"}, "_foreign_keys": {"on"}, "_error_rc": {"true"}}
	if u == reading {
		q.Set("_query_only", "on")
		q.Set("mode", "rw") // a removed file is not created again
		return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
	}
	q.Set("_auto_vacuum", "incremental") // packing can then free space
	q.Set("_journal_mode", "wal")
	q.Set("_synchronous", "full") // a commit waits for the disk
	q.Set("_txlock", "immediate")
	q["_pragma"] = []string{
		// By default macOS acknowledges a sync before the disk has written.
		"fullfsync(on)", "checkpoint_fullfsync(on)",
		// Fewer, larger checkpoints write a frequently changed page less often.
		"wal_autocheckpoint(4000)", "journal_size_limit(67108864)",
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String()
}

// reads are the prepared statements of readers.
type reads struct {
	number, last, page, snapshot *sql.Stmt
}

func prepareReads(ctx context.Context, db *sql.DB) (r reads, err error) {
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&r.number, `SELECT number FROM logs WHERE id = ?`},
		{&r.last, statements[lastOf]},
		// From the segment with the number, or the first one after it.
		{&r.page, `SELECT place, last, form, data FROM segments
			WHERE place >= coalesce((SELECT max(place) FROM segments WHERE place BETWEEN ?1 AND ?2), ?2) AND place <= ?3
			ORDER BY place`},
		{&r.snapshot, `SELECT seq, fold, data FROM snapshots WHERE log = ?`},
	} {
		if *p.stmt, err = db.PrepareContext(ctx, p.text); err != nil {
			return r, fmt.Errorf("prepare %q: %w", p.text, err)
		}
	}
	return r, nil
}
