package jupyter

import (
	"bytes"
	"unicode/utf8"
)

// decoder makes text of bytes that come in pieces. It keeps back the start of a
// character that is not complete yet.
type decoder struct {
	split []byte // less than utf8.UTFMax bytes
}

// text returns what data completes. With end nothing is kept back.
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
	return string([]rune(string(data))) // U+FFFD for each byte, however they are cut
}

// incomplete returns how many bytes at the end begin a character that is cut.
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
