package javascript

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"modernc.org/quickjs"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
)

// thrownError is what a program has thrown, as the prelude describes it in JSON.
type thrownError struct{ described string }

// Error implements error.
func (e *thrownError) Error() string { return e.described }

// thrown returns the error that a function of the prelude describes.
func (in *Interpreter) thrown(function string) error {
	described, err := in.call(function)
	if err != nil {
		return err
	}
	s, _ := described.(string)
	return &thrownError{s}
}

// shape returns an error for users. A source is given for errors of its syntax.
func (in *Interpreter) shape(err error, source *cellSource) *engineproto.Error {
	if err == errNeverSettles {
		return &engineproto.Error{Name: "Error", Message: err.Error(), Trace: []string{"Error: " + err.Error()}}
	}
	var t thrown
	var known *quickjs.Error
	var described *thrownError
	switch {
	case errors.As(err, &described):
		if json.Unmarshal([]byte(described.described), &t) != nil {
			t = thrown{Name: "Error", Message: described.described}
		}
	case errors.As(err, &known):
		t = thrown{Name: known.Name, Message: known.Message, Stack: known.Stack}
		if known.LineNumber > 0 && source != nil && source.code == nil {
			return in.syntax(known, source)
		}
		if t.Name == "" && t.Message == "" { // not an Error
			t = thrown{Name: "Uncaught", Message: known.Error()}
		}
	default:
		t = thrown{Name: "Error", Message: err.Error()}
	}
	return in.describe(t)
}

// thrown is an error as the prelude describes it.
type thrown struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Stack   string `json:"stack"`
	Class   string `json:"class"` // whose constructor made it
	Causes  string `json:"causes"`
}

// describe returns an error with its place and its trace.
func (in *Interpreter) describe(t thrown) *engineproto.Error {
	e := &engineproto.Error{Name: t.Name, Message: t.Message}
	in.clarify(e)
	frames := in.framesOf(t.Stack)
	e.Trace = strings.Split(e.Error(), "\n")
	constructing := true // in a constructor of the error, which is not where it happened
	for _, f := range frames {
		constructing = constructing && f.function == t.Class
		if e.Line == 0 && f.inCell && !constructing {
			e.Line, e.Column = f.line, f.column
		}
		e.Trace = append(e.Trace, f.text)
	}
	if t.Causes != "" {
		e.Trace = append(e.Trace, strings.Split(t.Causes, "\n")...)
	}
	return e
}

// clarify words what QuickJS says of its limits, and what a sandbox does not have.
func (in *Interpreter) clarify(e *engineproto.Error) {
	switch {
	case e.Name == "InternalError" && e.Message == "out of memory",
		e.Name == "Uncaught" && e.Message == "null" && in.isFull(): // there was no memory for the error
		in.slack = min(in.slack+slackStep, ownMemory/2)
		e.Name, e.Cause, e.Lack = "RangeError", engineproto.Limit, lang.LackMemory
		e.Message = fmt.Sprintf("out of memory: the values of all cells may take %d MiB", in.config.Memory>>20)
	case e.Message == "stack overflow" && (e.Name == "InternalError" || e.Name == "SyntaxError"):
		e.Name, e.Message = "RangeError", "Maximum call stack size exceeded"
	case e.Message == "no function filename for import()":
		e.Message = "import() finds no modules" + noModules
	case e.Name == "ReferenceError" && isOfNode(e.Message):
		e.Message += noModules
	}
}

// isFull tells whether a program has taken nearly all of its memory.
func (in *Interpreter) isFull() bool { return in.raw.Memory() > in.config.Memory-slackStep }

// noModules says what to do without what Node and browsers have.
const noModules = ": this engine is a sandbox without files, network and modules; a kernel with Node has them"

// isOfNode tells whether a name that is not defined is one of Node or of browsers.
func isOfNode(message string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(message, "'"), "'")
	return slices.Contains([]string{"require", "process", "fetch", "window", "document", "module", "Deno", "Buffer", "XMLHttpRequest", "__dirname"}, name)
}

// syntax returns an error of QuickJS's compiler.
func (in *Interpreter) syntax(known *quickjs.Error, source *cellSource) *engineproto.Error {
	e := &engineproto.Error{Name: known.Name, Message: known.Message}
	if strings.HasSuffix(e.Message, ": ''") { // the token at the end
		e.Message = "unexpected end of the source"
	}
	e.Line, e.Column = source.place(known.LineNumber, known.ColumnNumber)
	e.Trace = []string{e.Error(), frame("", source.name, e.Line, e.Column)}
	return e
}

// stackFrame is one line of a stack.
type stackFrame struct {
	text         string
	function     string
	line, column int
	inCell       bool // of the executing run
}

// readFrame reads a line of QuickJS's stacks, "    at f (cell 3:1:19)" or "    at cell 3:1:19".
func readFrame(text string) (function, file string, line, column int, ok bool) {
	text, ok = strings.CutPrefix(strings.TrimSpace(text), "at ")
	file = text
	if at := strings.LastIndex(text, " ("); at >= 0 && strings.HasSuffix(text, ")") {
		function, file = text[:at], text[at+2:len(text)-1]
	}
	var numbers []int
	for len(numbers) < 2 {
		at := strings.LastIndexByte(file, ':')
		n, err := strconv.Atoi(file[at+1:])
		if at < 0 || err != nil {
			break
		}
		numbers, file = append(numbers, n), file[:at]
	}
	switch len(numbers) {
	case 1:
		line = numbers[0]
	case 2:
		line, column = numbers[1], numbers[0]
	}
	return function, file, line, column, ok
}

// frames returns the lines of a stack for users.
func (in *Interpreter) frames(stack string) []string {
	var lines []string
	for _, f := range in.framesOf(stack) {
		lines = append(lines, f.text)
	}
	return lines
}

// mostFrames is how many frames of a stack are shown.
const mostFrames = 30

// framesOf reads a stack, without frames of ours. Places are those of the user's source.
func (in *Interpreter) framesOf(stack string) []stackFrame {
	var frames []stackFrame
	for line := range strings.Lines(stack) {
		function, file, at, column, ok := readFrame(line)
		if !ok || file == preludeName {
			continue
		}
		if len(frames) == mostFrames {
			return append(frames, stackFrame{text: "    …"})
		}
		if function == "<eval>" {
			function = ""
		}
		f := stackFrame{function: function, line: at, column: column}
		source, known := in.sources[file]
		if known {
			f.line, f.column = source.place(f.line, f.column)
			f.inCell = f.line > 0 && source.run == in.current
		}
		f.text = frame(function, file, f.line, f.column)
		frames = append(frames, f)
	}
	return frames
}

// frame writes a line of a stack as Node does.
func frame(function, file string, line, column int) string {
	place := file
	if line > 0 {
		place += ":" + strconv.Itoa(line)
		if column > 0 {
			place += ":" + strconv.Itoa(column)
		}
	}
	if function == "" {
		return "    at " + place
	}
	return "    at " + function + " (" + place + ")"
}
