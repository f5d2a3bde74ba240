package plain

import (
	"regexp"
	"slices"
	"strings"
)

// magicLine matches a line of a cell that only IPython understands, after any comment signs: a magic, a shell command,
// a question, or an assignment from one of the first two.
var magicLine = regexp.MustCompile(`^[\s#]*(?:%{1,3}[A-Za-z]|[?!]+\s*[A-Za-z.~$\\/{}]|[A-Za-z_]\w*\s*=\s*(?:%{1,2}|!)[A-Za-z])`)

// hideMagics comments out the lines that only IPython understands, so Python understands the rest. A comment that
// resembles one gets another comment sign. Lines within long strings stay.
func hideMagics(source string) string {
	return outsideStrings(source, func(line string) string { return "# " + line })
}

// showMagics is the inverse of hideMagics.
func showMagics(source string) string {
	return outsideStrings(source, func(line string) string {
		if rest, ok := strings.CutPrefix(line, "# "); ok {
			return rest
		}
		return strings.TrimPrefix(line, "#")
	})
}

// outsideStrings changes the magic lines that are not within a string of many lines.
func outsideStrings(source string, change func(string) string) string {
	quotes := ""
	return eachLine(source, func(line string) string {
		if quotes == "" && magicLine.MatchString(line) {
			return change(line)
		}
		quotes = scanQuotes(line, quotes)
		return line
	})
}

// scanQuotes returns the quotes that are open after a line, given those before it. Strings of one line end with it.
func scanQuotes(line, open string) string {
	for line != "" {
		switch {
		case line[0] == '\\':
			line = line[min(2, len(line)):]
		case open != "" && strings.HasPrefix(line, open):
			line, open = line[len(open):], ""
		case open != "":
			line = line[1:]
		case line[0] == '#':
			return ""
		case strings.HasPrefix(line, `"""`), strings.HasPrefix(line, `'''`):
			open, line = line[:3], line[3:]
		case line[0] == '"', line[0] == '\'':
			open, line = line[:1], line[1:]
		default:
			line = line[1:]
		}
	}
	if len(open) == 1 {
		return ""
	}
	return open
}

// cellMagics are the magics whose cell is in another language. A program has such a cell as comments with a label that
// names the magic.
var cellMagics = []string{
	"bash", "sh", "script", "perl", "ruby", "javascript", "js", "html", "HTML", "svg", "SVG", "latex", "markdown", "R", "julia", "sql", "cython",
}

var cellMagic = regexp.MustCompile(`^%%([A-Za-z]+)(?: ([^\r\n]*))?\n`)

// cutMagic cuts the first line off a cell whose magic makes it one of another language.
func cutMagic(source string) (name, arguments, rest string, ok bool) {
	at := cellMagic.FindStringSubmatch(source)
	if at == nil || !slices.Contains(cellMagics, at[1]) || strings.HasPrefix(source[2+len(at[1]):], " ") && at[2] == "" {
		return "", "", "", false
	}
	return at[1], at[2], source[len(at[0]):], true
}
