package lang

import (
	"bytes"
	"unicode/utf8"
)

// TextDecoder decodes the bytes of one stream, which arrive in pieces, to text as a [Sink] takes it: an incomplete
// character waits for the next piece, and U+FFFD replaces each byte that is no UTF-8, wherever the pieces are cut. The
// zero value is at the start of a stream.
type TextDecoder struct {
	split []byte // an incomplete character, less than utf8.UTFMax bytes
}

// Decode returns the text completed by data. With end nothing is kept.
func (d *TextDecoder) Decode(data []byte, end bool) string {
	if len(d.split) > 0 {
		data = append(d.split, data...)
		d.split = nil
	}
	if !end {
		whole := len(data) - incomplete(data)
		d.split = bytes.Clone(data[whole:])
		data = data[:whole]
	}
	if utf8.Valid(data) {
		return string(data)
	}
	return string([]rune(string(data)))
}

// incomplete returns the length of an incomplete character at the end.
func incomplete(data []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		b := data[len(data)-n]
		if utf8.RuneStart(b) {
			if utf8.FullRune(data[len(data)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}
