package scheme

import (
	"errors"
	"fmt"
	"strings"
)

// The kinds of errors that the interpreter raises, which are the names of errors that a program does not handle.
const (
	kindError       = "error" // by the procedure error
	kindUnbound     = "unbound-variable"
	kindUnassigned  = "unassigned-variable"
	kindType        = "wrong-type"
	kindArity       = "wrong-number-of-arguments"
	kindRange       = "out-of-range"
	kindCall        = "not-a-procedure"
	kindDivide      = "division-by-zero"
	kindSyntax      = "syntax-error"
	kindRead        = "read-error"
	kindFile        = "file-error"
	kindPort        = "port-error"
	kindAnswer      = "no-answer" // to ask
	kindGrant       = "not-granted"
	kindImmutable   = "immutable"
	kindUncaught    = "uncaught"           // a raised object that is no error object
	kindContinue    = "handler-returned"   // a handler of raise returned
	kindTooDeep     = "recursion-too-deep" // a limit
	kindMemory      = "out-of-memory"      // a limit
	kindSteps       = "too-many-steps"     // a limit
	kindInterrupted = "interrupted"        // by the end of the context
	kindNesting     = "nested-too-deeply"  // data or source
	kindUnsupported = "unsupported"        // what R7RS leaves to implementations
	kindLibrary     = "unknown-library"    // import
	kindNumber      = "number-too-large"   // an exact integer beyond the bound
)

// condition is an error object, raised by the interpreter or by the procedure error.
type condition struct {
	kind      string
	message   string
	irritants []Value
	payload   Value // of handler-returned: the object that was raised

	at *place // of a syntax or read error: where; nil means the place of the call
}

// place is a position in a source.
type place struct {
	src *source
	pos pos
}

// Error returns the message and the irritants.
func (c *condition) Error() string {
	var b strings.Builder
	b.WriteString(c.message)
	for _, v := range c.irritants {
		b.WriteByte(' ')
		b.WriteString(brief(v, 200))
	}
	return b.String()
}

// limit is the end of a run that the program cannot handle: an interruption, or a bound that it has reached.
type limit struct{ kind, message string }

func (l *limit) Error() string { return l.message }

// exit is the end of a run by the procedure exit.
type exit struct{ status Value }

func (*exit) Error() string { return "exit" }

func fault(kind, format string, args ...any) *condition {
	return &condition{kind: kind, message: fmt.Sprintf(format, args...)}
}

// wrongType is the error of an argument; nth counts from 0.
func wrongType(who string, nth int, want string, got Value) *condition {
	return &condition{
		kind:      kindType,
		message:   fmt.Sprintf("%s: argument %d must be %s, got %s", who, nth+1, want, withType(got)),
		irritants: nil,
	}
}

func outOfRange(who string, nth int, got Value, bound int) *condition {
	if bound < 0 {
		return fault(kindRange, "%s: argument %d is %s, but there are no elements", who, nth+1, brief(got, 60))
	}
	return fault(kindRange, "%s: argument %d is %s, out of the range 0 to %d", who, nth+1, brief(got, 60), bound)
}

func notGranted(who, what string) *condition {
	return fault(kindGrant, "%s: this Scheme has no access to %s", who, what)
}

// withType writes a value with its type, for messages.
func withType(v Value) string {
	switch v.(type) {
	case empty:
		return "the empty list"
	case unspecified:
		return "an unspecified value"
	case *multi:
		return "several values"
	case eof:
		return "the end of the file"
	}
	return "the " + typeName(v) + " " + brief(v, 60)
}

// asCondition returns the condition that an error of a primitive is.
func asCondition(err error) (*condition, bool) {
	c, ok := errors.AsType[*condition](err)
	return c, ok
}
