package sqlcell_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/quirehq/quire/internal/sqlcell"
)

func TestAFileIsInTheFolderOfTheNotebook(t *testing.T) {
	dir := t.TempDir()
	e := open(t, sqlcell.Config{Dir: dir})
	good(t, e, "-- connection: sales.db\ncreate table t (a); insert into t values (1)")
	if _, err := os.Stat(filepath.Join(dir, "sales.db")); err != nil {
		t.Error(err)
	}
	good(t, e, "attach 'other.db' as o; create table o.t (a); vacuum into 'copy.db'")
	for _, name := range []string{"other.db", "copy.db"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	other := open(t, sqlcell.Config{Dir: dir})
	want(t, other, "-- connection: ./sales.db\nselect a from t", "result:  a\n---\n 1\n(1 row)")
	elsewhere := filepath.Join(t.TempDir(), "whole.db")
	good(t, e, "-- connection: "+elsewhere+"\ncreate table t (a)")
	if _, err := os.Stat(elsewhere); err != nil {
		t.Error(err)
	}
}

func TestARestrictedEngineLeavesItsFolderAlone(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "notebook")
	secret := filepath.Join(root, "secret.db")
	if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	makeDatabase(t, secret)
	makeDatabase(t, filepath.Join(dir, "sub", "in.db"))
	for name, target := range map[string]string{"link.db": secret, "up": root} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	e := open(t, sqlcell.Config{Dir: dir, Restricted: true, Connection: func(string) (string, error) { return "sqlite:" + secret, nil }})
	sources := []string{"-- connection: shop\nselect * from t"}
	for _, name := range []string{secret, "../secret.db", "sub/../../secret.db", "sub/in.db", "up/secret.db", "link.db", "file:" + secret, "file:///" + secret + "?vfs=unix", "..", ".", "/dev/zero", "up"} {
		sources = append(sources, "-- connection: "+name+"\nselect * from t")
		for _, statement := range []string{
			"attach '" + name + "' as s; select * from s.t",
			"attach '" + name[:1] + "' || '" + name[1:] + "' as s; select * from s.t",
			"vacuum into '" + name + "x'",
		} {
			if !slices.Contains([]string{"..", ".", "link.db", "up"}, name) || !strings.HasPrefix(statement, "vacuum") {
				sources = append(sources, statement)
			}
		}
	}
	for _, source := range sources {
		sink, err := run(t, e, source)
		if err == nil {
			t.Errorf("%s: got %q, want it to be refused", source, sink.Lines())
		}
		_, _ = run(t, e, "detach s")
	}
	if got := namesIn(t, root); !slices.Equal(got, []string{"notebook", "secret.db"}) {
		t.Errorf("there is %q beside the folder", got)
	}
	good(t, e, "-- connection: own.db\ncreate table t (a); insert into t values (1); pragma journal_mode = wal; insert into t values (2)")
	good(t, e, "attach 'own.db' as own; select * from own.t; vacuum own into 'second.db'; detach own")
}

func makeDatabase(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("create table t (a); insert into t values ('secret')")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A journal names the journal of a transaction over several databases, which SQLite removes when it is stale. A crafted
// one can name a file elsewhere, if that looks like such a journal.
func TestAJournalRemovesNoFileElsewhere(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "notebook")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	victim := filepath.Join(root, "victim-mj0123459AB")
	database := filepath.Join(dir, "trap.db")
	precious := []byte(database + "-journal\x00")
	if err := os.WriteFile(victim, precious, 0o600); err != nil {
		t.Fatal(err)
	}
	makeDatabase(t, database)
	content, err := os.ReadFile(database)
	if err != nil {
		t.Fatal(err)
	}
	craft := func(name string) {
		if err := os.WriteFile(database, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(database+"-journal", journal(content, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// It works within the folder, or the test would show nothing.
	inside := filepath.Join(dir, "inside-mj0123459AB")
	if err := os.WriteFile(inside, precious, 0o600); err != nil {
		t.Fatal(err)
	}
	craft(inside)
	good(t, open(t, sqlcell.Config{Dir: dir, Restricted: true}), "-- connection: trap.db\nselect * from t")
	if _, err := os.Stat(inside); err == nil {
		t.Fatal("the journal is not followed")
	}
	craft(victim)
	_, _ = run(t, open(t, sqlcell.Config{Dir: dir, Restricted: true}), "-- connection: trap.db\nselect * from t")
	if got, err := os.ReadFile(victim); string(got) != string(precious) {
		t.Errorf("the file is gone: %v", err)
	}
}

// journal returns a hot rollback journal with the first page of a database, and the name of a super-journal: the format
// is SQLite's, in its page on the file format, section 3.
func journal(database []byte, super string) []byte {
	const sector, page = 512, 4096
	be := func(n uint32) []byte { return []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)} }
	out := []byte{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7}
	out = slices.Concat(out, be(1), be(0), be(uint32(len(database)/page)), be(sector), be(page))
	out = append(out, make([]byte, sector-len(out))...)
	sum := uint32(0)
	for i := page - 200; i > 0; i -= 200 {
		sum += uint32(database[i])
	}
	out = slices.Concat(out, be(1), database[:page], be(sum))
	nameSum := uint32(0)
	for _, b := range []byte(super) {
		nameSum += uint32(int8(b))
	}
	lockPage := uint32(0x40000000/page + 1)
	return slices.Concat(out, be(lockPage), []byte(super), be(uint32(len(super))), be(nameSum), []byte{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7})
}

func TestWhatChangesTheProcessIsRefused(t *testing.T) {
	e := open(t, sqlcell.Config{})
	for _, source := range []string{
		"pragma temp_store_directory = '/tmp'", "pragma hard_heap_limit = 0", "pragma soft_heap_limit = 1", "select load_extension('x')",
		"select readfile('/etc/passwd')", "select writefile('x', 'y')", ".import x y", "select edit('x')",
		"select fts3_tokenizer('simple', x'00')", "pragma writable_schema = 1; update sqlite_schema set sql = ''",
	} {
		if sink, err := run(t, e, source); err == nil {
			t.Errorf("%s: got %q, want an error", source, sink.Lines())
		}
	}
}

func TestAnErrorHasNoSecret(t *testing.T) {
	for _, url := range []string{
		"postgres://me:s3cret@127.0.0.1:1/db?connect_timeout=2", "postgres://me:s3cret@[::1/db", "postgres://me:s3cret@127.0.0.1:1/db?sslmode=nope",
		"host=127.0.0.1 port=1 password=s3cret", "mysql://me:s3cret@host/db", "postgres://me:s3cr%65t@127.0.0.1:x/db", "postgres://me:s3cret@127.0.0.1:1,127.0.0.1:2/db",
	} {
		e := open(t, sqlcell.Config{Connection: func(string) (string, error) { return url, nil }})
		_, err := run(t, e, "-- connection: shop\nselect 1")
		if err == nil || err.Name != "ConnectionError" {
			t.Fatalf("got %v, want a ConnectionError", err)
		}
		if text := strings.Join(append(err.Trace, err.Message), "\n"); strings.Contains(text, "s3cr") || !strings.Contains(text, "shop") {
			t.Errorf("%s: got %q", url, text)
		}
	}
}

func TestARestrictedEngineHasNoConnections(t *testing.T) {
	asked := false
	e := open(t, sqlcell.Config{Restricted: true, Connection: func(string) (string, error) { asked = true; return "", nil }})
	if _, err := run(t, e, "-- connection: shop\nselect 1"); err == nil || !strings.Contains(err.Message, "sandbox") || asked {
		t.Errorf("got %v, asked %v", err, asked)
	}
}
