package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// depth is how many characters of a form are looked at before the pattern is tried.
const depth = 4

// search finds a pattern whose alternatives, the forms of a text, have many variants each. To
// try it at every place takes about a microsecond a byte, so that it is tried only where the
// bytes are that some form can begin with. It finds what the pattern alone finds.
type search struct {
	pattern *regexp.Regexp // at the begin of a string
	can     [depth][256]uint32
	between [256]bool // what may be between the characters of a form
	behind  string    // what may be behind the backslashes that a form begins with; anything if empty
}

// form has the bytes with which its characters can begin, each as a string.
type form []string

// opening are the bytes with which more than one byte of a character begins, or of what is
// between characters. Beyond one only the pattern knows what follows; so it is behind ASCII.
const opening = `\%&`

func isOpening(c byte) bool { return c >= utf8.RuneSelf || strings.IndexByte(opening, c) >= 0 }

// newSearch returns a search for a pattern, of forms with some bytes between their characters,
// and some behind backslashes that they begin with.
func newSearch(pattern, between, behind string, forms ...form) (*search, error) {
	re, err := regexp.Compile("^(?:" + pattern + ")")
	if err != nil {
		return nil, err
	}
	s := &search{pattern: re, behind: behind}
	for i := range len(between) {
		s.between[between[i]] = true
	}
	for i, f := range forms {
		s.add(f, 1<<i)
	}
	return s, nil
}

// add adds a form under a bit of its own.
func (s *search) add(f form, bit uint32) {
	// Of a form with a character that is also between characters only the first is looked at.
	known := len(f)
	if slices.ContainsFunc(f, func(bytes string) bool { return s.isBetween(bytes) }) {
		known = min(known, 1)
	}
	for k := range depth {
		for c := range 256 {
			inner := k > 0 && isOpening(byte(c)) // it may begin what is between
			if k > 0 && k >= known || inner || k < len(f) && strings.IndexByte(f[k], byte(c)) >= 0 {
				s.can[k][c] |= bit
			}
		}
	}
}

func (s *search) isBetween(bytes string) bool {
	return slices.ContainsFunc([]byte(bytes), func(c byte) bool { return s.between[c] })
}

// replace returns a string with what is found replaced.
func (s *search) replace(text string, with func(string) string) string {
	var b strings.Builder
	done := 0
	for {
		begin, end := s.find(text, done)
		if begin < 0 {
			break
		}
		b.WriteString(text[done:begin])
		b.WriteString(with(text[begin:end]))
		done = end
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// find returns where the first match from a place on is, or -1.
func (s *search) find(text string, from int) (begin, end int) {
	for i, width := from, 1; i < len(text); i += width {
		width = 1
		if text[i] >= utf8.RuneSelf {
			_, width = utf8.DecodeRuneInString(text[i:])
		}
		if s.can[0][text[i]] == 0 || !s.canBegin(text, i) {
			continue
		}
		if text[i] == '\\' { // what begins with some backslashes begins with all that are there
			width = len(text[i:]) - len(strings.TrimLeft(text[i:], `\`))
			if !s.canFollow(text[i+width:]) {
				continue
			}
		}
		if found := s.pattern.FindStringIndex(text[i:]); found != nil {
			return i, i + found[1]
		}
	}
	return -1, -1
}

// canBegin reports whether a form can begin at a place, as far as a few bytes tell.
func (s *search) canBegin(text string, i int) bool {
	forms := s.can[0][text[i]]
	for k := 1; k < depth && !isOpening(text[i]); k++ {
		for i++; i < len(text) && s.between[text[i]]; i++ {
			// It is skipped.
		}
		if i == len(text) {
			return true
		}
		if forms &= s.can[k][text[i]]; forms == 0 {
			return false
		}
	}
	return true
}

// canFollow reports whether a string can be behind the backslashes that a form begins with.
func (s *search) canFollow(rest string) bool {
	return s.behind == "" || rest != "" && strings.IndexByte(s.behind, rest[0]) >= 0
}

// behindBackslashes returns what may be behind the backslashes with which an escape of the first
// character of a text begins, see [escapes]. It is empty for anything.
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

// beginnings returns the bytes with which the characters of a text can begin, escaped or not.
func beginnings(text string) form {
	var f form
	for _, r := range text {
		bytes := opening + string(r)[:1]
		switch r {
		case ' ':
			bytes += "+"
		case utf8.RuneError: // which is also what each byte is that is no UTF-8
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

// base64Beginnings is beginnings for bytes in base64 behind so many others.
func base64Beginnings(data []byte, shift int) form {
	first, last := shift*8, (shift+len(data))*8
	var f form
	for at := first / 6 * 6; at < last && len(f) < depth; at += 6 {
		bytes := ""
		for i := range len(digits) {
			if agrees(byte(i), at, data, first, last) {
				bytes += digitBeginnings(digits[i])
			}
		}
		f = append(f, bytes)
	}
	return f
}

// digitBeginnings returns the bytes with which a digit can begin, see [digit].
func digitBeginnings(c byte) string {
	switch c {
	case '+':
		return `+-%\`
	case '/':
		return `/_%\`
	}
	return string(c)
}
