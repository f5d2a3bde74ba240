package launch

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/quirehq/quire/core/event"
)

// processEnd is how the process of a runtime has ended.
type processEnd struct {
	runtime event.RuntimeID
	text    string // for people
}

// noteEnd keeps in mind how a runtime's process has ended, until that of another one of the
// notebook has. The state is nil of one that was not a child.
func (l *Launcher) noteEnd(r record, state *os.ProcessState) {
	text := "its own process has ended"
	if l.Memory != "" {
		text = fmt.Sprintf("its own process, which may have %s of memory, has ended", l.Memory)
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

// Gone implements server.Explainer.
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
