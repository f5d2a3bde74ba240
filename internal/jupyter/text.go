package jupyter

import (
	"bytes"
	"unicode/utf8"
)

// decoder decodes UTF-8 that arrives in pieces. It keeps an incomplete character for the next
// piece.
type decoder struct {
	split []byte // less than utf8.UTFMax bytes
}

// text returns the text completed by data. With end nothing is kept.
func (d *decoder) text(data []byte, end bool) string {
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
	return string([]rune(string(data))) // U+FFFD for each invalid byte, independent of the pieces
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
