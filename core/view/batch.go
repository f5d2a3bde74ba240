package view

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/text"
)

func compare[ID ~string](a, b ID) int { return cmp.Compare(a, b) }

// sameRow reports whether two rows of a cell say the same. Rows have no texts here.
func sameRow(a, b Cell) bool {
	return a.ID == b.ID && a.Kind == b.Kind && a.Language == b.Language && a.Author == b.Author && a.Deleted == b.Deleted && a.Deleter == b.Deleter &&
		a.HideSource == b.HideSource && a.HideOutputs == b.HideOutputs && a.HideContext == b.HideContext &&
		a.Stale == b.Stale && a.Run == b.Run && a.Count == b.Count &&
		slices.Equal(a.Outputs, b.Outputs) && maps.EqualFunc(a.Metadata, b.Metadata, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
}

// gone returns where the rows go that there are no more.
func (b *Batch) gone() *Gone {
	if b.Gone == nil {
		b.Gone = &Gone{}
	}
	return b.Gone
}

// empty reports whether there is nothing to show.
func (b *Batch) empty() bool {
	return !b.Reset && b.Notebook == nil && b.Gone == nil && b.Queue == nil && b.Peers == nil && b.Status == nil &&
		len(b.Cells)+len(b.Texts)+len(b.Moved)+len(b.Runs)+len(b.Outputs)+len(b.Appended)+len(b.Runtimes)+len(b.Inputs)+len(b.Refused) == 0
}

// extend adds to what was appended before it was shown.
func (a *Append) extend(drop int, s string) {
	if drop == 0 {
		a.Text += s
		return
	}
	own := text.UTF16Len(a.Text)
	if drop >= own {
		a.Drop, a.Text = a.Drop+drop-own, s
		return
	}
	t := text.NewText(a.Text)
	_ = t.Append(drop, s) // fits: drop is less than it has, and the fold took it whole
	a.Text = t.String()
}

// inserted returns all that an edit inserts.
func inserted(e text.Edit) string {
	var parts []any
	if json.Unmarshal(e.AppendJSON(nil), &parts) != nil {
		return ""
	}
	var b strings.Builder
	for _, part := range parts {
		if s, ok := part.(string); ok {
			b.WriteString(s)
		}
	}
	return b.String()
}
