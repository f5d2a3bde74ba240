package launch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/quirehq/quire/core/event"
)

// end is how the program of a runtime has ended.
type end struct {
	runtime event.RuntimeID
	text    string // for people
}

// noteEnd keeps in mind how a runtime's program has ended, until that of another one of the
// notebook has. How is empty where that is not known.
func (l *Launcher) noteEnd(ctx context.Context, r record, how string) {
	text := "its process has ended"
	if l.Memory != "" {
		text = fmt.Sprintf("its process, which is limited to %s of memory without the programs that it runs, has ended", l.Memory)
	}
	if why := cmp.Or(l.lastWords(ctx, r.Notebook), how); why != "" {
		text += ": " + why
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ends == nil {
		l.ends = map[string]end{}
	}
	l.ends[r.Notebook] = end{runtime: r.Runtime, text: text}
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

// lastWords returns why Go has ended the last runtime of a notebook, nothing if its log does not say.
func (l *Launcher) lastWords(ctx context.Context, notebook string) string {
	log, err := l.Environment.Open(ctx, l.logOf(notebook))
	if err != nil {
		return ""
	}
	defer log.Close()
	return lastWords(log)
}

// lastWords returns why Go has ended the program that wrote a log, nothing if it does not say.
func lastWords(log io.Reader) string {
	lines, last := bufio.NewReader(tailOf(log)), ""
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

// tailOf returns the end of a log.
func tailOf(log io.Reader) io.Reader {
	var tail []byte
	for block := make([]byte, fatalTail); ; {
		n, err := io.ReadFull(log, block)
		tail = append(tail, block[:n]...)
		tail = tail[max(0, len(tail)-fatalTail):]
		if err != nil {
			return bytes.NewReader(tail)
		}
	}
}

// pids is the folder with the PID files of a runtime. A runtime ends its programs before it ends. One that is killed
// cannot: the launcher ends those that the system leaves, which it finds by these files.
func (l *Launcher) pids(notebook string, id event.RuntimeID) string {
	return path.Join(l.folder(), notebook+"."+string(id)+pidsSuffix)
}

const pidsSuffix = ".pids"

// sweep ends what a runtime that has ended has left.
func (l *Launcher) sweep(r record) error {
	killed, err := l.Environment.Sweep(l.pids(r.Notebook, r.Runtime), string(r.Runtime))
	if killed > 0 {
		l.Logger.Warn("programs ended that a runtime has left", "notebook", r.Notebook, "runtime", r.Runtime, "processes", killed)
	}
	if err != nil {
		return fmt.Errorf("end what runtime %s has left: %w", r.Runtime, err)
	}
	return nil
}

// follow waits for the end of a runtime, ends what it has left, and forgets it but for how it ended. It does nothing more
// when ctx ends.
func (l *Launcher) follow(ctx context.Context, r record) {
	how, err := l.Environment.AwaitEnd(ctx, r.Program)
	if err != nil {
		return
	}
	l.noteEnd(ctx, r, how)
	if err := l.sweep(r); err != nil {
		l.Logger.Error("programs of a runtime are left", "runtime", r.Runtime, "error", err)
	}
	l.forget(r)
}

// sweepAll ends what the runtimes of notebooks have left, but for those that go on.
func (l *Launcher) sweepAll(ctx context.Context, of func(notebook string) bool) error {
	entries, err := l.Environment.List(ctx, l.folder())
	errs := []error{err}
	for _, e := range entries {
		base, isPIDs := strings.CutSuffix(e.Name, pidsSuffix)
		name, id, ok := strings.Cut(base, ".")
		r := record{Notebook: name, Runtime: event.RuntimeID(id)}
		if isPIDs && ok && of(name) && !l.goesOn(r) {
			errs = append(errs, l.sweep(r))
		}
	}
	return errors.Join(errs...)
}

// goesOn reports whether a runtime has not ended.
func (l *Launcher) goesOn(r record) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(l.records, func(other record) bool { return other.Runtime == r.Runtime && l.isAlive(other) })
}

// Follow forgets the runtimes that the server before this one has started as they end, with what they have left, until ctx
// ends.
func (l *Launcher) Follow(ctx context.Context) {
	l.mu.Lock()
	left := slices.Clone(l.records)
	l.mu.Unlock()
	var following sync.WaitGroup
	for _, r := range left {
		following.Go(func() { l.follow(ctx, r) })
	}
	following.Wait()
}
