//go:build unix

package wasi

import (
	"path/filepath"
	"syscall"
	"testing"

	experimental "github.com/tetratelabs/wazero/experimental/sys"
)

func TestAPipeInAGrantedFolderIsNotOpened(t *testing.T) {
	f, dir, _ := granted(t, true)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, wrong := f.OpenFile("pipe", experimental.O_RDONLY, 0); wrong != experimental.EACCES { // which would wait for a writer
		t.Errorf("got %v, want EACCES", wrong)
	}
}
