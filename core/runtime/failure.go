package runtime

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/names"
)

// The names of the errors that a run gets when its engine, not its program, failed.
const (
	EngineDied     = "EngineDied"     // it ended during the run, and the variables are lost
	EngineFailed   = "EngineFailed"   // it could not execute
	EngineNotReady = "EngineNotReady" // it could not be loaded
	NoEngine       = "NoEngine"       // the runtime has none for the language
)

// maxMessage and maxTrace bound the text of an error.
const (
	maxMessage = 64 << 10
	maxTrace   = 500 // lines
)

// failure returns a program's error as an event holds it.
func failure(e *lang.Error) *event.Error {
	f := &event.Error{
		Name: valid(e.Name), Message: valid(e.Message), Line: max(e.Line, 0), Column: max(e.Column, 0),
		Cause: causes[e.Cause],
	}
	trace := withMessage(e)
	if cut := len(trace) - maxTrace; cut > 0 {
		half := maxTrace / 2
		f.Trace = append(f.Trace, trace[:half]...)
		f.Trace = append(f.Trace, fmt.Sprintf("… %d lines not shown …", cut))
		trace = trace[cut+half:]
	}
	f.Trace = append(f.Trace, trace...)
	for i, line := range f.Trace {
		f.Trace[i] = valid(line[:prefix(line, maxMessage/16)])
	}
	return f
}

// withMessage returns the trace with the name and the message of the error, which a terminal shows with nothing else. Some languages
// have them in the trace, and of a time-out a language knows only that it was interrupted.
func withMessage(e *lang.Error) []string {
	said := func(line string) bool { return strings.Contains(line, firstLine(e.Message)) }
	switch {
	case len(e.Trace) == 0 || slices.ContainsFunc(e.Trace, said):
		return e.Trace
	case e.Cause == lang.CauseTimedOut:
		return append(slices.Clip(e.Trace), e.Error())
	}
	return append(strings.Split(e.Error(), "\n"), e.Trace...)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// causes are the causes of errors in events.
var causes = map[lang.Cause]event.ErrorCause{
	lang.CauseInterrupted: event.ErrorInterrupted, lang.CauseTimedOut: event.ErrorTimedOut, lang.CauseLimit: event.ErrorLimit,
}

// valid returns text that is UTF-8 and not too long.
func valid(s string) string {
	return strings.ToValidUTF8(s[:prefix(s, maxMessage)], "\uFFFD")
}

// notReady returns the error of a run whose engine could not be loaded.
func notReady(err error, language string, languages []string) *event.Error {
	if errors.Is(err, lang.ErrUnknown) {
		return &event.Error{Name: NoEngine, Message: valid(noEngine(language, languages))}
	}
	return &event.Error{Name: EngineNotReady, Message: valid(err.Error())}
}

// noEngine returns a sentence for users: the language cannot be executed, and alternatives.
func noEngine(language string, languages []string) string {
	if language == names.SQL {
		return "SQL cells cannot run here yet. Send the query from a code cell, for example with sqlite3 of Python."
	}
	return fmt.Sprintf("%s cannot run here: this runtime has %s. Choose another language for the cell, or a kernel for %s with \"quire kernel\".",
		language, strings.Join(languages, ", "), language)
}

func isDeath(err error) bool { return errors.Is(err, lang.ErrDied) || errors.Is(err, lang.ErrClosed) }

// prefix returns the length of the longest prefix of s with whole runes and at most n bytes.
func prefix(s string, n int) int {
	if len(s) <= n {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}
