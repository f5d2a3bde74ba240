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

// spool is the folder of what is arriving: its hash, and so its name, is known when
// all of it is there.
type spool struct{ dir string }

// openSpool makes the folder if need be, sees whether it can be written, and removes
// what an earlier process was taking when it ended.
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

// draft is bytes that have arrived, in a file of their own.
type draft struct {
	artifact event.Artifact
	file     *os.File
	kept     bool // the file is no draft any more
}

func (s *spool) create() (*draft, error) {
	file, err := os.CreateTemp(s.dir, "arriving-*") // for this user only
	if err != nil {
		return nil, explain(s.dir, err)
	}
	return &draft{file: file}, nil
}

// take reads all of r. The caller must discard the draft.
func (s *spool) take(ctx context.Context, r io.Reader) (*draft, error) {
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

// chunk is how many bytes are read at once, and how much memory a draft takes.
const chunk = 256 << 10

func (d *draft) fill(ctx context.Context, r io.Reader, sum hash.Hash) (int64, error) {
	to := stop{ctx: ctx, to: io.MultiWriter(sum, &eager{file: d.file})}
	// Neither end may choose another way to copy: one knows no contexts, the other
	// would take a buffer of its own.
	return io.CopyBuffer(to, struct{ io.Reader }{r}, make([]byte, chunk))
}

// eagerBytes is after how many the disk is told to begin.
const eagerBytes = 8 << 20

// eager writes a file of which the disk gets what there is early, so that waiting for
// it at the end takes less. What is not on disk then is still waited for.
type eager struct {
	file        *os.File
	told, wrote int64
}

// Write implements [io.Writer].
func (e *eager) Write(p []byte) (int, error) {
	n, err := e.file.Write(p)
	if e.wrote += int64(n); e.wrote-e.told >= eagerBytes {
		beginSync(e.file, e.told, e.wrote-e.told)
		e.told = e.wrote
	}
	return n, err
}

// keep puts the file in another place of the same disk, in whole or not at all.
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

// discard removes what was not kept.
func (d *draft) discard() error {
	if d.kept {
		return nil
	}
	_ = d.file.Close() // it may be closed already
	return os.Remove(d.file.Name())
}
