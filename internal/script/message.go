package script

import (
	"cmp"
	"strings"

	"github.com/quirehq/quire/core/engineproto"
	"github.com/quirehq/quire/core/lang"
)

// shape returns the error for the sink: it has a name, and its texts are what a sink takes.
func shape(e *engineproto.Error) *lang.Error {
	if e == nil {
		return nil
	}
	shaped := &lang.Error{Name: cmp.Or(e.Name, "Error"), Message: e.Message, Line: max(e.Line, 0), Lack: cmp.Or(e.Lack, lang.LackOfText(e.Message))}
	if shaped.Line > 0 {
		shaped.Column = max(e.Column, 0)
	}
	for _, line := range e.Trace {
		shaped.Trace = append(shaped.Trace, strings.Split(strings.TrimRight(line, "\r\n"), "\n")...)
	}
	if e.Cause == engineproto.Limit {
		shaped.Cause = lang.CauseLimit
	}
	return shaped
}

// isInterrupted reports whether an engine has ended a run or a call because it was interrupted.
func isInterrupted(e *engineproto.Error) bool { return e != nil && e.Cause == engineproto.Interrupted }

// exits are the ways out of a program.
var exits = map[engineproto.Exit]lang.Exit{engineproto.Kept: lang.Exited, engineproto.Gone: lang.ExitedGone}

// runOf returns the run that a message belongs to as output, 0 if it names none, and whether it is output.
func runOf(m engineproto.FromEngine) (run int, isOutput bool) {
	switch m := m.(type) {
	case *engineproto.Text:
		return m.Run, true
	case *engineproto.Display:
		return m.Run, true
	case *engineproto.Update:
		return m.Run, true
	case *engineproto.Result:
		return 0, true
	case *engineproto.Failure:
		return m.Run, true
	case *engineproto.Clear:
		return m.Run, true
	}
	return 0, false
}

// deliver passes output other than text to the sink.
func deliver(m engineproto.FromEngine, sink lang.Sink) {
	switch m := m.(type) {
	case *engineproto.Display:
		sink.Display(lang.Bundle{Data: m.Data, Metadata: m.Metadata}, m.ID)
	case *engineproto.Update:
		if m.ID != "" {
			sink.Update(m.ID, lang.Bundle{Data: m.Data, Metadata: m.Metadata})
		}
	case *engineproto.Result:
		sink.Result(lang.Bundle{Data: m.Data, Metadata: m.Metadata}, "")
	case *engineproto.Failure:
		sink.Fail(shape(m.Error))
	case *engineproto.Clear:
		sink.Clear(m.Wait)
	}
}
