package sqlite

import (
	"bytes"
	"iter"

	"github.com/quirehq/quire/core/event"
)

// segment is consecutive records of one log in one row.
type segment struct {
	first, last event.Seq
	form        form
	size        int // of data
	data        []byte
}

// count returns the number of records.
func (s segment) count() int { return int(s.last - s.first + 1) }

// form is the encoding of a segment's data. The numbers are stored in files.
type form int

const (
	formLines   form = 0 // the records, each with a line break after it
	formZstd    form = 1 // the same in zstd
	formColumns form = 2 // columns, in zstd
)

// The two parts of a segment's place.
const (
	seqBits = 40
	maxSeq  = event.Seq(1)<<seqBits - 1
)

// place returns the key of the segment of a log that begins with seq. Beyond the last number it
// returns the end.
func place(log int64, seq event.Seq) int64 { return log<<seqBits | int64(min(seq, maxSeq)) }

func firstOf(place int64) event.Seq { return event.Seq(place) & maxSeq }

// splitLines yields the lines of data, without their line breaks.
func splitLines(data []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(data) > 0 {
			line, rest, _ := bytes.Cut(data, []byte{'\n'})
			if !yield(line[:len(line):len(line)]) {
				return
			}
			data = rest
		}
	}
}
