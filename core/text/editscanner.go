package text

import (
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/internal/jsonscan"
)

var (
	errArray  = errors.New("want an array")
	errComma  = errors.New("want a comma or the end of the array")
	errComp   = errors.New("want a whole number other than zero or a string")
	errEmpty  = errors.New("a string is empty")
	errLength = fmt.Errorf("edit is for a text of more than %d units", maxLen)
	errMore   = errors.New("something follows the value")
)

// scanner reads the subset of JSON that edits and texts use. It exists because edits are read at every keystroke of
// every user, and because encoding/json would accept broken text as U+FFFD.
type scanner struct {
	data []byte
	at   int
	base int // units kept and deleted so far
}

// edit reads an array of components.
func (s *scanner) edit() (Edit, error) {
	if s.peek() != '[' {
		return Edit{}, errArray
	}
	s.at++
	if s.peek() == ']' {
		s.at++
		return Edit{}, nil
	}
	var b builder
	for {
		if err := s.comp(&b); err != nil {
			return Edit{}, err
		}
		c := s.peek()
		if c != ',' && c != ']' {
			return Edit{}, errComma
		}
		s.at++
		if c == ']' {
			return b.edit(), nil
		}
	}
}

// comp reads one component.
func (s *scanner) comp(b *builder) error {
	if s.peek() == '"' {
		str, err := s.string()
		if err == nil && str == "" {
			err = errEmpty
		}
		b.insert(str, UTF16Len(str))
		return err
	}
	n, err := s.int()
	if err != nil {
		return err
	}
	c := comp{n: n}
	if s.base += c.len(); s.base > maxLen {
		return errLength
	}
	if n < 0 {
		b.delete(-n)
	} else {
		b.retain(n)
	}
	return nil
}

// int reads a whole number other than zero, of at most maxLen.
func (s *scanner) int() (int, error) {
	sign, n := 1, 0
	if s.char() == '-' {
		sign = -1
		s.at++
	}
	start := s.at
	for ; s.char()-'0' <= 9; s.at++ {
		n = n*10 + int(s.char()-'0')
		if n == 0 {
			return 0, errComp
		}
		if n > maxLen {
			return 0, errLength
		}
	}
	if s.at == start {
		return 0, errComp
	}
	return sign * n, nil
}

// wholeString reads a string that ends the data.
func (s *scanner) wholeString() (string, error) {
	s.peek()
	str, err := s.string()
	if err != nil {
		return "", err
	}
	return str, s.expectEnd()
}

// string reads a string that begins at the next byte.
func (s *scanner) string() (string, error) {
	str, n, err := jsonscan.String(s.data[s.at:])
	s.at += n
	return str, err
}

// expectEnd returns an error if anything but white space is left.
func (s *scanner) expectEnd() error {
	if s.peek(); s.at < len(s.data) {
		return errMore
	}
	return nil
}

// peek advances to the next byte that is not white space and returns it, or 0 at the end.
func (s *scanner) peek() byte {
	for {
		switch c := s.char(); c {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return c
		}
	}
}

// char returns the next byte, or 0 at the end.
func (s *scanner) char() byte {
	if s.at < len(s.data) {
		return s.data[s.at]
	}
	return 0
}
