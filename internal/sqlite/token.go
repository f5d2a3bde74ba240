package sqlite

import "bytes"

// A record is taken apart into its shape, its numbers and its strings. The shape
// is the record with a mark in place of each number and string; of what a program
// writes there are few. The marks are bytes that JSON cannot have, and a record
// that has them all the same is not taken apart.
const (
	markNumber   = 0x01 // decimal digits, as strconv would write them
	markString   = 0x02 // what is between two quotes
	markCounter  = 0x03 // digits at the end of a string, after a dot or a hyphen
	markVerbatim = 0x04 // begins the shape of a record that is not taken apart
	lastMark     = markVerbatim
)

// tokens is one record taken apart.
type tokens struct {
	shape   []byte
	numbers []uint64
	strings [][]byte // parts of the record
}

// cut takes a record apart. It reuses the memory of t.
func (t *tokens) cut(record []byte) {
	t.shape, t.numbers, t.strings = t.shape[:0], t.numbers[:0], t.strings[:0]
	for i := 0; i < len(record); {
		switch c := record[i]; {
		case c <= lastMark:
			t.verbatim(record)
			return
		case '0' <= c && c <= '9':
			i = t.cutNumber(record, i)
		case c == '"':
			i = t.cutString(record, i)
		default:
			t.shape = append(t.shape, c)
			i++
		}
	}
}

// verbatim makes the whole record the shape.
func (t *tokens) verbatim(record []byte) {
	t.shape = append(append(t.shape[:0], markVerbatim), record...)
	t.numbers, t.strings = t.numbers[:0], t.strings[:0]
}

// cutNumber cuts the digits at i, and returns where they end. Digits that no
// number is written as stay in the shape.
func (t *tokens) cutNumber(record []byte, i int) int {
	end := i
	for end < len(record) && '0' <= record[end] && record[end] <= '9' {
		end++
	}
	if n, ok := parseDigits(record[i:end]); ok {
		t.numbers = append(t.numbers, n)
		t.shape = append(t.shape, markNumber)
	} else {
		t.shape = append(t.shape, record[i:end]...)
	}
	return end
}

// cutString cuts the string that begins with the quote at i, and returns where it
// ends. A key, and a string that does not end, stays in the shape.
func (t *tokens) cutString(record []byte, i int) int {
	end := closingQuote(record, i+1)
	if end < 0 || end+1 < len(record) && record[end+1] == ':' || bytes.IndexFunc(record[i:end], isMark) >= 0 {
		stop := len(record)
		if end >= 0 {
			stop = end + 1
		}
		if bytes.IndexFunc(record[i:stop], isMark) >= 0 {
			t.verbatim(record)
			return len(record)
		}
		t.shape = append(t.shape, record[i:stop]...)
		return stop
	}
	s := record[i+1 : end]
	t.shape = append(t.shape, '"', markString)
	if head, n, ok := splitCounter(s); ok {
		s = head
		t.shape = append(t.shape, markCounter)
		t.numbers = append(t.numbers, n)
	}
	t.strings = append(t.strings, s)
	t.shape = append(t.shape, '"')
	return end + 1
}
