package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/quirehq/quire/core/event"
)

// spool is the folder of unfinished uploads: the name of an upload is its hash, which is known at
// its end.
type spool struct{ dir string }

// openSpool creates the folder if missing, checks that it is writable, and removes the unfinished
// uploads of an earlier process.
func openSpool(dir string) (*spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, explain(dir, err)
	}
	old, err := os.ReadDir(dir)
	if err != nil {
		return nil, explain(dir, err)
	}
	for _, file := range old {
		if err := os.Remove(filepath.Join(dir, file.Name())); err != nil {
			return nil, explain(dir, err)
		}
	}
	s := &spool{dir: dir}
	probe, err := s.create()
	if err != nil {
		return nil, err
	}
	return s, probe.discard()
}

// draft is an upload in a file of its own.
type draft struct {
	artifact event.Artifact
	file     *os.File
	kept     bool // the file has its final name
}

func (s *spool) create() (*draft, error) {
	file, err := os.CreateTemp(s.dir, "arriving-*") // accessible to this user only
	if err != nil {
		return nil, explain(s.dir, err)
	}
	return &draft{file: file}, nil
}

// receive reads all of r. The caller must discard the draft.
func (s *spool) receive(ctx context.Context, r io.Reader) (*draft, error) {
	d, err := s.create()
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	if d.artifact.Size, err = d.fill(ctx, r, sum); err != nil {
		return nil, errors.Join(explain(s.dir, fmt.Errorf("take artifact: %w", err)), d.discard())
	}
	d.artifact.Hash = hex.EncodeToString(sum.Sum(nil))
	return d, nil
}

// chunk is the size of one read, and the memory of a draft.
const chunk = 256 << 10

func (d *draft) fill(ctx context.Context, r io.Reader, sum hash.Hash) (int64, error) {
	to := stop{ctx: ctx, to: io.MultiWriter(sum, &eager{file: d.file})}
	// Prevent ReadFrom and WriteTo: one ignores contexts, the other would allocate a buffer of its
	// own.
	return io.CopyBuffer(to, struct{ io.Reader }{r}, make([]byte, chunk))
}

// eagerBytes is the interval at which writeback is started.
const eagerBytes = 8 << 20

// eager writes a file and starts writeback early, so the final sync takes less time. The sync still
// waits for the rest.
type eager struct {
	file        *os.File
	told, wrote int64
}

// Write implements [io.Writer].
func (e *eager) Write(p []byte) (int, error) {
	n, err := e.file.Write(p)
	if e.wrote += int64(n); e.wrote-e.told >= eagerBytes {
		startWriteback(e.file, e.told, e.wrote-e.told)
		e.told = e.wrote
	}
	return n, err
}

// keep renames the file to its place on the same disk, atomically.
func (d *draft) keep(path string) error {
	if err := errors.Join(d.file.Sync(), d.file.Close()); err != nil {
		return err
	}
	if err := os.Rename(d.file.Name(), path); err != nil {
		return err
	}
	d.kept = true
	return nil
}

// discard removes the file unless it was kept.
func (d *draft) discard() error {
	if d.kept {
		return nil
	}
	_ = d.file.Close() // it may be closed already
	return os.Remove(d.file.Name())
}
