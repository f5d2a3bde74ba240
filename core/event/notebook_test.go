package event_test

import (
	"encoding/json"
	"strings"

	"github.com/quirehq/quire/core/event"
)

func notebookCases() []checkCase {
	return []checkCase{
		{&event.NotebookTitled{Title: "Réunion <1> & \"2\" 🐎\n"}, ""},
		{&event.NotebookTitled{Title: strings.Repeat("t", event.MaxTitle)}, ""},
		{&event.NotebookTitled{}, "title is missing"},
		{&event.NotebookTitled{Title: strings.Repeat("t", event.MaxTitle+1)}, "title is 1025 bytes, at most 1024 fit"},
		{&event.NotebookTitled{Title: "\xff"}, "title is not valid UTF-8"},

		{&event.NotebookMetadataSet{Key: "theme", Value: json.RawMessage(`{"dark":[true,null,"<b>"]}`)}, ""},
		{&event.NotebookMetadataSet{Key: "theme", Value: json.RawMessage(`null`)}, ""},
		{&event.NotebookMetadataSet{Key: "theme"}, ""},
		{&event.NotebookMetadataSet{Value: json.RawMessage(`1`)}, "key is missing"},
		{&event.NotebookMetadataSet{Key: strings.Repeat("k", event.MaxKey+1)}, "key is 257 bytes, at most 256 fit"},
		{&event.NotebookMetadataSet{Key: "k", Value: json.RawMessage(`{`)}, "value is not valid JSON"},
		{&event.NotebookMetadataSet{Key: "k", Value: json.RawMessage("\"\xff\"")}, "value is not valid JSON"},
	}
}
