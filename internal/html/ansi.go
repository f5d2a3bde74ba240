package html

import (
	"fmt"
	"html"
	"strconv"
	"strings"
)

// pen is the text style of a terminal.
type pen struct {
	fore, back                                   colour
	bold, faint, italic, underline, strike, flip bool
}

// colour is one of a terminal's sixteen, which the page styles, an explicit one, or none.
type colour struct {
	kind  colourKind
	index int    // of the sixteen
	rgb   string // #rrggbb
}

type colourKind int

const (
	noColour colourKind = iota
	indexed
	exact
)

// terminal returns a text as a terminal would show it, as HTML. Only sequences for colours and
// weights are interpreted; others, links among them, are dropped, and so is text that a carriage
// return overwrote.
func terminal(text string) string {
	var b strings.Builder
	var p pen
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		p.line(&b, overwritten(line))
	}
	return b.String()
}

// overwritten returns the visible part of a line with carriage returns.
func overwritten(line string) string {
	line = strings.TrimRight(line, "\r")
	return line[strings.LastIndexByte(line, '\r')+1:]
}

// line writes a line, and updates the pen.
func (p *pen) line(b *strings.Builder, line string) {
	for line != "" {
		text, rest, found := strings.Cut(line, "\x1b")
		p.write(b, text)
		if !found {
			return
		}
		var parameters string
		if parameters, rest = cutSequence(rest); parameters != "" {
			p.set(strings.Split(parameters[:len(parameters)-1], ";"))
		}
		line = rest
	}
}

// cutSequence splits the control sequence after an escape from the rest. The parameters end with an
// m; other sequences are dropped.
func cutSequence(s string) (parameters, rest string) {
	switch {
	case strings.HasPrefix(s, "["):
		end := strings.IndexFunc(s[1:], func(r rune) bool { return r >= 0x40 && r <= 0x7e || r < 0x20 || r > 0x7e })
		if end < 0 {
			return "", ""
		}
		if s[1+end] == 'm' {
			return s[1 : 2+end], s[2+end:]
		}
		if s[1+end] < 0x20 || s[1+end] > 0x7e {
			return "", s[1+end:]
		}
		return "", s[2+end:]
	case strings.HasPrefix(s, "]"), strings.HasPrefix(s, "P"), strings.HasPrefix(s, "X"), strings.HasPrefix(s, "^"), strings.HasPrefix(s, "_"):
		end := strings.IndexAny(s, "\x07\x1b")
		if end < 0 {
			return "", ""
		}
		if s[end] == '\x07' {
			return "", s[end+1:]
		}
		return "", strings.TrimPrefix(s[end:], "\x1b\\")
	case s != "" && s[0] < 0x80:
		return "", s[1:]
	}
	return "", s
}

// set updates the pen by the parameters of a sequence.
func (p *pen) set(codes []string) {
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
			i += p.fore.read(codes[i+1:])
		case code == 48:
			i += p.back.read(codes[i+1:])
		default:
			p.one(code)
		}
	}
}

// one updates the pen by one parameter.
func (p *pen) one(code int) {
	switch {
	case code == 0:
		*p = pen{}
	case code == 1:
		p.bold = true
	case code == 2:
		p.faint = true
	case code == 3:
		p.italic = true
	case code == 4:
		p.underline = true
	case code == 7:
		p.flip = true
	case code == 9:
		p.strike = true
	case code == 22:
		p.bold, p.faint = false, false
	case code == 23:
		p.italic = false
	case code == 24:
		p.underline = false
	case code == 27:
		p.flip = false
	case code == 29:
		p.strike = false
	case code >= 30 && code <= 37:
		p.fore = colour{kind: indexed, index: code - 30}
	case code >= 90 && code <= 97:
		p.fore = colour{kind: indexed, index: code - 90 + 8}
	case code == 39:
		p.fore = colour{}
	case code >= 40 && code <= 47:
		p.back = colour{kind: indexed, index: code - 40}
	case code >= 100 && code <= 107:
		p.back = colour{kind: indexed, index: code - 100 + 8}
	case code == 49:
		p.back = colour{}
	}
}

// read parses the parameters after a 38 or 48: 5 and one of 256 colours, or 2 and three components.
// It returns their number.
func (c *colour) read(codes []string) int {
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
		*c = colour{kind: exact, rgb: fmt.Sprintf("#%02x%02x%02x", part(1), part(2), part(3))}
		return 4
	}
	return len(codes)
}

// colourOf returns one of the 256 colours of xterm: sixteen, a cube of six levels a
// side, and 24 greys.
func colourOf(n int) colour {
	switch {
	case n < 16:
		return colour{kind: indexed, index: n}
	case n < 232:
		level := func(i int) int {
			if i == 0 {
				return 0
			}
			return 55 + 40*i
		}
		n -= 16
		return colour{kind: exact, rgb: fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))}
	}
	grey := 8 + 10*(n-232)
	return colour{kind: exact, rgb: fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)}
}

// write writes a text in the style of the pen.
func (p *pen) write(b *strings.Builder, text string) {
	text = html.EscapeString(strings.Map(visible, text))
	if text == "" || *p == (pen{}) {
		b.WriteString(text)
		return
	}
	classes, style := p.look()
	b.WriteString("<span")
	if len(classes) > 0 {
		b.WriteString(" class=\"" + strings.Join(classes, " ") + "\"")
	}
	if style != "" {
		b.WriteString(" style=\"" + style + "\"")
	}
	b.WriteString(">" + text + "</span>")
}

// visible drops the control characters that a page cannot show.
func visible(r rune) rune {
	if r < ' ' && r != '\t' || r == 0x7f {
		return -1
	}
	return r
}

// look returns the classes and the style of a span.
func (p *pen) look() (classes []string, style string) {
	fore, back := p.fore, p.back
	if p.flip {
		fore, back = back, fore
		if fore.kind == noColour {
			classes = append(classes, "q-flip-fore")
		}
		if back.kind == noColour {
			classes = append(classes, "q-flip-back")
		}
	}
	add := func(c colour, class, property string) {
		switch c.kind {
		case indexed:
			classes = append(classes, class+strconv.Itoa(c.index))
		case exact:
			classes = append(classes, class+"x")
			style += property + ":" + c.rgb + ";"
		}
	}
	add(fore, "q-f", "--c")
	add(back, "q-b", "--d")
	for _, flag := range []struct {
		on    bool
		class string
	}{{p.bold, "q-bold"}, {p.faint, "q-faint"}, {p.italic, "q-italic"}, {p.underline, "q-underline"}, {p.strike, "q-strike"}} {
		if flag.on {
			classes = append(classes, flag.class)
		}
	}
	return classes, style
}
