// Package stage has the parts that tests of whole programs share: a place for a server,
// requests to it, what its processes say, and the processes themselves. What a test
// does with them, and when a server starts and ends, is the test's.
package stage

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// FreeAddr returns an address where nothing listens. Its port is none of those that
// outgoing connections get, one of which may else have it while the server is away.
func FreeAddr(t testing.TB) string {
	t.Helper()
	for range 100 {
		addr := fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000))
		if l, err := net.Listen("tcp", addr); err == nil {
			_ = l.Close() // it was only to see
			return addr
		}
	}
	t.Fatal("found no free port")
	return ""
}

// NoteSources looks at all that the program is built from, below the root of the
// repository. The go command keeps the results of tests, and would not know else that
// they depend on it.
func NoteSources(root string) error {
	var errs []error
	for _, dir := range []string{"cmd", "core", "host", "internal", "runner", "web"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(_ string, _ fs.DirEntry, err error) error { return err })
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Environ returns our environment without what would lead to another server, or set
// one up.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "QUIRE_") })
}

// Logs returns the log of the server, and those that the runtimes of its data directory have
// left of what they said, by name.
func Logs(server, data string) map[string]string {
	logs := map[string]string{"server": server}
	names, _ := filepath.Glob(filepath.Join(data, "runtimes", "*.log*")) // the pattern is good
	for _, name := range names {
		if text, err := os.ReadFile(name); err == nil { // else it was removed meanwhile
			logs[filepath.Base(name)] = string(text)
		}
	}
	return logs
}

// Crashes returns what logs say of programs that are broken.
func Crashes(logs map[string]string) (found []string) {
	for name, log := range logs {
		for line := range strings.Lines(log) {
			for _, sign := range []string{"panic:", "fatal error:", "DATA RACE"} {
				if strings.Contains(line, sign) {
					found = append(found, name+": "+line)
				}
			}
		}
	}
	return found
}

// Buffer is a buffer that a process writes while a test reads it.
type Buffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

// String returns the text that was written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
