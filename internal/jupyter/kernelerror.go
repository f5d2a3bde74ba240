package jupyter

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/ipython"
)

// kernelError is an error in the form of the protocol.
type kernelError struct {
	Status  string          `json:"status"`
	Name    string          `json:"ename"`
	Message string          `json:"evalue"`
	Trace   json.RawMessage `json:"traceback"`
}

// The names of errors that a kernel has not named.
const (
	noReply     = "NoReply" // of a run that it has not replied to
	interrupted = "Interrupted"
)

// shape returns it as an engine's error, with its line and column if the trace names them.
func (f *kernelError) shape(source string) *lang.Error {
	failed := &lang.Error{Name: f.Name, Message: strings.TrimRight(f.Message, "\n"), Lack: ipython.LackOf(f.Name, f.Message)}
	var trace []string
	if json.Unmarshal(f.Trace, &trace) != nil {
		var whole string
		_ = json.Unmarshal(f.Trace, &whole) // a trace of another type is empty
		trace = []string{whole}
	}
	for _, piece := range trace {
		failed.Trace = append(failed.Trace, strings.Split(strings.TrimRight(piece, "\n"), "\n")...)
	}
	failed.Line, failed.Column = whereOf(plain(failed.Trace), source)
	return failed
}

// colour matches an escape sequence of terminals.
var colour = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// overstrike matches bold and underlined letters in the form for old printers, which R's help still
// uses.
var overstrike = regexp.MustCompile(".\x08")

// unstyled returns a text without escape sequences and overstrikes.
func unstyled(text string) string {
	return overstrike.ReplaceAllString(colour.ReplaceAllString(text, ""), "")
}

// plain returns lines without colours.
func plain(lines []string) []string {
	bare := make([]string, len(lines))
	for i, line := range lines {
		bare[i] = unstyled(line)
	}
	return bare
}

// places match a line of a cell in the traces of kernels. The first group is the line, the second,
// if any, the column. IPython has changed its wording twice. The last match in a trace is where the
// error occurred.
var places = []*regexp.Regexp{
	regexp.MustCompile(`^\s*Cell In ?\[\d+\], line (\d+)`),               // IPython from 8
	regexp.MustCompile(`^Input In \[\d+\], in <.*line: (\d+)>`),          // IPython 8.0
	regexp.MustCompile(`^\s*File "?<ipython-input-[^>]*>"?, line (\d+)`), // IPython 7, syntax
	regexp.MustCompile(`<text>:(\d+):(\d+):`),                            // R, syntax
	regexp.MustCompile(`# at line (\d+) of file <text>`),                 // R
}

// whereOf returns the last place in the source that a trace names. A line beyond the source belongs
// to another cell; closer than that, traces do not tell cells apart in all languages.
func whereOf(trace []string, source string) (line, column int) {
	lines := strings.Split(source, "\n")
	for i, text := range trace {
		for _, place := range places {
			found := place.FindStringSubmatch(text)
			if found == nil {
				continue
			}
			n, err := strconv.Atoi(found[1])
			if err != nil || n < 1 || n > len(lines) {
				continue
			}
			line, column = n, 0
			if len(found) > 2 {
				column, _ = strconv.Atoi(found[2])
				column = columnOf(lines[n-1], column)
			} else {
				column = caret(trace[i+1:], lines[n-1])
			}
		}
	}
	return line, column
}

// caret returns the column that a caret below the line of a trace points to, 0 if
// there is none.
func caret(trace []string, line string) int {
	if len(trace) < 2 || strings.Trim(trace[1], " ^~") != "" {
		return 0
	}
	text, mark := trace[0], strings.IndexByte(trace[1], '^')
	start := strings.Index(text, strings.TrimSpace(line))
	if mark < 0 || start < 0 || strings.TrimSpace(line) == "" {
		return 0
	}
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	return columnOf(line, mark-utf8.RuneCountInString(text[:start])+indent+1)
}

// columnOf converts a column that counts characters into one that counts UTF-16
// units, both from 1.
func columnOf(line string, column int) int {
	if column < 1 {
		return 0
	}
	return units(line, column-1) + 1
}
