package script

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"github.com/quirehq/quire/core/lang"
)

// A mark begins and ends with a byte that programs hardly print, so that the search for it is cheap. The secret of its
// engine stands in it, so that no program prints one by accident, and the number of its run.
const (
	markEdge = "\x1e"
	markHead = markEdge + "quire-"
	markSize = len(markHead) + 16 + 16 + len(markEdge)
)

// newSecret returns the common start of the marks of an engine.
func newSecret() string {
	secret := make([]byte, 8)
	_, _ = rand.Read(secret) // it never fails
	return markHead + hex.EncodeToString(secret)
}

// markOf returns the mark of a run.
func markOf(secret string, run int) string { return fmt.Sprintf("%s%016x%s", secret, run, markEdge) }

// piece is the next part of a pipe of raw text: text, or a mark.
type piece struct{ text, mark string }

// rawText splits the bytes of a pipe into pieces.
type rawText struct {
	secret string
	split  lang.TextDecoder
	rest   []byte // may be the beginning of a mark
}

// pieces emits the pieces completed by data. With end nothing is kept. A mark ends incomplete characters.
func (r *rawText) pieces(data []byte, end bool, emit func(piece) bool) bool {
	if len(r.rest) > 0 {
		data = append(r.rest, data...)
		r.rest = nil
	}
	for {
		at := r.find(data)
		if at < 0 || end && at+markSize > len(data) {
			return r.text(data, end, emit)
		}
		if at+markSize > len(data) {
			r.rest = bytes.Clone(data[at:])
			return r.text(data[:at], false, emit)
		}
		if !r.text(data[:at], true, emit) || !emit(piece{mark: string(data[at : at+markSize])}) {
			return false
		}
		data = data[at+markSize:]
	}
}

// text emits complete characters and keeps an incomplete one.
func (r *rawText) text(data []byte, end bool, emit func(piece) bool) bool {
	text := r.split.Decode(data, end)
	return text == "" || emit(piece{text: text})
}

// find returns the offset of a mark, or of a possible start of one at the end.
func (r *rawText) find(data []byte) int {
	for from := 0; ; from++ {
		next := bytes.IndexByte(data[from:], markEdge[0])
		if next < 0 {
			return -1
		}
		from += next
		if rest := data[from:]; bytes.HasPrefix(rest, []byte(r.secret)) || bytes.HasPrefix([]byte(r.secret), rest) {
			return from
		}
	}
}
