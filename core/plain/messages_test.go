package plain

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

func TestAFormatThatThereIsNotIsNamedWithThoseThatThereAre(t *testing.T) {
	const read = "a notebook is read from .ipynb, .md or a program, such as .py, .r, .jl or .js"
	for _, c := range []struct {
		ending  string
		reading bool
		want    string
	}{
		{"txt", true, `there is no notebook format "txt": ` + read},
		{"html", true, "a page of HTML can be written and not read: " + read},
		{"txt", false, `there is no notebook format "txt": a notebook is written as .ipynb, .md, .html or a program, such as .py, .r, .jl or .js`},
	} {
		if got := NoFormat(c.ending, c.reading); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestAttachedFilesThatAFormLeavesOutAreCounted(t *testing.T) {
	n := notebook.New()
	for i, p := range []event.Payload{
		&event.CellCreated{Cell: "a", Kind: event.KindMarkdown, Order: "V"},
		&event.CellMetadataSet{Cell: "a", Key: "ipynb", Value: json.RawMessage(`{"attachments":{"a.png":{"image/png":"AA=="},"b.png":{}}}`)},
		&event.CellCreated{Cell: "b", Kind: event.KindMarkdown, Order: "W"},
	} {
		if _, err := n.Apply(&event.Event{ID: event.ID{Client: "a", N: uint64(i) + 1}, Payload: p}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := Attachments(n); got != 2 {
		t.Errorf("got %d, want 2", got)
	}
	if got := WithoutAttachments(2); !strings.HasPrefix(got, "2 attached files are left out") {
		t.Errorf("got %q", got)
	}
}
