package scheme

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// readHash reads what follows a #.
func (r *reader) readHash(begin pos) (Value, error) {
	c, ok, err := r.in.peek()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, r.faultAt(begin, "a # at the end of the text")
	}
	switch {
	case c == '(':
		_, _, _ = r.in.next()
		return r.readVector(begin)
	case c == ';':
		_, _, _ = r.in.next()
		if _, _, err := r.readDatum("the comment #;", begin); err != nil {
			return nil, err
		}
		return r.goOn()
	case c == '|':
		_, _, _ = r.in.next()
		if err := r.skipBlock(begin); err != nil {
			return nil, err
		}
		return r.goOn()
	case c == '!':
		return r.readDirective(begin)
	case c == '\\':
		_, _, _ = r.in.next()
		return r.readChar(begin)
	case '0' <= c && c <= '9':
		return r.readLabel(begin)
	}
	text, err := r.token([]rune{'#'})
	if err != nil {
		return nil, err
	}
	switch strings.ToLower(text) {
	case "#t", "#true":
		return true, nil
	case "#f", "#false":
		return false, nil
	case "#u8":
		if next, _, _ := r.in.peek(); next == '(' {
			_, _, _ = r.in.next()
			return r.readBytes(begin)
		}
	}
	if v, ok, err := parseNumber(text, 10); err != nil {
		return nil, r.faultAt(begin, "%v", err)
	} else if ok {
		return v, nil
	}
	return nil, r.faultAt(begin, "%s is no datum", text)
}

// goOn reads the item after a comment.
func (r *reader) goOn() (Value, error) {
	v, _, err := r.readItem()
	return v, err
}

func (r *reader) skipBlock(begin pos) error {
	var last rune
	for depth := 1; depth > 0; {
		c, ok, err := r.in.next()
		switch {
		case err != nil:
			return err
		case !ok:
			return r.faultAt(begin, "the comment #| is never closed")
		case last == '|' && c == '#':
			depth--
			c = 0
		case last == '#' && c == '|':
			depth++
			c = 0
		}
		last = c
	}
	return nil
}

func (r *reader) readDirective(begin pos) (Value, error) {
	text, err := r.token([]rune{'#'})
	if err != nil {
		return nil, err
	}
	switch text {
	case "#!fold-case":
		r.fold = true
	case "#!no-fold-case":
		r.fold = false
	default:
		if begin.line != 1 || begin.column != 1 {
			return nil, r.faultAt(begin, "%s is no directive", text)
		}
		if err := r.skipLine(); err != nil { // the first line of a script
			return nil, err
		}
	}
	return r.goOn()
}

// charNames are the names of characters, in pairs with them.
var charNames = [...]struct {
	name string
	c    rune
}{
	{"alarm", 7},
	{"backspace", 8},
	{"delete", 127},
	{"escape", 27},
	{"newline", '\n'},
	{"null", 0},
	{"return", '\r'},
	{"space", ' '},
	{"tab", '\t'},
	{"nul", 0},
	{"altmode", 27},
	{"linefeed", '\n'},
	{"rubout", 127},
}

func (r *reader) readChar(begin pos) (Value, error) {
	c, ok, err := r.in.next()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, r.faultAt(begin, "a #\\ at the end of the text")
	}
	text, err := r.token([]rune{c})
	if err != nil {
		return nil, err
	}
	if c, n := utf8.DecodeRuneInString(text); n == len(text) {
		return char(c), nil
	}
	if text[0] == 'x' || text[0] == 'X' {
		if n, err := strconv.ParseUint(text[1:], 16, 32); err == nil && isScalar(int64(n)) {
			return char(n), nil
		}
	}
	name := r.folded(text)
	for _, known := range charNames {
		if known.name == name {
			return char(known.c), nil
		}
	}
	return nil, r.faultAt(begin, "#\\%s is no character", text)
}

// isScalar reports whether n is a Unicode scalar value, as characters are.
func isScalar(n int64) bool { return 0 <= n && n < 0xD800 || 0xE000 <= n && n <= 0x10FFFF }

func (r *reader) readVector(begin pos) (Value, error) {
	v := &vector{}
	for {
		item, at, err := r.readItem()
		if errors.Is(err, errEnd) {
			return nil, r.faultAt(begin, "the #( is never closed")
		}
		if err != nil {
			return nil, err
		}
		switch item.(type) {
		case closing:
			return v, nil
		case dot:
			return nil, r.faultAt(at, "a . in a vector")
		}
		v.items = append(v.items, item)
	}
}

func (r *reader) readBytes(begin pos) (Value, error) {
	b := &bytevector{}
	for {
		item, at, err := r.readItem()
		if errors.Is(err, errEnd) {
			return nil, r.faultAt(begin, "the #u8( is never closed")
		}
		if err != nil {
			return nil, err
		}
		if _, ok := item.(closing); ok {
			return b, nil
		}
		n, ok := item.(int64)
		if !ok || n < 0 || n > 255 {
			return nil, r.faultAt(at, "an element of a bytevector is no integer from 0 to 255")
		}
		b.bytes = append(b.bytes, byte(n))
	}
}

// readLabel reads #n=datum or #n#.
func (r *reader) readLabel(begin pos) (Value, error) {
	var n int64
	for digits := 0; ; digits++ {
		c, ok, err := r.in.next()
		switch {
		case err != nil:
			return nil, err
		case ok && '0' <= c && c <= '9' && digits < 15:
			n = 10*n + int64(c-'0')
		case c == '#':
			if v, known := r.labels[n]; known {
				return v, nil
			}
			return nil, r.faultAt(begin, "no datum has the label #%d=", n)
		case c == '=':
			return r.readLabelled(n, begin)
		default:
			return nil, r.faultAt(begin, "the digits after # are followed by neither = nor #")
		}
	}
}

func (r *reader) readLabelled(n int64, begin pos) (Value, error) {
	if r.labels == nil {
		r.labels = map[int64]Value{}
	}
	if _, twice := r.labels[n]; twice {
		return nil, r.faultAt(begin, "two data have the label #%d=", n)
	}
	h := &hole{}
	r.labels[n] = h
	v, _, err := r.readDatum("the label", begin)
	if err != nil {
		return nil, err
	}
	if v == Value(h) {
		return nil, r.faultAt(begin, "the label #%d= stands for itself", n)
	}
	h.v, r.labels[n] = v, v
	fillHoles(v, h)
	return v, nil
}

// fillHoles replaces a hole in a datum by the datum.
func fillHoles(v Value, h *hole) {
	seen := map[Value]bool{}
	fill := func(v *Value, todo []Value) []Value {
		if *v == Value(h) {
			*v = h.v
			return todo
		}
		return append(todo, *v)
	}
	for todo := []Value{v}; len(todo) > 0; {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch v := v.(type) {
		case *pair:
			if !seen[v] {
				seen[v] = true
				todo = fill(&v.cdr, fill(&v.car, todo))
			}
		case *vector:
			if !seen[v] {
				seen[v] = true
				for i := range v.items {
					todo = fill(&v.items[i], todo)
				}
			}
		}
	}
}
