package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/room"
)

// snapshotJob stores the snapshot of one log.
type snapshotJob struct {
	number   int64
	snapshot room.Snapshot
}

func (s snapshotJob) events() int { return 0 }

func (s snapshotJob) do(t *tx) error {
	err := t.exec(saveSnapshot, s.number, int64(s.snapshot.Seq), s.snapshot.Fold, s.snapshot.Data)
	if err != nil {
		return fmt.Errorf("save snapshot at %d: %w", s.snapshot.Seq, err)
	}
	return nil
}

// SaveSnapshot stores a snapshot, replacing the previous one.
func (l *log) SaveSnapshot(ctx context.Context, s room.Snapshot) error {
	number, err := l.db.number(ctx, l.id)
	if err != nil {
		return err
	}
	s.Data = l.db.codec.fast.EncodeAll(s.Data, nil)
	if err := l.db.do(ctx, snapshotJob{number: number, snapshot: s}); err != nil {
		return fmt.Errorf("log %s: %w", l.id, err)
	}
	return nil
}

// Snapshot returns the newest snapshot.
func (l *log) Snapshot(ctx context.Context) (room.Snapshot, error) {
	number, err := l.db.number(ctx, l.id)
	if err != nil {
		return room.Snapshot{}, err
	}
	var s room.Snapshot
	err = l.db.reads.snapshot.QueryRowContext(ctx, number).Scan(&s.Seq, &s.Fold, &s.Data)
	if errors.Is(err, sql.ErrNoRows) {
		return room.Snapshot{}, nil
	}
	if err == nil {
		s.Data, err = l.db.codec.decoder.DecodeAll(s.Data, nil)
	}
	if err != nil {
		return room.Snapshot{}, l.failed("read snapshot", err)
	}
	return s, nil
}
