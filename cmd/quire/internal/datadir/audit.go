package datadir

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/quirehq/quire/host/server"
)

const (
	// auditFile is where a data directory keeps the record of acts, one JSON object a line.
	auditFile = "audit.jsonl"
	// AuditSize is how large it grows before another is begun, and auditFiles how many
	// earlier ones are kept, as audit.jsonl.1 and so on.
	AuditSize  = 16 << 20
	auditFiles = 15
	// auditSync is the time between two syncs of the record to the disk. A record survives the
	// end of the process at once, and that of the machine after a sync.
	auditSync = time.Second
)

// Audit is the record of acts, kept in files. Its methods may be called from any
// goroutine.
type Audit struct {
	path   string
	limit  int64
	logger *slog.Logger

	mu    sync.Mutex
	file  *os.File
	size  int64
	dirty bool
}

// OpenAudit opens the record of a data directory.
func OpenAudit(dir string, limit int64, logger *slog.Logger) (*Audit, error) {
	a := &Audit{path: filepath.Join(dir, auditFile), limit: limit, logger: logger}
	if err := a.openLocked(); err != nil {
		return nil, fmt.Errorf("open the record of acts: %w", err)
	}
	return a, nil
}

func (a *Audit) openLocked() error {
	file, err := os.OpenFile(a.path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	a.file, a.size = file, info.Size()
	if a.size == 0 {
		return nil
	}
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, a.size-1); err == nil && last[0] != '\n' {
		_, err = file.WriteString("\n") // the end of a line that a full disk or a power cut has cut
		a.size++
		return err
	}
	return nil
}

// Record implements [server.Audit].
func (a *Audit) Record(act server.Act) {
	line, err := json.Marshal(act)
	if err == nil {
		err = a.write(append(line, '\n'))
	}
	if err != nil {
		a.logger.Error("an act was not recorded", "kind", act.Kind, "actor", act.Actor, "from", act.From, "notebook", act.Notebook, "error", err)
	}
}

func (a *Audit) write(line []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.size > 0 && a.size+int64(len(line)) > a.limit {
		if err := a.rotateLocked(); err != nil {
			return err
		}
	}
	n, err := a.file.Write(line)
	a.size += int64(n)
	a.dirty = true
	return err
}

// rotateLocked begins another file.
func (a *Audit) rotateLocked() error {
	if err := errors.Join(a.file.Sync(), a.file.Close()); err != nil {
		return err
	}
	for i := auditFiles; i > 0; i-- {
		if err := os.Rename(a.name(i-1), a.name(i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(err, a.openLocked())
		}
	}
	return a.openLocked()
}

// name returns the file that was begun so many files ago.
func (a *Audit) name(i int) string {
	if i == 0 {
		return a.path
	}
	return fmt.Sprintf("%s.%d", a.path, i)
}

// Keep syncs the record to the disk now and then until ctx ends, and once more then.
func (a *Audit) Keep(ctx context.Context) {
	ticker := time.NewTicker(auditSync)
	defer ticker.Stop()
	for ctx.Err() == nil {
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
		if err := a.sync(); err != nil {
			a.logger.Error("the record of acts may be lost with the machine", "error", err)
		}
	}
}

func (a *Audit) sync() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.dirty {
		return nil
	}
	a.dirty = false
	return a.file.Sync()
}

// Close closes the record, after a last sync.
func (a *Audit) Close() error {
	err := a.sync()
	a.mu.Lock()
	defer a.mu.Unlock()
	return errors.Join(err, a.file.Close())
}

// Acts implements [server.Audit].
func (a *Audit) Acts(ctx context.Context, since time.Time, yield func(server.Act) error) error {
	parts, err := a.snapshot()
	defer func() {
		for _, p := range parts {
			_ = p.file.Close() // it was only read
		}
	}()
	for _, p := range parts {
		if err == nil {
			err = p.read(ctx, since, yield)
		}
	}
	return err
}

// auditPart is a file of the record with its size at a moment.
type auditPart struct {
	file *os.File
	size int64
}

// snapshot opens the files there are, the oldest first. Others may be begun while they
// are read, and take the names of these.
func (a *Audit) snapshot() (parts []auditPart, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := auditFiles; i >= 0; i-- {
		file, err := os.Open(a.name(i))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return parts, fmt.Errorf("read the record of acts: %w", err)
		}
		parts = append(parts, auditPart{file: file})
		info, err := file.Stat()
		if err != nil {
			return parts, fmt.Errorf("read the record of acts: %w", err)
		}
		parts[len(parts)-1].size = info.Size()
	}
	return parts, nil
}

func (p auditPart) read(ctx context.Context, since time.Time, yield func(server.Act) error) error {
	lines := bufio.NewScanner(io.LimitReader(p.file, p.size))
	lines.Buffer(nil, int(p.size)+1)
	for lines.Scan() && ctx.Err() == nil {
		var act server.Act
		if json.Unmarshal(lines.Bytes(), &act) != nil || act.Time.Before(since) {
			continue // a line that was cut
		}
		if err := yield(act); err != nil {
			return err
		}
	}
	return errors.Join(lines.Err(), ctx.Err())
}
