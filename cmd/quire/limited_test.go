package main

import (
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
)

func TestAnErrorOfALimitNamesItWithItsValue(t *testing.T) {
	all := limits{memory: 512 << 20, fileSize: 3 << 29, cpu: time.Hour, files: 64, processes: 32}
	for _, c := range []struct {
		name, message, want string
	}{
		{"MemoryError", "", "the limit of memory is 512 MiB (--memory)"},
		{"numpy.core._exceptions._ArrayMemoryError", "Unable to allocate", "the limit of memory is 512 MiB (--memory)"},
		{"CPULimitExceeded", "x", "the limit of processor time is 1h0m0s (--cpu)"},
		{"OSError", "[Errno 27] File too large", "the limit of a file's size is 1.5 GiB (--file-size)"},
		{"OSError", "[Errno 24] Too many open files", "the limit of open files is 64 (--files)"},
		{"BlockingIOError", "[Errno 11] Resource temporarily unavailable", "the limit of processes is 32 (--processes)"},
		{"RuntimeError", "can't start new thread", "the limit of processes is 32 (--processes)"},
		{"OSError", "[Errno 2] No such file", ""},
		{"ValueError", "", ""},
	} {
		failed := &lang.Error{Name: c.name, Message: c.message}
		if got := all.note(failed); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if got := (limits{}).note(failed); got != "" {
			t.Errorf("%s without limits: got %q, want none", c.name, got)
		}
	}
}
