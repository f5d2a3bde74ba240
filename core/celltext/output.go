package celltext

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/ansi"
	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/core/event"
)

// textTypes are the types whose values are text for a model, the best first. The text/plain of a table has its columns.
var textTypes = [...]string{"text/plain", "text/markdown", "text/latex"}

// imageTypes are the types of pictures that models see.
var imageTypes = [...]string{"image/png", "image/jpeg", "image/webp", "image/gif"}

// Output returns an output as text without a bound, and its picture if it has one.
func Output(v *event.Output) (string, *assist.Image) {
	switch v.Kind {
	case event.OutputStream, event.OutputMarkdown:
		return ansi.Plain(v.Text) + kept(v), nil
	case event.OutputError:
		return errorText(v.Error), nil
	}
	return bundleText(v) + kept(v), imageOf(v)
}

// errorText returns the trace of an error, or else its name and message.
func errorText(e *event.Error) string {
	if e == nil {
		return "error"
	}
	said := strings.TrimSuffix(e.Name+": "+e.Message, ": ")
	trace := strings.TrimRight(strings.Join(e.Trace, "\n"), "\n")
	switch {
	case strings.TrimSpace(trace) == "" && e.Line > 0:
		return ansi.Plain(fmt.Sprintf("%s (line %d)", said, e.Line))
	case strings.TrimSpace(trace) == "":
		return ansi.Plain(said)
	}
	return ansi.Plain(trace)
}

// bundleText returns the value of a display or result as text.
func bundleText(v *event.Output) string {
	for _, mime := range textTypes {
		if text, ok := stringOf(v.Data[mime]); ok && text != "" {
			return ansi.Plain(text)
		}
	}
	if text, ok := stringOf(v.Data["text/html"]); ok {
		return textOfHTML(text)
	}
	for _, mime := range slices.Sorted(maps.Keys(v.Data)) {
		if artifact.IsJSON(mime) {
			var b bytes.Buffer
			if json.Indent(&b, v.Data[mime], "", " ") == nil {
				return b.String()
			}
		}
	}
	var parts []string
	for _, mime := range slices.Sorted(maps.Keys(v.Data)) {
		parts = append(parts, fmt.Sprintf("%s, %d bytes", mime, len(v.Data[mime])))
	}
	if len(parts) == 0 {
		return ""
	}
	return "[" + strings.Join(parts, "; ") + "]"
}

// kept names the values of an output that are outside the log.
func kept(v *event.Output) string {
	var parts []string
	for _, mime := range slices.Sorted(maps.Keys(v.Artifacts)) {
		parts = append(parts, fmt.Sprintf("%s, %d bytes", mime, v.Artifacts[mime].Size))
	}
	if len(parts) == 0 {
		return ""
	}
	return "\n[stored in full outside the notebook: " + strings.Join(parts, "; ") + "]"
}

func stringOf(raw json.RawMessage) (text string, ok bool) {
	return text, len(raw) > 0 && json.Unmarshal(raw, &text) == nil
}

// imageOf returns the picture of an output, or nil.
func imageOf(v *event.Output) *assist.Image {
	for _, mime := range imageTypes {
		text, ok := stringOf(v.Data[mime])
		if !ok {
			continue
		}
		if data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), "")); err == nil && len(data) > 0 {
			return &assist.Image{MIME: mime, Data: data}
		}
	}
	return nil
}

var (
	hiddenHTML = regexp.MustCompile(`(?is)<(script|style)\b.*?</(script|style)>|<!--.*?-->`)
	cellEnds   = regexp.MustCompile(`(?i)</t[dh]>`)
	lineEnds   = regexp.MustCompile(`(?i)</(tr|p|div|li|h[1-6]|pre)>|<br\s*/?>`)
	tags       = regexp.MustCompile(`(?s)<[^>]*>`)
	blankLines = regexp.MustCompile(`\n[ \t]*(\n[ \t]*)+`)
)

// textOfHTML returns the text of HTML: the cells of a table with bars between, and a line for each row and block.
func textOfHTML(source string) string {
	text := hiddenHTML.ReplaceAllString(source, "")
	text = strings.Join(strings.Fields(text), " ")
	text = cellEnds.ReplaceAllString(text, " | ")
	text = lineEnds.ReplaceAllString(text, "\n")
	text = html.UnescapeString(tags.ReplaceAllString(text, ""))
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, strings.TrimSuffix(strings.Join(strings.Fields(line), " "), " |"))
	}
	return strings.TrimSpace(blankLines.ReplaceAllString(strings.Join(lines, "\n"), "\n"))
}
