package tool

import (
	"encoding/json"
	"strings"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

// maxDiff bounds a diff, in bytes, and diffContext is the number of equal lines that it shows around a change.
const (
	maxDiff     = 64 << 10
	diffContext = 3
)

// Diff returns what a call would change in a source, as lines that begin with a space, a minus or a plus; empty for a
// call that changes none, or that would fail. It changes nothing.
func (s *Set) Diff(name string, written json.RawMessage) string {
	d, ok := definitionOf(name)
	if !ok || d.class != event.ToolEdits {
		return ""
	}
	a, err := d.decode(written)
	if err != nil {
		return ""
	}
	if name == "create_cell" {
		return lineDiff("", lines(a.texts["source"]))
	}
	var before, after string
	_ = s.with(func(r *replica.Replica) error {
		c := r.View().Cell(a.cell("cell"))
		if c == nil || c.Deleted || c.HideContext {
			return nil
		}
		before = c.Source()
		after = before
		switch name {
		case "delete_cell":
			after = ""
		case "edit_cell":
			if was := lines(a.texts["old"]); was != "" && strings.Count(before, was) == 1 {
				after = strings.Replace(before, was, lines(a.texts["new"]), 1)
			}
		case "write_cell":
			seen, ok := s.hasSeen(c.ID)
			changed := c.Text().Clone()
			if ok && changed.Apply(merged(seen, before, lines(a.texts["source"]))) == nil {
				after = changed.String()
			}
		}
		return nil
	})
	return lineDiff(before, after)
}

// lineDiff returns the lines that differ between two texts, as one block between their common beginning and end.
func lineDiff(before, after string) string {
	if before == after {
		return ""
	}
	was, now := splitLines(before), splitLines(after)
	head := 0
	for head < min(len(was), len(now)) && was[head] == now[head] {
		head++
	}
	tail := 0
	for tail < min(len(was), len(now))-head && was[len(was)-1-tail] == now[len(now)-1-tail] {
		tail++
	}
	var b strings.Builder
	write := func(sign string, lines []string) {
		for _, line := range lines {
			b.WriteString(sign + line + "\n")
		}
	}
	write(" ", was[max(0, head-diffContext):head])
	write("-", was[head:len(was)-tail])
	write("+", now[head:len(now)-tail])
	write(" ", was[len(was)-tail:min(len(was), len(was)-tail+diffContext)])
	text := b.String()
	if len(text) > maxDiff {
		text = strings.ToValidUTF8(text[:maxDiff], "") + "\n… the rest is not shown\n"
	}
	return text
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
