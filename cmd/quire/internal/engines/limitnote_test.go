package engines

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/ipython"
)

func TestAnErrorOfALimitNamesItWithItsValue(t *testing.T) {
	all := limits{Memory: 512 << 20, FileSize: 3 << 29, CPU: time.Hour, Files: 64, Processes: 32}
	for _, c := range []struct {
		name, message, want string
	}{
		{"MemoryError", "", "the limit of memory is 512 MiB (--memory)"},
		{"numpy.core._exceptions._ArrayMemoryError", "Unable to allocate", "the limit of memory is 512 MiB (--memory)"},
		{"OSError", "[Errno 27] File too large", "the limit of a file's size is 1.5 GiB (--file-size)"},
		{"OSError", "[Errno 24] Too many open files", "the limit of open files is 64 (--files)"},
		{"BlockingIOError", "[Errno 11] Resource temporarily unavailable", "the limit of processes is 32 (--processes)"},
		{"RuntimeError", "can't start new thread", "the limit of processes is 32 (--processes)"},
		{"OSError", "[Errno 2] No such file", ""},
		{"ValueError", "", ""},
	} {
		failed := &lang.Error{Name: c.name, Message: c.message, Lack: ipython.LackOf(c.name, c.message)}
		if got := all.note(ending{err: failed}).text; got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if got := (limits{}).note(ending{err: failed}).text; got != "" {
			t.Errorf("%s without limits: got %q, want none", c.name, got)
		}
	}
}

func TestWhatOnlyTheEndingTellsIsNamedToo(t *testing.T) {
	all := limits{Memory: 512 << 20, Processes: 32, RunTime: time.Minute, Disk: 1 << 30, CPU: time.Hour}
	failed := &lang.Error{Name: "CalledProcessError", Message: "died with <Signals.SIGKILL: 9>."}
	unresolved := &lang.Error{Name: "gaierror", Message: "[Errno -3] Temporary failure in name resolution", Lack: lang.LackNetwork}
	raised := &lang.Error{Name: "TimeoutError"}
	timed := &lang.Error{Name: "TimeoutError", Cause: lang.CauseTimedOut}
	for name, c := range map[string]struct {
		end  ending
		want string
	}{
		"a child that was killed":          {ending{err: failed, hits: env.Hits{Memory: 1}}, "the limit of memory is 512 MiB (--memory)"},
		"a child that could not start":     {ending{err: failed, hits: env.Hits{Processes: 1}}, "the limit of processes is 32 (--processes)"},
		"neither":                          {ending{err: failed}, ""},
		"the time of a run":                {ending{err: timed, asked: time.Minute, took: time.Minute}, "the limit of a run's time is 1m0s (--run-time)"},
		"the processor time":               {ending{err: &lang.Error{Name: "x", Lack: lang.LackCPU}}, "the limit of processor time is 1h0m0s (--cpu)"},
		"a TimeoutError of the program":    {ending{err: raised, asked: time.Minute, took: time.Minute}, ""},
		"a time-out that is not the limit": {ending{err: timed, asked: time.Second, took: time.Second}, ""},
		"the folder":                       {ending{err: &lang.Error{Name: "x", Lack: lang.LackDisk}}, "the limit of the notebook's files is 1 GiB in at most 65536 files (--disk)"},
		"no network in the sandbox":        {ending{err: unresolved, offline: true}, "the sandbox has no network (--sandbox-network)"},
		"an installer in the sandbox":      {ending{err: &lang.Error{Name: "x", Lack: lang.LackPackages}, offline: true}, "the sandbox has no network (--sandbox-network)"},
		"a network that fails by itself":   {ending{err: unresolved}, ""},
		"another error in the sandbox":     {ending{err: failed, offline: true}, ""},
		"memory that counts more than all": {ending{err: timed, hits: env.Hits{Memory: 1}, asked: time.Minute, took: time.Minute}, "the limit of memory is 512 MiB (--memory)"},
	} {
		if got := all.note(c.end).text; got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestADeathByALimitNamesIt(t *testing.T) {
	all := limits{Memory: 512 << 20, RunTime: time.Minute, Disk: 1 << 30, CPU: time.Hour}
	died := fmt.Errorf("%w: python ended: signal SIGKILL", lang.ErrDied)
	for name, c := range map[string]struct {
		err  error
		end  ending
		want string
	}{
		"memory":    {died, ending{hits: env.Hits{Memory: 1}}, "the limit of memory is 512 MiB (--memory)"},
		"disk":      {died, ending{full: true}, "the limit of the notebook's files is 1 GiB in at most 65536 files (--disk)"},
		"time":      {died, ending{asked: time.Minute, took: time.Hour}, "the limit of a run's time is 1m0s (--run-time)"},
		"processor": {fmt.Errorf("%w: %w", lang.ErrDied, &lang.SpentError{CPU: time.Hour}), ending{}, "the limit of processor time is 1h0m0s (--cpu)"},
		"none":      {died, ending{}, "signal SIGKILL"},
	} {
		_, got := all.explainDeath(c.err, c.end)
		if !errors.Is(got, lang.ErrDied) || !strings.HasSuffix(got.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, got, c.want)
		}
	}
}

func TestTheNoteOfALimitStandsOnceInATrace(t *testing.T) {
	for name, c := range map[string]struct{ err, want lang.Error }{
		"a trace with the message": {
			lang.Error{Name: "OutOfMemory", Message: "too much", Trace: []string{"OutOfMemory: too much", "  at In[1]:2"}},
			lang.Error{Name: "OutOfMemory", Message: "too much; NOTE", Trace: []string{"OutOfMemory: too much; NOTE", "  at In[1]:2"}},
		},
		"a message of two lines": {
			lang.Error{Name: "E", Message: "a\nb", Trace: []string{"E: a", "b"}},
			lang.Error{Name: "E", Message: "a\nb; NOTE", Trace: []string{"E: a", "b; NOTE"}},
		},
		"no message": {
			lang.Error{Name: "MemoryError", Trace: []string{"Cell In[1], line 1", "MemoryError"}},
			lang.Error{Name: "MemoryError", Message: "NOTE", Trace: []string{"Cell In[1], line 1", "MemoryError", "NOTE"}},
		},
		"no trace": {lang.Error{Name: "E", Message: "m"}, lang.Error{Name: "E", Message: "m; NOTE", Trace: []string{"NOTE"}}},
	} {
		if diff := cmp.Diff(&c.want, withNote(&c.err, "NOTE")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
