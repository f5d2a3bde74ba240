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
	var tools []Tool
	for _, d := range definitions() {
		tools = append(tools, d.tool())
	}
	return tools
}

// ByName returns the tool with a name, and whether there is one.
func ByName(name string) (Tool, bool) {
	d, ok := definitionOf(name)
	if !ok {
		return Tool{}, false
	}
	return d.tool(), true
}

func (d *definition) tool() Tool {
	return Tool{Name: d.name, Class: d.class, Description: d.description(), Parameters: d.schema()}
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
	for _, d := range definitions() {
		if d.name == name {
			return &d, true
		}
	}
	return nil, false
}

// definitions returns every tool, in the order in which models see them.
func definitions() []definition { return slices.Concat(reading(), editing(), running()) }
