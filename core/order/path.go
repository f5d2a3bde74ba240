package order

import (
	"errors"
	"fmt"
	"strings"
)

// mark opens and closes a tag. It sorts below every symbol of a level and every letter of an id.
const mark = '!'

// maxID is the greatest length of a cell's id.
const maxID = 64

// token is one step of a path: a level, or a tag. A tag sorts below all levels at its position, and separates cells
// with equal keys.
type token struct {
	text  string
	tag   bool
	level int
}

// Valid reports an invalid key: its characters, its structure or its length.
func (k Key) Valid() error {
	_, err := k.path()
	return err
}

// path splits a key into its tokens.
func (k Key) path() ([]token, error) {
	if k == "" {
		return nil, errors.New("key is empty")
	}
	if len(k) > MaxLen {
		return nil, fmt.Errorf("key has %d bytes, over %d", len(k), MaxLen)
	}
	path := make([]token, 0, 8)
	for rest := string(k); rest != ""; {
		t, ok := cut(rest)
		if !ok || t.tag && !ends(path) {
			return nil, fmt.Errorf("key %q is malformed at byte %d", k, len(k)-len(rest))
		}
		path = append(path, t)
		rest = rest[len(t.text):]
	}
	if !ends(path) {
		return nil, fmt.Errorf("key %q does not end in a level that may be last", k)
	}
	return path, nil
}

// ends reports whether a key, or a key before a tag, may end here: in a level, and not in the least, because no path
// would fit below it.
func ends(path []token) bool {
	if len(path) == 0 {
		return false
	}
	last := path[len(path)-1]
	return !last.tag && last.level != -greatest
}

// cut reads the token at the start of s.
func cut(s string) (t token, ok bool) {
	if s[0] != mark {
		level, n := decode(s)
		return token{text: s[:n], level: level}, n > 0
	}
	n := strings.IndexByte(s[1:], mark)
	if n < 0 || !validID(s[1:n+1]) {
		return token{}, false
	}
	return token{text: s[:n+2], tag: true}, true
}

// path splits a place into the tokens of its key and the tag of its id; the zero Place has none.
func (p Place) path() ([]token, error) {
	if p == (Place{}) {
		return nil, nil
	}
	path, err := p.Key.path()
	if err != nil {
		return nil, err
	}
	if !validID(p.ID) {
		return nil, fmt.Errorf("id %q is malformed", p.ID)
	}
	return append(path, tagOf(p.ID)), nil
}

func tagOf(id string) token {
	return token{text: string(mark) + id + string(mark), tag: true}
}

// validID reports whether an id has 1 to 64 letters, digits, underscores and hyphens.
func validID(id string) bool {
	if id == "" || len(id) > maxID {
		return false
	}
	for i := range len(id) {
		c := id[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}
