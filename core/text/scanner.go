package text

import (
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

var (
	errArray  = errors.New("want an array")
	errComma  = errors.New("want a comma or the end of the array")
	errComp   = errors.New("want a whole number other than zero or a string")
	errEmpty  = errors.New("a string is empty")
	errLength = fmt.Errorf("edit is for a text of more than %d units", maxLen)
	errMore   = errors.New("something follows the value")
	errString = errors.New("want a string")
	errChar   = errors.New("a control character is not escaped")
	errEscape = errors.New("not an escape, or half a surrogate pair")
	errUTF8   = errors.New("a string is not valid UTF-8")
)

// scanner reads the subset of JSON that edits and texts use. It exists because edits are read at every keystroke of
// every user, and because encoding/json would accept broken text as U+FFFD.
type scanner struct {
	data []byte
	at   int
	base int // units kept and deleted so far
}

// edit reads an array of components.
func (s *scanner) edit() (Edit, error) {
	if s.peek() != '[' {
		return Edit{}, errArray
	}
	s.at++
	if s.peek() == ']' {
		s.at++
		return Edit{}, nil
	}
	var b builder
	for {
		if err := s.comp(&b); err != nil {
			return Edit{}, err
		}
		c := s.peek()
		if c != ',' && c != ']' {
			return Edit{}, errComma
		}
		s.at++
		if c == ']' {
			return b.edit(), nil
		}
	}
}

// comp reads one component.
func (s *scanner) comp(b *builder) error {
	if s.peek() == '"' {
		str, err := s.string()
		if err == nil && str == "" {
			err = errEmpty
		}
		b.insert(str, UTF16Len(str))
		return err
	}
	n, err := s.int()
	if err != nil {
		return err
	}
	c := comp{n: n}
	if s.base += c.len(); s.base > maxLen {
		return errLength
	}
	if n < 0 {
		b.delete(-n)
	} else {
		b.retain(n)
	}
	return nil
}

// int reads a whole number other than zero, of at most maxLen.
func (s *scanner) int() (int, error) {
	sign, n := 1, 0
	if s.char() == '-' {
		sign = -1
		s.at++
	}
	start := s.at
	for ; s.char()-'0' <= 9; s.at++ {
		n = n*10 + int(s.char()-'0')
		if n == 0 {
			return 0, errComp
		}
		if n > maxLen {
			return 0, errLength
		}
	}
	if s.at == start {
		return 0, errComp
	}
	return sign * n, nil
}

// wholeString reads a string that ends the data.
func (s *scanner) wholeString() (string, error) {
	if s.peek() != '"' {
		return "", errString
	}
	str, err := s.string()
	if err != nil {
		return "", err
	}
	return str, s.expectEnd()
}

// string reads a string; its opening quote is the next byte.
func (s *scanner) string() (string, error) {
	s.at++
	start, ascii := s.at, true
	for ; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; {
		case c == '"':
			raw := s.data[start:s.at]
			if !ascii && !utf8.Valid(raw) {
				return "", errUTF8
			}
			s.at++
			return string(raw), nil
		case c == '\\':
			return s.escapedString(start)
		case c < ' ':
			return "", errChar
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return "", errString
}

// escapedString reads a string that began at start; its first escape is next.
func (s *scanner) escapedString(start int) (string, error) {
	buf := append(make([]byte, 0, 2*(s.at-start)+32), s.data[start:s.at]...)
	for s.at < len(s.data) {
		switch c := s.data[s.at]; {
		case c == '"':
			if !utf8.Valid(buf) {
				return "", errUTF8
			}
			s.at++
			return string(buf), nil
		case c == '\\':
			var n int
			if buf, n = appendRune(buf, s.data[s.at:]); n == 0 {
				return "", errEscape
			}
			s.at += n
		case c < ' ':
			return "", errChar
		default:
			buf = append(buf, c)
			s.at++
		}
	}
	return "", errString
}

// appendRune decodes the escape at the start of esc, which begins with a backslash, appends its rune to dst and returns
// the length of the escape: 0 if it is invalid.
func appendRune(dst, esc []byte) ([]byte, int) {
	if len(esc) < 2 {
		return dst, 0
	}
	switch esc[1] {
	case '"', '\\', '/':
		return append(dst, esc[1]), 2
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'n':
		return append(dst, '\n'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 't':
		return append(dst, '\t'), 2
	}
	r, n := unicodeEscape(esc)
	if n == 0 {
		return dst, 0
	}
	return utf8.AppendRune(dst, r), n
}

// expectEnd returns an error if anything but white space is left.
func (s *scanner) expectEnd() error {
	if s.peek(); s.at < len(s.data) {
		return errMore
	}
	return nil
}

// peek advances to the next byte that is not white space and returns it, or 0 at the end.
func (s *scanner) peek() byte {
	for {
		switch c := s.char(); c {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return c
		}
	}
}

// char returns the next byte, or 0 at the end.
func (s *scanner) char() byte {
	if s.at < len(s.data) {
		return s.data[s.at]
	}
	return 0
}

// unicodeEscape decodes the escape of one rune, of a surrogate pair if need be, and returns its length: 0 if there is
// none.
func unicodeEscape(esc []byte) (rune, int) {
	r := unit(esc)
	switch {
	case r < 0:
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, 6
	}
	if r = utf16.DecodeRune(r, unit(esc[6:])); r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

// unit decodes an escaped UTF-16 unit, or returns -1.
func unit(esc []byte) rune {
	if len(esc) < 6 || esc[0] != '\\' || esc[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range esc[2:6] {
		switch {
		case c-'0' <= 9:
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return -1
		}
	}
	return r
}
