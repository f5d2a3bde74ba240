package screen

import (
	"strconv"
	"strings"
)

// plainPen ends all colours and attributes.
const plainPen = "\x1b[0m"

// style is the style of a column. The zero style is plain.
type style struct {
	fore, back colour
	attributes uint16 // bit n is set for attribute n: 1 bold to 9 struck out
}

// colour is a code with its kind in the top byte; 0 is the default one.
type colour uint32

const (
	basic   colour = 1 << 24 // the code itself, such as 31 or 97
	palette colour = 2 << 24 // one of 256
	rgb     colour = 3 << 24

	kinds colour = 0xFF << 24
)

// apply applies the parameters of a "select graphic rendition" sequence.
func (s *style) apply(params string) {
	for more := true; more; {
		var param string
		param, params, more = strings.Cut(params, ";")
		code, sub, _ := strings.Cut(param, ":")
		n, _ := strconv.Atoi(code) // an empty code is 0
		switch {
		case n == 38 || n == 48:
			var c colour
			if sub != "" {
				c = parseColour(strings.Split(sub, ":"))
			} else {
				c, params, more = cutColour(params)
			}
			s.paint(n, c)
		case n == 4 && sub == "0":
			s.set(24, 0)
		default:
			s.set(n, basic|colour(n&0xFF))
		}
	}
}

func (s *style) paint(n int, c colour) {
	if n == 38 {
		s.fore = c
	} else {
		s.back = c
	}
}

// set applies one code.
func (s *style) set(n int, c colour) {
	switch {
	case n == 0:
		*s = style{}
	case n <= 9:
		s.attributes |= 1 << n
	case n == 21 || n == 22:
		s.attributes &^= 1<<1 | 1<<2
	case n == 25:
		s.attributes &^= 1<<5 | 1<<6
	case n > 22 && n < 30:
		s.attributes &^= 1 << (n - 20)
	case n >= 30 && n <= 37 || n >= 90 && n <= 97:
		s.fore = c
	case n >= 40 && n <= 47 || n >= 100 && n <= 107:
		s.back = c
	case n == 39:
		s.fore = 0
	case n == 49:
		s.back = 0
	}
}

// cutColour parses an extended colour from the parameters after 38 or 48.
func cutColour(params string) (c colour, rest string, more bool) {
	all := strings.Split(params, ";")
	n := min(2, len(all))
	if all[0] == "2" {
		n = min(4, len(all))
	}
	return parseColour(all[:n]), strings.Join(all[n:], ";"), n < len(all)
}

// parseColour parses "5, n" or "2, r, g, b", with an optional colour space before the r.
func parseColour(params []string) colour {
	if len(params) > 4 {
		params = append([]string{params[0]}, params[len(params)-3:]...)
	}
	n := make([]colour, 4)
	for i := range min(len(params), len(n)) {
		v, _ := strconv.Atoi(params[i])
		n[i] = colour(v & 0xFF)
	}
	switch n[0] {
	case 5:
		return palette | n[1]
	case 2:
		return rgb | n[1]<<16 | n[2]<<8 | n[3]
	}
	return 0
}

// appendChange appends the sequence that changes one style to another.
func appendChange(dst []byte, from, to style) []byte {
	switch {
	case from == to:
		return dst
	case to == style{}:
		return append(dst, plainPen...)
	}
	lost := from.attributes&^to.attributes != 0 || from.fore != 0 && to.fore == 0 || from.back != 0 && to.back == 0
	dst = append(dst, "\x1b["...)
	if lost {
		dst, from = append(dst, "0;"...), style{}
	}
	for n := 1; n <= 9; n++ {
		if bit := uint16(1) << n; to.attributes&^from.attributes&bit != 0 {
			dst = append(strconv.AppendInt(dst, int64(n), 10), ';')
		}
	}
	if to.fore != from.fore {
		dst = appendColour(dst, to.fore, "38;")
	}
	if to.back != from.back {
		dst = appendColour(dst, to.back, "48;")
	}
	dst[len(dst)-1] = 'm' // in place of the last semicolon
	return dst
}

func appendColour(dst []byte, c colour, extended string) []byte {
	part := func(shift int) {
		dst = append(strconv.AppendUint(dst, uint64(c>>shift&0xFF), 10), ';')
	}
	switch c & kinds {
	case basic:
		part(0)
	case palette:
		dst = append(append(dst, extended...), "5;"...)
		part(0)
	case rgb:
		dst = append(append(dst, extended...), "2;"...)
		part(16)
		part(8)
		part(0)
	}
	return dst
}
