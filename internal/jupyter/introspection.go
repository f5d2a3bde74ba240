package jupyter

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/quirehq/quire/core/lang"
)

// Abilities implements lang.Engine. During a run they return lang.ErrBusy at once; a run that begins
// does not wait for them, and they return it too.
func (e *Engine) Abilities() lang.Abilities {
	return lang.Abilities{Completer: e, Inspector: e, Drainer: e, Commer: e}
}

// position is a cursor in a source; kernels count it in characters.
type position struct {
	Code   string `json:"code"`
	Cursor int    `json:"cursor_pos"`
}

func positionOf(at lang.Place) position {
	return position{Code: at.Source, Cursor: characters(at.Source, at.Cursor)}
}

// Complete implements lang.Completer.
func (e *Engine) Complete(ctx context.Context, at lang.Place) (lang.Completion, error) {
	var found completion
	if err := e.query(ctx, "complete_request", positionOf(at), &found); err != nil {
		return lang.Completion{}, err
	}
	return found.in(at.Source), nil
}

// completion is a kernel's reply. The metadata is an extension of IPython that other kernels have
// adopted.
type completion struct {
	Matches  []string `json:"matches"`
	Start    int      `json:"cursor_start"`
	End      int      `json:"cursor_end"`
	Metadata struct {
		Types []struct {
			Text      string `json:"text"`
			Type      string `json:"type"`
			Signature string `json:"signature"`
		} `json:"_jupyter_types_experimental"`
	} `json:"metadata"`
}

// in returns the completion with offsets in UTF-16 units of the source.
func (c *completion) in(source string) lang.Completion {
	return lang.Completion{Start: units(source, c.Start), End: units(source, max(c.Start, c.End)), Items: c.items()}
}

func (c *completion) items() []lang.Candidate {
	items := make([]lang.Candidate, len(c.Matches))
	known := map[string]lang.Candidate{}
	for _, t := range c.Metadata.Types {
		known[t.Text] = lang.Candidate{Kind: strings.Trim(t.Type, "<>"), Type: t.Signature}
	}
	for i, match := range c.Matches {
		items[i] = known[match]
		items[i].Text = match
		if items[i].Kind == "unknown" {
			items[i].Kind = ""
		}
	}
	return items
}

// Inspect implements lang.Inspector. A kernel replies with one text; the signature is the line
// labelled as such, if there is one.
func (e *Engine) Inspect(ctx context.Context, at lang.Place) (lang.Inspection, error) {
	request := struct {
		position
		Detail int `json:"detail_level"`
	}{positionOf(at), 0}
	request.Cursor = into(at.Source, request.Cursor)
	var found struct {
		Found bool                       `json:"found"`
		Data  map[string]json.RawMessage `json:"data"`
	}
	if err := e.query(ctx, "inspect_request", request, &found); err != nil || !found.Found || len(found.Data) == 0 {
		return lang.Inspection{}, err
	}
	inspection := lang.Inspection{Found: true, Data: found.Data}
	var text string
	if json.Unmarshal(found.Data["text/plain"], &text) == nil {
		text = unstyled(text)
		if unknown.MatchString(text) {
			return lang.Inspection{}, nil
		}
		inspection.Signature = signature(text)
		inspection.Data["text/plain"] = lang.Text("", text).Data[""]
	}
	return inspection, nil
}

// unknown matches the text that R's kernel sends, as a found result, where there is no
// documentation.
var unknown = regexp.MustCompile(`^# Help document:\s+No documentation for `)

// into moves a cursor from right before a name into it: kernels look only to the left of the
// cursor.
func into(source string, cursor int) int {
	text := []rune(source)
	isName := func(c rune) bool { return c == '_' || unicode.IsLetter(c) }
	if cursor >= len(text) || !isName(text[cursor]) {
		return cursor
	}
	if cursor > 0 && (isName(text[cursor-1]) || unicode.IsDigit(text[cursor-1]) || text[cursor-1] == '.') {
		return cursor
	}
	return cursor + 1
}

// signature returns the text of the line labelled as the signature, "" if there is none.
func signature(text string) string {
	for line := range strings.Lines(text) {
		for _, label := range []string{"Signature:", "Init signature:"} {
			if rest, ok := strings.CutPrefix(line, label); ok {
				return strings.TrimSpace(rest)
			}
		}
	}
	return ""
}

// Completeness says whether a source can be executed as it is.
type Completeness string

// The answers that a kernel gives.
const (
	Complete   Completeness = "complete"
	Incomplete Completeness = "incomplete" // more has to follow
	Invalid    Completeness = "invalid"    // no continuation makes it valid
	Unknown    Completeness = "unknown"
)

// IsComplete says whether a source can be executed, and how the next line should be
// indented if not.
func (e *Engine) IsComplete(ctx context.Context, source string) (is Completeness, indent string, err error) {
	var reply struct {
		Status Completeness `json:"status"`
		Indent string       `json:"indent"`
	}
	err = e.query(ctx, "is_complete_request", map[string]string{"code": source}, &reply)
	return reply.Status, reply.Indent, err
}

// History returns the last sources that the kernel has executed, the oldest first.
func (e *Engine) History(ctx context.Context, most int) ([]string, error) {
	var reply struct {
		History [][]json.RawMessage `json:"history"`
	}
	err := e.query(ctx, "history_request", map[string]any{
		"hist_access_type": "tail", "n": most, "output": false, "raw": true,
	}, &reply)
	var sources []string
	for _, entry := range reply.History { // of session, number and source
		var source string
		if len(entry) == 3 && json.Unmarshal(entry[2], &source) == nil {
			sources = append(sources, source)
		}
	}
	return sources, err
}

// units converts a number of characters from the start of a text into UTF-16 units.
func units(text string, characters int) int {
	n := 0
	for _, c := range text {
		if characters--; characters < 0 {
			break
		}
		n += utf16.RuneLen(c)
	}
	return n
}

// characters converts a number of UTF-16 units from the start of a text into characters. An offset
// beyond the text is its end; one within a character is its start.
func characters(text string, units int) int {
	n := 0
	for _, c := range text {
		if units -= utf16.RuneLen(c); units < 0 {
			break
		}
		n++
	}
	return n
}
