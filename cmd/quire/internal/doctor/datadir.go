package doctor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/core/bytesize"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/ownership"
	"github.com/quirehq/quire/internal/sqlite"
)

// How much space there should be: below the first a few notebooks with pictures
// fill the disk, below the second a commit may fail.
const (
	littleSpace = 1 << 30
	noSpace     = 16 << 20
)

// checkData looks at the data directory and the disk that it is on. It makes none:
// one that is missing is looked at through the directory that it would be in.
func (c *checker) checkData(context.Context) []Finding {
	const name = "data directory"
	dir := c.Settings.Data
	if dir == "" {
		return bad(name, "set --data or QUIRE_DATA", "there is no home directory to keep data in")
	}
	if full, err := filepath.Abs(dir); err == nil {
		dir = full // as a server has it
	}
	if err := datadir.Check(dir); err != nil {
		return bad(name, "put that right, or set --data or QUIRE_DATA to another directory", "no server takes it: %v", err)
	}
	at, missing := existing(dir)
	if err := writable(at); err != nil {
		return bad(name, "make it yours, or set --data or QUIRE_DATA to a directory that is", "%s cannot be written: %v", at, err)
	}
	all := good(name, "%s can be written", dir)
	if missing {
		all = good(name, "%s is not there yet; `quire serve` makes it", dir)
	}
	d, ok := diskOf(at)
	if !ok {
		return all
	}
	if d.network != "" {
		all = append(all, doubtful("file system", "keep data on a disk of this machine: set --data or QUIRE_DATA",
			"%s is on %s, where locks and power cuts may cost data", at, d.network)...)
	}
	switch space := "free disk space"; {
	case d.free < noSpace:
		return append(all, bad(space, "remove something", "%s is left at %s", bytesize.About(d.free), at)...)
	case d.free < littleSpace:
		return append(all, doubtful(space, "remove something before notebooks cannot be written", "%s is left at %s", bytesize.About(d.free), at)...)
	default:
		return append(all, good(space, "%s", bytesize.About(d.free))...)
	}
}

// disk is the file system of a directory.
type disk struct {
	free    int64  // bytes that we may use
	network string // its kind, if other machines use it too
}

// existing returns a directory, or the nearest one above that exists.
func existing(dir string) (at string, missing bool) {
	for {
		_, err := os.Stat(dir)
		if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
			return dir, missing
		}
		dir, missing = filepath.Dir(dir), true
	}
}

func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor.*")
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			return p.Err
		}
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// checkSecrets wants the files that open everything to be their owner's alone, and
// no file to be from the future: tokens and links end by the clock.
func (c *checker) checkSecrets(context.Context) []Finding {
	var newest time.Time
	for _, file := range []string{datadir.SecretFile, datadir.ServerFile, "quire.db"} {
		if info, err := os.Stat(filepath.Join(c.Settings.Data, file)); err == nil && info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	return append(c.checkOwners(), checkClock(time.Now(), newest)...)
}

// checkOwners checks that no other user can change the files that a server trusts, nor read
// those that it keeps.
func (c *checker) checkOwners() []Finding {
	const name = "secrets"
	dir := c.Settings.Data
	paths := append(datadir.Secrets(dir), dir)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return doubtful(name, "make the data directory yours", "they cannot be looked at: %v", err)
	}
	for _, entry := range entries {
		paths = append(paths, filepath.Join(dir, entry.Name()))
	}
	for _, path := range paths {
		f := ownership.Way(path)
		if f == nil {
			f = ownership.Private(path)
		}
		switch {
		case f == nil:
		case f.Readable() && !slices.Contains(datadir.Secrets(dir), path):
			return doubtful(name, f.Advice+", or start the server, which does", "%s %s", f.Path, f.What)
		default:
			return bad(name, f.Advice, "%s %s", f.Path, f.What)
		}
	}
	return good(name, "no other user can read or change them")
}

// released is a time before which no clock can be right.
var released = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

func checkClock(now, newest time.Time) []Finding {
	const name, advice = "clock", "set the clock of this machine; tokens and links end by it"
	switch ahead := newest.Sub(now); {
	case now.Before(released):
		return bad(name, advice, "it says %s", now.Format(time.DateOnly))
	case ahead > time.Minute:
		return bad(name, advice, "it is %v behind the newest file", ahead.Round(time.Second))
	}
	return good(name, "%s", now.Format(time.RFC3339))
}

// checkDatabase has the database checked, unless a server has it open.
func (c *checker) checkDatabase(ctx context.Context) []Finding {
	const name, advice = "database", "restore a copy of the data directory"
	file := filepath.Join(c.Settings.Data, "quire.db")
	if _, err := os.Stat(file); err != nil {
		return good(name, "there is none yet")
	}
	db, err := sqlite.Open(ctx, sqlite.Config{Dir: c.Settings.Data, Fault: func(error) {}})
	var held *sqlite.Error
	if errors.As(err, &held) && held.Kind == sqlite.Locked {
		return good(name, "a server has it open; stop that to have it checked")
	}
	if err != nil {
		return bad(name, advice, "%v", err)
	}
	// It stays open, so that no server starts meanwhile.
	err = errors.Join(quickCheck(ctx, file), db.Close())
	if err != nil {
		return bad(name, advice, "%v", err)
	}
	return good(name, "it is whole")
}

// quickCheck has SQLite look through the pages of a database.
func quickCheck(ctx context.Context, file string) error {
	at := url.URL{Scheme: "file", Path: filepath.ToSlash(file), RawQuery: "mode=ro"}
	db, err := sql.Open("sqlite", at.String())
	if err != nil {
		return err
	}
	var result string
	err = db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&result)
	if err == nil && result != "ok" {
		err = fmt.Errorf("it is damaged: %s", terminal.CleanLine(result))
	}
	return errors.Join(err, db.Close())
}
