package main

import (
	"go/doc"
	"go/doc/comment"
	"strings"
	"unicode"
)

// width is the length of comment lines.
const width = 96

// tsdoc returns Go documentation as a TSDoc comment with its line end, or "" for "".
func (s *source) tsdoc(indent, text string) string {
	parsed := s.pkg.Parser().Parse(text)
	for _, block := range parsed.Content {
		if p, ok := block.(*comment.Paragraph); ok {
			p.Text = s.links(p.Text)
		}
	}
	printer := comment.Printer{TextWidth: width - len(indent)}
	text = strings.TrimSpace(string(printer.Text(parsed)))
	text = strings.ReplaceAll(text, "*/", "*\\/")
	switch {
	case text == "":
		return ""
	case !strings.Contains(text, "\n") && len(text) < width-len(indent):
		return indent + "/** " + text + " */\n"
	}
	var b strings.Builder
	b.WriteString(indent + "/**\n")
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(indent+" * "+line, " \n") + "\n")
	}
	b.WriteString(indent + " */\n")
	return b.String()
}

// links replaces links to Go names: by TSDoc links for types and constants, by the value for a
// member of a union, and by the plain name for all others. The star of a Go pointer is removed.
func (s *source) links(text []comment.Text) []comment.Text {
	var out []comment.Text
	for i, t := range text {
		if plain, ok := t.(comment.Plain); ok && i+1 < len(text) {
			if _, ok := text[i+1].(*comment.DocLink); ok {
				t = comment.Plain(strings.TrimSuffix(string(plain), "*"))
			}
		}
		if link, ok := t.(*comment.DocLink); ok {
			t = comment.Plain(s.link(link))
		}
		out = append(out, t)
	}
	return out
}

func (s *source) link(l *comment.DocLink) string {
	if l.ImportPath != "" || l.Recv != "" {
		return strings.TrimPrefix(l.Recv+"."+l.Name, ".")
	}
	for _, t := range s.pkg.Types {
		if t.Name == l.Name {
			return "{@link " + l.Name + "}"
		}
		if c, ok := find(t.Consts, l.Name); ok {
			return c.value
		}
	}
	if c, ok := find(s.pkg.Consts, l.Name); ok {
		return "{@link " + lowerFirst(c.name) + "}"
	}
	return l.Name
}

func find(groups []*doc.Value, name string) (namedConst, bool) {
	for _, g := range groups {
		list, err := constants(g)
		if err != nil {
			continue
		}
		for _, c := range list {
			if c.name == name {
				return c, true
			}
		}
	}
	return namedConst{}, false
}

func lowerFirst(s string) string {
	for i, r := range s {
		return string(unicode.ToLower(r)) + s[i+len(string(r)):]
	}
	return s
}
