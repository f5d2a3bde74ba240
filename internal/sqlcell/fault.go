package sqlcell

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/clipperhouse/displaywidth"

	"github.com/quirehq/quire/core/lang"
)

// fault is an error of a database.
type fault struct {
	name    string
	message string
	more    []string // details and hints, a line or more each
	at      int      // the offset in the source in bytes, -1 if it is unknown
	line    int      // the offset of the statement, where at is unknown
	lack    lang.Lack
	cause   lang.Cause
	lost    bool // the connection is lost
}

// Error implements error.
func (f *fault) Error() string { return f.name + ": " + f.message }

// langError returns the error with its place in the source.
func (f *fault) langError(source string) *lang.Error {
	e := &lang.Error{Name: f.name, Message: strings.Join(append([]string{f.message}, f.more...), "\n"), Lack: f.lack, Cause: f.cause}
	at := f.at
	if at < 0 {
		at = f.line
	}
	at = min(max(at, 0), len(source))
	var column int
	e.Line, column = place(source, at)
	e.Trace = append(e.Trace, strings.Split(f.name+": "+f.message, "\n")...)
	text := lineAt(source, at)
	if f.at >= 0 {
		e.Column = column
		before, shown := window(text, at-strings.LastIndexByte(source[:at], '\n')-1)
		head := fmt.Sprintf("LINE %d: ", e.Line)
		e.Trace = append(e.Trace, head+shown, strings.Repeat(" ", len(head)+displaywidth.String(before))+"^")
	} else if text != "" {
		_, shown := window(text, 0)
		e.Trace = append(e.Trace, fmt.Sprintf("LINE %d: %s", e.Line, shown))
	}
	for _, more := range f.more {
		e.Trace = append(e.Trace, strings.Split(more, "\n")...)
	}
	return e
}

// place returns the line and the column of an offset in bytes, both from 1; the column counts UTF-16 units.
func place(source string, at int) (line, column int) {
	before := source[:at]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, len(utf16.Encode([]rune(before[start:]))) + 1
}

// lineAt returns the line of an offset.
func lineAt(source string, at int) string {
	start := strings.LastIndexByte(source[:at], '\n') + 1
	line, _, _ := strings.Cut(source[start:], "\n")
	return strings.TrimSuffix(line, "\r")
}

// windowBytes is how much of a line is shown on each side of an error.
const windowBytes = 60

// window returns the part of a line around an offset, and that before the offset.
func window(line string, at int) (before, shown string) {
	at = min(at, len(line))
	from, to := max(at-windowBytes, 0), min(at+windowBytes, len(line))
	head, tail := strings.ToValidUTF8(line[from:at], ""), strings.ToValidUTF8(line[at:to], "")
	if from > 0 {
		head = "…" + head
	}
	if to < len(line) {
		tail += "…"
	}
	head = oneLine(strings.ReplaceAll(head, "\t", " "))
	return head, head + oneLine(strings.ReplaceAll(tail, "\t", " "))
}

// missingParameter returns the fault of a parameter without a value.
func missingParameter(name string) *fault {
	return &fault{
		name: "ParameterError", at: -1,
		message: fmt.Sprintf("the parameter %s has no value: set it by a line at the top of the cell, -- param: %s = 42", name, name),
	}
}
