package event_test

import (
	"encoding/json"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

func cellCases() []checkCase {
	yes, no := true, false
	const kinds = ` is none of ["code" "markdown" "sql" "ai" "raw"]`
	return []checkCase{
		{&event.CellCreated{Cell: "c1", Kind: event.KindCode, Language: "python", Order: "R", Source: "print('<é🐎>')\n"}, ""},
		{&event.CellCreated{Cell: "c1", Kind: event.KindAI, Order: "R!c1!R"}, ""},
		{&event.CellCreated{Kind: event.KindCode, Order: "R"}, "cell is missing"},
		{&event.CellCreated{Cell: "c1", Kind: "poem", Order: "R"}, `kind "poem"` + kinds},
		{&event.CellCreated{Cell: "c1", Kind: event.KindRaw, Language: "\xff", Order: "R"}, "language is not valid UTF-8"},
		{&event.CellCreated{Cell: "c1", Kind: event.KindSQL, Order: "R", Source: "\xff"}, "source is not valid UTF-8"},

		{&event.SourceEdited{Cell: "c1", Rev: 7, Edit: text.Replace(3, 2, "<\"é🐎\u2028\n>")}, ""},
		{&event.SourceEdited{Cell: "c1"}, ""},
		{&event.SourceEdited{Edit: text.Insert(0, "x")}, "cell is missing"},

		{&event.CellKindChanged{Cell: "c1", Kind: event.KindMarkdown}, ""},
		{&event.CellKindChanged{Kind: event.KindMarkdown}, "cell is missing"},
		{&event.CellKindChanged{Cell: "c1"}, `kind ""` + kinds},

		{&event.CellLanguageChanged{Cell: "c1", Language: "r"}, ""},
		{&event.CellLanguageChanged{Cell: "c1"}, ""},
		{&event.CellLanguageChanged{Cell: "c 1"}, `cell "c 1" has a character other than letters, digits, - and _`},
		{&event.CellLanguageChanged{Cell: "c1", Language: long(65)}, "language is 65 bytes, at most 64 fit"},

		{&event.CellMoved{Cell: "c1", Order: "S"}, ""},
		{&event.CellMoved{Order: "S"}, "cell is missing"},

		{&event.CellDeleted{Cell: "c1"}, ""},
		{&event.CellDeleted{}, "cell is missing"},
		{&event.CellRestored{Cell: "c1"}, ""},
		{&event.CellRestored{Cell: event.CellID(long(65))}, "cell is 65 bytes, at most 64 fit"},

		{&event.CellVisibilitySet{Cell: "c1", Source: &no, Outputs: &yes}, ""},
		{&event.CellVisibilitySet{Cell: "c1", Context: &no}, ""},
		{&event.CellVisibilitySet{Context: &no}, "cell is missing"},

		{&event.CellMetadataSet{Cell: "c1", Key: "tags", Value: json.RawMessage(`["a&b"]`)}, ""},
		{&event.CellMetadataSet{Key: "tags"}, "cell is missing"},
		{&event.CellMetadataSet{Cell: "c1"}, "key is missing"},
		{&event.CellMetadataSet{Cell: "c1", Key: "tags", Value: json.RawMessage(`1 2`)}, "value is not valid JSON"},
	}
}
