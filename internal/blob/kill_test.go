package blob_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/quirehq/quire/internal/blob"
)

// childPut is the variable that makes the test program put its input into the folder that it names.
const childPut = "QUIRE_BLOB_TEST_PUT"

func putInput(dir string) {
	d, err := blob.OpenDisk(context.Background(), dir, "ada")
	if err == nil {
		_, err = d.Put(context.Background(), os.Stdin, nil)
	}
	fmt.Fprintln(os.Stderr, "put ended:", err)
	os.Exit(1)
}

func TestAR2APutWhoseProcessIsKilledLeavesNothingAfterTheNextStart(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childPut+"="+dir)
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := input.Write(make([]byte, 3<<20)); err != nil {
		t.Fatal(err)
	}
	arriving := filepath.Join(dir, "arriving")
	if !filled(t, arriving) {
		t.Error("got nothing that is arriving before the kill")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	_ = input.Close()
	d := openDisk(t, dir)
	if got := files(t, arriving); got > 0 {
		t.Errorf("got %d files that are arriving, want none", got)
	}
	err = d.List(t.Context(), func(hash string, _ time.Time) error { return fmt.Errorf("got %s", hash) })
	if err != nil {
		t.Error(err)
	}
}

// filled waits until a file of a folder is not empty.
func filled(t *testing.T, dir string) bool {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		list, _ := os.ReadDir(dir) // the folder may not exist yet
		for _, file := range list {
			if info, err := file.Info(); err == nil && info.Size() > 0 {
				return true
			}
		}
	}
	return false
}
