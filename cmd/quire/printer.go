package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/quirehq/quire/core/event"
)

// maxTail is how many bytes of the end of a text are kept, for what a program may
// still take back.
const maxTail = 64 << 10

// printer writes what runs produce, as it comes: what programs print to stdout and
// stderr goes to ours. On a terminal a line that a program writes anew, such as a
// progress bar, is written anew; elsewhere lines are written when they are whole.
type printer struct {
	out, err lineWriter
	terminal bool
	// plain leaves the colours out of the traces of errors. What programs print is theirs.
	plain bool
	// errorsOnly leaves out all but what runs fail with.
	errorsOnly bool

	texts map[event.OutputID]*textOutput
	last  *textOutput // what was written last, if it is a text that may go on
}

// lineWriter is a stream with whether it stands within a line. On a terminal
// stdout and stderr share that.
type lineWriter struct {
	io.Writer
	within *bool
}

// textOutput is a stream or markdown output that is being written.
type textOutput struct {
	w    lineWriter
	tail []byte // the end of the text, from the beginning of a line
	held string // not written yet: a line that is not whole, or half an escape sequence
	// waits says that what changed is held until something else is written, since whole
	// lines of it are taken back again and again, which only a terminal can show.
	waits bool
}

func newPrinter(out, err io.Writer, terminal bool) *printer {
	p := &printer{terminal: terminal, plain: !terminal, texts: map[event.OutputID]*textOutput{}}
	p.out = lineWriter{out, new(bool)}
	p.err = lineWriter{err, p.out.within}
	if !terminal {
		p.err.within = new(bool)
	}
	return p
}

// event writes what an event adds to outputs, and nothing for other events.
func (p *printer) event(e *event.Event) {
	if added, ok := e.Payload.(*event.OutputAdded); p.errorsOnly && !(ok && added.Value.Kind == event.OutputError) {
		return
	}
	switch e := e.Payload.(type) {
	case *event.OutputAdded:
		p.added(e.Output, &e.Value)
	case *event.OutputAppended:
		if t := p.texts[e.Output]; t != nil {
			p.append(t, e.Drop, e.Text)
		}
	case *event.OutputStored:
		p.line("[all of it: %s]", artifactList(e.Artifacts))
	case *event.DisplayUpdated:
		p.whole(p.out, bundleText(&event.Output{Data: e.Data, Artifacts: e.Artifacts}))
	case *event.OutputsCleared:
		p.flush()
	}
}

// added writes a new output.
func (p *printer) added(id event.OutputID, v *event.Output) {
	p.flush()
	switch v.Kind {
	case event.OutputStream, event.OutputMarkdown:
		t := &textOutput{w: p.out}
		if v.Stream == event.Stderr {
			t.w = p.err
		}
		p.texts[id] = t
		p.append(t, 0, v.Text)
	case event.OutputError:
		text := errorText(v.Error)
		if p.plain {
			text = stripEscapes(text)
		}
		p.whole(p.err, text)
	default:
		p.whole(p.out, bundleText(v))
	}
}

// catchUp writes what an output has beyond what was written of it, when events
// were missed.
func (p *printer) catchUp(id event.OutputID, v *event.Output) {
	t := p.texts[id]
	if t == nil {
		p.added(id, v)
		return
	}
	if i := strings.LastIndex(v.Text, string(t.tail)); i >= 0 {
		p.append(t, 0, v.Text[i+len(t.tail):])
		return
	}
	p.flush()
	t.tail, t.held = nil, ""
	p.append(t, 0, v.Text)
}

// whole writes a text on lines of its own.
func (p *printer) whole(w lineWriter, s string) {
	p.flush()
	w.endLine()
	w.write(p.cleaned(s))
	w.endLine()
}

// line writes a message of our own to stderr.
func (p *printer) line(format string, args ...any) {
	p.whole(p.err, fmt.Sprintf(format, args...))
}

// append writes what was added to a text after its last drop units were taken back.
func (p *printer) append(t *textOutput, drop int, text string) {
	if drop == 0 {
		t.tail = lastLines(append(t.tail, text...))
		if t.waits {
			p.wait(t, t.held+text)
			return
		}
		p.emit(t, text)
		return
	}
	kept := cutUnits(t.tail, drop)
	lines := bytes.Count(t.tail[kept:], []byte{'\n'})
	line := string(t.tail[bytes.LastIndexByte(t.tail[:kept], '\n')+1 : kept])
	t.tail = lastLines(append(t.tail[:kept], text...))
	if !p.terminal && (lines > 0 || t.waits) {
		p.wait(t, changedText(t.held, drop, line)+text)
		return
	}
	t.held = ""
	if p.terminal {
		p.back(t, lines)
	}
	p.emit(t, line+text)
}

// wait holds a text back until something else is written, unless it becomes long.
func (p *printer) wait(t *textOutput, text string) {
	if p.last != t {
		p.flush()
		p.last = t
	}
	t.held, t.waits = text, len(text) <= maxTail
	if !t.waits {
		t.held = ""
		p.emit(t, text)
	}
}

// changedText returns what is not written yet of a text from the end of which units are
// taken. If more is taken the line in which that ends is written again.
func changedText(held string, units int, line string) string {
	if kept := cutUnits([]byte(held), units); kept > 0 {
		return held[:kept]
	}
	return line
}

// back puts the cursor at the beginning of the line that is some lines above the
// one that it is in, and takes away what is from there on. If something else was
// written since, the line is begun anew below that.
func (p *printer) back(t *textOutput, lines int) {
	if p.last != t {
		t.w.endLine()
		return
	}
	if lines > 0 {
		t.w.write(fmt.Sprintf("\x1b[%dA", lines))
	}
	t.w.write("\r\x1b[J")
	*t.w.within = false
}

// emit writes the next part of a text, as far as it may be written already.
func (p *printer) emit(t *textOutput, text string) {
	if p.last != t {
		p.flush()
		p.last = t
	}
	text = t.held + text
	if p.terminal {
		text, t.held = cleanPart(text)
	} else {
		i := strings.LastIndexByte(text, '\n') + 1
		text, t.held = text[:i], text[i:]
	}
	t.w.write(text)
}

// flush writes what is held back of the text that was written last.
func (p *printer) flush() {
	if t := p.last; t != nil && t.held != "" {
		t.w.write(p.cleaned(t.held))
		t.held, t.waits = "", false
	}
	p.last = nil
}

// pause ends the line that is being written, since something else is to stand below.
func (p *printer) pause() {
	p.flush()
	p.out.endLine()
	p.err.endLine()
}

// finish ends what is written about a run.
func (p *printer) finish() {
	p.pause()
	clear(p.texts)
}

func (p *printer) cleaned(s string) string {
	if p.terminal {
		return clean(s)
	}
	return s
}

func (w lineWriter) endLine() {
	if *w.within {
		w.write("\n")
	}
}

func (w lineWriter) write(s string) {
	if s == "" {
		return
	}
	*w.within = s[len(s)-1] != '\n'
	_, _ = io.WriteString(w, s) // when whoever reads us has gone, the run goes on all the same
}

// lastLines shortens a text that has become long to its end, from the beginning of
// a line where it can.
func lastLines(s []byte) []byte {
	if len(s) <= 2*maxTail {
		return s
	}
	end := s[len(s)-maxTail:]
	return append(s[:0], end[bytes.IndexByte(end, '\n')+1:]...)
}

// cutUnits returns how much of a text is left without its last n UTF-16 code units.
func cutUnits(s []byte, n int) int {
	i := len(s)
	for i > 0 && n > 0 {
		r, size := utf8.DecodeLastRune(s[:i])
		n -= max(utf16.RuneLen(r), 1)
		i -= size
	}
	return i
}
