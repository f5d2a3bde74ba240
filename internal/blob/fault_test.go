package blob

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/quirehq/quire/core/room"
)

// smallDisk mounts a disk of a few kilobytes, or skips the test without the permission.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", dir).CombinedOutput()
	if err != nil {
		t.Skipf("no disk can be mounted here: %v %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v %s", err, out)
		}
	})
	return dir
}

func TestAR2AFullDiskIsSaidAndLeavesNothing(t *testing.T) {
	dir := smallDisk(t)
	d, err := OpenDisk(t.Context(), dir, "ada")
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Put(t.Context(), io.LimitReader(zeros{}, 1<<20), nil)
	if !errors.Is(err, room.ErrUnavailable) || !strings.Contains(err.Error(), "full") || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v, want that the disk is full", err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, arrivingDir)); err != nil || len(left) > 0 {
		t.Errorf("got %v and %v in the folder of what is arriving, want nothing", left, err)
	}
	err = d.List(t.Context(), func(hash string, _ time.Time) error { return fmt.Errorf("got %s", hash) })
	if err != nil {
		t.Error(err)
	}
	if _, err := d.Put(t.Context(), strings.NewReader("small"), nil); err != nil {
		t.Errorf("what fits: got %v", err)
	}
}

func TestAR4AFolderThatCannotBeWrittenIsRefusedAtTheStart(t *testing.T) {
	dir := smallDisk(t)
	if out, err := exec.CommandContext(t.Context(), "mount", "-o", "remount,ro", dir).CombinedOutput(); err != nil {
		t.Skipf("no disk can be mounted read-only here: %v %s", err, out)
	}
	_, err := OpenDisk(t.Context(), dir, "ada")
	if err == nil || !strings.Contains(err.Error(), "cannot be written") || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v, want that it cannot be written", err)
	}
}

func TestAR4AFileInPlaceOfTheFolderIsRefusedAtTheStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := OpenDisk(t.Context(), file, "ada")
	if err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("got %v, want that it cannot be written", err)
	}
}

// zeros is a reader of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestErrorsSayWhatToDo(t *testing.T) {
	for _, c := range []struct {
		err   error
		says  string
		later bool
	}{
		{explain("/x", fmt.Errorf("write: %w", syscall.ENOSPC)), "/x is full", true},
		{explain("/x", syscall.EDQUOT), "/x is full", true},
		{explain("/x", syscall.EROFS), "/x of the artifacts cannot be written", false},
		{explain("/x", fs.ErrPermission), "cannot be written", false},
		{explain("/x", io.ErrUnexpectedEOF), "unexpected EOF", false},
		{explainS3(minio.ErrorResponse{Code: minio.NoSuchBucket, StatusCode: 404}), "no such bucket", false},
		{explainS3(minio.ErrorResponse{Code: minio.AccessDenied, StatusCode: 403}), "AWS_ACCESS_KEY_ID", false},
		{explainS3(minio.ErrorResponse{Code: "SlowDown", Message: "slow down", StatusCode: 503}), "slow down", true},
		{explainS3(errors.New("connection refused")), "connection refused", true},
	} {
		if !strings.Contains(c.err.Error(), c.says) || errors.Is(c.err, room.ErrUnavailable) != c.later {
			t.Errorf("got %v (later: %t), want %q (%t)", c.err, !c.later, c.says, c.later)
		}
	}
	if err := errors.Join(explain("/x", nil), explainS3(nil)); err != nil {
		t.Errorf("got %v for no error", err)
	}
}
