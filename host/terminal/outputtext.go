package terminal

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
		if len(v.Artifacts) > 0 {
			return strings.TrimSuffix(v.Text, "\n") + "\n[all of it: " + artifactList(v.Artifacts) + "]"
		}
		return v.Text
	case event.OutputError:
		return errorText(v.Error)
	}
	return bundleText(v)
}

// errorText returns the error of a program with its trace and its place.
func errorText(e *event.Error) string {
	if e == nil {
		return "error"
	}
	return strings.Join(e.Lines(), "\n")
}

// textTypes are the MIME types that are shown as they are, the best first.
var textTypes = [...]string{"text/plain", "text/markdown", "text/latex"}

// bundleText returns the plainest representation of a value, or a list of its
// representations if it has none in text or they are artifacts.
func bundleText(v *event.Output) string {
	text := ""
	for _, mime := range textTypes {
		if raw, ok := v.Data[mime]; ok && json.Unmarshal(raw, &text) == nil {
			break
		}
	}
	var parts []string
	if text == "" {
		for _, mime := range slices.Sorted(maps.Keys(v.Data)) {
			parts = append(parts, fmt.Sprintf("%s, %d bytes", mime, len(v.Data[mime])))
		}
	}
	if len(v.Artifacts) > 0 {
		parts = append(parts, artifactList(v.Artifacts))
	}
	switch {
	case len(parts) == 0:
		return text
	case text != "":
		text += "\n"
	}
	return text + "[" + strings.Join(parts, "; ") + "]"
}

// artifactList names artifacts as `quire artifact` takes them.
func artifactList(artifacts map[string]event.Artifact) string {
	var parts []string
	for _, mime := range slices.Sorted(maps.Keys(artifacts)) {
		a := artifacts[mime]
		parts = append(parts, fmt.Sprintf("%s, %d bytes, artifact %s", mime, a.Size, a.Hash))
	}
	return strings.Join(parts, "; ")
}
