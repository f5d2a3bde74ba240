package scheme

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// maxNesting is the depth to which data and source may nest. Readers, writers and the expander recurse that deep.
const maxNesting = 10_000

// source is a text that is read as a program.
type source struct {
	name string
	text string
}

// reader reads data from a text.
type reader struct {
	in     *textIn
	intern func(string) *symbol
	src    *source        // of programs, for places of errors
	spans  map[*pair]span // of programs; nil otherwise
	labels map[int64]Value
	fold   bool
	depth  int
}

// span has the positions of a pair that was read: of the list that begins with it, and of the datum in its car.
type span struct{ list, car pos }

// hole stands for a datum with a label while that is being read.
type hole struct{ v Value }

// closing and dot are no data; readItem returns them to the lists that they end.
type (
	closing struct{}
	dot     struct{}
)

var errEnd = errors.New("end of the text")

// read returns the next datum and its position. At the end of the text it fails with errEnd.
func (r *reader) read() (Value, pos, error) {
	r.labels = nil
	v, at, err := r.readItem()
	if err != nil {
		return nil, at, err
	}
	switch v.(type) {
	case closing:
		return nil, at, r.faultAt(at, "a ) without its (")
	case dot:
		return nil, at, r.faultAt(at, "a . outside a list")
	}
	return v, at, nil
}

func (r *reader) faultAt(at pos, format string, args ...any) *condition {
	c := fault(kindRead, "%s", fmt.Sprintf(format, args...))
	c.at = &place{r.src, at}
	return c
}

// readDatum reads a datum where one must stand.
func (r *reader) readDatum(after string, begin pos) (Value, pos, error) {
	v, at, err := r.readItem()
	if errors.Is(err, errEnd) {
		return nil, at, r.faultAt(begin, "%s is not followed by a datum", after)
	}
	if err != nil {
		return nil, at, err
	}
	switch v.(type) {
	case closing:
		return nil, at, r.faultAt(at, "a ) where %s wants a datum", after)
	case dot:
		return nil, at, r.faultAt(at, "a . where %s wants a datum", after)
	}
	return v, at, nil
}

// readItem reads a datum, a closing or a dot.
func (r *reader) readItem() (Value, pos, error) {
	if r.depth++; r.depth > maxNesting {
		return nil, r.in.pos, r.faultAt(r.in.pos, "the text nests deeper than %d levels", maxNesting)
	}
	defer func() { r.depth-- }()
	if err := r.skipSpace(); err != nil {
		return nil, r.in.pos, err
	}
	begin := r.in.pos
	c, ok, err := r.in.next()
	if err != nil || !ok {
		return nil, begin, errors.Join(err, endIf(!ok))
	}
	switch c {
	case '(', '[':
		v, err := r.readList(begin, c)
		return v, begin, err
	case ')', ']':
		return closing{}, begin, nil
	case '\'':
		v, err := r.readQuoted("quote", begin)
		return v, begin, err
	case '`':
		v, err := r.readQuoted("quasiquote", begin)
		return v, begin, err
	case ',':
		name := "unquote"
		if next, _, _ := r.in.peek(); next == '@' {
			_, _, _ = r.in.next()
			name = "unquote-splicing"
		}
		v, err := r.readQuoted(name, begin)
		return v, begin, err
	case '"':
		v, err := r.readString(begin)
		return v, begin, err
	case '|':
		name, err := r.readDelimited('|', begin)
		if err != nil {
			return nil, begin, err
		}
		return r.intern(r.folded(string(name))), begin, nil
	case '#':
		v, err := r.readHash(begin)
		return v, begin, err
	}
	v, err := r.readToken(c, begin)
	return v, begin, err
}

func endIf(end bool) error {
	if end {
		return errEnd
	}
	return nil
}

// skipSpace passes over white space and comments.
func (r *reader) skipSpace() error {
	for {
		c, ok, err := r.in.peek()
		switch {
		case err != nil:
			return err
		case !ok:
			return nil
		case isSpace(c):
			_, _, _ = r.in.next()
		case c == ';':
			if err := r.skipLine(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

func (r *reader) skipLine() error {
	for {
		c, ok, err := r.in.next()
		if err != nil || !ok || c == '\n' {
			return err
		}
	}
}

func isSpace(c rune) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || unicode.IsSpace(c)
}

func isDelimiter(c rune) bool { return isSpace(c) || strings.ContainsRune("()[]\";|'`,", c) }

func (r *reader) readList(begin pos, open rune) (Value, error) {
	var head, tail *pair
	for {
		v, at, err := r.readItem()
		if errors.Is(err, errEnd) {
			return nil, r.faultAt(begin, "the %c is never closed", open)
		}
		if err != nil {
			return nil, err
		}
		switch v.(type) {
		case closing:
			if head == nil {
				return empty{}, nil
			}
			return head, nil
		case dot:
			if head == nil {
				return nil, r.faultAt(at, "a . at the beginning of a list")
			}
			return head, r.readTail(tail, begin, at)
		}
		next := &pair{v, empty{}}
		if r.spans != nil {
			r.spans[next] = span{car: at}
		}
		if head == nil {
			head = next
			if r.spans != nil {
				r.spans[head] = span{list: begin, car: at}
			}
		} else {
			tail.cdr = next
		}
		tail = next
	}
}

// readTail reads what follows the dot of a list.
func (r *reader) readTail(last *pair, begin, at pos) error {
	v, _, err := r.readDatum("the .", at)
	if err != nil {
		return err
	}
	last.cdr = v
	end, at, err := r.readItem()
	if errors.Is(err, errEnd) {
		return r.faultAt(begin, "the ( is never closed")
	}
	if _, ok := end.(closing); err == nil && !ok {
		return r.faultAt(at, "more than one datum after the .")
	}
	return err
}

func (r *reader) readQuoted(name string, begin pos) (Value, error) {
	v, at, err := r.readDatum("the "+name, begin)
	if err != nil {
		return nil, err
	}
	rest := &pair{v, empty{}}
	form := &pair{r.intern(name), rest}
	if r.spans != nil {
		r.spans[form] = span{list: begin, car: begin}
		r.spans[rest] = span{car: at}
	}
	return form, nil
}

// readToken reads a number or a symbol that begins with c.
func (r *reader) readToken(c rune, begin pos) (Value, error) {
	text, err := r.token([]rune{c})
	if err != nil {
		return nil, err
	}
	if text == "." {
		return dot{}, nil
	}
	if v, ok, err := parseNumber(text, 10); err != nil {
		return nil, r.faultAt(begin, "%v", err)
	} else if ok {
		return v, nil
	}
	return r.intern(r.folded(text)), nil
}

// token takes the runes up to the next delimiter.
func (r *reader) token(begun []rune) (string, error) {
	for {
		c, ok, err := r.in.peek()
		if err != nil {
			return "", err
		}
		if !ok || isDelimiter(c) {
			return string(begun), nil
		}
		_, _, _ = r.in.next()
		begun = append(begun, c)
	}
}

func (r *reader) folded(name string) string {
	if r.fold {
		return foldCase(name)
	}
	return name
}

func (r *reader) readString(begin pos) (Value, error) {
	runes, err := r.readDelimited('"', begin)
	if err != nil {
		return nil, err
	}
	return &str{runes: runes, literal: true}, nil
}

// readDelimited reads a string or a symbol up to its delimiter, with the escapes that both have.
func (r *reader) readDelimited(end rune, begin pos) ([]rune, error) {
	var runes []rune
	for {
		at := r.in.pos
		c, ok, err := r.in.next()
		switch {
		case err != nil:
			return nil, err
		case !ok:
			return nil, r.faultAt(begin, "the %c is never closed", end)
		case c == end:
			return runes, nil
		case c == '\r' && end == '"': // any end of line is a newline
			if next, _, _ := r.in.peek(); next == '\n' {
				_, _, _ = r.in.next()
			}
			runes = append(runes, '\n')
		case c != '\\':
			runes = append(runes, c)
		default:
			c, ok, err := r.readEscape(at, begin)
			if err != nil {
				return nil, err
			}
			if ok {
				runes = append(runes, c)
			}
		}
	}
}

// readEscape reads what follows a backslash. It reports false for one that stands for nothing, at the end of a line.
func (r *reader) readEscape(at, begin pos) (c rune, ok bool, err error) {
	c, ok, err = r.in.next()
	if err != nil || !ok {
		return 0, false, orElse(err, r.faultAt(begin, "the text ends after a \\"))
	}
	switch c {
	case 'a':
		return 7, true, nil
	case 'b':
		return 8, true, nil
	case 't':
		return '\t', true, nil
	case 'n':
		return '\n', true, nil
	case 'r':
		return '\r', true, nil
	case '"', '\\', '|':
		return c, true, nil
	case 'x', 'X':
		c, err := r.readHexEscape(at)
		return c, err == nil, err
	case ' ', '\t', '\n', '\r':
		return 0, false, r.skipContinuation(c, at)
	}
	return 0, false, r.faultAt(at, "\\%c is no escape", c)
}

func orElse(err error, other *condition) error {
	if err != nil {
		return err
	}
	return other
}

func (r *reader) readHexEscape(at pos) (rune, error) {
	var digits []rune
	for len(digits) < 9 {
		c, ok, err := r.in.next()
		if err != nil {
			return 0, err
		}
		if !ok || c == ';' {
			break
		}
		digits = append(digits, c)
	}
	n, err := strconv.ParseUint(string(digits), 16, 32)
	if err != nil || !isScalar(int64(n)) {
		return 0, r.faultAt(at, "\\x%s; is no character", string(digits))
	}
	return rune(n), nil
}

// skipContinuation passes over the rest of the line after a backslash, and the space at the beginning of the next.
func (r *reader) skipContinuation(c rune, at pos) error {
	var err error
	ok := true
	for c == ' ' || c == '\t' {
		if c, ok, err = r.in.next(); err != nil || !ok {
			return orElse(err, r.faultAt(at, "a \\ before a space is not at the end of its line"))
		}
	}
	if c == '\r' {
		if next, _, _ := r.in.peek(); next == '\n' {
			_, _, _ = r.in.next()
		}
	} else if c != '\n' {
		return r.faultAt(at, "a \\ before a space is not at the end of its line")
	}
	for {
		c, ok, err := r.in.peek()
		if err != nil || !ok || c != ' ' && c != '\t' {
			return err
		}
		_, _, _ = r.in.next()
	}
}
