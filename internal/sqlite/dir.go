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
)

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
