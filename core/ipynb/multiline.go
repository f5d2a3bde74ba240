package ipynb

import (
	"strings"
	"unicode/utf8"
)

// joined returns a text that is one string or a list of strings, and whether v is either.
func joined(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case []any:
		var b strings.Builder
		for _, part := range v {
			s, ok := part.(string)
			if !ok {
				return "", false
			}
			b.WriteString(s)
		}
		return b.String(), true
	}
	return "", false
}

// lines cuts a text after each of its line ends, where Jupyter does. The empty text has no lines.
func lines(s string) []any {
	list := make([]any, 0, 1+strings.Count(s, "\n"))
	for s != "" {
		n := lineLen(s)
		list = append(list, s[:n])
		s = s[n:]
	}
	return list
}

// lineLen returns the length of the first line of s with its end.
func lineLen(s string) int {
	for i := 0; i < len(s); {
		if s[i] == '\r' && strings.HasPrefix(s[i+1:], "\n") {
			return i + 2
		}
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		i += size
		if endsLine(r) {
			return i
		}
	}
	return len(s)
}

// endsLine reports whether a line ends with r, by the rules of Python's str.splitlines.
func endsLine(r rune) bool {
	switch {
	case r >= '\n' && r <= '\r', r >= 0x1c && r <= 0x1e, r == 0x85, r == 0x2028, r == 0x2029:
		return true
	}
	return false
}

// inLines reports whether Jupyter writes a text of a MIME type as a list of lines.
func inLines(mime string) bool {
	return strings.HasPrefix(mime, "text/") || mime == "application/javascript" || mime == "image/svg+xml"
}

// cutBundle returns a bundle in its written form: values by MIME type, with the texts of some types cut into lines.
func cutBundle(bundle object) object {
	cut := make(object, len(bundle))
	for mime, v := range bundle {
		if s, ok := v.(string); ok && inLines(mime) {
			v = lines(s)
		}
		cut[mime] = v
	}
	return cut
}
