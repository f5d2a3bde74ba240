// Package redact removes a text from the contents of a notebook.
//
// A [Text] is found unchanged and in the forms in which programs print and store it: with characters escaped as in
// JSON, Python, URLs and HTML, in hexadecimal, and in base64, also after other bytes and broken into lines. Each form
// is tried on the text in UTF-8, UTF-16 and Latin-1. Compressed, encrypted or drawn text is not found.
package redact

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Mark replaces the text. In base64 and hexadecimal a repeated digit replaces it, so the rest can still be decoded.
const Mark = "[removed]"

// Text is a text to remove.
type Text struct {
	written *search // with characters escaped or not
	coded   *search // in base64 or hexadecimal
	filler  byte    // a digit of both that the text does not have, if there is one
}

// New prepares the removal of a text, which has a few thousand characters at most.
func New(text string) (*Text, error) {
	plain, err := newSearch(escapedPattern(text), "\x00", behindBackslashes(text), beginnings(text))
	if err != nil {
		return nil, err
	}
	var patterns []string
	var forms []form
	for _, data := range encodings(text) {
		patterns, forms = append(patterns, hexPattern(data)), append(forms, hexBeginnings(data))
		for shift := range 3 {
			patterns, forms = append(patterns, base64Pattern(data, shift)), append(forms, base64Beginnings(data, shift))
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

// encodings returns the bytes of a text in each encoding.
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

// Clean returns a string without the text, and the number of places where it was.
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

// fill replaces all digits of coded bytes with the filler.
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

// CleanJSON is Clean for all strings in a JSON value as encoding/json decodes it, including the names of members. A
// list of lines, as in files of Jupyter, is searched as one text.
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
			return whole, n // a file may have a string in place of the list
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

// lines joins a list of lines: each but the last has a line end.
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

// escapedPattern returns the pattern of a text whose characters may each be escaped. Zeros of UTF-16 may be between
// them.
func escapedPattern(text string) string {
	var b strings.Builder
	for i, r := range text {
		if i > 0 {
			b.WriteString(`\x00*`)
		}
		fmt.Fprintf(&b, "(?:%s)", strings.Join(escapes(r), "|"))
	}
	return b.String()
}

// named are the characters with escapes of their own.
var named = map[rune][]string{
	'"': {`\\+"`, `&quot;`}, '\'': {`\\+'`, `&apos;`}, '\\': {`\\\\+`}, '/': {`\\+/`}, '\t': {`\\+t`},
	'&': {`&amp;`}, '<': {`&lt;`}, '>': {`&gt;`}, ' ': {`\+`, `%(?:25)*2[bB]`, `&nbsp;`}, '\u00a0': {`&nbsp;`},
}

// escapes returns the patterns of a character: itself, escapes of JSON, JavaScript and Python with any number of
// backslashes from repeated escaping, percent-encoding of its bytes, and entities of HTML.
func escapes(r rune) []string {
	all := append([]string{regexp.QuoteMeta(string(r))}, named[r]...)
	units := ""
	for _, unit := range utf16.Encode([]rune{r}) {
		units += fmt.Sprintf(`\\+u(?i:%04x)`, unit)
	}
	all = append(all, units, fmt.Sprintf(`\\+U(?i:%08x)`, r), fmt.Sprintf(`\\+u\{0*(?i:%x)\}`, r))
	if r <= 0xff {
		all = append(all, fmt.Sprintf(`\\+x(?i:%02x)`, r))
	}
	percents, bytes := "", ""
	for _, c := range utf8.AppendRune(nil, r) {
		percents += fmt.Sprintf(`%%(?:25)*(?i:%02x)`, c)
		bytes += fmt.Sprintf(`\\+x(?i:%02x)`, c)
	}
	all = append(all, percents, fmt.Sprintf(`&#0*%d;`, r), fmt.Sprintf(`&#[xX]0*(?i:%x);`, r))
	if r > 0x7f {
		all = append(all, bytes)
	}
	return all
}

// hexPattern returns the pattern of bytes in hexadecimal, with optional separators.
func hexPattern(data []byte) string {
	var b strings.Builder
	for i, c := range data {
		if i > 0 {
			b.WriteString(`(?:[ :\r\n]|\\[nrx])*`)
		}
		fmt.Fprintf(&b, `(?i:%02x)`, c)
	}
	return b.String()
}

const (
	digits  = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	between = `(?:[ \r\n]|\\+[nr])*` // between the digits, where base64 is in lines
)

// base64Pattern returns the pattern of bytes in base64, of either alphabet, after shift other bytes. A digit that shares
// bits with its neighbours matches every digit with the known bits.
func base64Pattern(data []byte, shift int) string {
	first, last := shift*8, (shift+len(data))*8
	var b strings.Builder
	for at := first / 6 * 6; at < last; at += 6 {
		if b.Len() > 0 {
			b.WriteString(between)
		}
		var alternatives []string
		for i := range len(digits) {
			if matchesBits(byte(i), at, data, first, last) {
				alternatives = append(alternatives, digitPattern(digits[i]))
			}
		}
		fmt.Fprintf(&b, "(?:%s)", strings.Join(alternatives, "|"))
	}
	return b.String()
}

// matchesBits reports whether the six bits of a digit at bit offset at equal those of the data, where the data covers
// them.
func matchesBits(six byte, at int, data []byte, first, last int) bool {
	for i := range 6 {
		bit := at + i
		if bit < first || bit >= last {
			continue
		}
		if six>>(5-i)&1 != data[(bit-first)/8]>>(7-(bit-first)%8)&1 {
			return false
		}
	}
	return true
}

// digitPattern returns the pattern of a digit, which differs in the URL alphabet, and may be escaped in JSON.
func digitPattern(c byte) string {
	switch c {
	case '+':
		return `[+\-]|%2[bB]|\\+u002[bB]`
	case '/':
		return `\\*/|_|%2[fF]`
	}
	return string(c)
}

// behindBackslashes returns the bytes that may follow the backslashes of an escaped first character of a text, see
// [escapes]. It is empty for any byte.
func behindBackslashes(text string) string {
	const numbers = "uUx"
	switch r, _ := utf8.DecodeRuneInString(text); r {
	case '\\':
		return ""
	case '"', '\'', '/':
		return numbers + string(r)
	case '\t':
		return numbers + "t"
	}
	return numbers
}

// beginnings returns the bytes that can begin each character of a text, escaped or not.
func beginnings(text string) form {
	var f form
	for _, r := range text {
		bytes := opening + string(r)[:1]
		switch r {
		case ' ':
			bytes += "+"
		case utf8.RuneError: // stands for every byte that is not UTF-8 too
			for c := utf8.RuneSelf; c < 256; c++ {
				bytes += string([]byte{byte(c)})
			}
		}
		f = append(f, bytes)
	}
	return f
}

// hexBeginnings is beginnings for bytes in hexadecimal: each digit is a character.
func hexBeginnings(data []byte) form {
	const digits = "0123456789abcdef"
	var f form
	for _, c := range data[:min(len(data), depth)] {
		for _, d := range []byte{c >> 4, c & 15} {
			f = append(f, digits[d:d+1]+strings.ToUpper(digits[d:d+1]))
		}
	}
	return f
}

// base64Beginnings is beginnings for bytes in base64 after shift others.
func base64Beginnings(data []byte, shift int) form {
	first, last := shift*8, (shift+len(data))*8
	var f form
	for at := first / 6 * 6; at < last && len(f) < depth; at += 6 {
		bytes := ""
		for i := range len(digits) {
			if matchesBits(byte(i), at, data, first, last) {
				bytes += digitBeginnings(digits[i])
			}
		}
		f = append(f, bytes)
	}
	return f
}

// digitBeginnings returns the bytes that can begin a digit, see [digitPattern].
func digitBeginnings(c byte) string {
	switch c {
	case '+':
		return `+-%\`
	case '/':
		return `/_%\`
	}
	return string(c)
}
