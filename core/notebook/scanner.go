package notebook

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// scanner takes values of JSON from the front of its data. On any deviation from the expected form it gives up, for
// good.
type scanner struct {
	data  []byte
	ok    bool
	names map[string]string // frequent strings, each kept once
	buf   []byte            // for strings with escapes
}

// has takes a literal if it is at the front.
func (s *scanner) has(lit string) bool {
	if !s.ok || len(s.data) < len(lit) || string(s.data[:len(lit)]) != lit {
		return false
	}
	s.data = s.data[len(lit):]
	return true
}

// lit takes a literal that must be at the front.
func (s *scanner) lit(lit string) {
	if !s.has(lit) {
		s.ok = false
	}
}

// uint takes a whole number without a sign.
func (s *scanner) uint() uint64 {
	var n uint64
	i := 0
	for i < len(s.data) && i < 18 && s.data[i]-'0' <= 9 {
		n = n*10 + uint64(s.data[i]-'0')
		i++
	}
	if i == 0 || i > 1 && s.data[0] == '0' {
		s.ok = false
	}
	s.data = s.data[i:]
	return n
}

// digit takes a number of one digit.
func (s *scanner) digit() uint8 {
	n := s.uint()
	s.ok = s.ok && n <= 9
	return uint8(n)
}

// str takes a string.
func (s *scanner) str() string {
	b := s.unquoted()
	if !utf8.Valid(b) {
		s.ok = false
	}
	return string(b)
}

// name takes a string that is likely to occur again.
func (s *scanner) name() string {
	b := s.unquoted()
	if v, ok := s.names[string(b)]; ok {
		return v
	}
	v := string(b)
	s.names[v] = v
	s.ok = s.ok && utf8.ValidString(v)
	return v
}

// unquoted takes a string and returns its decoded value, valid until the next call.
func (s *scanner) unquoted() []byte {
	lit, escaped := s.literal()
	if !s.ok {
		return nil
	}
	inner := lit[1 : len(lit)-1]
	if !escaped {
		return inner
	}
	s.buf = s.buf[:0]
	for {
		i := bytes.IndexByte(inner, '\\')
		if i < 0 {
			s.buf = append(s.buf, inner...)
			return s.buf
		}
		c := unescaped(inner[i+1])
		if c == 0 {
			return s.general(lit)
		}
		s.buf = append(append(s.buf, inner[:i]...), c)
		inner = inner[i+2:]
	}
}

// unescaped returns the character of a one-letter escape, or 0 if c is not one.
func unescaped(c byte) byte {
	const escapes, meant = `"\/nrtbf`, "\"\\/\n\r\t\b\f"
	if i := strings.IndexByte(escapes, c); i >= 0 {
		return meant[i]
	}
	return 0
}

// general decodes a string with rarer escapes.
func (s *scanner) general(lit []byte) []byte {
	var v string
	if json.Unmarshal(lit, &v) != nil {
		s.ok = false
	}
	return []byte(v)
}

// literal takes a string undecoded, and reports whether it has an escape.
func (s *scanner) literal() (lit []byte, escaped bool) {
	if !s.ok || len(s.data) == 0 || s.data[0] != '"' {
		s.ok = false
		return nil, false
	}
	for i := 1; i < len(s.data); i++ {
		switch c := s.data[i]; {
		case c == '"':
			lit, s.data = s.data[:i+1], s.data[i+1:]
			return lit, escaped
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			s.ok = false
			return nil, false
		}
	}
	s.ok = false
	return nil, false
}

// raw takes the value of a member, of any kind, and returns it undecoded.
func (s *scanner) raw() json.RawMessage {
	data := s.data
	if len(data) > 0 && data[0] == '"' {
		if lit, escaped := s.literal(); !escaped {
			return json.RawMessage(lit)
		}
	} else {
		s.skip()
	}
	v := data[:len(data)-len(s.data)]
	s.ok = s.ok && json.Valid(v) && len(bytes.TrimSpace(v)) == len(v)
	return v
}

// skip advances to the comma or bracket that ends the value of a member.
func (s *scanner) skip() {
	for depth := 0; s.ok && len(s.data) > 0; {
		switch s.data[0] {
		case '"':
			s.literal()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth < 0 || depth == 0 && s.data[0] == ',' {
			return
		}
		s.data = s.data[1:]
	}
}

// any takes the value of a member into dst by the general decoder.
func (s *scanner) any(dst any) {
	v := s.raw()
	s.ok = s.ok && json.Unmarshal(v, dst) == nil
}
