package engineproto

import (
	"fmt"

	"github.com/quirehq/quire/core/lang"
)

// methodsOf returns the methods that an interpreter answers.
func methodsOf(in Interpreter) []Method {
	methods := []Method{}
	add := func(is bool, names ...Method) {
		if is {
			methods = append(methods, names...)
		}
	}
	_, is := in.(lang.Completer)
	add(is, Complete)
	_, is = in.(lang.Inspector)
	add(is, Inspect)
	_, is = in.(lang.VariableLister)
	add(is, Variables)
	_, is = in.(Installer)
	add(is, Install)
	_, is = in.(lang.Resetter)
	add(is, Reset)
	_, is = in.(Accessor)
	add(is, Get, Set)
	_, is = in.(Idler)
	add(is, Drain)
	return methods
}

// answer calls the method of the interpreter.
func (s *server) answer(c *pendingCall) (any, error) {
	switch c.Method {
	case Complete:
		if in, ok := s.in.(lang.Completer); ok {
			return in.Complete(c.ctx, lang.Place{Source: c.Source, Cursor: c.Cursor})
		}
	case Inspect:
		if in, ok := s.in.(lang.Inspector); ok {
			return in.Inspect(c.ctx, lang.Place{Source: c.Source, Cursor: c.Cursor})
		}
	case Variables:
		if in, ok := s.in.(lang.VariableLister); ok {
			return listed(in.Variables(c.ctx))
		}
	case Install:
		if in, ok := s.in.(Installer); ok {
			return nil, in.Install(c.ctx, c.Packages, &Output{s: s})
		}
	case Reset:
		if in, ok := s.in.(lang.Resetter); ok {
			return nil, in.Reset(c.ctx)
		}
	case Get:
		if in, ok := s.in.(Accessor); ok {
			return in.Get(c.ctx, c.Name)
		}
	case Set:
		if in, ok := s.in.(Accessor); ok {
			return nil, in.Set(c.ctx, c.Name, c.Value)
		}
	case Drain:
		if in, ok := s.in.(Idler); ok {
			in.Idle(c.ctx, nil)
			return nil, c.ctx.Err()
		}
	}
	return nil, &Error{Name: "NotSupported", Message: fmt.Sprintf("this engine does not answer %q", c.Method)}
}

// listed has no variables be an empty list.
func listed(variables []lang.Variable, err error) ([]lang.Variable, error) {
	if variables == nil {
		variables = []lang.Variable{}
	}
	return variables, err
}
