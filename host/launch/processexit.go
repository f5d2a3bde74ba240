package launch

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/quirehq/quire/core/event"
)

// processEnd is how the process of a runtime has ended.
type processEnd struct {
	runtime event.RuntimeID
	text    string // for people
}

// noteEnd keeps in mind how a runtime's process has ended, until that of another one of the
// notebook has. The state is nil of one that was not a child.
func (l *Launcher) noteEnd(r processRecord, state *os.ProcessState) {
	text := "its process has ended"
	if l.Memory != "" {
		text = fmt.Sprintf("its process, which is limited to %s of memory without the programs that it runs, has ended", l.Memory)
	}
	if why := lastWords(filepath.Join(l.place(), r.Notebook+logSuffix)); why != "" {
		text += ": " + why
	} else if state != nil {
		text += ": " + state.String()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ends == nil {
		l.ends = map[string]processEnd{}
	}
	l.ends[r.Notebook] = processEnd{runtime: r.Runtime, text: text}
}

// Gone implements rooms.Launcher.
func (l *Launcher) Gone(notebook string, id event.RuntimeID) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if end := l.ends[notebook]; end.runtime == id {
		return end.text
	}
	return ""
}

// fatalPrefixes are how the line begins with which Go says why a program cannot go on, and the
// one with which it says that it got no thread where those are C's.
var fatalPrefixes = [...]string{"fatal error: ", "runtime/cgo: "}

const (
	fatalTail = 1 << 20 // how much of a log is looked through for that, from its end
	maxFatal  = 200
)

// lastWords returns why Go has ended the program that wrote a log, nothing if it does not say.
func lastWords(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if _, err := f.Seek(-fatalTail, io.SeekEnd); err != nil {
		_, err = f.Seek(0, io.SeekStart) // it is shorter
		if err != nil {
			return ""
		}
	}
	lines, last := bufio.NewReader(f), ""
	for {
		line, err := lines.ReadString('\n')
		for _, prefix := range fatalPrefixes {
			if strings.HasPrefix(line, prefix) {
				last = cmp.Or(last, strings.TrimSpace(line))
			}
		}
		if err != nil {
			return strings.ToValidUTF8(last[:min(len(last), maxFatal)], "")
		}
	}
}

// pids is the directory with the PID files of a runtime. A runtime ends its programs before it ends. One that is killed
// cannot: the launcher ends those that the system leaves, which it finds by these files.
func (l *Launcher) pids(notebook string, id event.RuntimeID) string {
	return filepath.Join(l.place(), notebook+"."+string(id)+pidsSuffix)
}

const pidsSuffix = ".pids"

// sweep ends what a runtime that has ended has left.
func (l *Launcher) sweep(r processRecord) error {
	killed, err := l.Processes.Sweep(l.pids(r.Notebook, r.Runtime), string(r.Runtime))
	if killed > 0 {
		l.Logger.Warn("programs ended that a runtime has left", "notebook", r.Notebook, "runtime", r.Runtime, "processes", killed)
	}
	if err != nil {
		return fmt.Errorf("end what runtime %s has left: %w", r.Runtime, err)
	}
	return nil
}

// reap ends what a runtime that has ended has left, and forgets it but for how it ended.
func (l *Launcher) reap(r processRecord, state *os.ProcessState) {
	l.noteEnd(r, state)
	if err := l.sweep(r); err != nil {
		l.Logger.Error("programs of a runtime are left", "runtime", r.Runtime, "error", err)
	}
	l.forget(r)
}

// sweepAll ends what the runtimes of a notebook have left, * for those of all, but for those
// that go on.
func (l *Launcher) sweepAll(notebook string) error {
	dirs, err := filepath.Glob(filepath.Join(l.place(), notebook+".*"+pidsSuffix))
	if err != nil {
		return err
	}
	var errs []error
	for _, dir := range dirs {
		name, id, ok := strings.Cut(strings.TrimSuffix(filepath.Base(dir), pidsSuffix), ".")
		r := processRecord{Notebook: name, Runtime: event.RuntimeID(id)}
		if ok && !l.goesOn(r) {
			errs = append(errs, l.sweep(r))
		}
	}
	return errors.Join(errs...)
}

// goesOn reports whether a runtime has not ended.
func (l *Launcher) goesOn(r processRecord) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.records, func(other processRecord) bool { return other.Runtime == r.Runtime && l.isAlive(other) })
}

// inheritedEvery is how often a launcher looks whether the runtimes have ended that the server
// before this one has started: nothing tells of the end of a process that is not a child.
const inheritedEvery = time.Second

// Follow forgets such runtimes as they end, with what they have left, until ctx ends.
func (l *Launcher) Follow(ctx context.Context) {
	l.mu.Lock()
	left := slices.Clone(l.records)
	l.mu.Unlock()
	ticker := time.NewTicker(inheritedEvery)
	defer ticker.Stop()
	for len(left) > 0 {
		left = slices.DeleteFunc(left, func(r processRecord) bool {
			if l.isAlive(r) {
				return false
			}
			l.reap(r, nil)
			return true
		})
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
