package ipynb

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// compact, as a depth, makes appendValue leave out all white space.
const compact = -1

// appendValue appends the JSON form of a value to dst, indented for a depth of nesting. It is the form of Jupyter's
// files, which encoding/json cannot write: one space a level, sorted keys, and no unnecessary escapes.
func appendValue(dst []byte, v any, depth int) []byte {
	switch v := v.(type) {
	case object:
		return appendObject(dst, v, depth)
	case []any:
		return appendList(dst, v, depth)
	case string:
		return appendString(dst, v)
	case json.Number:
		return append(dst, v...)
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case bool:
		return strconv.AppendBool(dst, v)
	}
	return append(dst, "null"...)
}

func appendObject(dst []byte, m object, depth int) []byte {
	if len(m) == 0 {
		return append(dst, "{}"...)
	}
	dst = append(dst, '{')
	for i, key := range slices.Sorted(maps.Keys(m)) {
		dst = appendBreak(dst, i, nested(depth))
		dst = append(appendString(dst, key), ':')
		if depth != compact {
			dst = append(dst, ' ')
		}
		dst = appendValue(dst, m[key], nested(depth))
	}
	return append(appendBreak(dst, 0, depth), '}')
}

func appendList(dst []byte, list []any, depth int) []byte {
	if len(list) == 0 {
		return append(dst, "[]"...)
	}
	dst = append(dst, '[')
	for i, v := range list {
		dst = appendBreak(dst, i, nested(depth))
		dst = appendValue(dst, v, nested(depth))
	}
	return append(appendBreak(dst, 0, depth), ']')
}

// nested returns the depth of the members of a value.
func nested(depth int) int {
	if depth == compact {
		return compact
	}
	return depth + 1
}

// appendBreak separates element i from the previous one, and begins its line.
func appendBreak(dst []byte, i, depth int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	if depth == compact {
		return dst
	}
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, ' ')
	}
	return dst
}

// appendString appends a JSON string. Only necessary escapes are used.
func appendString(dst []byte, s string) []byte {
	return append(appendEscaped(append(dst, '"'), s), '"')
}

// appendEscaped appends a string without the quotes.
func appendEscaped(dst []byte, s string) []byte {
	start := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = appendEscape(append(dst, s[start:i]...), c)
		start = i + 1
	}
	return append(dst, s[start:]...)
}

func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
