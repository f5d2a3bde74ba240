package env

import (
	"errors"
	"syscall"
	"testing"
)

// Not in parallel with others: it exhausts the process's descriptors for a moment.
func TestThatThereAreNoFilesLeftDoesNotMeanThatThereAreNoGroups(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 0, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	_, err := NewGroup(Bounds{Processes: 10})
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, syscall.EMFILE) || errors.Is(err, ErrNoGroups) {
		t.Errorf("got %v, want an error that may pass", err)
	}
}
