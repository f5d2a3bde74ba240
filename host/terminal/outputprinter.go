package terminal

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// maxTail bounds the bytes of the end of a text that are kept, which a program may
// still remove.
const maxTail = 64 << 10

// Printer writes the outputs of runs as they come: the text of programs on stdout and
// stderr goes to ours. On a terminal a line that a program rewrites, such as a
// progress bar, is rewritten; elsewhere lines are written when they are whole.
type Printer struct {
	out, err lineWriter
	terminal bool // both are one, so that a line may be written again
	// ErrorsOnly leaves out all but the errors of runs.
	ErrorsOnly bool

	// KeepsSources reports that sources stay as they are, even if programs offer others.
	KeepsSources bool

	// Open opens artifacts. With it whole texts are written instead of their shown parts;
	// nil on a terminal.
	Open   OpenArtifact
	Failed error // why a text is not there as a whole

	texts map[event.OutputID]*textOutput
	last  *textOutput // the text that was written last, if it may go on
}

// lineWriter is a stream with whether it stands within a line. On a terminal
// stdout and stderr share that.
type lineWriter struct {
	io.Writer
	stream *Stream // that it ends in
	within *bool
}

// textOutput is a stream or markdown output that is being written.
type textOutput struct {
	w    lineWriter
	tail []byte // the end of the text, from the beginning of a line
	held string // not written yet: a line that is not whole, or half an escape sequence
	// waits reports that the changes of the text are held until something else is written,
	// since whole lines of it are removed again and again, which only a terminal can show.
	waits bool

	excerpt excerpt // behind the text that is written and held
	lines   int     // that are written whole
	part    string  // of the line behind them
}

// NewPrinter returns a printer to stdout and stderr. Text for stderr goes through a writer.
func NewPrinter(stdout, stderr *Stream, through io.Writer) *Printer {
	p := &Printer{terminal: stdout.Moves && stderr.Moves, texts: map[event.OutputID]*textOutput{}}
	p.out = lineWriter{drawing(stdout), stdout, new(bool)}
	p.err = lineWriter{drawing(through), stderr, p.out.within}
	if !stdout.Terminal || !stderr.Terminal {
		p.err.within = new(bool)
	}
	return p
}

// Event writes the text that an event adds to outputs, and nothing for other events.
func (p *Printer) Event(e *event.Event) {
	if offer, ok := e.Payload.(*event.SourceOffered); ok && p.KeepsSources {
		p.Line("the program offers a source for a cell, of %s, and quire run leaves sources as they are", characters(offer.Source))
		return
	}
	if added, ok := e.Payload.(*event.OutputAdded); p.ErrorsOnly && !(ok && added.Value.Kind == event.OutputError) {
		return
	}
	if p.out.stream.Err() != nil { // nothing reads it
		return
	}
	switch e := e.Payload.(type) {
	case *event.OutputAdded:
		p.added(e.Output, &e.Value, e.Excerpt)
	case *event.OutputAppended:
		if t := p.texts[e.Output]; t != nil {
			p.extend(t, e.Drop, e.Text, e.Excerpt)
		}
	case *event.OutputStored:
		a, plain := e.Artifacts[artifact.Plain]
		if t := p.texts[e.Output]; t != nil && plain && p.Open != nil {
			p.store(t, a)
			return
		}
		p.Line("[all of it: %s]", artifactList(e.Artifacts))
	case *event.DisplayUpdated:
		p.value(&event.Output{Data: e.Data, Artifacts: e.Artifacts})
	case *event.OutputsCleared:
		p.flush()
	}
}

// added writes a new output.
func (p *Printer) added(id event.OutputID, v *event.Output, excerpt bool) {
	p.flush()
	switch v.Kind {
	case event.OutputStream, event.OutputMarkdown:
		t := &textOutput{w: p.out}
		if v.Stream == event.Stderr {
			t.w = p.err
		}
		p.texts[id] = t
		p.extend(t, 0, v.Text, excerpt)
	case event.OutputError:
		p.whole(p.err, errorText(v.Error))
	default:
		p.value(v)
	}
}

// value writes a value on lines of its own.
func (p *Printer) value(v *event.Output) {
	if !p.wholeText(v) {
		p.whole(p.out, bundleText(v))
	}
}

// extend writes the text that was added, except for an excerpt whose whole text is to be
// written in its place.
func (p *Printer) extend(t *textOutput, drop int, text string, excerpt bool) {
	if p.Open == nil {
		p.append(t, drop, text)
		return
	}
	drop = t.excerpt.drop(drop)
	if !excerpt {
		p.append(t, drop, text)
		return
	}
	if drop > 0 {
		p.append(t, drop, "")
	}
	t.excerpt.text += text
}

// catchUp writes the rest of an output, beyond the part that was written, when events
// were missed.
func (p *Printer) catchUp(id event.OutputID, v *event.Output) {
	if p.ErrorsOnly && v.Kind != event.OutputError {
		return
	}
	t := p.texts[id]
	a, stored := v.Artifacts[artifact.Plain]
	if stored && p.Open != nil && v.Kind == event.OutputStream {
		if t == nil {
			p.added(id, &event.Output{Kind: v.Kind, Stream: v.Stream}, false)
		}
		p.store(p.texts[id], a)
		return
	}
	if t == nil {
		p.added(id, v, false)
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

// Block writes a text to stdout, on lines of its own.
func (p *Printer) Block(s string) { p.whole(p.out, s) }

// whole writes a text on lines of its own.
func (p *Printer) whole(w lineWriter, s string) {
	p.flush()
	w.endLine()
	w.write(w.stream.Render(s))
	w.endLine()
}

// Line writes a message of our own to stderr.
func (p *Printer) Line(format string, args ...any) {
	p.whole(p.err, fmt.Sprintf(format, args...))
}

// append writes the text that was added after the last drop units were removed.
func (p *Printer) append(t *textOutput, drop int, added string) {
	if drop == 0 {
		t.tail = lastLines(append(t.tail, added...))
		if t.waits {
			p.wait(t, t.held+added)
			return
		}
		p.emit(t, added)
		return
	}
	kept := text.WithoutUTF16(t.tail, drop)
	lines := bytes.Count(t.tail[kept:], []byte{'\n'})
	line := string(t.tail[bytes.LastIndexByte(t.tail[:kept], '\n')+1 : kept])
	t.tail = lastLines(append(t.tail[:kept], added...))
	if !p.terminal && (lines > 0 || t.waits) {
		p.wait(t, changedText(t.held, drop, line)+added)
		return
	}
	t.held = ""
	if p.terminal {
		p.back(t, lines)
	}
	p.emit(t, line+added)
}

// wait holds a text back until something else is written, unless it becomes long.
func (p *Printer) wait(t *textOutput, text string) {
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

// changedText returns the part of a text to write after units were removed from its end. If
// more is removed than is held, the line in which the rest ends is written again.
func changedText(held string, units int, line string) string {
	if kept := text.WithoutUTF16(held, units); kept > 0 {
		return held[:kept]
	}
	return line
}

// back puts the cursor at the beginning of the line that is some lines above the
// one that it is in, and erases the rest of the screen. If something else was
// written since, the line is begun again below that.
func (p *Printer) back(t *textOutput, lines int) {
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

// emit writes the part of a text that is ready to be written.
func (p *Printer) emit(t *textOutput, text string) {
	if p.last != t {
		p.flush()
		p.last = t
	}
	text = t.held + text
	if p.terminal {
		text, t.held = t.w.stream.printed(text)
	} else {
		i := strings.LastIndexByte(text, '\n') + 1
		t.held = text[i:]
		t.written(text[:i])
		text, _ = t.w.stream.printed(text[:i])
	}
	t.w.write(text)
}

// flush writes the held part of the text that was written last.
func (p *Printer) flush() {
	if t := p.last; t != nil && t.held != "" {
		text, rest := t.w.stream.printed(t.held)
		t.written(t.held)
		t.w.write(text + visible(rest))
		t.held, t.waits = "", false
	}
	p.last = nil
}

// pause ends the line that is being written, since something else is to stand below.
func (p *Printer) pause() {
	p.flush()
	p.out.endLine()
	p.err.endLine()
}

// finish ends the output of a run.
func (p *Printer) finish() {
	for _, t := range p.texts {
		p.giveExcerpt(t)
	}
	p.pause()
	clear(p.texts)
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
	_, _ = io.WriteString(w, s) // its stream notes an error, and the run goes on but for [Follower.StopUnread]
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
