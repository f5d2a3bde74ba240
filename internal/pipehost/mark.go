package pipehost

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/quirehq/quire/core/lang"
)

// A mark in a pipe of text is a token, which is a secret of the process, a kind, and a number in hexadecimal digits. The first
// byte of a token is one that programs hardly print, so that the search for it is cheap.
const (
	markTurn    = 't' // a place where both pipes meet
	markMessage = 'm' // the place of the message with this number too
	markEnd     = 'e' // and the end of a run, which ends incomplete characters
	digits      = 16
	markEdge    = "\x1e"
)

// NewToken returns the beginning of the marks of one process. No program prints it by accident.
func NewToken() string {
	secret := make([]byte, 8)
	_, _ = rand.Read(secret) // it never fails
	return markEdge + "quire-" + hex.EncodeToString(secret) + "-"
}

// EndMark returns the mark of a message that ends a run.
func EndMark(token string, number uint64) string {
	return fmt.Sprintf("%s%c%0*x", token, markEnd, digits, number)
}

// mark is a position that both pipes of text share, and maybe a message.
type mark struct {
	number  uint64 // 0 for none
	message bool
}

// Piece is the next part of a pipe of text: text, or a mark.
type Piece struct {
	text string
	mark mark
}

// decoder splits the bytes of a pipe into pieces. It keeps an incomplete mark or character for the next read.
type decoder struct {
	token string
	rest  []byte // an incomplete mark
	split lang.TextDecoder
}

// pieces emits the pieces that data completes. With end nothing is kept.
func (d *decoder) pieces(data []byte, end bool, emit func(Piece) bool) bool {
	if len(d.rest) > 0 {
		data = append(d.rest, data...)
		d.rest = nil
	}
	for {
		at := d.find(data)
		size := len(d.token) + 1 + digits
		if at < 0 || end && at+size > len(data) {
			return d.text(data, end, emit)
		}
		if at+size > len(data) {
			d.rest = bytes.Clone(data[at:])
			return d.text(data[:at], false, emit)
		}
		kind := data[at+len(d.token)]
		number, err := strconv.ParseUint(string(data[at+size-digits:at+size]), 16, 64)
		if err != nil || number == 0 || kind != markTurn && kind != markMessage && kind != markEnd { // no mark, but a program that knows the token
			if !d.text(data[:at+1], false, emit) {
				return false
			}
			data = data[at+1:]
			continue
		}
		if !d.text(data[:at], kind == markEnd, emit) || !emit(Piece{mark: mark{number, kind != markTurn}}) {
			return false
		}
		data = data[at+size:]
	}
}

// find returns the offset of a token, or of a possible beginning of one at the end.
func (d *decoder) find(data []byte) int {
	for from := 0; ; from++ {
		next := bytes.IndexByte(data[from:], d.token[0])
		if next < 0 {
			return -1
		}
		from += next
		n := min(len(d.token), len(data)-from)
		if string(data[from:from+n]) == d.token[:n] {
			return from
		}
	}
}

// text emits complete characters and keeps an incomplete one. A mark between its bytes does not end it: only the end of a run
// does.
func (d *decoder) text(data []byte, end bool, emit func(Piece) bool) bool {
	text := d.split.Decode(data, end)
	return text == "" || emit(Piece{text: text})
}
