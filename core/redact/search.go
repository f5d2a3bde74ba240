package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// depth is the number of characters of a form that are checked before the pattern is tried.
const depth = 4

// search finds a pattern whose alternatives, the forms of a text, have many variants each. Trying it at every place
// takes about a microsecond a byte, so it is tried only where the next bytes can begin a form. The result is that of
// the pattern alone.
type search struct {
	pattern *regexp.Regexp // anchored at the beginning of a string
	starts  [depth][256]uint32
	between [256]bool // bytes that may be between the characters of a form
	behind  string    // bytes that may follow the backslashes that a form begins with; any if empty
}

// form has, for each of its characters, the bytes that can begin it, as a string.
type form []string

// opening are the bytes that begin a character or separator of several bytes. After one, and after bytes that are not
// ASCII, only the pattern knows what follows.
const opening = `\%&`

func isOpening(c byte) bool { return c >= utf8.RuneSelf || strings.IndexByte(opening, c) >= 0 }

// newSearch returns a search for a pattern of forms, with the bytes that may be between their characters, and those
// that may follow their first backslashes.
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
	// Of a form with a character that is also a separator, only the first character is checked.
	known := len(f)
	if slices.ContainsFunc(f, func(bytes string) bool { return s.isBetween(bytes) }) {
		known = min(known, 1)
	}
	for k := range depth {
		for c := range 256 {
			inner := k > 0 && isOpening(byte(c)) // it may begin a separator
			if k > 0 && k >= known || inner || k < len(f) && strings.IndexByte(f[k], byte(c)) >= 0 {
				s.starts[k][c] |= bit
			}
		}
	}
}

func (s *search) isBetween(bytes string) bool {
	return slices.ContainsFunc([]byte(bytes), func(c byte) bool { return s.between[c] })
}

// replace replaces every match in a string.
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

// find returns the bounds of the first match at or after from, or -1.
func (s *search) find(text string, from int) (begin, end int) {
	for i, width := from, 1; i < len(text); i += width {
		width = 1
		if text[i] >= utf8.RuneSelf {
			_, width = utf8.DecodeRuneInString(text[i:])
		}
		if s.starts[0][text[i]] == 0 || !s.canBegin(text, i) {
			continue
		}
		if text[i] == '\\' { // a form that begins with some backslashes matches from the first of a run of them
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

// canBegin reports whether a form can begin at a place, judged by its first bytes.
func (s *search) canBegin(text string, i int) bool {
	forms := s.starts[0][text[i]]
	for k := 1; k < depth && !isOpening(text[i]); k++ {
		for i++; i < len(text) && s.between[text[i]]; i++ {
			// It is skipped.
		}
		if i == len(text) {
			return true
		}
		if forms &= s.starts[k][text[i]]; forms == 0 {
			return false
		}
	}
	return true
}

// canFollow reports whether a string can follow the backslashes that a form begins with.
func (s *search) canFollow(rest string) bool {
	return s.behind == "" || rest != "" && strings.IndexByte(s.behind, rest[0]) >= 0
}
