package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
)

func TestWhatWaitsAtTheSameTimeSharesOneCommit(t *testing.T) {
	const logs = 20
	var observed []string
	db := openTest(t, Config{Observe: func(batches, events int, _ time.Duration) {
		observed = append(observed, fmt.Sprint(batches, " ", events)) // the writer is one goroutine
	}})
	for i := range logs {
		createLog(t, db, fmt.Sprint(i))
	}
	before := db.Stats()
	observed = nil

	errs := together(t, db, logs, func(i int) error { return appendTo(t, db.Log(fmt.Sprint(i)), 0, 2) })

	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	after := db.Stats()
	if got, want := after.Commits-before.Commits, uint64(2); got != want { // one is of the earlier job
		t.Errorf("got %d commits for %d batches, want %d", got, logs, want)
	}
	if got, want := after.Events-before.Events, uint64(2*logs); got != want {
		t.Errorf("got %d events, want %d", got, want)
	}
	if got, want := strings.Join(observed, ", "), "0 0, 20 40"; got != want {
		t.Errorf("observed: got %q, want %q", got, want)
	}
}

func TestAConflictFailsNoOtherBatchOfItsTransaction(t *testing.T) {
	db := openTest(t, Config{})
	for i := range 3 {
		createLog(t, db, fmt.Sprint(i))
	}
	errs := together(t, db, 6, func(i int) error {
		if i%2 == 1 {
			return appendTo(t, db.Log(fmt.Sprint(i/2)), 7, 1) // 7 is out of sequence
		}
		return appendTo(t, db.Log(fmt.Sprint(i/2)), 0, 3)
	})
	for i, err := range errs {
		if conflict := i%2 == 1; errors.Is(err, room.ErrConflict) != conflict || !conflict && err != nil {
			t.Errorf("append %d: got %v, want a conflict: %t", i, err, conflict)
		}
	}
	for i := range 3 {
		if last, err := db.Log(fmt.Sprint(i)).Last(t.Context()); err != nil || last != 3 {
			t.Errorf("log %d: got last number %d and %v, want 3", i, last, err)
		}
	}
}

func TestAnAppendWaitsForRoomInTheQueueUntilItsContextEnds(t *testing.T) {
	db := openTest(t, Config{Queue: 1})
	createLog(t, db, "log")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	release := hold(t, db)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := appendTo(t, db.Log("log"), 0, 1); err != nil {
			t.Errorf("the one in the queue: got %v, want no error", err)
		}
	})
	awaitQueue(db, 1)
	err := db.Log("log").Append(ctx, room.Batch{After: 1, Records: roomtest.Records(1, 1)})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the one outside: got %v, want context.DeadlineExceeded", err)
	}
	release()
	wg.Wait()
	wantLast(t, db.Log("log"), 1)
}

func TestAClosedDatabaseIsUnavailableAndHasStoredWhatWaited(t *testing.T) {
	dir := t.TempDir()
	db := openTest(t, Config{Dir: dir})
	createLog(t, db, "log")
	release := hold(t, db)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := appendTo(t, db.Log("log"), 0, 5); err != nil {
			t.Errorf("the one that waited: got %v, want no error", err)
		}
	})
	awaitQueue(db, 1)
	release()
	wg.Go(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	wg.Wait()

	_, last := db.Log("log").Last(t.Context())
	_, snapshot := db.Log("log").Snapshot(t.Context())
	_, notebook := db.Notebook(t.Context(), "n")
	for name, err := range map[string]error{
		"Append": appendTo(t, db.Log("log"), 5, 1), "Snapshot": snapshot, "Notebook": notebook,
		"SaveSnapshot": db.Log("log").SaveSnapshot(t.Context(), room.Snapshot{}), "Last": last,
		"Compact": db.Compact(t.Context(), "log"), "CreateLog": db.CreateLog(t.Context(), "other"),
	} {
		if !errors.Is(err, room.ErrUnavailable) {
			t.Errorf("%s: got %v, want ErrUnavailable", name, err)
		}
	}
	if last, err := openTest(t, Config{Dir: dir}).Log("log").Last(t.Context()); err != nil || last != 5 {
		t.Errorf("reopened: got last number %d and %v, want 5", last, err)
	}
}

func TestALogThatWasForgottenGoesOnWhereItEnded(t *testing.T) {
	db := openTest(t, Config{})
	createLog(t, db, "log")
	for after := range 3 {
		if err := appendTo(t, db.Log("log"), after, 1); err != nil {
			t.Fatal(err)
		}
		err := db.change(t.Context(), func(context.Context, *sql.Conn) error {
			clear(db.writer.tx.logs)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := appendTo(t, db.Log("log"), 1, 1); !errors.Is(err, room.ErrConflict) {
		t.Errorf("got %v, want ErrConflict", err)
	}
}

func TestALogThatWasNeverMadeIsNotFound(t *testing.T) {
	log := openTest(t, Config{}).Log("none")
	if err := appendTo(t, log, 0, 1); !errors.Is(err, room.ErrNotFound) {
		t.Errorf("Append: got %v, want ErrNotFound", err)
	}
	if _, err := log.Last(t.Context()); !errors.Is(err, room.ErrNotFound) {
		t.Errorf("Last: got %v, want ErrNotFound", err)
	}
}

// together queues n calls behind one job, and returns their errors.
func together(t *testing.T, db *DB, n int, call func(i int) error) []error {
	t.Helper()
	release := hold(t, db)
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = call(i) })
	}
	awaitQueue(db, n)
	release()
	wg.Wait()
	return errs
}

// hold blocks the writer until the returned function is called.
func hold(t *testing.T, db *DB) (release func()) {
	t.Helper()
	held, free, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- db.change(context.Background(), func(context.Context, *sql.Conn) error {
			close(held)
			<-free
			return nil
		})
	}()
	<-held
	return func() {
		close(free)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func awaitQueue(db *DB, n int) {
	for db.Stats().Queued < n {
		runtime.Gosched()
	}
}

func openTest(t *testing.T, c Config) *DB {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	db, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

func createLog(t *testing.T, db *DB, id string) {
	t.Helper()
	if err := db.CreateLog(t.Context(), id); err != nil {
		t.Fatal(err)
	}
}
