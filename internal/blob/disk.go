package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/quirehq/quire/core/event"
)

// arrivingDir is the folder of unfinished uploads.
const arrivingDir = "arriving"

// Disk stores bytes as files of a folder, under the first two digits of the hash and the hash. Its
// methods may be called from any goroutine.
type Disk struct {
	dir   string
	spool *spool
}

// OpenDisk opens a folder, which is created if missing. Owner identifies the user of the folder, in
// letters and digits: a folder with another owner is refused. Two processes must not have one
// folder open.
func OpenDisk(ctx context.Context, dir, owner string) (*Disk, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open artifacts: %w", err)
	}
	d := &Disk{dir: dir}
	if d.spool, err = openSpool(filepath.Join(dir, arrivingDir)); err != nil {
		return nil, fmt.Errorf("open artifacts: %w", err)
	}
	if err := d.claim(ctx, owner); err != nil {
		return nil, fmt.Errorf("open artifacts: %w", err)
	}
	return d, nil
}

// claim records the owner of the folder, unless it has another one.
func (d *Disk) claim(ctx context.Context, owner string) error {
	path := filepath.Join(d.dir, ownerName)
	was, err := os.ReadFile(path)
	if err == nil && string(bytes.TrimSpace(was)) != owner {
		return errOwned(d.dir)
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return explain(d.dir, err)
	}
	note, err := d.spool.receive(ctx, strings.NewReader(owner+"\n"))
	if err == nil {
		err = errors.Join(note.keep(path), note.discard())
	}
	return explain(d.dir, err)
}

func (d *Disk) path(hash string) string { return filepath.Join(d.dir, hash[:2], hash) }

// Put stores all of r, and returns once that is on disk. ready, if it is not nil, is called when
// the hash is known and before the bytes are visible under it; if it fails Put returns its error
// and stores nothing.
func (d *Disk) Put(ctx context.Context, r io.Reader, ready func(event.Artifact) error) (a event.Artifact, err error) {
	draft, err := d.spool.receive(ctx, r)
	if err != nil {
		return a, err
	}
	defer func() { err = errors.Join(err, draft.discard()) }()
	if ready != nil {
		if err := ready(draft.artifact); err != nil {
			return a, err
		}
	}
	if err := d.keep(draft); err != nil {
		return a, explain(d.dir, fmt.Errorf("keep artifact: %w", err))
	}
	return draft.artifact, nil
}

func (d *Disk) keep(draft *draft) error {
	path := d.path(draft.artifact.Hash)
	folder := filepath.Dir(path)
	switch err := os.Mkdir(folder, 0o700); {
	case err == nil:
		if err := syncDir(d.dir); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	if info, err := os.Stat(path); err != nil || info.Size() != draft.artifact.Size {
		if err := draft.keep(path); err != nil {
			return err
		}
	}
	return syncDir(folder) // a concurrent Put may have created the file just now
}

// Open opens bytes for reading, and returns their number. It returns an error that is
// fs.ErrNotExist if there are none with the hash.
func (d *Disk) Open(_ context.Context, hash string) (io.ReadSeekCloser, int64, error) {
	if !isHash(hash) {
		return nil, 0, errNone(hash)
	}
	file, err := os.Open(d.path(hash))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, errNone(hash)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("open artifact: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("open artifact: %w", err), file.Close())
	}
	return file, info.Size(), nil
}

// Delete removes bytes, if they exist. Open readers can still read them.
func (d *Disk) Delete(_ context.Context, hash string) error {
	if !isHash(hash) {
		return nil
	}
	if err := os.Remove(d.path(hash)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return explain(d.dir, fmt.Errorf("delete artifact: %w", err))
	}
	return nil
}

// List calls yield with each hash and the time of its Put, in no order, and returns the first error
// of yield.
func (d *Disk) List(ctx context.Context, yield func(hash string, put time.Time) error) error {
	folders, err := os.ReadDir(d.dir)
	if err != nil {
		return fmt.Errorf("list artifacts: %w", err)
	}
	for _, folder := range folders {
		if len(folder.Name()) != 2 || !folder.IsDir() {
			continue
		}
		if err := d.listFolder(ctx, folder.Name(), yield); err != nil {
			return err
		}
	}
	return nil
}

func (d *Disk) listFolder(ctx context.Context, name string, yield func(string, time.Time) error) error {
	files, err := os.ReadDir(filepath.Join(d.dir, name))
	if err != nil {
		return fmt.Errorf("list artifacts: %w", err)
	}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		info, err := file.Info()
		if err != nil || !isHash(file.Name()) {
			continue // deleted meanwhile, or not an artifact
		}
		if err := yield(file.Name(), info.ModTime()); err != nil {
			return err
		}
	}
	return nil
}
