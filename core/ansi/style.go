package ansi

import (
	"fmt"
	"strconv"
	"strings"
)

// Style is the style of text in a terminal. The zero value is that of plain text.
type Style struct {
	Fore, Back                                   Colour
	Bold, Faint, Italic, Underline, Strike, Flip bool
}

// Colour is one of a terminal's sixteen, an exact one, or none.
type Colour struct {
	Kind  ColourKind
	Index int    // of the sixteen
	RGB   string // #rrggbb
}

// ColourKind is the kind of a [Colour].
type ColourKind int

// The kinds of colours.
const (
	NoColour ColourKind = iota
	Indexed
	Exact
)

// IsZero reports whether the style is that of plain text.
func (s *Style) IsZero() bool { return *s == Style{} }

// Set updates the style by a sequence; one that sets no style changes nothing.
func (s *Style) Set(q Sequence) {
	if q.Final != 'm' {
		return
	}
	codes := strings.Split(q.Params, ";")
	for i := 0; i < len(codes); i++ {
		code, err := strconv.Atoi(strings.TrimSpace(codes[i]))
		if err != nil {
			if codes[i] != "" {
				continue // a rare form, not supported
			}
			code = 0
		}
		switch {
		case code == 38:
			i += s.Fore.read(codes[i+1:])
		case code == 48:
			i += s.Back.read(codes[i+1:])
		default:
			s.one(code)
		}
	}
}

// one updates the style by one parameter.
func (s *Style) one(code int) {
	switch {
	case code == 0:
		*s = Style{}
	case code == 1:
		s.Bold = true
	case code == 2:
		s.Faint = true
	case code == 3:
		s.Italic = true
	case code == 4:
		s.Underline = true
	case code == 7:
		s.Flip = true
	case code == 9:
		s.Strike = true
	case code == 22:
		s.Bold, s.Faint = false, false
	case code == 23:
		s.Italic = false
	case code == 24:
		s.Underline = false
	case code == 27:
		s.Flip = false
	case code == 29:
		s.Strike = false
	case code >= 30 && code <= 37:
		s.Fore = Colour{Kind: Indexed, Index: code - 30}
	case code >= 90 && code <= 97:
		s.Fore = Colour{Kind: Indexed, Index: code - 90 + 8}
	case code == 39:
		s.Fore = Colour{}
	case code >= 40 && code <= 47:
		s.Back = Colour{Kind: Indexed, Index: code - 40}
	case code >= 100 && code <= 107:
		s.Back = Colour{Kind: Indexed, Index: code - 100 + 8}
	case code == 49:
		s.Back = Colour{}
	}
}

// read parses the parameters after a 38 or 48: 5 and one of 256 colours, or 2 and three components.
// It returns their number.
func (c *Colour) read(codes []string) int {
	part := func(i int) int {
		n, err := strconv.Atoi(codes[i])
		if err != nil {
			return 0
		}
		return max(0, min(n, 255))
	}
	switch {
	case len(codes) >= 2 && codes[0] == "5":
		*c = colourOf(part(1))
		return 2
	case len(codes) >= 4 && codes[0] == "2":
		*c = Colour{Kind: Exact, RGB: fmt.Sprintf("#%02x%02x%02x", part(1), part(2), part(3))}
		return 4
	}
	return len(codes)
}

// colourOf returns one of the 256 colours of xterm: sixteen, a cube of six levels a
// side, and 24 greys.
func colourOf(n int) Colour {
	switch {
	case n < 16:
		return Colour{Kind: Indexed, Index: n}
	case n < 232:
		level := func(i int) int {
			if i == 0 {
				return 0
			}
			return 55 + 40*i
		}
		n -= 16
		return Colour{Kind: Exact, RGB: fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))}
	}
	grey := 8 + 10*(n-232)
	return Colour{Kind: Exact, RGB: fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)}
}
