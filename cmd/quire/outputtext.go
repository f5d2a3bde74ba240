package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/event"
)

// outputText returns an output as plain text.
func outputText(v *event.Output) string {
	switch v.Kind {
	case event.OutputStream, event.OutputMarkdown:
		return v.Text
	case event.OutputError:
		return errorText(v.Error)
	}
	return bundleText(v)
}

// errorText returns what a program failed with: the trace, if there is one.
func errorText(e *event.Error) string {
	switch {
	case e == nil:
		return "error"
	case len(e.Trace) > 0:
		return strings.Join(e.Trace, "\n")
	case e.Message == "":
		return e.Name
	}
	return e.Name + ": " + e.Message
}

// textTypes are the MIME types that are shown as they are, the best first.
var textTypes = [...]string{"text/plain", "text/markdown", "text/latex"}

// bundleText returns the plainest representation of a value, or else says which
// there are.
func bundleText(v *event.Output) string {
	for _, mime := range textTypes {
		var s string
		if raw, ok := v.Data[mime]; ok && json.Unmarshal(raw, &s) == nil {
			return s
		}
	}
	var parts []string
	for _, mime := range slices.Sorted(maps.Keys(v.Data)) {
		parts = append(parts, fmt.Sprintf("%s, %d bytes", mime, len(v.Data[mime])))
	}
	for _, mime := range slices.Sorted(maps.Keys(v.Artifacts)) {
		parts = append(parts, fmt.Sprintf("%s, %d bytes", mime, v.Artifacts[mime].Size))
	}
	return "[" + strings.Join(parts, "; ") + "]"
}
