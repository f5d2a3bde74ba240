//go:build linux

package faults_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/quirehq/quire/core/event"
)

// printer is a program that says in a file how much of its output it has certainly
// written: after each of its steps, when that is flushed, it appends the number of
// the step.
type printer struct {
	run    event.RunID
	cell   event.CellID
	source string
	file   string
	steps  []step
	end    event.RunStatus // how it ends by itself
	last   string          // what it shows then
	bar    string          // a bar that it redraws on stdout in each step, before any number
	state  string          // the id of a display that it updates in each step
	prompt string          // what it asks before its steps, if anything
	thread bool            // its steps are those of a thread, which goes on when its run has ended
}

// step is what one step writes. A display is its text in angle brackets.
type step struct{ out, err string }

// printerKinds are the bodies of programs, one step each, of which the fast ones take
// many. %[1]s is the program's tag.
var printerKinds = []struct {
	name, body string
	many       int
	step       func(tag string, i int) step
}{
	{"lines", "print(f'%[1]s {i:04d}')", 2_000, func(tag string, i int) step {
		return step{out: fmt.Sprintf("%s %04d\n", tag, i)}
	}},
	{"two streams", "print(f'%[1]s {i:04d}', file=(sys.stdout, sys.stderr)[i %% 2])", 100, func(tag string, i int) step {
		if i%2 == 1 {
			return step{err: fmt.Sprintf("%s %04d\n", tag, i)}
		}
		return step{out: fmt.Sprintf("%s %04d\n", tag, i)}
	}},
	{"descriptor", "os.write(1 + i %% 2, f'%[1]s {i:04d}\\n'.encode())", 100, func(tag string, i int) step {
		if i%2 == 1 {
			return step{err: fmt.Sprintf("%s %04d\n", tag, i)}
		}
		return step{out: fmt.Sprintf("%s %04d\n", tag, i)}
	}},
	{"displays", `print(f'%[1]s {i:04d}')
    if i == 0:
        display({'text/plain': '%[1]s state 0'}, raw=True, display_id='%[1]s')
    update_display({'text/plain': f'%[1]s state {i}'}, raw=True, display_id='%[1]s')
    if i %% 5 == 0:
        display({'text/plain': f'%[1]s show {i}'}, raw=True)`, 60, func(tag string, i int) step {
		s := step{out: fmt.Sprintf("%s %04d\n", tag, i)}
		if i == 0 {
			s.out += "<" + tag + ">"
		}
		if i%5 == 0 {
			s.out += fmt.Sprintf("<%s show %d>", tag, i)
		}
		return s
	}},
	{"large", `print(f'%[1]s {i:04d}')
    if i %% 5 == 0:
        display({'text/plain': f'%[1]s show {i}', 'text/html': f'%[1]s {i} ' * 80_000}, raw=True)`, 30, func(tag string, i int) step {
		s := step{out: fmt.Sprintf("%s %04d\n", tag, i)}
		if i%5 == 0 {
			s.out += fmt.Sprintf("<%s show %d #%x>", tag, i, sha256.Sum256([]byte(strings.Repeat(fmt.Sprintf("%s %d ", tag, i), 80_000))))
		}
		return s
	}},
	{"bar", "print(f'\\r%[1]s bar {i}', end='')", 1_000, func(string, int) step { return step{} }},
}

// newPrinter returns a program of a kind and length that is chosen at random.
func newPrinter(tag, file string, r *rand.Rand) *printer {
	kind := printerKinds[r.IntN(len(printerKinds))]
	n, pause := 10+r.IntN(30), 0.005*float64(1+r.IntN(5))
	if r.IntN(2) == 0 {
		n, pause = kind.many*(1+r.IntN(3)), 0
	}
	p := &printer{
		run: event.RunID(tag), cell: event.CellID(tag), file: file,
		end: event.StatusOK, last: "<'" + tag + " end'>",
	}
	last := "'" + tag + " end'"
	if r.IntN(8) == 0 {
		p.end, p.last, last = event.StatusError, "", "raise ValueError('"+tag+"')"
	}
	switch kind.name {
	case "bar":
		p.bar = tag + " bar "
	case "displays":
		p.state = tag
	}
	ask := ""
	if p.bar == "" && r.IntN(4) == 0 {
		p.prompt = tag + "? "
		ask = fmt.Sprintf("print(%q, input(%q), flush=True)", tag+" got", p.prompt)
	}
	for i := range n {
		p.steps = append(p.steps, kind.step(tag, i))
	}
	p.source = fmt.Sprintf(`import os, sys, time
%s
done = os.open(%q, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
for i in range(%d):
    %s
    sys.stdout.flush()
    os.write(done, b'%%d\n' %% i)
    time.sleep(%g)
os.close(done)
%s`, ask, file, n, fmt.Sprintf(kind.body, tag), pause, last)
	return p
}

// newThread returns a program that starts a thread and ends. What the thread prints is
// of its run, whatever runs meanwhile.
func newThread(tag, file string, n int) *printer {
	p := &printer{run: event.RunID(tag), cell: event.CellID(tag), file: file, end: event.StatusOK, thread: true}
	for i := range 20 + 10*(n%4) {
		s := step{out: fmt.Sprintf("%s %04d\n", tag, i)}
		if i%3 == 2 {
			s = step{err: s.out}
		}
		p.steps = append(p.steps, s)
	}
	p.source = fmt.Sprintf(`import os, sys, threading, time
def go_on():
    done = os.open(%q, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for i in range(%d):
        out = (sys.stdout, sys.stdout, sys.stderr)[i %% 3]
        print(f'%s {i:04d}', file=out)
        out.flush()
        os.write(done, b'%%d\n' %% i)
        time.sleep(%g)
    os.close(done)
threading.Thread(target=go_on).start()`, file, len(p.steps), tag, 0.01*float64(1+n%5))
	return p
}

// done returns how many steps the program has certainly written. It fails if it did
// not take each once, in order.
func (p *printer) done() (int, error) {
	data, err := os.ReadFile(p.file)
	if os.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n := 0
	for line := range strings.Lines(string(data)) { // one write each, which no kill tears apart
		if line != strconv.Itoa(n)+"\n" {
			return 0, fmt.Errorf("its program has taken step %q where step %d belongs: it ran more than once", line, n)
		}
		n++
	}
	return n, nil
}

// written returns what the first n steps write to the streams.
func (p *printer) written(n int) (s step) {
	var out, err strings.Builder
	for _, one := range p.steps[:n] {
		out.WriteString(one.out)
		err.WriteString(one.err)
	}
	return step{out.String(), err.String()}
}

// fault says what is wrong with what the log has of the program, which has at least
// taken so many steps, and has come to its end or not.
func (p *printer) fault(got *transcript, least int, complete bool) string {
	all, must := p.written(len(p.steps)), p.written(least)
	all.out = p.asked(got.answer) + all.out + p.last
	if least > 0 {
		must.out = p.asked(got.answer) + must.out
	}
	if complete {
		must = all
	}
	if p.bar != "" {
		return p.barFault(got.out, least, complete)
	}
	if !complete && least == 0 && p.prompt != "" && got.out == p.prompt+"\n" {
		return "" // it ended before it had its answer, which may have come later
	}
	for _, s := range []struct{ name, got, all, must string }{
		{"stdout", got.out, all.out, must.out}, {"stderr", got.err, all.err, must.err},
	} {
		if !strings.HasPrefix(s.all, s.got) {
			return fmt.Sprintf("has on %s what it did not print: …%q after %d bytes", s.name, tailAt(s.got, sameBytes(s.all, s.got)), sameBytes(s.all, s.got))
		}
		if !strings.HasPrefix(s.got, s.must) {
			return fmt.Sprintf("has %d bytes on %s, of %d that were written", len(s.got), s.name, len(s.must))
		}
	}
	if state := got.states[p.state]; p.state != "" && least > 0 && p.stepOf(state, p.state+" state ") < least-1 {
		return fmt.Sprintf("shows %q after %d steps", state, least)
	}
	return ""
}

// asked returns what asking leaves on stdout.
func (p *printer) asked(answer string) string {
	switch {
	case p.prompt == "":
		return ""
	case answer == "":
		return p.prompt + "\n"
	}
	return fmt.Sprintf("%s%s\n%s got %s\n", p.prompt, answer, p.run, answer)
}

func (p *printer) barFault(got string, least int, complete bool) string {
	bar, found := strings.CutSuffix(got, p.last)
	if complete && (!found || p.stepOf(bar, p.bar) != len(p.steps)-1) {
		return fmt.Sprintf("shows %q at its end", got)
	}
	if least == 0 && got == "" {
		return ""
	}
	if i := p.stepOf(bar, p.bar); i < max(least-1, 0) || i >= len(p.steps) {
		return fmt.Sprintf("shows %q after %d steps", got, least)
	}
	return ""
}

// stepOf returns the number behind a prefix, -1 if that is not what a text is.
func (p *printer) stepOf(text, prefix string) int {
	number, ok := strings.CutPrefix(text, prefix)
	i, err := strconv.Atoi(number)
	if !ok || err != nil {
		return -1
	}
	return i
}

// sameBytes returns how many bytes two texts have in common at their start.
func sameBytes(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func tailAt(s string, at int) string { return s[max(at-20, 0):min(at+40, len(s))] }
