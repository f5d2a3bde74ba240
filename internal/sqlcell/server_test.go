package sqlcell_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// server is a server of PostgreSQL for all tests, on a socket in a folder of its own.
type server struct {
	url    string
	reason string // why there is none
	stop   func()
}

// theServer starts the server at its first use.
var theServer = sync.OnceValue(startServer)

func TestMain(m *testing.M) {
	code := m.Run()
	if started {
		theServer().stop()
	}
	os.Exit(code)
}

var started bool

// serverURL returns the URL of the server, or skips the test where PostgreSQL is not installed.
func serverURL(t *testing.T) string {
	t.Helper()
	started = true
	s := theServer()
	if s.url == "" {
		t.Skip(s.reason)
	}
	return s.url
}

func startServer() server {
	bin := postgresFolder()
	if bin == "" {
		return server{reason: "PostgreSQL is not installed: there is no initdb", stop: func() {}}
	}
	dir, err := os.MkdirTemp("", "quire-sql-")
	if err != nil {
		return server{reason: err.Error(), stop: func() {}}
	}
	s := server{stop: func() { _ = os.RemoveAll(dir) }}
	owner, err := unprivileged(dir)
	if err != nil {
		s.reason = err.Error()
		return s
	}
	data := filepath.Join(dir, "data")
	run := func(program string, args ...string) error {
		cmd := exec.Command(filepath.Join(bin, program), args...)
		cmd.Dir = dir
		owner(cmd)
		out, err := os.CreateTemp("", "quire-sql-out-") // a pipe would be held open by the server
		if err != nil {
			return err
		}
		defer os.Remove(out.Name())
		defer out.Close()
		cmd.Stdout, cmd.Stderr = out, out
		if err := cmd.Run(); err != nil {
			text, _ := os.ReadFile(out.Name())
			return fmt.Errorf("%s: %w: %s", program, err, text)
		}
		return nil
	}
	if err := run("initdb", "-D", data, "-U", "tester", "-A", "trust", "-N", "-E", "UTF8", "--no-locale"); err != nil {
		s.reason = err.Error()
		return s
	}
	options := "-k " + dir + " -c listen_addresses= -c fsync=off -c timezone=UTC -c lc_messages=C"
	if err := run("pg_ctl", "-D", data, "-w", "-l", filepath.Join(dir, "log"), "-o", options, "start"); err != nil {
		s.reason = err.Error()
		return s
	}
	s.url = "postgres:///postgres?user=tester&password=s3cret-pw&host=" + dir
	s.stop = func() {
		_ = run("pg_ctl", "-D", data, "-m", "immediate", "stop")
		_ = os.RemoveAll(dir)
	}
	return s
}

// postgresFolder returns the folder of the server's programs, "" if there is none.
func postgresFolder() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return ""
	}
	return filepath.Dir(found[len(found)-1])
}

// unprivileged gives a folder to the user that a server of root runs as, which refuses to run as root.
func unprivileged(dir string) (func(*exec.Cmd), error) {
	if os.Geteuid() != 0 {
		return func(*exec.Cmd) {}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		return func(cmd *exec.Cmd) { runAs(cmd, uid, gid) }, os.Chown(dir, uid, gid)
	}
	return nil, fmt.Errorf("PostgreSQL does not run as root, and there is no other user")
}
