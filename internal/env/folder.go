package env

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
)

// folder is a folder of this machine as [Files]. Its root resolves names one element at a time and
// never leaves the folder, even while other processes change it.
type folder struct{ root *os.Root }

// openFolder opens an existing folder.
func openFolder(dir string) (*folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w", err)
	}
	return &folder{root}, nil
}

func (f *folder) close() error { return f.root.Close() }

// Open implements [Files]. Opening does not block: a program may have replaced the file by a pipe
// without a writer.
func (f *folder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	file, err := f.root.OpenFile(name, os.O_RDONLY|openNow, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("%w: it is no file", fs.ErrInvalid)}
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Write implements [Files].
func (f *folder) Write(ctx context.Context, name string, mode fs.FileMode, data io.Reader) (Info, error) {
	if err := f.makeParent(name); err != nil {
		return Info{}, err
	}
	draft := path.Join(path.Dir(name), ".quire-"+rand.Text())
	hash, err := f.writeDraft(ctx, draft, mode, data)
	if err == nil {
		err = f.root.Rename(draft, name)
	}
	if err != nil {
		return Info{}, errors.Join(err, ignoreGone(f.root.Remove(draft)))
	}
	info, err := f.stat(name)
	info.Hash = hash
	return info, err
}

// makeParent creates the folders above a file.
func (f *folder) makeParent(name string) error {
	if dir := path.Dir(name); dir != "." {
		return f.root.MkdirAll(dir, 0o755)
	}
	return nil
}

// writeDraft writes a new file, and returns its hash.
func (f *folder) writeDraft(ctx context.Context, name string, mode fs.FileMode, data io.Reader) (string, error) {
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode.Perm())
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(file, hash), readUntil{ctx, data})
	if err == nil {
		err = file.Chmod(mode.Perm()) // the umask may have removed bits
	}
	return hex.EncodeToString(hash.Sum(nil)), errors.Join(err, file.Close())
}

// Stat implements [Files].
func (f *folder) Stat(ctx context.Context, name string) (Info, error) {
	info, err := f.stat(name)
	if err != nil || info.Mode.IsDir() {
		return info, err
	}
	file, err := f.Open(ctx, name)
	if err != nil {
		return Info{}, err
	}
	hash := sha256.New()
	info.Size, err = io.Copy(hash, readUntil{ctx, file})
	info.Hash = hex.EncodeToString(hash.Sum(nil))
	return info, errors.Join(err, file.Close())
}

func (f *folder) stat(name string) (Info, error) {
	info, err := f.root.Stat(name)
	if err != nil {
		return Info{}, err
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return Info{}, &fs.PathError{Op: "stat", Path: name, Err: fmt.Errorf("%w: it is no file or folder", fs.ErrInvalid)}
	}
	return infoOf(path.Clean(name), info), nil
}

func infoOf(name string, info fs.FileInfo) Info {
	i := Info{Name: name, Mode: info.Mode(), Changed: info.ModTime()}
	if info.Mode().IsRegular() {
		i.Size = info.Size()
	}
	return i
}

// List implements [Files].
func (f *folder) List(ctx context.Context, name string) ([]Info, error) {
	if _, err := f.root.Stat(name); err != nil {
		return nil, err
	}
	var all []Info
	err := fs.WalkDir(f.root.FS(), path.Clean(name), func(at string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return ignoreGone(err)
		}
		if at == path.Clean(name) || !entry.IsDir() && !entry.Type().IsRegular() {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return ignoreGone(err)
		}
		all = append(all, infoOf(at, info))
		return nil
	})
	slices.SortFunc(all, func(a, b Info) int { return cmp.Compare(a.Name, b.Name) })
	return all, err
}

// Remove implements [Files].
func (f *folder) Remove(_ context.Context, name string) error {
	if path.Clean(name) == "." {
		return &fs.PathError{Op: "remove", Path: name, Err: fmt.Errorf("%w: the workspace stays", fs.ErrInvalid)}
	}
	return f.root.RemoveAll(name)
}

// ignoreGone ignores that a file was removed meanwhile.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// readUntil fails reads once its context has ended.
type readUntil struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (r readUntil) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
