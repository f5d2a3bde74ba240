package scheme

import (
	"errors"
	"slices"
)

// portPrims are the procedures of ports.
func portPrims() []*prim {
	is := func(name string, f func(*port) bool) *prim {
		return &prim{name: name, min: 1, max: 1, fn: func(_ *machine, a []Value) (Value, error) {
			p, ok := a[0].(*port)
			return ok && f(p), nil
		}}
	}
	return []*prim{
		is("port?", func(*port) bool { return true }),
		is("input-port?", (*port).isInput),
		is("output-port?", func(p *port) bool { return !p.isInput() }),
		is("textual-port?", (*port).isTextual),
		is("binary-port?", func(p *port) bool { return !p.isTextual() }),
		{name: "input-port-open?", min: 1, max: 1, fn: openEnd("input-port-open?", true)},
		{name: "output-port-open?", min: 1, max: 1, fn: openEnd("output-port-open?", false)},
		{name: "close-port", min: 1, max: 1, fn: closePort},
		{name: "close-input-port", min: 1, max: 1, fn: closePort},
		{name: "close-output-port", min: 1, max: 1, fn: closePort},
		{name: "eof-object", fn: func(*machine, []Value) (Value, error) { return eof{}, nil }},
		{name: "eof-object?", min: 1, max: 1, fn: isA[eof]},

		{name: "open-input-string", min: 1, max: 1, fn: openInputString},
		{name: "open-output-string", fn: func(*machine, []Value) (Value, error) { return &port{name: "string", output: &output{}}, nil }},
		{name: "get-output-string", min: 1, max: 1, fn: outputString},
		{name: "open-input-bytevector", min: 1, max: 1, fn: openInputBytevector},
		{name: "open-output-bytevector", fn: func(*machine, []Value) (Value, error) {
			return &port{name: "bytevector", output: &output{binary: true}}, nil
		}},
		{name: "get-output-bytevector", min: 1, max: 1, fn: outputBytevector},

		{name: "read", max: 1, fn: read},
		{name: "read-char", max: 1, fn: readChar},
		{name: "peek-char", max: 1, fn: peekChar},
		{name: "read-line", max: 1, fn: readLine},
		{name: "read-string", min: 1, max: 2, fn: readString},
		{name: "char-ready?", max: 1, fn: func(m *machine, a []Value) (Value, error) {
			p, err := m.textIn("char-ready?", a, 0)
			return err == nil && p.text.ready(), err
		}},
		{name: "read-u8", max: 1, fn: readByte("read-u8", 1)},
		{name: "peek-u8", max: 1, fn: readByte("peek-u8", 0)},
		{name: "u8-ready?", max: 1, fn: func(m *machine, a []Value) (Value, error) {
			_, err := m.byteIn("u8-ready?", a, 0)
			return err == nil, err
		}},
		{name: "read-bytevector", min: 1, max: 2, fn: readBytevector},
		{name: "read-bytevector!", min: 1, max: 4, fn: readBytevectorInto},

		{name: "write", min: 1, max: 2, fn: writer("write", false, cycleLabels)},
		{name: "write-shared", min: 1, max: 2, fn: writer("write-shared", false, sharedLabels)},
		{name: "write-simple", min: 1, max: 2, fn: writer("write-simple", false, noLabels)},
		{name: "display", min: 1, max: 2, fn: writer("display", true, cycleLabels)},
		{name: "newline", max: 1, fn: newline},
		{name: "fresh-line", max: 1, fn: freshLine},
		{name: "write-char", min: 1, max: 2, fn: writeChar},
		{name: "write-string", min: 1, max: 4, fn: writeString},
		{name: "write-u8", min: 1, max: 2, fn: writeByte},
		{name: "write-bytevector", min: 1, max: 4, fn: writeBytevector},
		{name: "flush-output-port", max: 1, fn: func(m *machine, a []Value) (Value, error) {
			if _, err := m.argPort("flush-output-port", a, 0, m.in.stdout); err != nil {
				return nil, err
			}
			return unspecified{}, m.in.flush()
		}},
	}
}

func openEnd(who string, input bool) primitive {
	return func(_ *machine, a []Value) (Value, error) {
		p, ok := a[0].(*port)
		if !ok || p.isInput() != input {
			return nil, wrongType(who, 0, "a port of this direction", a[0])
		}
		return !p.closed, nil
	}
}

func closePort(m *machine, a []Value) (Value, error) {
	p, ok := a[0].(*port)
	if !ok {
		return nil, wrongType("close-port", 0, "a port", a[0])
	}
	if p.closed {
		return unspecified{}, nil
	}
	if err := m.in.flush(); err != nil {
		return nil, err
	}
	p.closed = true
	if p.closer != nil {
		if err := p.closer.Close(); err != nil {
			return nil, fault(kindFile, "close-port: %v", err)
		}
	}
	return unspecified{}, nil
}

func openInputString(m *machine, a []Value) (Value, error) {
	s, err := argStr("open-input-string", a, 0)
	if err != nil {
		return nil, err
	}
	return m.in.textInput("string", newTextIn(slices.Clone(s.runes))), nil
}

func openInputBytevector(_ *machine, a []Value) (Value, error) {
	b, err := argBytes("open-input-bytevector", a, 0)
	if err != nil {
		return nil, err
	}
	return &port{name: "bytevector", input: &byteIn{bytes: slices.Clone(b.bytes)}}, nil
}

func gathered(who, want string, a []Value, binary bool) ([]byte, error) {
	p, ok := a[0].(*port)
	if !ok || p.output == nil || p.output.w != nil || p.output.binary != binary {
		return nil, wrongType(who, 0, want, a[0])
	}
	return p.output.buf, nil
}

func outputString(_ *machine, a []Value) (Value, error) {
	bytes, err := gathered("get-output-string", "a port of open-output-string", a, false)
	if err != nil {
		return nil, err
	}
	return newStr(string(bytes)), nil
}

func outputBytevector(_ *machine, a []Value) (Value, error) {
	bytes, err := gathered("get-output-bytevector", "a port of open-output-bytevector", a, true)
	if err != nil {
		return nil, err
	}
	return &bytevector{slices.Clone(bytes)}, nil
}

func read(m *machine, a []Value) (Value, error) {
	p, err := m.textIn("read", a, 0)
	if err != nil {
		return nil, err
	}
	v, _, err := p.reader.read()
	if errors.Is(err, errEnd) {
		return eof{}, nil
	}
	if c, ok := asCondition(err); ok {
		c.message += atText(c.at)
		c.at = nil // of the text, and not of the program
		return nil, c
	}
	return v, err
}

func readChar(m *machine, a []Value) (Value, error) {
	p, err := m.textIn("read-char", a, 0)
	if err != nil {
		return nil, err
	}
	c, ok, err := p.text.next()
	if !ok || err != nil {
		return eof{}, err
	}
	return char(c), nil
}

func peekChar(m *machine, a []Value) (Value, error) {
	p, err := m.textIn("peek-char", a, 0)
	if err != nil {
		return nil, err
	}
	c, ok, err := p.text.peek()
	if !ok || err != nil {
		return eof{}, err
	}
	return char(c), nil
}

func readLine(m *machine, a []Value) (Value, error) {
	p, err := m.textIn("read-line", a, 0)
	if err != nil {
		return nil, err
	}
	var line []rune
	for n := 0; ; n++ {
		c, ok, err := p.text.next()
		switch {
		case err != nil:
			return nil, err
		case !ok && n == 0:
			return eof{}, nil
		case !ok, c == '\n':
			if len(line) > 0 && line[len(line)-1] == '\r' {
				line = line[:len(line)-1]
			}
			return &str{runes: line}, nil
		}
		line = append(line, c)
	}
}

func readString(m *machine, a []Value) (Value, error) {
	n, err := index("read-string", a, 0, 1<<40)
	if err != nil {
		return nil, err
	}
	p, err := m.textIn("read-string", a, 1)
	if err != nil {
		return nil, err
	}
	var runes []rune
	for len(runes) < n {
		c, ok, err := p.text.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		runes = append(runes, c)
	}
	if len(runes) == 0 && n > 0 {
		return eof{}, nil
	}
	return &str{runes: runes}, nil
}

func readByte(who string, take int) primitive {
	return func(m *machine, a []Value) (Value, error) {
		in, err := m.byteIn(who, a, 0)
		if err != nil || in.at == len(in.bytes) {
			return eof{}, err
		}
		b := in.bytes[in.at]
		in.at += take
		return int64(b), nil
	}
}

func (b *byteIn) take(n int) []byte {
	part := b.bytes[b.at:min(len(b.bytes), b.at+n)]
	b.at += len(part)
	return part
}

func readBytevector(m *machine, a []Value) (Value, error) {
	n, err := index("read-bytevector", a, 0, 1<<40)
	if err != nil {
		return nil, err
	}
	in, err := m.byteIn("read-bytevector", a, 1)
	if err != nil {
		return nil, err
	}
	part := in.take(n)
	if len(part) == 0 && n > 0 {
		return eof{}, nil
	}
	return &bytevector{slices.Clone(part)}, nil
}

func readBytevectorInto(m *machine, a []Value) (Value, error) {
	to, err := m.bytes("read-bytevector!", a, 0, 2)
	if err != nil {
		return nil, err
	}
	in, err := m.byteIn("read-bytevector!", a, 1)
	if err != nil {
		return nil, err
	}
	n := copy(to, in.take(len(to)))
	if n == 0 && len(to) > 0 {
		return eof{}, nil
	}
	return int64(n), nil
}

func writer(who string, display bool, l labelling) primitive {
	return func(m *machine, a []Value) (Value, error) {
		out, err := m.textOut(who, a, 1)
		if err != nil {
			return nil, err
		}
		if s, ok := a[0].(*str); ok && display {
			return unspecified{}, out.write(m, s.String())
		}
		text, err := written(a[0], display, l)
		if err != nil {
			return nil, err
		}
		if err := m.spend(len(text) / 64); err != nil {
			return nil, err
		}
		return unspecified{}, out.write(m, text)
	}
}

func newline(m *machine, a []Value) (Value, error) {
	out, err := m.textOut("newline", a, 0)
	if err != nil {
		return nil, err
	}
	return unspecified{}, out.write(m, "\n")
}

// freshLine ends a line that has begun.
func freshLine(m *machine, a []Value) (Value, error) {
	out, err := m.textOut("fresh-line", a, 0)
	if err != nil || !out.column {
		return unspecified{}, err
	}
	return unspecified{}, out.write(m, "\n")
}

func writeChar(m *machine, a []Value) (Value, error) {
	c, ok := a[0].(char)
	if !ok {
		return nil, wrongType("write-char", 0, "a character", a[0])
	}
	out, err := m.textOut("write-char", a, 1)
	if err != nil {
		return nil, err
	}
	return unspecified{}, out.write(m, string(rune(c)))
}

func writeString(m *machine, a []Value) (Value, error) {
	runes, err := m.slice("write-string", a, 0, 2)
	if err != nil {
		return nil, err
	}
	out, err := m.textOut("write-string", a, 1)
	if err != nil {
		return nil, err
	}
	return unspecified{}, out.write(m, string(runes))
}

func writeByte(m *machine, a []Value) (Value, error) {
	b, err := argByte("write-u8", a, 0)
	if err != nil {
		return nil, err
	}
	out, err := m.byteOut("write-u8", a, 1)
	if err != nil {
		return nil, err
	}
	return unspecified{}, out.write(m, string([]byte{b}))
}

func writeBytevector(m *machine, a []Value) (Value, error) {
	bytes, err := m.bytes("write-bytevector", a, 0, 2)
	if err != nil {
		return nil, err
	}
	out, err := m.byteOut("write-bytevector", a, 1)
	if err != nil {
		return nil, err
	}
	return unspecified{}, out.write(m, string(bytes))
}
