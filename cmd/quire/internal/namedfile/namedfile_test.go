package namedfile

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNoMoreIsReadThanABound(t *testing.T) {
	zero := func() (io.ReadCloser, error) { return io.NopCloser(endless{}), nil }
	if _, err := readWhole(zero, 1<<20); err == nil || !strings.Contains(err.Error(), "more than 1 MiB") {
		t.Errorf("got %v", err)
	}
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadUpTo(file, 1<<20); err != nil || len(data) != 1<<20 {
		t.Errorf("got %d bytes, %v", len(data), err)
	}
}

// endless is a file without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
