package python

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// A mark in a text pipe is the token, a kind and a number. Its first byte never
// occurs in UTF-8, so that looking for one costs next to nothing.
const (
	markStart  = 0xFF
	tokenSize  = 16
	markSize   = tokenSize + 1 + 8
	markTurn   = 'T' // the streams come together here
	markBefore = 'M' // and so does the message of this number
	markEnd    = 'E' // and so does the end of a run, and of characters
)

// mark is a place where both text pipes, and maybe a message, come together.
type mark struct {
	number  uint64
	message bool
}

// piece is what a text pipe holds next: text, or a mark.
type piece struct {
	text string
	mark mark // a zero number is none
}

// decoder cuts what a pipe delivers into pieces. It keeps back the start of a
// mark or of a character that is not complete yet.
type decoder struct {
	token []byte
	rest  []byte // of the last read
	split []byte // the start of a character, less than utf8.UTFMax bytes
}

// pieces returns what data completes. With end nothing is kept back.
func (d *decoder) pieces(data []byte, end bool, emit func(piece) bool) bool {
	if len(d.rest) > 0 {
		data = append(d.rest, data...)
		d.rest = nil
	}
	for len(data) > 0 {
		at := d.find(data)
		if at < 0 {
			break
		}
		if at+markSize > len(data) && !end {
			d.rest = bytes.Clone(data[at:])
			return d.text(data[:at], false, emit)
		}
		if at+markSize > len(data) {
			break
		}
		end := data[at+tokenSize] == markEnd
		if !d.text(data[:at], end, emit) || !emit(piece{mark: readMark(data[at:])}) {
			return false
		}
		data = data[at+markSize:]
	}
	return d.text(data, end, emit)
}

// find returns where a mark, or what may become one, starts.
func (d *decoder) find(data []byte) int {
	from := 0
	for {
		at := bytes.IndexByte(data[from:], markStart)
		if at < 0 {
			return -1
		}
		at += from
		if bytes.HasPrefix(data[at:], d.token) || bytes.HasPrefix(d.token, data[at:]) {
			return at
		}
		from = at + 1
	}
}

func readMark(data []byte) mark {
	return mark{
		number:  binary.BigEndian.Uint64(data[tokenSize+1:]),
		message: data[tokenSize] != markTurn,
	}
}

// text emits whole characters and keeps the start of one that is split. A mark
// between its bytes does not end it: only the end of the run does.
func (d *decoder) text(data []byte, end bool, emit func(piece) bool) bool {
	if len(d.split) > 0 {
		data = append(d.split, data...)
		d.split = nil
	}
	if !end {
		whole := len(data) - incomplete(data)
		d.split = bytes.Clone(data[whole:])
		data = data[:whole]
	}
	if len(data) == 0 {
		return true
	}
	text := string(data)
	if !utf8.Valid(data) {
		text = string([]rune(text)) // U+FFFD for each byte, however they are cut
	}
	return emit(piece{text: text})
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
