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
func UTF16Len[S string | []byte](s S) int {
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

// UTF16Offset returns the byte offset of UTF-16 code unit n of s, which is valid UTF-8, and false when s has no such unit
// or it is within a surrogate pair.
func UTF16Offset[S string | []byte](s S, n int) (int, bool) {
	i := 0
	for n > 0 && i < len(s) {
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
	return min(i, len(s)), n == 0
}

// WithoutUTF16 returns the length in bytes of s without its last n UTF-16 code units. Of a character that they split,
// nothing is left.
func WithoutUTF16[S string | []byte](s S, n int) int {
	end := len(s)
	for end > 0 && n > 0 {
		end--
		c := s[end]
		if c&0xC0 != 0x80 {
			n--
		}
		if c >= 0xF0 {
			n--
		}
	}
	return end
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
	return UTF16Offset(s, n)
}
