package text

import (
	"strings"
	"unicode/utf8"
)

// valid returns s with every run of bytes that are not UTF-8 replaced by U+FFFD.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, string(utf8.RuneError))
}

// UTF16Len returns the length in UTF-16 code units of s, which is valid UTF-8: one for every rune, one more for a rune
// of four bytes.
func UTF16Len(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 { // nearly all text is ASCII, and eight bytes of that cost as much as one of other text
		if s[i]|s[i+1]|s[i+2]|s[i+3]|s[i+4]|s[i+5]|s[i+6]|s[i+7] >= utf8.RuneSelf {
			break
		}
	}
	n := i
	for ; i < len(s); i++ {
		c := s[i]
		if c&0xC0 != 0x80 {
			n++
		}
		if c >= 0xF0 {
			n++
		}
	}
	return n
}

// mark is a place in a text with both of its coordinates: unit begins at byte offset.
type mark struct{ unit, offset int }

// offsetNear is byteOffset for a unit that is likely near a known one.
func offsetNear[S string | []byte](s S, units, n int, known mark) (int, bool) {
	if len(s) == units { // only ASCII
		return n, true
	}
	if n >= known.unit {
		more, ok := byteOffset(s[known.offset:], units-known.unit, n-known.unit)
		return known.offset + more, ok
	}
	if n < known.unit/2 {
		return byteOffset(s, units, n)
	}
	i, back := known.offset, known.unit-n
	for back > 0 {
		i--
		c := s[i]
		if c&0xC0 != 0x80 {
			back--
		}
		if c >= 0xF0 {
			back--
		}
	}
	return i, back == 0
}

// byteOffset returns the byte offset of unit n of s, which has the given number of units, and false when that is within
// a surrogate pair.
func byteOffset[S string | []byte](s S, units, n int) (int, bool) {
	if n == units {
		return len(s), true
	}
	if len(s) == units { // only ASCII
		return n, true
	}
	i := 0
	for n > 0 {
		switch c := s[i]; {
		case c < 0x80:
			i++
		case c < 0xE0:
			i += 2
		case c < 0xF0:
			i += 3
		default:
			i += 4
			n--
		}
		n--
	}
	return i, n == 0
}
