package room

import (
	"context"
	"errors"

	"github.com/quirehq/quire/core/event"
)

// Log is the durable log of one notebook, with its newest snapshot. All methods
// may be called from any goroutine; one room at a time appends.
//
// spec/log.md has the rules that a log must keep, and roomtest.Suite checks
// them.
type Log interface {
	// Append stores a batch. When it returns nil the batch is on disk, and
	// survives the end of the process and of the machine. It returns ErrConflict,
	// and stores nothing, when the last number is not b.After. After any other
	// error the caller cannot know whether the batch is stored, and must read again.
	Append(ctx context.Context, b Batch) error
	// Read calls yield with each record after the number, in order, and returns
	// the first error of yield. Yield must not change the record's data, nor keep
	// it after it returns.
	Read(ctx context.Context, after event.Seq, yield func(event.Record) error) error
	// Last returns the number of the last record, 0 for an empty log.
	Last(ctx context.Context) (event.Seq, error)
	// SaveSnapshot stores a snapshot in place of the one before.
	SaveSnapshot(ctx context.Context, s Snapshot) error
	// Snapshot returns the newest snapshot, and the zero one if there is none.
	Snapshot(ctx context.Context) (Snapshot, error)
}

// Batch is a list of records that one append stores, all or nothing.
type Batch struct {
	After   event.Seq      // the number of the last record before the batch
	Records []event.Record // numbered After+1, After+2, …
	Time    event.Time     // when the notebook changed, for listings
	Title   *string        // the notebook's new title, if the batch changes it
	Cells   *int           // the number of cells, if it has changed since a batch last named it
}

// Snapshot is a folded notebook as it was at a number.
type Snapshot struct {
	Seq  event.Seq
	Fold int // the version of the fold that made it
	Data []byte
}

// Errors of a log that callers branch on.
var (
	// ErrConflict says that another process appended first.
	ErrConflict = errors.New("the log has moved on")
	// ErrUnavailable says that the log cannot take records now, and may later.
	ErrUnavailable = errors.New("the log is not available")
	// ErrFull says that there is no space for more. It comes with ErrUnavailable.
	ErrFull = errors.New("there is no space left for the log")
	// ErrRemoved says that the files of the log were removed or replaced while it was open,
	// so nothing can be stored until an operator restores them. It comes with ErrUnavailable.
	ErrRemoved = errors.New("the log was removed or replaced")
	// ErrNotFound says that there is no such log.
	ErrNotFound = errors.New("no such notebook")
)

// Unwritten returns a sentence for users on why a log takes no records, and whether the
// error has a known reason.
func Unwritten(err error) (why string, known bool) {
	switch {
	case errors.Is(err, ErrRemoved):
		return "the notebook could not be written: the server's database was removed or replaced while it runs, and nothing more is saved: " +
			"stop the server, put the files back or restore a copy, and start it again", true
	case errors.Is(err, ErrFull):
		return "the notebook could not be written: the server's disk is full, or what it may use of it: nothing that was saved is lost, and nothing more is saved until there is space", true
	}
	return "", false
}
