//go:build unix

package file_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/internal/file"
)

func TestAReasonNamesFoldersAndFiles(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "file")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		dir:                         "it is a directory",
		filepath.Join(plain, "x"):   "a part of its path is a file and no directory",
		filepath.Join(plain, "x/y"): "a part of its path is a file and no directory",
	} {
		_, err := os.ReadFile(name)
		if got := file.Reason(name, err); got == nil || got.Error() != want {
			t.Errorf("%s: got %v, want %s", name, got, want)
		}
	}
}
