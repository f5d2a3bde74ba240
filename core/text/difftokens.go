package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineTokens cuts s after every line feed.
func lineTokens(s string) []string {
	tokens := make([]string, 0, strings.Count(s, "\n")+1)
	for s != "" {
		n := strings.IndexByte(s, '\n') + 1
		if n == 0 {
			n = len(s)
		}
		tokens, s = append(tokens, s[:n]), s[n:]
	}
	return tokens
}

// wordTokens cuts s into words, runs of blanks, and single runes of everything else.
func wordTokens(s string) []string {
	var tokens []string
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		for k := kindOf(r); k != single && n < len(s); {
			next, width := utf8.DecodeRuneInString(s[n:])
			if kindOf(next) != k {
				break
			}
			n += width
		}
		tokens, s = append(tokens, s[:n]), s[n:]
	}
	return tokens
}

// size returns the length of tokens in bytes.
func size(tokens []string) int {
	n := 0
	for _, t := range tokens {
		n += len(t)
	}
	return n
}

// kind tells which runes stay together in a token.
type kind int

const (
	single kind = iota
	word
	blank
)

// kindOf returns the kind of r. Scripts that are written without blanks, which begin with the radicals of Chinese, have
// words of one rune each.
func kindOf(r rune) kind {
	const firstRadical = 0x2E80
	switch {
	case r == ' ' || r == '\t':
		return blank
	case r < firstRadical && (r == '_' || unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mark)):
		return word
	default:
		return single
	}
}
