package scheme

import (
	"fmt"
	"io"
	"unicode/utf8"
)

// port is a source or a destination of text or bytes. Exactly one of its ends is set.
type port struct {
	name   string
	text   *textIn   // textual input
	reader *reader   // of text, for read
	input  *byteIn   // binary input
	output *output   // textual or binary output
	closer io.Closer // of a file
	closed bool
}

type byteIn struct {
	bytes []byte
	at    int
}

// output gathers what is written: all of it for a port to a string or a bytevector, else until it is flushed.
type output struct {
	binary bool
	buf    []byte
	w      io.Writer // nil for a port to a string or a bytevector
	column bool      // whether the last line of a text is not empty
}

// maxBuffered is how much output is gathered at most.
const maxBuffered = 16 << 10

func (o *output) write(m *machine, text string) error {
	if text == "" {
		return nil
	}
	o.buf = append(o.buf, text...)
	o.column = text[len(text)-1] != '\n'
	if o.w == nil {
		return m.reserveItems(len(o.buf), 1)
	}
	if m.in.dirty != o {
		if err := m.in.flush(); err != nil {
			return err
		}
		m.in.dirty = o
	}
	if len(o.buf) > maxBuffered {
		return m.in.flush()
	}
	return nil
}

// flush writes what is gathered to the host. A character is never split.
func (o *output) flush() error {
	if o.w == nil || len(o.buf) == 0 {
		return nil
	}
	_, err := o.w.Write(o.buf)
	o.buf = o.buf[:0]
	if err != nil {
		return fault(kindPort, "write: %v", err)
	}
	return nil
}

// flush writes the output that is gathered. At most one port has some, so that the order of all ports holds.
func (in *Interp) flush() error {
	if in.dirty == nil {
		return nil
	}
	o := in.dirty
	in.dirty = nil
	return o.flush()
}

func (p *port) isInput() bool   { return p.text != nil || p.input != nil }
func (p *port) isTextual() bool { return p.text != nil || p.output != nil && !p.output.binary }

// textInput makes a port that reads a text.
func (in *Interp) textInput(name string, t *textIn) *port {
	return &port{name: name, text: t, reader: &reader{in: t, intern: in.intern, src: &source{name: name}}}
}

// decode converts the bytes of a text, of which some may be no UTF-8.
func decode(bytes []byte) []rune {
	runes := make([]rune, 0, utf8.RuneCount(bytes))
	for _, c := range string(bytes) {
		runes = append(runes, c)
	}
	return runes
}

// argPort returns the port at an optional argument, or the current one.
func (m *machine) argPort(who string, a []Value, nth int, current *parameter) (*port, error) {
	var v Value
	if len(a) > nth {
		v = a[nth]
	} else {
		v = m.dyn.value(current)
	}
	p, ok := v.(*port)
	if !ok {
		return nil, wrongType(who, nth, "a port", v)
	}
	if p.closed {
		return nil, fault(kindPort, "%s: the port is closed", who)
	}
	return p, nil
}

func (m *machine) textOut(who string, a []Value, nth int) (*output, error) {
	p, err := m.argPort(who, a, nth, m.in.stdout)
	if err != nil {
		return nil, err
	}
	if p.output == nil || p.output.binary {
		return nil, wrongType(who, nth, "a textual output port", p)
	}
	return p.output, nil
}

func (m *machine) byteOut(who string, a []Value, nth int) (*output, error) {
	p, err := m.argPort(who, a, nth, m.in.stdout)
	if err != nil {
		return nil, err
	}
	if p.output == nil || !p.output.binary {
		return nil, wrongType(who, nth, "a binary output port", p)
	}
	return p.output, nil
}

func (m *machine) textIn(who string, a []Value, nth int) (*port, error) {
	p, err := m.argPort(who, a, nth, m.in.stdin)
	if err != nil {
		return nil, err
	}
	if p.text == nil {
		return nil, wrongType(who, nth, "a textual input port", p)
	}
	return p, nil
}

func (m *machine) byteIn(who string, a []Value, nth int) (*byteIn, error) {
	p, err := m.argPort(who, a, nth, m.in.stdin)
	if err != nil {
		return nil, err
	}
	if p.input == nil {
		return nil, wrongType(who, nth, "a binary input port", p)
	}
	return p.input, nil
}

// textIn is a text that is read rune by rune, with the line and the UTF-16 column of the next one.
type textIn struct {
	runes []rune
	at    int
	pos   pos
	more  func() ([]rune, error) // the next part of the text, empty at its end; nil if runes is all
	last  bool                   // more has returned nothing
}

// pos is a position in a source, from 1; the column counts UTF-16 units. The zero pos is unknown.
type pos struct{ line, column int32 }

func newTextIn(text []rune) *textIn { return &textIn{runes: text, pos: pos{1, 1}} }

// peek returns the next rune without taking it, and false at the end.
func (t *textIn) peek() (rune, bool, error) {
	for t.at == len(t.runes) {
		if t.more == nil || t.last {
			return 0, false, nil
		}
		part, err := t.more()
		if err != nil {
			return 0, false, err
		}
		if len(part) == 0 {
			t.last = true
		}
		t.runes, t.at = part, 0
	}
	return t.runes[t.at], true, nil
}

// next takes the next rune.
func (t *textIn) next() (rune, bool, error) {
	r, ok, err := t.peek()
	if ok {
		t.at++
		switch {
		case r == '\n':
			t.pos = pos{t.pos.line + 1, 1}
		case r > 0xFFFF:
			t.pos.column += 2
		default:
			t.pos.column++
		}
	}
	return r, ok, err
}

// ready reports whether a rune, or the end, can be had without asking for more.
func (t *textIn) ready() bool { return t.at < len(t.runes) || t.more == nil || t.last }

func (p pos) String() string { return fmt.Sprintf("line %d, column %d", p.line, p.column) }
