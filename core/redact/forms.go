package redact

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// written returns the pattern of a text each of whose characters may be escaped. Between
// them there may be the zeros of UTF-16.
func written(text string) string {
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

// escapes returns the patterns of a character: itself, escapes of JSON, JavaScript and Python
// with as many backslashes as it was escaped times, percents of its bytes, and entities of HTML.
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

// hexOf returns the pattern of bytes in hexadecimal, with what may be between them.
func hexOf(data []byte) string {
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
	between = `(?:[ \r\n]|\\+[nr])*` // the digits, where base64 is in lines
)

// base64Of returns the pattern of bytes in base64, of either alphabet, behind so many other
// bytes. A digit that has bits of others is any one with the bits that are known.
func base64Of(data []byte, shift int) string {
	first, last := shift*8, (shift+len(data))*8
	var b strings.Builder
	for at := first / 6 * 6; at < last; at += 6 {
		if b.Len() > 0 {
			b.WriteString(between)
		}
		var alternatives []string
		for i := range len(digits) {
			if agrees(byte(i), at, data, first, last) {
				alternatives = append(alternatives, digit(digits[i]))
			}
		}
		fmt.Fprintf(&b, "(?:%s)", strings.Join(alternatives, "|"))
	}
	return b.String()
}

// agrees reports whether the six bits of a digit at a bit of the stream are those of the data,
// as far as the data reaches.
func agrees(six byte, at int, data []byte, first, last int) bool {
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

// digit returns the pattern of a digit, which is another one in addresses, and may be escaped
// in JSON.
func digit(c byte) string {
	switch c {
	case '+':
		return `[+\-]|%2[bB]|\\+u002[bB]`
	case '/':
		return `\\*/|_|%2[fF]`
	}
	return string(c)
}
