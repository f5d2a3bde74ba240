package terminal

import (
	"errors"
	"io"
	"strings"
	"sync"
)

// Stream is stdout or stderr, with the rules for its texts.
type Stream struct {
	io.Writer
	Terminal bool // texts of others must not steer it
	Moves    bool // its cursor can be moved, to write a line again
	Colours  bool // it is to show colours

	held struct {
		sync.Mutex
		text string // the beginning of a sequence or a character, which continues in the next write
	}

	Broken chan struct{} // closed when a write has failed

	mu  sync.Mutex
	err error // of the first write that failed
}

// The settings of --color.
const (
	ColourAuto   = "auto" // to terminals that have them, unless NO_COLOR asks for none
	ColourAlways = "always"
	ColourNever  = "never"
)

// CheckColour returns an error if a text is no setting of --color.
func CheckColour(when string) error {
	if when != ColourAuto && when != ColourAlways && when != ColourNever {
		return errors.New("want auto, always or never")
	}
	return nil
}

// StreamConfig is the kind of a stream, and whether it is to have colours.
type StreamConfig struct {
	Terminal bool
	Dumb     bool   // the terminal can only print
	Colour   string // ColourAuto if empty
	NoColour bool   // as NO_COLOR says
}

// NewStream returns a stream to a writer.
func NewStream(w io.Writer, c StreamConfig) *Stream {
	s := &Stream{Writer: w, Terminal: c.Terminal, Broken: make(chan struct{})}
	s.Moves = c.Terminal && !c.Dumb
	s.SetColours(c.Colour, c.NoColour)
	return s
}

// SetColours applies --color, which counts more than NO_COLOR and the kind of terminal.
func (s *Stream) SetColours(when string, none bool) {
	s.Colours = when == ColourAlways || when != ColourNever && s.Moves && !none
}

// Write implements [io.Writer]. It cleans every text for a terminal; only sequences that move its
// cursor pass, by drawn.
func (s *Stream) Write(data []byte) (int, error) {
	if !s.Terminal {
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

// Err returns the error with which a write failed first, if any did.
func (s *Stream) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// drawn is a stream for sequences that move the cursor, whose texts are clean already.
type drawn struct{ *Stream }

// Write implements [io.Writer].
func (d drawn) Write(data []byte) (int, error) {
	d.held.Lock()
	defer d.held.Unlock()
	if rest := d.held.text; rest != "" {
		d.held.text = ""
		if _, err := d.pass([]byte(Clean(rest))); err != nil {
			return 0, err
		}
	}
	return d.pass(data)
}

// drawing returns a writer to a stream that cleans nothing.
func drawing(w io.Writer) io.Writer {
	if s, ok := w.(*Stream); ok {
		return drawn{s}
	}
	return w
}

// pass writes as it is.
func (s *Stream) pass(data []byte) (int, error) {
	n, err := s.Writer.Write(data)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.err == nil {
			s.err = err
			close(s.Broken)
		}
	}
	return n, err
}

// StreamOf returns the stream that a writer is, or one that is no terminal.
func StreamOf(w io.Writer) *Stream {
	if s, ok := w.(*Stream); ok {
		return s
	}
	return NewStream(w, StreamConfig{})
}

// Render returns a text for users in the form for the stream: without colours where there are
// none, and without the control of a terminal.
func (s *Stream) Render(text string) string {
	if s.Terminal || s.Colours {
		text = Clean(text)
	}
	if !s.Colours {
		text = stripEscapes(text)
	}
	return text
}

// printed returns a part of the text of a program in the form for the stream, unchanged except on
// a terminal. The rest is the beginning of an escape sequence that has no end yet.
func (s *Stream) printed(text string) (out, rest string) {
	if !s.Terminal {
		return text, ""
	}
	out, rest = cleanPart(text)
	if !s.Colours {
		out = stripEscapes(out)
	}
	return out, rest
}

// Rendered returns a writer of texts to the stream, which are written as [Stream.Render] returns them.
func (s *Stream) Rendered() io.Writer { return &rendered{to: s} }

// rendered is the writer that [Stream.Rendered] returns.
type rendered struct {
	to   *Stream
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
	if _, err := io.WriteString(r.to, r.to.Render(text[:end])); err != nil {
		return 0, err
	}
	return len(data), nil
}
