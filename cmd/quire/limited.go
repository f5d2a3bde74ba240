package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/python"
)

// limited is a Python that names the limit which a run has hit: Python says no more
// than what it could not have.
type limited struct {
	*python.Engine
	limits limits
}

// Execute implements [lang.Engine].
func (e *limited) Execute(ctx context.Context, req lang.Request, sink lang.Sink) (lang.Result, error) {
	result, err := e.Engine.Execute(ctx, req, sink)
	if result.Err == nil {
		return result, err
	}
	if note := e.limits.note(result.Err); note != "" {
		failed := *result.Err
		failed.Message = strings.TrimPrefix(failed.Message+"; "+note, "; ")
		failed.Trace = append(slices.Clip(failed.Trace), note)
		result.Err = &failed
	}
	return result, err
}

// note names the limit that an error comes from, with its value. It is empty if there
// is none.
func (l limits) note(failed *lang.Error) string {
	is := func(name string, messages ...string) bool {
		return strings.HasSuffix(failed.Name, name) && (messages == nil || slices.ContainsFunc(messages, func(m string) bool {
			return strings.Contains(failed.Message, m)
		}))
	}
	switch {
	case l.memory > 0 && is("MemoryError"):
		return "the limit of memory is " + sizeText(l.memory) + " (--memory)"
	case l.cpu > 0 && is("CPULimitExceeded"):
		return fmt.Sprintf("the limit of processor time is %v (--cpu)", l.cpu)
	case l.fileSize > 0 && is("OSError", "[Errno 27]"):
		return "the limit of a file's size is " + sizeText(l.fileSize) + " (--file-size)"
	case l.files > 0 && is("OSError", "[Errno 24]"):
		return fmt.Sprintf("the limit of open files is %d (--files)", l.files)
	case l.processes > 0 && (is("BlockingIOError", "[Errno 11]") || is("RuntimeError", "can't start new thread")):
		return fmt.Sprintf("the limit of processes is %d (--processes)", l.processes)
	}
	return ""
}
