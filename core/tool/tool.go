// Package tool has the tools by which agents work on a notebook: assistants in their runs, and agents outside by a
// server's protocol.
//
// A Tool has a name, a class, a description for models and a JSON Schema of its arguments. A Set calls them on the
// notebook of one session, as its actor: edits go through the same merge as the typing of people, and a run waits in
// the queue like any other. Whether a call is allowed is decided before it is made.
// spec/assistants.md has the rules.
package tool

import (
	"embed"
	"encoding/json"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/core/event"
)

// Tool is a function that agents may call.
type Tool struct {
	Name        string
	Class       event.ToolClass
	Description string          // for models, from the file that has the tool's name
	Parameters  json.RawMessage // a JSON Schema of an object
}

// Result is what a call gives its model.
type Result struct {
	Text   string
	Images []assist.Image
	Failed bool // the text says why, and what to do
}

// Tools returns all tools, in the order in which models see them.
func Tools() []Tool {
	tools := make([]Tool, len(table))
	for i, d := range table {
		tools[i] = Tool{Name: d.name, Class: d.class, Description: d.description(), Parameters: d.schema()}
	}
	return tools
}

// ByName returns the tool with a name, and whether there is one.
func ByName(name string) (Tool, bool) {
	d, ok := definitionOf(name)
	if !ok {
		return Tool{}, false
	}
	return Tool{Name: d.name, Class: d.class, Description: d.description(), Parameters: d.schema()}, true
}

//go:embed describe/*.md
var descriptions embed.FS

func (d *definition) description() string {
	text, err := descriptions.ReadFile("describe/" + d.name + ".md")
	if err != nil {
		return "" // TestEachToolHasADescription
	}
	return strings.TrimSpace(string(text))
}

func definitionOf(name string) (*definition, bool) {
	i := slices.IndexFunc(table[:], func(d definition) bool { return d.name == name })
	if i < 0 {
		return nil, false
	}
	return &table[i], true
}

const cellID = "the id of a cell, as list_cells shows it"

// table has every tool, with its arguments in the order in which they are explained.
var table = [...]definition{
	{name: "list_cells", class: event.ToolReads, call: listCells},
	{name: "read_cell", class: event.ToolReads, call: readCell, params: []param{
		{name: "cell", form: formText, required: true, about: cellID},
	}},
	{name: "search", class: event.ToolReads, call: search, params: []param{
		{name: "text", form: formText, required: true, about: "the text to find; case does not matter"},
	}},
	{name: "create_cell", class: event.ToolEdits, call: createCell, params: []param{
		{name: "source", form: formText, required: true, about: "the whole source of the cell"},
		{name: "kind", form: formText, oneOf: []string{"code", "markdown", "sql", "raw"}, about: "code if it is left out"},
		{name: "language", form: formText, about: "the language of a code cell; that of the notebook if it is left out"},
		{name: "after", form: formText, about: "the id of the cell that the new one follows; \"start\" for the first place; left out: after the last cell that you created, else at the end"},
	}},
	{name: "edit_cell", class: event.ToolEdits, call: editCell, params: []param{
		{name: "cell", form: formText, required: true, about: cellID},
		{name: "old", form: formText, required: true, about: "the text to replace, exactly as the source has it; it must be there once"},
		{name: "new", form: formText, required: true, about: "the text in its place"},
	}},
	{name: "write_cell", class: event.ToolEdits, call: writeCell, params: []param{
		{name: "cell", form: formText, required: true, about: cellID},
		{name: "source", form: formText, required: true, about: "the new source as a whole"},
	}},
	{name: "move_cell", class: event.ToolEdits, call: moveCell, params: []param{
		{name: "cell", form: formText, required: true, about: cellID},
		{name: "after", form: formText, required: true, about: "the id of the cell that it follows then; \"start\" for the first place"},
	}},
	{name: "delete_cell", class: event.ToolEdits, call: deleteCell, params: []param{
		{name: "cell", form: formText, required: true, about: cellID},
	}},
	{name: "run_cell", class: event.ToolRuns, call: runCell, params: []param{
		{name: "cell", form: formText, required: true, about: "the id of a code or sql cell"},
		{name: "timeout", form: formInteger, about: "seconds after which the run is cancelled: 1 to 3600, 300 if it is left out"},
	}},
	{name: "interrupt", class: event.ToolRuns, call: interrupt, params: []param{
		{name: "cell", form: formText, about: "the id of the cell whose run is cancelled; left out: all runs of code that wait or execute"},
	}},
	{name: "variables", class: event.ToolReads, call: variables, params: []param{
		{name: "language", form: formText, about: "that of the notebook if it is left out"},
	}},
	{name: "install_package", class: event.ToolOutside, call: installPackage, params: []param{
		{name: "packages", form: formTexts, required: true, about: "names for the package manager, each with a version if one is needed, such as \"pandas==2.2\""},
	}},
}
