package terminal

import (
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/ansi"
)

// Clean removes the control of a terminal from a text: control characters other than
// line ends and tabs, and escape sequences other than those for colours. The text may
// be of any author.
func Clean(s string) string {
	out, rest := cleanPart(s)
	out, _ = cleanPart(out + visible(strings.ToValidUTF8(rest, "\ufffd")))
	return out
}

// CleanLine is Clean for a text that must stay one line, such as a title.
func CleanLine(s string) string {
	return strings.Join(strings.Fields(Clean(s)), " ")
}

// maxEscape bounds the bytes of a sequence for colours.
const maxEscape = 64

// cleanPart returns a text that is safe for a terminal: line ends, tabs and sequences for colours
// stay, an escape character that begins another sequence becomes a visible symbol, invalid bytes
// become U+FFFD, and other control characters are removed, as are invisible ones and those that
// change the direction of text. An incomplete sequence or character at the end is the rest, to be
// prepended to the next text.
func cleanPart(s string) (out, rest string) {
	s, half := cutRune(s)
	s = strings.ToValidUTF8(s, "\ufffd") // some terminals take single bytes for commands
	if !strings.ContainsFunc(s, special) {
		return s, half
	}
	var b strings.Builder
	last := ' '
	for s != "" {
		n, whole := colour(s)
		if !whole {
			return b.String(), s + half
		}
		if n > 0 {
			b.WriteString(s[:n])
			s = s[n:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == '\x1b':
			b.WriteString(visible(s[:size]))
		case !special(r), isJoiner(r) && last >= firstJoined:
			b.WriteString(s[:size])
			last = r
		}
		s = s[size:]
	}
	return b.String(), half
}

// visible replaces escape characters by visible symbols.
func visible(s string) string { return strings.ReplaceAll(s, "\x1b", "␛") }

// cutRune splits off bytes that may be the beginning of a character.
func cutRune(s string) (whole, half string) {
	for i := len(s) - 1; i >= 0 && i >= len(s)-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			if s[i] >= utf8.RuneSelf && !utf8.FullRuneInString(s[i:]) {
				return s[:i], s[i:]
			}
			break
		}
	}
	return s, ""
}

// special reports whether a character affects a terminal or the display of other characters, or is
// invisible.
func special(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n' && r != '\t'
	case r < 0x7f:
		return false
	case r <= 0x9f,
		r == 0xad, r == 0x61c, r == 0x180e, // a soft hyphen, a mark, a vowel separator
		r >= 0x200b && r <= 0x200f,              // spaces without width, joiners and marks of direction
		r >= 0x202a && r <= 0x202e,              // embeddings and overrides
		r >= 0x2060 && r <= 0x206f,              // joiners, operators and isolates
		r == 0xfeff, r >= 0xfff9 && r <= 0xfffb, // no space, and annotations
		r >= 0xe0000 && r <= 0xe0fff: // tags
		return true
	}
	return false
}

// firstJoined is the first character of the scripts, and of the emoji, that use joiners without
// width.
const firstJoined = 0x600

func isJoiner(r rune) bool { return r == 0x200c || r == 0x200d }

// colour returns the length of the sequence for colours at the start of s, 0 if there is none.
// Whole is false if s ends before that is decided.
func colour(s string) (n int, whole bool) {
	if s[0] != '\x1b' || len(s) > 1 && s[1] != '[' {
		return 0, true
	}
	q := ansi.Cut(s)
	switch {
	case strings.Trim(q.Params, "0123456789;:") != "" || q.Len > maxEscape+1:
		return 0, true
	case q.Partial:
		return 0, q.Len > maxEscape
	case q.Final == 'm':
		return q.Len, true
	}
	return 0, true
}
