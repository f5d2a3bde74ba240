package html

import (
	"html"
	"strconv"
	"strings"

	"github.com/quirehq/quire/core/ansi"
)

// pen writes text in the style of a terminal.
type pen struct{ ansi.Style }

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
		p.line(&b, ansi.Overwritten(line))
	}
	return b.String()
}

// line writes a line, and updates the pen.
func (p *pen) line(b *strings.Builder, line string) {
	for text, sequence := range ansi.Parts(line) {
		p.write(b, text)
		p.Set(sequence)
	}
}

// write writes a text in the style of the pen.
func (p *pen) write(b *strings.Builder, text string) {
	text = html.EscapeString(strings.Map(visible, text))
	if text == "" || p.IsZero() {
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
	fore, back := p.Fore, p.Back
	if p.Flip {
		fore, back = back, fore
		if fore.Kind == ansi.NoColour {
			classes = append(classes, "q-flip-fore")
		}
		if back.Kind == ansi.NoColour {
			classes = append(classes, "q-flip-back")
		}
	}
	add := func(c ansi.Colour, class, property string) {
		switch c.Kind {
		case ansi.Indexed:
			classes = append(classes, class+strconv.Itoa(c.Index))
		case ansi.Exact:
			classes = append(classes, class+"x")
			style += property + ":" + c.RGB + ";"
		}
	}
	add(fore, "q-f", "--c")
	add(back, "q-b", "--d")
	for _, flag := range []struct {
		on    bool
		class string
	}{{p.Bold, "q-bold"}, {p.Faint, "q-faint"}, {p.Italic, "q-italic"}, {p.Underline, "q-underline"}, {p.Strike, "q-strike"}} {
		if flag.on {
			classes = append(classes, flag.class)
		}
	}
	return classes, style
}
