package scheme

import (
	"errors"
	"io"
)

// notebookPrims are the procedures of the library (quire notebook), by which a program asks its user and shows values.
func notebookPrims() []*prim {
	return []*prim{
		{name: "ask", max: 1, fn: asking("ask", false)},
		{name: "ask-secret", max: 1, fn: asking("ask-secret", true)},
		{name: "show", min: 2, max: 3, fn: func(m *machine, a []Value) (Value, error) { return m.show("show", a, false) }},
		{name: "update-shown!", min: 3, max: 3, fn: func(m *machine, a []Value) (Value, error) {
			return m.show("update-shown!", []Value{a[1], a[2], a[0]}, true)
		}},
		{name: "show-html", min: 1, max: 1, fn: func(m *machine, a []Value) (Value, error) {
			return m.show("show-html", []Value{newStr("text/html"), a[0]}, false)
		}},
		{name: "show-markdown", min: 1, max: 1, fn: func(m *machine, a []Value) (Value, error) {
			return m.show("show-markdown", []Value{newStr("text/markdown"), a[0]}, false)
		}},
		{name: "clear-output", max: 1, fn: clearOutput},
	}
}

// asking returns a procedure that asks the user for a line. Unlike the end of a port, a missing answer is an error.
func asking(who string, secret bool) primitive {
	return func(m *machine, a []Value) (Value, error) {
		prompt := ""
		if len(a) == 1 {
			s, err := argStr(who, a, 0)
			if err != nil {
				return nil, err
			}
			prompt = s.String()
		}
		line, err := m.in.ask(prompt, secret)
		if errors.Is(err, io.EOF) {
			return nil, fault(kindAnswer, "%s: there is no answer: %v", who, err)
		}
		if err != nil {
			return nil, err
		}
		return newStr(line), nil
	}
}

// ask gets a line from the host. Its error is io.EOF when there is none.
func (in *Interp) ask(prompt string, secret bool) (string, error) {
	if err := in.flush(); err != nil {
		return "", err
	}
	if in.run.Ask == nil {
		return "", io.EOF
	}
	line, err := in.run.Ask(prompt, secret)
	if in.machine.ctx.Err() != nil {
		return "", in.machine.refill(0)
	}
	return line, err
}

// show shows a text of a type, under an optional id.
func (m *machine) show(who string, a []Value, update bool) (Value, error) {
	var texts [3]string
	for i := range a {
		s, err := argStr(who, a, i)
		if err != nil {
			return nil, err
		}
		texts[i] = s.String()
	}
	if m.in.run.Show == nil {
		return nil, notGranted(who, "a display")
	}
	if err := m.in.flush(); err != nil {
		return nil, err
	}
	if err := m.in.run.Show(Shown{MIME: texts[0], Text: texts[1], ID: texts[2], Update: update}); err != nil {
		return nil, fault(kindPort, "%s: %v", who, err)
	}
	return unspecified{}, nil
}

// clearOutput is (clear-output WAIT?).
func clearOutput(m *machine, a []Value) (Value, error) {
	if m.in.run.Clear == nil {
		return nil, notGranted("clear-output", "a display")
	}
	if err := m.in.flush(); err != nil {
		return nil, err
	}
	return unspecified{}, m.in.run.Clear(len(a) == 1 && truth(a[0]))
}
