package main

import (
	"cmp"
	"errors"
	"io"
	"strings"
	"sync"
)

// stdStream is stdout or stderr, with what may be written to it.
type stdStream struct {
	io.Writer
	terminal bool // texts of others must not steer it
	moves    bool // its cursor can be moved, to write a line again
	colours  bool // it is to show colours

	held struct {
		sync.Mutex
		text string // the beginning of a sequence or a character, which goes on in what is written next
	}

	mu     sync.Mutex
	err    error         // the first with which a write failed
	failed chan struct{} // closed then
}

// The settings of --color.
const (
	colourAuto   = "auto" // to terminals that have them, unless NO_COLOR asks for none
	colourAlways = "always"
	colourNever  = "never"
)

// colourFlag is --color.
type colourFlag struct{ app *app }

// Set implements [pflag.Value].
func (f colourFlag) Set(when string) error {
	if err := checkColour(when); err != nil {
		return err
	}
	f.app.config.Colour = when
	streamOf(f.app.stdout).setColours(&f.app.config)
	streamOf(f.app.stderr).setColours(&f.app.config)
	return nil
}

func checkColour(when string) error {
	if when != colourAuto && when != colourAlways && when != colourNever {
		return errors.New("want auto, always or never")
	}
	return nil
}

// String implements [pflag.Value]: help says the default.
func (colourFlag) String() string { return "" }

// Type implements [pflag.Value].
func (colourFlag) Type() string { return "WHEN" }

// newStream returns a stream to a writer.
func newStream(w io.Writer, terminal bool, c *config) *stdStream {
	s := &stdStream{Writer: w, terminal: terminal, failed: make(chan struct{})}
	s.moves = terminal && c.Term != "dumb"
	s.setColours(c)
	return s
}

// setColours applies --color, which counts more than NO_COLOR and the kind of terminal.
func (s *stdStream) setColours(c *config) {
	s.colours = c.Colour == colourAlways || c.Colour == colourAuto && s.moves && !c.NoColour
}

// Write implements [io.Writer]. What reaches a terminal is cleaned here, wherever it comes from;
// only what steers the terminal itself goes past, by drawn.
func (s *stdStream) Write(data []byte) (int, error) {
	if !s.terminal {
		return s.pass(data)
	}
	s.held.Lock()
	defer s.held.Unlock()
	out, rest := s.printed(s.held.text + string(data))
	s.held.text = rest
	if _, err := s.pass([]byte(out)); err != nil {
		return 0, err
	}
	return len(data), nil
}

// drawn is a stream for what moves the cursor, all texts of which are clean already.
type drawn struct{ *stdStream }

// Write implements [io.Writer].
func (d drawn) Write(data []byte) (int, error) {
	d.held.Lock()
	defer d.held.Unlock()
	if rest := d.held.text; rest != "" {
		d.held.text = ""
		if _, err := d.pass([]byte(clean(rest))); err != nil {
			return 0, err
		}
	}
	return d.pass(data)
}

// drawing returns what writes to a stream without cleaning what is written.
func drawing(w io.Writer) io.Writer {
	if s, ok := w.(*stdStream); ok {
		return drawn{s}
	}
	return w
}

// pass writes as it is.
func (s *stdStream) pass(data []byte) (int, error) {
	n, err := s.Writer.Write(data)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.err == nil {
			s.err = err
			close(s.failed)
		}
	}
	return n, err
}

// verdict returns the error of a command that has written to the stream: one also when not all
// was written, and none when its reader has gone, which reads as much as it wants.
func (s *stdStream) verdict(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var said *failure
	switch {
	case s.err == nil, errors.As(err, &said):
		return err
	case !isGone(s.err):
		return fail(exitFailed, "%w", cmp.Or(err, s.err))
	case errors.Is(err, s.err):
		return nil
	}
	return err
}

// streamOf returns the stream that a writer is, or one that is no terminal.
func streamOf(w io.Writer) *stdStream {
	if s, ok := w.(*stdStream); ok {
		return s
	}
	return newStream(w, false, &config{Colour: colourAuto})
}

// render returns a text that was made for people as it is to be written: without colours where
// there are none, and without what could steer a terminal.
func (s *stdStream) render(text string) string {
	if s.terminal || s.colours {
		text = clean(text)
	}
	if !s.colours {
		text = stripEscapes(text)
	}
	return text
}

// printed returns a part of what a program printed as it is to be written: elsewhere than on a
// terminal as it is. The rest is the beginning of an escape sequence that has no end yet.
func (s *stdStream) printed(text string) (out, rest string) {
	if !s.terminal {
		return text, ""
	}
	out, rest = cleanPart(text)
	if !s.colours {
		out = stripEscapes(out)
	}
	return out, rest
}

// rendered writes texts to a stream as render returns them.
type rendered struct {
	to   *stdStream
	rest string // the beginning of an escape sequence
}

// Write implements [io.Writer].
func (r *rendered) Write(data []byte) (int, error) {
	text := r.rest + string(data)
	end := len(text)
	if i := strings.LastIndexByte(text, '\x1b'); i >= 0 && end-i < maxEscape {
		if _, whole := colour(text[i:]); !whole {
			end = i
		}
	}
	r.rest = text[end:]
	if _, err := io.WriteString(r.to, r.to.render(text[:end])); err != nil {
		return 0, err
	}
	return len(data), nil
}

// isGone reports whether a write failed since nothing reads any more.
func isGone(err error) bool { return errors.Is(err, errGone) }
