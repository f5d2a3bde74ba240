package sqlite

import (
	"bytes"
	"strconv"
)

// A record is split into its shape, its numbers and its strings. The shape is the record with a
// mark in place of each number and string; the records of one program have few shapes. The marks
// are bytes that JSON cannot contain; a record that contains them nevertheless is its own shape.
const (
	markNumber   = 1 // decimal digits, as strconv would write them
	markString   = 2 // what is between two quotes
	markCounter  = 3 // digits at the end of a string, after a dot or a hyphen
	markVerbatim = 4 // begins the shape of a record that is not split
	marks        = "\x01\x02\x03\x04"
)

// tokens is one split record.
type tokens struct {
	shape   []byte
	numbers []uint64
	strings [][]byte // parts of the record
}

// cut splits a record. It reuses the memory of t.
func (t *tokens) cut(record []byte) {
	t.shape, t.numbers, t.strings = t.shape[:0], t.numbers[:0], t.strings[:0]
	if bytes.ContainsAny(record, marks) {
		t.shape = append(append(t.shape, markVerbatim), record...)
		return
	}
	for i := 0; i < len(record); {
		switch c := record[i]; {
		case isDigit(c):
			i = t.cutNumber(record, i)
		case c == '"':
			i = t.cutString(record, i)
		default:
			t.shape = append(t.shape, c)
			i++
		}
	}
}

// cutNumber cuts the digits at i, and returns their end. Digits in a non-canonical form stay in the
// shape.
func (t *tokens) cutNumber(record []byte, i int) int {
	end := i + 1
	for end < len(record) && isDigit(record[end]) {
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

// cutString cuts the string that begins with the quote at i, and returns its end. Keys and
// unterminated strings stay in the shape.
func (t *tokens) cutString(record []byte, i int) int {
	end := closingQuote(record, i+1)
	if end == len(record) || end+1 < len(record) && record[end+1] == ':' {
		end = min(end+1, len(record))
		t.shape = append(t.shape, record[i:end]...)
		return end
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

// closingQuote returns the end of the string with the character at i, or the end of the record.
func closingQuote(record []byte, i int) int {
	for i < len(record) && record[i] != '"' {
		if record[i] == '\\' {
			i++
		}
		i++
	}
	return min(i, len(record))
}

// splitCounter splits off the number at the end of a string such as an event's id.
func splitCounter(s []byte) (head []byte, n uint64, ok bool) {
	i := len(s)
	for i > 0 && isDigit(s[i-1]) {
		i--
	}
	if i == 0 || i == len(s) || s[i-1] != '.' && s[i-1] != '-' {
		return nil, 0, false
	}
	n, ok = parseDigits(s[i:])
	return s[:i], n, ok
}

// parseDigits parses digits that strconv would write for the same number.
func parseDigits(digits []byte) (uint64, bool) {
	const safe = 19 // digits that always fit a uint64
	if len(digits) > safe || digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	n := uint64(0)
	for _, c := range digits {
		n = n*10 + uint64(c-'0')
	}
	return n, true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// join appends the original record to dst. It reports whether the shape has as many marks as there
// are numbers and strings.
func (t *tokens) join(dst []byte) ([]byte, bool) {
	if len(t.shape) > 0 && t.shape[0] == markVerbatim {
		return append(dst, t.shape[1:]...), true
	}
	numbers, strings := t.numbers, t.strings
	for _, c := range t.shape {
		switch c {
		case markString:
			if len(strings) == 0 {
				return dst, false
			}
			dst, strings = append(dst, strings[0]...), strings[1:]
		case markNumber, markCounter:
			if len(numbers) == 0 {
				return dst, false
			}
			dst, numbers = strconv.AppendUint(dst, numbers[0], 10), numbers[1:]
		default:
			dst = append(dst, c)
		}
	}
	return dst, len(numbers) == 0 && len(strings) == 0
}

// arity returns the numbers and strings in a shape.
func arity(shape []byte) (numbers, strings int) {
	if len(shape) > 0 && shape[0] == markVerbatim {
		return 0, 0
	}
	for _, c := range shape {
		switch c {
		case markNumber, markCounter:
			numbers++
		case markString:
			strings++
		}
	}
	return numbers, strings
}
