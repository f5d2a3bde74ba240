package ipynb

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// piece is the number of bytes that are read and written at a time.
const piece = 64 << 10

// maxIndented bounds the size of a JSON value that is indented like the rest of a file. A larger one is copied as
// stored.
const maxIndented = 8 << 20

// writer writes a file piece by piece, so it can contain artifacts of any size.
type writer struct {
	to  io.Writer
	buf []byte
	err error // the first
}

// streamed is a value that is read while it is written.
type streamed struct {
	open  func() (io.ReadCloser, error)
	size  int64
	form  form
	width int // of the lines of base64, if not 0; -1 for one line with a line end
}

// form is the way in which content is written as a value.
type form int

const (
	formLines  form = iota // a text that is cut into lines
	formText               // a text
	formBase64             // bytes
	formJSON               // a value in JSON
)

// joinStreamed returns the concatenation of two texts.
func joinStreamed(a, b *streamed) *streamed {
	open := func() (io.ReadCloser, error) {
		first, err := a.open()
		if err != nil {
			return nil, err
		}
		second, err := b.open()
		if err != nil {
			return nil, errors.Join(err, first.Close())
		}
		return &joinedReader{io.MultiReader(first, second), first, second}, nil
	}
	return &streamed{open: open, size: a.size + b.size, form: formLines}
}

// joinedReader reads one text after another.
type joinedReader struct {
	io.Reader
	first, second io.Closer
}

func (r *joinedReader) Close() error { return errors.Join(r.first.Close(), r.second.Close()) }

// isStreamed reports whether a value is streamed or contains one that is.
func isStreamed(v any) bool {
	switch v := v.(type) {
	case *streamed:
		return true
	case object:
		for _, w := range v {
			if isStreamed(w) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, isStreamed)
	}
	return false
}

// value writes a value at a depth, like appendValue.
func (w *writer) value(v any, depth int) {
	if !isStreamed(v) {
		w.buf = appendValue(w.buf, v, depth)
		w.flush(piece)
		return
	}
	switch v := v.(type) {
	case *streamed:
		w.read(v, depth)
	case object:
		w.object(v, depth)
	case []any:
		w.buf = append(w.buf, '[')
		for i, item := range v {
			w.buf = appendBreak(w.buf, i, depth+1)
			w.value(item, depth+1)
		}
		w.buf = append(appendBreak(w.buf, 0, depth), ']')
	}
}

func (w *writer) object(m object, depth int) {
	w.buf = append(w.buf, '{')
	for i, key := range slices.Sorted(maps.Keys(m)) {
		w.buf = appendBreak(w.buf, i, depth+1)
		w.buf = append(appendString(w.buf, key), `: `...)
		w.value(m[key], depth+1)
	}
	w.buf = append(appendBreak(w.buf, 0, depth), '}')
}

// flush writes the collected bytes, if they are at least that many.
func (w *writer) flush(atLeast int) {
	if len(w.buf) < atLeast {
		return
	}
	if w.err == nil {
		_, w.err = w.to.Write(w.buf)
	}
	w.buf = w.buf[:0]
}

// read writes a streamed value.
func (w *writer) read(v *streamed, depth int) {
	if w.err != nil {
		return
	}
	r, err := v.open()
	if err != nil {
		w.err = err
		return
	}
	switch v.form {
	case formLines:
		err = w.lines(r, depth)
	case formText:
		err = w.text(r)
	case formBase64:
		err = w.base64(r, v.width)
	case formJSON:
		err = w.json(r, v, depth)
	}
	w.err = errors.Join(w.err, err, r.Close())
}

// runes calls f with the contents of r, in pieces of whole runes. Only the last piece may end with a carriage return.
func runes(r io.Reader, f func(string)) error {
	var rest int
	buf := make([]byte, piece)
	for {
		n, err := io.ReadFull(r, buf[rest:])
		n += rest
		over := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !over {
			return fmt.Errorf("read an artifact: %w", err)
		}
		whole := n
		if !over {
			whole = wholeRunes(buf[:n])
		}
		f(strings.ToValidUTF8(string(buf[:whole]), "\uFFFD"))
		if over {
			return nil
		}
		rest = copy(buf, buf[whole:n])
	}
}

// wholeRunes returns the length of the prefix of b that has whole runes and no carriage return at its end.
func wholeRunes(b []byte) int {
	n := len(b)
	for i := 1; i <= utf8.UTFMax && i <= n; i++ {
		if utf8.RuneStart(b[n-i]) {
			if !utf8.FullRune(b[n-i:]) {
				n -= i
			}
			break
		}
	}
	if n > 0 && b[n-1] == '\r' {
		n--
	}
	return n
}

// lines writes a text as the list of its lines.
func (w *writer) lines(r io.Reader, depth int) error {
	count, within := 0, false
	w.buf = append(w.buf, '[')
	err := runes(r, func(s string) {
		for s != "" {
			n := lineLen(s)
			if !within {
				w.buf = append(appendBreak(w.buf, count, depth+1), '"')
				count++
			}
			w.buf = appendEscaped(w.buf, s[:n])
			last, _ := utf8.DecodeLastRuneInString(s[:n])
			if within = !endsLine(last); !within {
				w.buf = append(w.buf, '"')
			}
			s = s[n:]
		}
		w.flush(piece)
	})
	if within {
		w.buf = append(w.buf, '"')
	}
	if count > 0 {
		w.buf = appendBreak(w.buf, 0, depth)
	}
	w.buf = append(w.buf, ']')
	return err
}

// text writes a text as one string.
func (w *writer) text(r io.Reader) error {
	w.buf = append(w.buf, '"')
	err := runes(r, func(s string) {
		w.buf = appendEscaped(w.buf, s)
		w.flush(piece)
	})
	w.buf = append(w.buf, '"')
	return err
}

// base64 writes bytes as base64, in lines of a width, each with a line end.
func (w *writer) base64(r io.Reader, width int) error {
	w.buf = append(w.buf, '"')
	lines := &wrapper{to: w, width: width}
	enc := base64.NewEncoder(base64.StdEncoding, lines)
	_, err := io.CopyBuffer(struct{ io.Writer }{enc}, struct{ io.Reader }{r}, make([]byte, piece))
	err = errors.Join(err, enc.Close())
	if width < 0 || width > 0 && lines.at > 0 {
		w.buf = append(w.buf, `\n`...)
	}
	w.buf = append(w.buf, '"')
	if err != nil {
		return fmt.Errorf("read an artifact: %w", err)
	}
	return nil
}

// wrapper appends text to a string of a file, with an escaped line end after each width characters.
type wrapper struct {
	to        *writer
	width, at int
}

// Write implements io.Writer.
func (l *wrapper) Write(p []byte) (int, error) {
	n := len(p)
	for l.width > 0 && l.at+len(p) >= l.width {
		cut := l.width - l.at
		l.to.buf = append(append(l.to.buf, p[:cut]...), `\n`...)
		l.at, p = 0, p[cut:]
	}
	l.to.buf = append(l.to.buf, p...)
	l.at += len(p)
	l.to.flush(piece)
	return n, nil
}

// json writes a value that is stored as JSON.
func (w *writer) json(r io.Reader, v *streamed, depth int) error {
	if v.size <= maxIndented {
		data, err := io.ReadAll(r)
		if err != nil {
			return fmt.Errorf("read an artifact: %w", err)
		}
		value, err := decode(data)
		if err != nil {
			return fmt.Errorf("an artifact is not the JSON that it should be: %w", err)
		}
		w.buf = appendValue(w.buf, value, depth)
		return nil
	}
	if err := v.checkJSON(); err != nil {
		return fmt.Errorf("an artifact is not the JSON that it should be: %w", err)
	}
	w.flush(0)
	if w.err == nil {
		_, w.err = io.Copy(w.to, r)
	}
	return nil
}

// checkJSON reports whether the stored content is one JSON value.
func (v *streamed) checkJSON() error {
	r, err := v.open()
	if err != nil {
		return err
	}
	dec := json.NewDecoder(r)
	depth := 0
	for err == nil {
		var token json.Token
		token, err = dec.Token()
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if err == nil && depth == 0 {
			if _, err = dec.Token(); err == nil {
				err = errors.New("more follows its end")
			}
		}
	}
	if errors.Is(err, io.EOF) && depth == 0 {
		err = nil
	}
	return errors.Join(err, r.Close())
}
