package plain

import (
	"regexp"
	"strings"
)

// promptAfter matches the rest of a line, after the comment sign, that begins a cell in a program that nbconvert or an
// old IPython wrote.
var promptAfter = regexp.MustCompile(`^[ \t]*(?:In ?\[[ \d*]*\]:?|<(code|markdown|raw)cell>)[ \t]*$`)

// cutPrompt is a markerFunc for such lines.
func (s Script) cutPrompt(line string) (depth int, label string, ok bool) {
	rest, ok := strings.CutPrefix(line, s.comment)
	at := promptAfter.FindStringSubmatch(rest)
	if !ok || at == nil {
		return 0, "", false
	}
	if at[1] != "" {
		label = "[" + at[1] + "]"
	}
	return 0, label, true
}

// cutPrompts cuts a program at prompts. Markdown is between the code cells, as paragraphs of comments after two empty
// lines.
func (s Script) cutPrompts(text string) []part {
	var parts []part
	for i, p := range s.cutAt(text, s.cutPrompt) {
		if code := strings.TrimLeft(p.body, "\r\n"); i > 0 { // empty lines belong to the prompt
			p.marker += p.body[:len(p.body)-len(code)]
			p.body = code
		}
		if strings.Contains(p.label, "[") {
			parts = append(parts, p)
			continue
		}
		code := 0 // before the first prompt all comments are text
		if i > 0 {
			code = s.endOfCode(p.body)
		}
		texts, ok := s.cutTexts(p.body[code:])
		if !ok {
			parts = append(parts, p)
			continue
		}
		p.body = p.body[:code]
		if i > 0 || p.body != "" {
			parts = append(parts, p)
		}
		parts = append(parts, texts...)
	}
	return parts
}

// endOfCode returns the offset where the text after the code of a cell may begin: after the last line that is neither
// empty nor a comment, and two empty lines.
func (s Script) endOfCode(body string) int {
	at, end, blank, coded := 0, len(body), 0, false
	for _, line := range lines(body) {
		bare := strings.TrimSpace(line)
		switch {
		case bare == "":
			blank++
		case !strings.HasPrefix(line, s.comment):
			end, blank, coded = len(body), 0, true
		default:
			if coded && blank >= 2 && end == len(body) {
				end = at
			}
			coded, blank = true, 0
		}
		at += len(line)
	}
	return end
}

// cutTexts cuts paragraphs of comments, and reports whether the text has nothing else.
func (s Script) cutTexts(text string) ([]part, bool) {
	var texts []part
	p := part{isText: true}
	said := false
	for _, line := range lines(text) {
		switch {
		case strings.TrimSpace(line) == "":
		case !strings.HasPrefix(line, s.comment):
			return nil, false
		case said && strings.HasSuffix(p.body, "\n\n"):
			texts = append(texts, p)
			p = part{isText: true}
			fallthrough
		default:
			said = true
		}
		p.body += line
	}
	if !said {
		return texts, p.body == "" // empty lines belong to the code
	}
	return append(texts, p), true
}
