package scheme

import (
	"context"
	"errors"
	"io"
	"strconv"
)

// Run is one source to execute.
type Run struct {
	Name   string // of the source, in traces
	Source string

	Stdout, Stderr io.Writer // nil to drop what is written

	// Ask returns a line of input, without its end. An error that is io.EOF says that there is none, with its reason.
	// A nil Ask is an empty input.
	Ask func(prompt string, secret bool) (string, error)

	// Show shows a value, and Clear removes what was shown, at once or with the next output; nil if they cannot be.
	Show  func(Shown) error
	Clear func(wait bool) error
}

// Shown is a value to show.
type Shown struct {
	MIME, Text string
	ID         string // by which it can be replaced; may be empty
	Update     bool   // whether it replaces those with its id
}

// Outcome is the end of a run.
type Outcome struct {
	Value    string // of the last form, as write writes it
	HasValue bool   // whether that is worth showing: it is not unspecified
	Exited   bool   // the program has called exit
	Status   int    // then: its exit status
	Err      *Error // nil for a program that succeeded
}

// Error is an error that a program has not handled, or that has ended it.
type Error struct {
	Name      string // the kind, such as wrong-type or unbound-variable
	Message   string // with the irritants
	Irritants []string
	Line      int // in the source of the run, from 1; 0 is unknown
	Column    int // in UTF-16 units, from 1
	Trace     []string
	Stopped   bool // by the end of its context
	Limit     bool // a bound of Config was reached
}

// Error returns the name and the message.
func (e *Error) Error() string { return e.Name + ": " + e.Message }

// Eval executes a source form by form. Definitions stay for later runs, also after an error. The end of ctx interrupts
// the run at its next call or iteration: soon, whatever it does.
func (in *Interp) Eval(ctx context.Context, r Run) Outcome {
	in.run = r
	in.openStandardPorts()
	m := in.machine
	m.ctx = ctx
	m.steps, m.fuel, m.refills = 0, 0, 0
	src := &source{name: r.Name, text: r.Source}
	v, err := in.evalAll(src)
	var out Outcome
	if err == nil {
		out.Value, out.HasValue, err = show(v)
	}
	if flushed := in.flush(); err == nil && flushed != nil {
		err = flushed
	}
	in.dirty = nil
	m.ctx = context.Background()
	if ended, ok := errors.AsType[*exit](err); ok {
		return exited(ended)
	}
	if err != nil {
		return Outcome{Err: in.describe(err, src)}
	}
	return out
}

func (in *Interp) openStandardPorts() {
	open := func(w io.Writer) *port {
		if w == nil {
			w = io.Discard
		}
		return &port{name: "standard", output: &output{w: w}}
	}
	in.stdout.value, in.stderr.value = open(in.run.Stdout), open(in.run.Stderr)
	in.stdin.value = in.textInput("standard", &textIn{pos: pos{1, 1}, more: func() ([]rune, error) {
		line, err := in.ask("", false)
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return []rune(line + "\n"), err
	}})
}

func (in *Interp) evalAll(src *source) (v Value, err error) {
	in.machine.failed = trace{}
	r := &reader{in: newTextIn(decode([]byte(src.text))), intern: in.intern, src: src, spans: map[*pair]span{}}
	v = unspecified{}
	for {
		form, at, err := r.read()
		if errors.Is(err, errEnd) {
			return v, nil
		}
		if err != nil {
			return nil, err
		}
		c, err := in.compile(part{form, at}, src, r.spans, in.user)
		if err != nil {
			return nil, err
		}
		if v, err = in.machine.run(&closure{code: c}); err != nil {
			return nil, err
		}
		clear(r.spans)
	}
}

func show(v Value) (text string, worth bool, err error) {
	switch v := v.(type) {
	case unspecified, unassigned:
		return "", false, nil
	case *multi:
		if len(v.values) == 0 {
			return "", false, nil
		}
	}
	text, err = written(v, false, cycleLabels)
	return text, err == nil, err
}

// exited returns the outcome of a program that has called exit.
func exited(e *exit) Outcome {
	out := Outcome{Exited: true}
	switch status := e.status.(type) {
	case bool:
		if !status {
			out.Status = 1
		}
	case int64:
		out.Status = int(status & 0xFF)
	}
	return out
}

// describe returns an error of a run as users get it.
func (in *Interp) describe(err error, src *source) *Error {
	frames := in.machine.failed.frames
	e := &Error{Name: kindUncaught, Message: err.Error()}
	var at *place
	switch err := err.(type) {
	case *limit:
		e.Name = err.kind
		e.Stopped = err.kind == kindInterrupted
		e.Limit = !e.Stopped
	case *condition:
		e.ofCondition(err)
		at = err.at
	case *uncaught:
		if c, ok := err.v.(*condition); ok {
			e.ofCondition(c)
			at = c.at
		} else {
			e.Message = "the object " + brief(err.v, 1000) + " was raised, and nothing handles it"
			e.Irritants = []string{brief(err.v, 1000)}
		}
	}
	e.Trace = in.machine.failed.lines()
	if at != nil && at.src == src {
		e.Line, e.Column = int(at.pos.line), int(at.pos.column)
		return e
	}
	for i := len(frames) - 1; i >= 0 && at == nil; i-- {
		if f := frames[i]; f.code.src == src {
			p := f.code.position(f.pc)
			e.Line, e.Column = int(p.line), int(p.column)
			break
		}
	}
	return e
}

func (e *Error) ofCondition(c *condition) {
	e.Name, e.Message = c.kind, c.Error()
	for _, v := range c.irritants {
		e.Irritants = append(e.Irritants, brief(v, 1000))
	}
}

// atText says where in a text an error is, for errors of the procedure read.
func atText(p *place) string {
	if p == nil {
		return ""
	}
	return " (in " + p.src.name + ", " + p.pos.String() + ")"
}

// maxTrace bounds the lines of a trace; those in the middle of a longer one are left out.
const maxTrace = 40

// trace is where a run has failed: its frames, the outermost first, without those of the interpreter.
type trace struct {
	frames  []frame
	omitted int // in the middle
}

// trace returns the frames on the stack and below it.
func (m *machine) trace() trace {
	parts := [][]frame{m.frames}
	for s := m.seg; s != nil; s = s.parent {
		parts = append(parts, s.frames)
	}
	var t trace
	for i := len(parts) - 1; i >= 0; i-- {
		for _, f := range parts[i] {
			if f.code.src == nil || f.code.name == "" && f.code.position(f.pc).line == 0 {
				continue
			}
			if len(t.frames) == 2*maxTrace {
				t.omitted += maxTrace / 2
				t.frames = append(t.frames[:maxTrace], t.frames[maxTrace+maxTrace/2:]...)
			}
			t.frames = append(t.frames, f)
		}
	}
	if more := len(t.frames) - maxTrace; more > 0 {
		t.omitted += more
		t.frames = append(t.frames[:maxTrace/2], t.frames[maxTrace/2+more:]...)
	}
	return t
}

// lines describes the frames.
func (t trace) lines() []string {
	lines := make([]string, 0, len(t.frames)+1)
	for i, f := range t.frames {
		if t.omitted > 0 && i == maxTrace/2 {
			lines = append(lines, "… "+strconv.Itoa(t.omitted)+" more calls …")
		}
		lines = append(lines, traceLine(f))
	}
	return lines
}

func traceLine(f frame) string {
	line := f.code.src.name
	if at := f.code.position(f.pc); at.line > 0 {
		line += ":" + strconv.Itoa(int(at.line)) + ":" + strconv.Itoa(int(at.column))
	}
	if f.code.name != "" {
		return line + ": in " + f.code.name
	}
	return line
}
