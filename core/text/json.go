package text

import (
	"fmt"
	"strconv"
)

// Parse reads an edit from JSON: an array of positive integers, which keep that many units, negative ones, which delete
// them, and strings, which are inserted. It accepts any order of components and returns the normal form. It refuses
// zeros and empty strings, other values, more than 2^30 units, bytes that are not UTF-8, half surrogate pairs, and
// anything behind the array.
func Parse(data []byte) (Edit, error) {
	s := scanner{data: data}
	e, err := s.edit()
	if err == nil {
		err = s.expectEnd()
	}
	if err != nil {
		return Edit{}, fmt.Errorf("parse edit at byte %d: %w", s.at, err)
	}
	return e, nil
}

// UnmarshalJSON sets e to the edit in data, under the rules of [Parse].
func (e *Edit) UnmarshalJSON(data []byte) error {
	parsed, err := Parse(data)
	if err != nil {
		return err
	}
	*e = parsed
	return nil
}

// MarshalJSON returns the JSON of e that [Parse] describes; the edit that changes nothing is [].
func (e Edit) MarshalJSON() ([]byte, error) {
	return e.AppendJSON(nil), nil
}

// AppendJSON appends the JSON of e to dst.
func (e Edit) AppendJSON(dst []byte) []byte {
	dst = append(dst, '[')
	for i := range e.places() {
		dst = e.at(i).appendJSON(dst)
	}
	return append(dst, ']')
}

// appendJSON appends the components of c, with a comma before each but the first of an array.
func (c *change) appendJSON(dst []byte) []byte {
	if c.keep > 0 {
		dst = strconv.AppendInt(comma(dst), int64(c.keep), 10)
	}
	if c.units > 0 {
		dst = append(comma(dst), '"')
		dst = append(appendEscaped(dst, c.text), '"')
	}
	if c.drop > 0 {
		dst = strconv.AppendInt(comma(dst), -int64(c.drop), 10)
	}
	return dst
}

// comma appends a comma, unless dst ends with the start of an array.
func comma(dst []byte) []byte {
	if dst[len(dst)-1] == '[' {
		return dst
	}
	return append(dst, ',')
}

// UnmarshalJSON sets the text to the JSON string in data, which must be valid UTF-8 without half surrogate pairs.
func (t *Text) UnmarshalJSON(data []byte) error {
	s := scanner{data: data}
	str, err := s.wholeString()
	if err != nil {
		return fmt.Errorf("parse text at byte %d: %w", s.at, err)
	}
	t.set(str)
	return nil
}

// MarshalJSON returns the text as a JSON string.
func (t *Text) MarshalJSON() ([]byte, error) {
	dst := make([]byte, 0, t.bytes+t.bytes/16+2)
	dst = append(dst, '"')
	for _, c := range t.chunks {
		if c.text != "" {
			dst = appendEscaped(dst, c.text)
		} else {
			dst = appendEscaped(dst, t.hot.text)
		}
	}
	return append(dst, '"'), nil
}

// appendEscaped appends s, which is valid UTF-8, as a JSON string without its quotes.
func appendEscaped[S string | []byte](dst []byte, s S) []byte {
	const hex = "0123456789abcdef"
	done := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[done:i]...)
		done = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
		}
	}
	return append(dst, s[done:]...)
}
