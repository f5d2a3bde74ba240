package python

import (
	"bytes"
	"encoding/binary"

	"github.com/quirehq/quire/core/lang"
)

// A mark in a text pipe is the token, a kind and a number. Its first byte never occurs in UTF-8, so
// the search for it is cheap.
const (
	markStart  = 0xFF
	tokenSize  = 16
	markSize   = tokenSize + 1 + 8
	markTurn   = 'T' // a synchronisation of the streams
	markBefore = 'M' // and the place of the message with this number
	markEnd    = 'E' // and the end of a run, which ends incomplete characters
)

// mark is a position that both text pipes, and maybe a message, share.
type mark struct {
	number  uint64
	message bool
}

// piece is the next part of a text pipe: text, or a mark.
type piece struct {
	text string
	mark mark // none if its number is zero
}

// decoder splits a pipe's bytes into pieces. It keeps an incomplete mark or character for the next
// read.
type decoder struct {
	token []byte
	rest  []byte // an incomplete mark
	split lang.TextDecoder
}

// pieces emits the pieces completed by data. With end nothing is kept.
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

// find returns the offset of a mark, or of a possible start of one.
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

// text emits complete characters and keeps an incomplete one. A mark between its bytes does not end
// it: only the end of the run does.
func (d *decoder) text(data []byte, end bool, emit func(piece) bool) bool {
	text := d.split.Decode(data, end)
	return text == "" || emit(piece{text: text})
}
