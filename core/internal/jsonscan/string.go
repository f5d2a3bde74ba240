package jsonscan

import (
	"errors"
	"unicode/utf16"
	"unicode/utf8"
)

// The faults of a string that [String] names.
var (
	errString = errors.New("want a string")
	errChar   = errors.New("a control character is not escaped")
	errEscape = errors.New("not an escape, or half a surrogate pair")
	errUTF8   = errors.New("a string is not valid UTF-8")
)

// String decodes the JSON string that data begins with, and returns its length with the quotes. Unlike encoding/json it
// refuses bytes that are not UTF-8, and half surrogate pairs; the length is then that of the part before the fault.
func String(data []byte) (s string, n int, err error) {
	if len(data) == 0 || data[0] != '"' {
		return "", 0, errString
	}
	ascii := true
	for i := 1; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			raw := data[1:i]
			if !ascii && !utf8.Valid(raw) {
				return "", i, errUTF8
			}
			return string(raw), i + 1, nil
		case c == '\\':
			return escapedString(data, i)
		case c < ' ':
			return "", i, errChar
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return "", len(data), errString
}

// escapedString is String for a string whose first escape is at i.
func escapedString(data []byte, i int) (string, int, error) {
	buf := append(make([]byte, 0, 2*i+32), data[1:i]...)
	for i < len(data) {
		switch c := data[i]; {
		case c == '"':
			if !utf8.Valid(buf) {
				return "", i, errUTF8
			}
			return string(buf), i + 1, nil
		case c == '\\':
			var n int
			if buf, n = appendEscape(buf, data[i:]); n == 0 {
				return "", i, errEscape
			}
			i += n
		case c < ' ':
			return "", i, errChar
		default:
			buf = append(buf, c)
			i++
		}
	}
	return "", i, errString
}

// appendEscape decodes the escape at the start of esc, which begins with a backslash, appends its rune to dst and returns
// the length of the escape: 0 if it is invalid.
func appendEscape(dst, esc []byte) ([]byte, int) {
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
