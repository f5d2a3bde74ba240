// Package jsonscan reads JSON that encoders of this module have written, several times faster than reflection: logs,
// sockets and snapshots hold little else. It knows the form of strings, numbers and brackets; its callers know the
// members of their objects, and give data in any other form to encoding/json.
package jsonscan

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Scanner takes values from the front of its data, without white space between them. On any deviation from the form that
// is asked for it gives up, for good: then all that it returned is void. [New] makes one.
type Scanner struct {
	data  []byte
	ok    bool
	names map[string]string // frequent strings, each kept once
	buf   []byte            // for strings with escapes
}

// New returns a scanner of data, which it does not change. What it returns as bytes shares them.
func New(data []byte) Scanner { return Scanner{data: data, ok: true} }

// OK reports whether all was in the form that was asked for.
func (s *Scanner) OK() bool { return s.ok }

// Fail has the scanner give up.
func (s *Scanner) Fail() { s.ok = false }

// Rest returns the data that was not taken.
func (s *Scanner) Rest() []byte { return s.data }

// Has takes a literal if it is at the front.
func (s *Scanner) Has(lit string) bool {
	if !s.ok || len(s.data) < len(lit) || string(s.data[:len(lit)]) != lit {
		return false
	}
	s.data = s.data[len(lit):]
	return true
}

// Lit takes a literal that must be at the front.
func (s *Scanner) Lit(lit string) {
	if !s.ok || len(s.data) < len(lit) || string(s.data[:len(lit)]) != lit {
		s.ok = false
		return
	}
	s.data = s.data[len(lit):]
}

// Uint takes a whole number without a sign, of at most 18 digits.
func (s *Scanner) Uint() uint64 {
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

// Plain takes a string of ASCII without escapes, and returns the bytes between the quotes.
func (s *Scanner) Plain() []byte {
	s.Lit(`"`)
	if !s.ok {
		return nil
	}
	for i, c := range s.data {
		switch {
		case c == '"':
			v := s.data[:i]
			s.data = s.data[i+1:]
			return v
		case c < ' ' || c > '~' || c == '\\':
			s.ok = false
			return nil
		}
	}
	s.ok = false
	return nil
}

// Str takes a string.
func (s *Scanner) Str() string {
	b := s.unquoted()
	if !utf8.Valid(b) {
		s.ok = false
	}
	return string(b)
}

// Name takes a string that is likely to occur again.
func (s *Scanner) Name() string {
	b := s.unquoted()
	if v, ok := s.names[string(b)]; ok {
		return v
	}
	if s.names == nil {
		s.names = map[string]string{}
	}
	v := string(b)
	s.names[v] = v
	s.ok = s.ok && utf8.ValidString(v)
	return v
}

// unquoted takes a string and returns its decoded value, valid until the next call.
func (s *Scanner) unquoted() []byte {
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
		var n int
		if s.buf, n = appendEscape(append(s.buf, inner[:i]...), inner[i:]); n == 0 {
			s.ok = false
			return nil
		}
		inner = inner[i+n:]
	}
}

// literal takes a string undecoded, and reports whether it has an escape.
func (s *Scanner) literal() (lit []byte, escaped bool) {
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

// Raw takes the value of a member, of any kind, and returns it undecoded.
func (s *Scanner) Raw() json.RawMessage {
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
func (s *Scanner) skip() {
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

// Any takes the value of a member into dst by the general decoder.
func (s *Scanner) Any(dst any) {
	v := s.Raw()
	s.ok = s.ok && json.Unmarshal(v, dst) == nil
}

// ObjectLen returns the length of the JSON object that data begins with, 0 if it begins with none. It considers braces
// and strings alone.
func ObjectLen(data []byte) int {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			n := stringLen(data[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
		}
		if depth == 0 {
			return 0
		}
	}
	return 0
}

// stringLen returns the length of the JSON string that data begins with, with its quotes, 0 if it does not end.
func stringLen(data []byte) int {
	for i := 1; i < len(data); i++ {
		j := bytes.IndexByte(data[i:], '"')
		if j < 0 {
			return 0
		}
		i += j
		back := i
		for data[back-1] == '\\' {
			back--
		}
		if (i-back)%2 == 0 {
			return i + 1
		}
	}
	return 0
}
