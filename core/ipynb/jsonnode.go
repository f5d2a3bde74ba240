package ipynb

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxCount is the greatest whole number that every JSON reader keeps exactly.
const maxCount = 1<<53 - 1

// node is an object of a file with its place there, such as cells[3].metadata, for errors. Its methods treat a missing
// or null member as an empty one.
type node struct {
	at string
	m  object
}

// asNode requires a value to be an object.
func asNode(at string, v any) (node, error) {
	m, ok := v.(object)
	if !ok {
		return node{}, wrong(at, "an object", v)
	}
	return node{at, m}, nil
}

// place returns the place of a member.
func (n node) place(key string) string {
	switch {
	case !plain(key) || len(key) > maxShown:
		return fmt.Sprintf("%s[%q]", n.at, beginning(key))
	case n.at == "":
		return key
	}
	return n.at + "." + key
}

// plain reports whether a key needs no quotes in a place.
func plain(key string) bool {
	return key != "" && strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$") == ""
}

// object returns a member that is an object.
func (n node) object(key string) (node, error) {
	v := n.m[key]
	if v == nil {
		return node{n.place(key), object{}}, nil
	}
	return asNode(n.place(key), v)
}

// list returns a member that is a list.
func (n node) list(key string) ([]any, error) {
	v := n.m[key]
	list, ok := v.([]any)
	if !ok && v != nil {
		return nil, wrong(n.place(key), "a list", v)
	}
	return list, nil
}

// nodes returns the elements of a member that is a list of objects.
func (n node) nodes(key string) ([]node, error) {
	list, err := n.list(key)
	if err != nil {
		return nil, err
	}
	nodes := make([]node, len(list))
	for i, v := range list {
		if nodes[i], err = asNode(fmt.Sprintf("%s[%d]", n.place(key), i), v); err != nil {
			return nil, err
		}
	}
	return nodes, nil
}

// str returns a member that is a string.
func (n node) str(key string) (string, error) {
	v := n.m[key]
	s, ok := v.(string)
	if !ok && v != nil {
		return "", wrong(n.place(key), "a string", v)
	}
	return s, nil
}

// need returns a member that is a string and may be neither missing nor empty.
func (n node) need(key string) (string, error) {
	s, err := n.str(key)
	if err == nil && s == "" {
		err = fmt.Errorf("%s: it is missing or empty", n.place(key))
	}
	return s, err
}

// text returns a member that is a string, or a list of the strings it is cut into.
func (n node) text(key string) (string, error) {
	v := n.m[key]
	s, ok := joined(v)
	if !ok && v != nil {
		return "", wrong(n.place(key), "a string or a list of strings", v)
	}
	return s, nil
}

// strs returns a member that is a list of strings.
func (n node) strs(key string) ([]string, error) {
	list, err := n.list(key)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	strs := make([]string, len(list))
	for i, v := range list {
		s, ok := v.(string)
		if !ok {
			return nil, wrong(fmt.Sprintf("%s[%d]", n.place(key), i), "a string", v)
		}
		strs[i] = s
	}
	return strs, nil
}

// count returns a member that is a whole number from 0.
func (n node) count(key string) (int, error) {
	v := n.m[key]
	if v == nil {
		return 0, nil
	}
	number, ok := v.(json.Number)
	if !ok {
		return 0, wrong(n.place(key), "a whole number or null", v)
	}
	i, err := strconv.Atoi(number.String())
	if err != nil || i < 0 || int64(i) > maxCount {
		return 0, fmt.Errorf("%s: want a whole number from 0, got %s", n.place(key), beginning(number.String()))
	}
	return i, nil
}

// maxShown bounds the bytes of a number or a name in an error.
const maxShown = 60

// beginning returns a text of the file, shortened for an error.
func beginning(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + "…"
}

// bundle returns a member that has values by MIME type, with texts that are cut into lists joined again.
func (n node) bundle(key string) (object, error) {
	o, err := n.object(key)
	if err != nil {
		return nil, err
	}
	bundle := make(object, len(o.m))
	for mime, v := range o.m {
		if s, ok := joined(v); ok && !isJSON(mime) {
			v = s
		}
		bundle[mime] = v
	}
	return bundle, nil
}

// rest returns the members that are not among the known ones, nil if there are none.
func (n node) rest(known ...string) object {
	var rest object
	for key, v := range n.m {
		if slices.Contains(known, key) {
			continue
		}
		if rest == nil {
			rest = object{}
		}
		rest[key] = v
	}
	return rest
}

// wrong returns the error for a value of the wrong kind.
func wrong(at, want string, v any) error {
	return fmt.Errorf("%s: want %s, got %s", at, want, describe(v))
}

// describe names the kind of a value.
func describe(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "true or false"
	case json.Number:
		return "a number"
	case []any:
		return "a list"
	}
	return "an object"
}
