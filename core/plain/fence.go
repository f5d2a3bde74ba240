package plain

import (
	"regexp"
	"strings"

	"github.com/quirehq/quire/core/lang/names"
)

// fence is the line that begins a block of code in Markdown.
type fence struct {
	indent int    // spaces before it, 3 at most
	mark   string // the backticks or tildes, 3 at least
	info   string
}

var (
	fenceLine  = regexp.MustCompile("^( {0,3})(`{3,}|~{3,})[ \t]*(.*?)[ \t]*$")
	fenceRun   = regexp.MustCompile("(?:^|[\r\n]) {0,3}(`{3,}|~{3,})")
	indentOf   = regexp.MustCompile(`^ *`)
	firstWord  = regexp.MustCompile(`^\.?([A-Za-z][\w+#.-]*)`)
	regionLine = regexp.MustCompile(`^<!-- *#(region|raw)(?:[ \t]+(.*?))?[ \t]*-->[ \t]*$`)
	endLine    = regexp.MustCompile(`^<!-- *(\\*)#end(?:region|raw) *-->[ \t]*$`)
)

// openFence reads the line that begins a block. The info after backticks has no backticks.
func openFence(line string) (f fence, ok bool) {
	at := fenceLine.FindStringSubmatch(line)
	if at == nil || at[2][0] == '`' && strings.Contains(at[3], "`") {
		return fence{}, false
	}
	return fence{len(at[1]), at[2], at[3]}, true
}

// closes reports whether a line ends the block.
func (f fence) closes(line string) bool {
	g, ok := openFence(line)
	return ok && g.info == "" && g.mark[0] == f.mark[0] && len(g.mark) >= len(f.mark)
}

// dedent returns a line of the block without the indentation of the fence.
func (f fence) dedent(line string) string {
	return line[min(f.indent, len(indentOf.FindString(line))):]
}

// fenceFor returns a fence, for an info, that no line of a source closes. It uses backticks, or tildes if the info has
// backticks.
func fenceFor(source, info string) string {
	sign, n := "`", 3
	if strings.Contains(info, "`") {
		sign = "~"
	}
	for _, at := range fenceRun.FindAllStringSubmatch(source, -1) {
		if strings.HasPrefix(at[1], sign) {
			n = max(n, len(at[1])+1)
		}
	}
	return strings.Repeat(sign, n)
}

// sql is the name of blocks that are SQL cells, in any dialect.
const sql = names.SQL

// blockLanguage returns the language of a block by one of its names, empty if such a block is not a cell.
func blockLanguage(name string) string {
	l, _ := names.Find(name)
	return l.ID
}

// isNameOf reports whether an info is another name of a kernel's language, as Jupytext writes it: c++ of C++17, csharp
// of C#.
func isNameOf(info, language string) bool {
	info = strings.ToLower(strings.TrimSpace(info))
	switch language {
	case "c#", "f#", "q#":
		return info == language[:1]+"sharp"
	}
	if strings.HasPrefix(language, "c++") {
		return info == "c++" || info == "cpp"
	}
	return info == language && strings.Contains(language, " ")
}

// readInfo reads the info of a fence: the name of a language, then options; either may be in braces. It ignores options
// that it cannot parse.
func readInfo(info string) (name string, m metadata) {
	inner := info
	if rest, ok := strings.CutPrefix(info, "{"); ok {
		end := strings.LastIndexByte(rest, '}')
		if end < 0 {
			return "", nil
		}
		inner = strings.TrimSpace(rest[:end]) + " " + rest[end+1:]
	}
	inner = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(inner), "code-cell "))
	at := firstWord.FindStringSubmatch(inner)
	if at == nil {
		return "", nil
	}
	rest := strings.TrimSpace(inner[len(at[0]):])
	for _, form := range []string{rest, strings.Trim(rest, "{}"), strings.ReplaceAll(strings.Trim(rest, "{},"), ",", " ")} {
		if m, ok := parseOptions(form); ok {
			return at[1], m
		}
	}
	return at[1], metadata{}
}
