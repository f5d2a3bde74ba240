package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quirehq/quire/core/ansi"
)

// OutputID names one output of a cell.
type OutputID string

// OutputKind says which fields of an [Output] are used.
type OutputKind string

// The kinds of outputs.
const (
	OutputStream   OutputKind = "stream"   // text that a program printed: Stream, Text
	OutputDisplay  OutputKind = "display"  // data that a program displayed: Data, Metadata, DisplayID
	OutputResult   OutputKind = "result"   // the value of a run's last expression: Data, Metadata, Count
	OutputError    OutputKind = "error"    // the error that ended a run: Error
	OutputMarkdown OutputKind = "markdown" // text of an assistant: Text, Metadata
)

// The names of streams.
const (
	Stdout = "stdout"
	Stderr = "stderr"
)

// Output is a piece of what a run produced.
type Output struct {
	Kind   OutputKind `json:"kind"`
	Stream string     `json:"stream,omitempty"`
	Text   string     `json:"text,omitempty"`
	// Data has one value a MIME type: a string for text and for base64 of bytes,
	// any JSON value for JSON types.
	Data map[string]json.RawMessage `json:"data,omitempty"`
	// Artifacts has complete values outside the log, by MIME type. For the same type, Data, or Text for text/plain, has
	// only an excerpt.
	Artifacts map[string]Artifact        `json:"artifacts,omitempty"`
	Metadata  map[string]json.RawMessage `json:"metadata,omitempty"`
	// DisplayID lets the program replace this display later.
	DisplayID string `json:"displayId,omitempty"`
	// Count is the execution count that a result is numbered with.
	Count int    `json:"count,omitempty"`
	Error *Error `json:"error,omitempty"`
}

// Artifact points at bytes outside the log.
type Artifact struct {
	Hash string `json:"hash"` // SHA-256 of the bytes, in hexadecimal
	Size int64  `json:"size"` // bytes
}

// Error is the error of a program, in one form for all languages.
type Error struct {
	Name    string     `json:"name"` // as the language names it
	Message string     `json:"message"`
	Cause   ErrorCause `json:"cause,omitempty"`
	// Line and Column count from 1 in the cell's source, Column in UTF-16 code
	// units; 0 is unknown.
	Line   int      `json:"line,omitempty"`
	Column int      `json:"column,omitempty"`
	Trace  []string `json:"trace,omitempty"` // lines for people, without line ends
}

// Lines returns the error as people read it where nothing else shows its place: the trace, or the name and the message,
// and then the place unless the trace names its line. A syntax error of most languages has no trace.
func (e *Error) Lines() []string {
	lines := e.Trace
	if strings.TrimSpace(strings.Join(lines, "")) == "" {
		lines = strings.Split(strings.TrimSuffix(e.Name+": "+e.Message, ": "), "\n")
	}
	if e.Line > 0 && !slices.ContainsFunc(lines, func(line string) bool { return namesLine(line, e.Line) }) {
		lines = append(slices.Clip(lines), "    at "+e.place())
	}
	return lines
}

// place returns the words for the place of an error whose line is known.
func (e *Error) place() string {
	if e.Column > 0 {
		return fmt.Sprintf("line %d, column %d", e.Line, e.Column)
	}
	return fmt.Sprintf("line %d", e.Line)
}

// namesLine reports whether a line of a trace has the number of a line of the source, as "line 3", In[1]:3 or an arrow
// before the source.
func namesLine(trace string, number int) bool {
	n := strconv.Itoa(number)
	for rest := ansi.Plain(trace); ; {
		before, after, found := strings.Cut(rest, n)
		if !found {
			return false
		}
		named := strings.TrimRight(before, " ")
		isWhole := after == "" || after[0] < '0' || after[0] > '9'
		if isWhole && (strings.HasSuffix(strings.ToLower(named), "line") || strings.HasSuffix(before, ":") || strings.HasSuffix(named, "->")) {
			return true
		}
		rest = after
	}
}

// ErrorCause says for programs why an engine ended a run with an error; empty for an error of the program itself, even
// one with the same name. Events of older authors have none; one that a build does not know is kept as it is.
type ErrorCause string

// The causes of errors.
const (
	ErrorInterrupted ErrorCause = "interrupted" // the run was asked to stop
	ErrorTimedOut    ErrorCause = "timed-out"   // the time for the run was over
	ErrorLimit       ErrorCause = "limit"       // the run exceeded a limit
)

// OutputAdded says that a run produced an output: while it went on or, with Late, after its end, for example from a
// thread that it had started. Late has the same meaning in the events below. It names the cell, because the run may be
// forgotten by then.
type OutputAdded struct {
	Output OutputID `json:"output"`
	Run    RunID    `json:"run"`
	Epoch  Epoch    `json:"epoch"`
	Late   CellID   `json:"late,omitempty"`
	Value  Output   `json:"value"`
	// Excerpt says that the text is an excerpt of a longer one, as in [OutputAppended].
	Excerpt bool `json:"excerpt,omitempty"`
}

// Type returns OutputAdded.
func (*OutputAdded) Type() Type { return "OutputAdded" }

// Check requires ids, an epoch, and a value that has what its kind needs.
func (e *OutputAdded) Check() error {
	return firstError(checkOutput(e.Output), checkRunEpoch(e.Run, e.Epoch), checkLate(e.Late), e.Value.Check())
}

// Check reports a member that the output lacks for its kind, or that is malformed.
func (o *Output) Check() error {
	err := firstError(checkBundle("data", o.Data), checkArtifacts(o.Artifacts), checkBundle("metadata", o.Metadata))
	if err != nil {
		return err
	}
	switch o.Kind {
	case OutputStream:
		return checkOneOf("stream", o.Stream, Stdout, Stderr)
	case OutputDisplay, OutputResult, OutputMarkdown:
		return nil
	case OutputError:
		if o.Error == nil {
			return fmt.Errorf("error is missing")
		}
		return nil
	}
	return fmt.Errorf("output kind %q is unknown", o.Kind)
}

// OutputAppended says that text was added to the end of a stream or markdown output, after its last Drop UTF-16 code
// units were removed. A carriage return removes the line that it overwrites.
type OutputAppended struct {
	Output OutputID `json:"output"`
	Run    RunID    `json:"run"`
	Epoch  Epoch    `json:"epoch"`
	Late   CellID   `json:"late,omitempty"`
	Drop   int      `json:"drop,omitempty"`
	Text   string   `json:"text"`
	// Excerpt says that the added text is an excerpt of a longer one: the whole follows as an artifact, or is lost. It
	// is dropped as a whole when other text replaces it.
	Excerpt bool `json:"excerpt,omitempty"`
}

// Type returns OutputAppended.
func (*OutputAppended) Type() Type { return "OutputAppended" }

// Check requires ids, an epoch and no negative drop.
func (e *OutputAppended) Check() error {
	if e.Drop < 0 {
		return fmt.Errorf("drop: want no negative number, got %d", e.Drop)
	}
	return firstError(checkOutput(e.Output), checkRunEpoch(e.Run, e.Epoch), checkLate(e.Late))
}

// OutputStored says that values of an output are stored outside the log as artifacts, by MIME type. The one of
// text/plain is the whole text of a stream, and the log has the part that is shown.
type OutputStored struct {
	Output    OutputID            `json:"output"`
	Run       RunID               `json:"run"`
	Epoch     Epoch               `json:"epoch"`
	Late      CellID              `json:"late,omitempty"`
	Artifacts map[string]Artifact `json:"artifacts"`
}

// Type returns OutputStored.
func (*OutputStored) Type() Type { return "OutputStored" }

// Check requires ids, an epoch and at least one artifact.
func (e *OutputStored) Check() error {
	if len(e.Artifacts) == 0 {
		return errors.New("artifacts is missing")
	}
	return firstError(checkOutput(e.Output), checkRunEpoch(e.Run, e.Epoch), checkLate(e.Late), checkArtifacts(e.Artifacts))
}

// DisplayUpdated says that a program replaced the data that it displays under an id, in every cell that shows the id.
type DisplayUpdated struct {
	DisplayID string                     `json:"displayId"`
	Run       RunID                      `json:"run"`
	Epoch     Epoch                      `json:"epoch"`
	Late      CellID                     `json:"late,omitempty"`
	Data      map[string]json.RawMessage `json:"data,omitempty"`
	Artifacts map[string]Artifact        `json:"artifacts,omitempty"`
	Metadata  map[string]json.RawMessage `json:"metadata,omitempty"`
}

// Type returns DisplayUpdated.
func (*DisplayUpdated) Type() Type { return "DisplayUpdated" }

// Check requires a display id, a run, an epoch and well-formed data.
func (e *DisplayUpdated) Check() error {
	return firstError(checkText("displayId", e.DisplayID, 1, MaxKey), checkRunEpoch(e.Run, e.Epoch), checkLate(e.Late),
		checkBundle("data", e.Data), checkArtifacts(e.Artifacts), checkBundle("metadata", e.Metadata))
}

// OutputsCleared says that a run removed its cell's outputs, at once, or with Wait when its next output comes.
type OutputsCleared struct {
	Run   RunID  `json:"run"`
	Epoch Epoch  `json:"epoch"`
	Late  CellID `json:"late,omitempty"`
	Wait  bool   `json:"wait,omitempty"`
}

// Type returns OutputsCleared.
func (*OutputsCleared) Type() Type { return "OutputsCleared" }

// Check requires a run and an epoch.
func (e *OutputsCleared) Check() error {
	return firstError(checkRunEpoch(e.Run, e.Epoch), checkLate(e.Late))
}

// CellOutputsCleared says that a person removed the outputs of cells. No cells means all of them.
type CellOutputsCleared struct {
	Cells []CellID `json:"cells,omitempty"`
	// Reset also removes the record of the cells' last run: its count and how it ended.
	Reset bool `json:"reset,omitempty"`
}

// Type returns CellOutputsCleared.
func (*CellOutputsCleared) Type() Type { return "CellOutputsCleared" }

// Check requires well-formed cell ids.
func (e *CellOutputsCleared) Check() error {
	for i, c := range e.Cells {
		if err := checkCell(c); err != nil {
			return fmt.Errorf("cells[%d]: %w", i, err)
		}
	}
	return nil
}

// OutputsImported says which outputs a cell had in the file that it was imported from. It replaces the outputs of the
// cell.
type OutputsImported struct {
	Cell    CellID   `json:"cell"`
	Outputs []Output `json:"outputs,omitempty"`
	// Count is the execution count that the file gave the cell, 0 for none.
	Count int `json:"count,omitempty"`
}

// Type returns OutputsImported.
func (*OutputsImported) Type() Type { return "OutputsImported" }

// Check requires a cell and well-formed outputs.
func (e *OutputsImported) Check() error {
	for i := range e.Outputs {
		if err := e.Outputs[i].Check(); err != nil {
			return fmt.Errorf("outputs[%d]: %w", i, err)
		}
	}
	return checkCell(e.Cell)
}

// Check requires a valid hash and no negative size.
func (a Artifact) Check() error {
	if len(a.Hash) != 64 || strings.Trim(a.Hash, "0123456789abcdef") != "" {
		return fmt.Errorf("artifact: want a SHA-256 hash of 64 hexadecimal digits, got %q", a.Hash)
	}
	if a.Size < 0 {
		return fmt.Errorf("artifact: want no negative size, got %d", a.Size)
	}
	return nil
}

func checkArtifacts(m map[string]Artifact) error {
	for k, a := range m {
		if err := a.Check(); err != nil {
			return fmt.Errorf("artifacts[%q]: %w", k, err)
		}
	}
	return nil
}

// checkLate requires a well-formed cell or none.
func checkLate(c CellID) error {
	if c == "" {
		return nil
	}
	return checkCell(c)
}

func checkOutput(id OutputID) error { return checkName("output", string(id)) }

func checkBundle(what string, m map[string]json.RawMessage) error {
	for k, v := range m {
		if !validJSON(v) {
			return fmt.Errorf("%s[%q] is not valid JSON", what, k)
		}
	}
	return nil
}
