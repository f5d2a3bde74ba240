package main

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// measureLimit is a bare loop that stores events of the same size in groups, without code of Quire:
// the limit of the disk and SQLite.
func measureLimit(ctx context.Context, e *env) ([]row, error) {
	n := e.scale(50_000)
	rows := make([]row, 0, 2)
	for _, group := range []int{1, 80} {
		rate, err := bareLoop(ctx, filepath.Join(e.dir, fmt.Sprintf("bare-%d.db", group)), min(n, group*2_000), group)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{
			what: fmt.Sprintf("bare SQLite, a row an event, %d in a transaction, FULL", group),
			got:  fmt.Sprintf("%s/s", thousands(int(rate))), limit: "the limit that durable events stand beside",
		})
	}
	return rows, nil
}

func bareLoop(ctx context.Context, path string, n, group int) (float64, error) {
	db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(wal)&_pragma=synchronous(full)")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, `CREATE TABLE events (notebook INTEGER, seq INTEGER, data BLOB, PRIMARY KEY (notebook, seq)) WITHOUT ROWID`); err != nil {
		return 0, err
	}
	data := make([]byte, 170)
	start := time.Now()
	for seq := 0; seq < n; {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return 0, err
		}
		for range group {
			seq++
			if _, err := tx.ExecContext(ctx, `INSERT INTO events VALUES (1, ?, ?)`, seq, data); err != nil {
				return 0, err
			}
		}
		if err := tx.Commit(); err != nil {
			return 0, err
		}
	}
	return float64(n) / time.Since(start).Seconds(), nil
}

// storedBytes returns the size of the log in a data directory, with the overhead of rows.
func storedBytes(ctx context.Context, dir string) (int, error) {
	db, err := sql.Open("sqlite", filepath.Join(dir, "quire.db")+"?mode=ro")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	var n int
	err = db.QueryRowContext(ctx, `SELECT COALESCE(SUM(length(data) + 16), 0) FROM segments`).Scan(&n)
	return n, err
}
