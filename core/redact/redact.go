// Package redact takes a text out of what a notebook holds.
//
// A [Text] is found as it stands and in the forms in which programs print and store it:
// with characters escaped as in JSON, Python, addresses and HTML, in hexadecimal, and in
// base64, also with other bytes before it and in lines. Each of these is tried on the text in
// UTF-8, UTF-16 and Latin-1. What is compressed, encrypted or drawn is not found.
package redact

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// Mark stands where the text was. In base64 and hexadecimal there is one digit over and over,
// so that what is around it can still be decoded.
const Mark = "[removed]"

// Text is a text that is to be removed.
type Text struct {
	written *search // with characters escaped or not
	coded   *search // in base64 or hexadecimal
	filler  byte    // a digit of both that the text does not have, if there is one
}

// New returns what removes a text, which has a few thousand characters at most.
func New(text string) (*Text, error) {
	plain, err := newSearch(written(text), "\x00", behindBackslashes(text), beginnings(text))
	if err != nil {
		return nil, err
	}
	var patterns []string
	var forms []form
	for _, data := range encodings(text) {
		patterns, forms = append(patterns, hexOf(data)), append(forms, hexBeginnings(data))
		for shift := range 3 {
			patterns, forms = append(patterns, base64Of(data, shift)), append(forms, base64Beginnings(data, shift))
		}
	}
	coded, err := newSearch(strings.Join(patterns, "|"), " :\r\n", "u/", forms...)
	return &Text{written: plain, coded: coded, filler: fillerFor(text)}, err
}

func fillerFor(text string) byte {
	const digits = "A0Bb1Cc2Dd3Ee4Ff5a6789"
	for i := range len(digits) {
		if strings.IndexByte(text, digits[i]) < 0 {
			return digits[i]
		}
	}
	return digits[0]
}

// encodings returns the bytes that a text can be.
func encodings(text string) [][]byte {
	little, big, latin := []byte(nil), []byte(nil), []byte(nil)
	for _, unit := range utf16.Encode([]rune(text)) {
		little = binary.LittleEndian.AppendUint16(little, unit)
		big = binary.BigEndian.AppendUint16(big, unit)
	}
	all := [][]byte{[]byte(text), little, big}
	for _, r := range text {
		if r > 0xff {
			return all
		}
		latin = append(latin, byte(r))
	}
	if len(latin) < len(text) {
		all = append(all, latin)
	}
	return all
}

// Clean returns a string without the text, and in how many places it had it.
func (t *Text) Clean(s string) (clean string, n int) {
	clean = t.written.replace(s, func(string) string {
		n++
		return Mark
	})
	clean = t.coded.replace(clean, func(found string) string {
		n++
		return t.fill(found)
	})
	return clean, n
}

// fill returns coded bytes with the filler in place of all digits.
func (t *Text) fill(coded string) string {
	b := []byte(coded)
	for i, c := range b {
		switch {
		case c == '\\' || c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ':':
		case i > 0 && b[i-1] == '\\' && (c == 'n' || c == 'r' || c == 'x'):
		default:
			b[i] = t.filler
		}
	}
	return string(b)
}

// CleanJSON is Clean for all texts in a JSON value as encoding/json decodes it, the names of
// members among them. Lines that a file has as a list are looked at together.
func (t *Text) CleanJSON(v any) (clean any, n int) {
	switch v := v.(type) {
	case string:
		return t.Clean(v)
	case []any:
		return t.cleanList(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, value := range v {
			name, in := t.Clean(key)
			member, more := t.CleanJSON(value)
			out[name] = member
			n += in + more
		}
		return out, n
	}
	return v, 0
}

func (t *Text) cleanList(list []any) (clean any, n int) {
	if text, ok := lines(list); ok {
		if whole, n := t.Clean(text); n > 0 {
			return whole, n // which a file may have in place of the list
		}
		return list, 0
	}
	for i := range list {
		var in int
		list[i], in = t.CleanJSON(list[i])
		n += in
	}
	return list, n
}

// lines returns the text that a list of lines is: each but the last has its end.
func lines(list []any) (text string, ok bool) {
	var b strings.Builder
	for i, v := range list {
		line, ok := v.(string)
		if !ok || i < len(list)-1 && !strings.HasSuffix(line, "\n") {
			return "", false
		}
		b.WriteString(line)
	}
	return b.String(), len(list) > 1
}
