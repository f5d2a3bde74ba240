// Package params gives the run of a notebook parameters, as papermill does: values from arguments or
// JSON become a cell of Python that sets them, below the cell with the defaults. The record of such a
// run is papermill's, for programs that read its results. Files and command lines are left to others.
package params

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// The tags of cells that have to do with parameters; papermill has the same.
const (
	tagParameters = "parameters"          // has the defaults
	tagInjected   = "injected-parameters" // sets the parameters of a run
)

// Param is a variable that a run sets, with its value as a Python literal and as JSON.
type Param struct {
	Name, Literal string
	Value         json.RawMessage
}

// List is parameters in the order in which they are set, each name once.
type List []Param

// Set sets a parameter, in place of an earlier one of its name.
func (ps *List) Set(p Param) {
	if i := slices.IndexFunc(*ps, func(q Param) bool { return q.Name == p.Name }); i >= 0 {
		(*ps)[i] = p
		return
	}
	*ps = append(*ps, p)
}

// Parse returns the parameter of an argument NAME=VALUE. The value of text is text, whatever it looks like.
func Parse(arg string, text bool) (Param, error) {
	name, value, ok := strings.Cut(arg, "=")
	if !ok {
		return Param{}, errors.New("it has no value")
	}
	if err := checkName(name); err != nil {
		return Param{}, err
	}
	if !utf8.ValidString(value) {
		return Param{}, errors.New("the value is not UTF-8")
	}
	if text {
		return Param{name, pythonText(value), jsonText(value)}, nil
	}
	return Param{name, pythonValue(value), jsonValue(value)}, nil
}

// keywords are the names that no variable of Python can have.
var keywords = strings.Fields(`False None True and as assert async await break class continue def del elif else except
finally for from global if import in is lambda nonlocal not or pass raise return try while with yield`)

// checkName wants the name of a Python variable.
func checkName(name string) error {
	for i, r := range name {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc)) {
			return fmt.Errorf("%q is no name of a Python variable", name)
		}
	}
	switch {
	case name == "":
		return errors.New("the name is empty")
	case slices.Contains(keywords, name):
		return fmt.Errorf("%q means something else in Python", name)
	}
	return nil
}

// Source returns the cell that sets the parameters.
func (ps List) Source() string {
	lines := []string{"# Parameters"}
	for _, p := range ps {
		lines = append(lines, p.Name+" = "+p.Literal)
	}
	return strings.Join(lines, "\n")
}

// Inject adds to the payloads that make a notebook a cell that sets parameters. It
// goes below the cell with the defaults, or else to the top; one from an earlier
// run is replaced. The new cell has the id [TagInjected], or spare if a cell has that. The warnings
// are for users.
func (ps List) Inject(payloads []event.Payload, n *notebook.Notebook, spare event.CellID) (made []event.Payload, warnings []string, err error) {
	if len(ps) == 0 {
		return payloads, nil, nil
	}
	defaults := tagged(n, tagParameters)
	warnings = ps.unknown(defaults)
	if old := tagged(n, tagInjected); old != nil {
		return ps.replace(payloads, old.ID), warnings, nil
	}
	at, language := 0, ""
	if defaults != nil {
		at, language = slices.Index(n.Cells(), defaults.ID)+1, defaults.Language
	}
	key, err := n.Between(at)
	if err != nil {
		return nil, nil, fmt.Errorf("place the parameters: %w", err)
	}
	id := event.CellID(tagInjected)
	if n.Cell(id) != nil {
		id = spare
	}
	tags, err := json.Marshal([]string{tagInjected})
	return append(slices.Clip(payloads),
		&event.CellCreated{Cell: id, Kind: event.KindCode, Language: language, Order: key, Source: ps.Source()},
		&event.CellMetadataSet{Cell: id, Key: "tags", Value: tags}), warnings, err
}

// replace gives the cell of an earlier run these parameters, and no outputs.
func (ps List) replace(payloads []event.Payload, id event.CellID) []event.Payload {
	var made []event.Payload
	for _, p := range payloads {
		switch e := p.(type) {
		case *event.CellCreated:
			if e.Cell == id {
				changed := *e
				changed.Source = ps.Source()
				p = &changed
			}
		case *event.OutputsImported:
			if e.Cell == id {
				continue
			}
		}
		made = append(made, p)
	}
	return made
}

// unknown says which parameters have no default: most likely they are misspelt.
func (ps List) unknown(defaults *notebook.Cell) []string {
	if defaults == nil {
		return []string{"no cell has the tag " + tagParameters + ", so that the parameters are set at the top"}
	}
	var warnings []string
	for _, p := range ps {
		if !assigns(defaults.Source(), p.Name) {
			warnings = append(warnings, fmt.Sprintf("the cell with the tag %s has no %s", tagParameters, p.Name))
		}
	}
	return warnings
}

// assigns reports whether a line of a Python source gives a variable a value.
func assigns(source, name string) bool {
	return regexp.MustCompile(`(?m)^(?:[^#\n"'(:]*[^\pL\pN_.#\n"'(:])?` + regexp.QuoteMeta(name) + `(?:[^\pL\pN_#\n="'(][^#\n=]*)?=(?:[^=]|$)`).MatchString(source)
}

// tagged returns the first cell with a tag, nil if there is none.
func tagged(n *notebook.Notebook, tag string) *notebook.Cell {
	for _, id := range n.Cells() {
		if c := n.Cell(id); c.Tagged(tag) && c.Kind == event.KindCode {
			return c
		}
	}
	return nil
}
