package main

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
	"github.com/quirehq/quire/internal/file"
)

// The tags of cells that have to do with parameters; papermill has the same.
const (
	tagParameters = "parameters"          // has the defaults
	tagInjected   = "injected-parameters" // sets what a run is given
)

// param is a variable that a run is given, with its value as Python and as JSON writes it.
type param struct {
	name, literal string
	value         json.RawMessage
}

// params are in the order in which they are set, each name once.
type params []param

// set sets a parameter, in place of an earlier one of its name.
func (ps *params) set(p param) {
	if i := slices.IndexFunc(*ps, func(q param) bool { return q.name == p.name }); i >= 0 {
		(*ps)[i] = p
		return
	}
	*ps = append(*ps, p)
}

// paramFlag is a flag that adds a parameter, NAME=VALUE, each time it is given.
type paramFlag struct {
	to   *params
	text bool // the value is text, whatever it looks like
}

// Set implements [pflag.Value].
func (f paramFlag) Set(arg string) error {
	name, value, ok := strings.Cut(arg, "=")
	if !ok {
		return errors.New("it has no value")
	}
	if err := checkParam(name); err != nil {
		return err
	}
	if !utf8.ValidString(value) {
		return errors.New("the value is not UTF-8")
	}
	literal, raw := pythonValue(value), jsonValue(value)
	if f.text {
		literal, raw = pythonText(value), jsonText(value)
	}
	f.to.set(param{name, literal, raw})
	return nil
}

// String implements [pflag.Value]: there is no default.
func (paramFlag) String() string { return "" }

// Type implements [pflag.Value].
func (paramFlag) Type() string { return "NAME=VALUE" }

// paramsOf returns the parameters of a file and, which count more, of flags.
func paramsOf(name string, flags params) (params, error) {
	if name == "" {
		return flags, nil
	}
	data, err := readNamed(name, mostSettings)
	if err != nil {
		return nil, fail(exitUsage, "read parameters: %s: %w", name, file.Reason(name, err))
	}
	all, err := readParams(data)
	if err != nil {
		return nil, fail(exitUsage, "read parameters: %s: %w", name, err)
	}
	for _, p := range all {
		if err := checkParam(p.name); err != nil {
			return nil, fail(exitUsage, "read parameters: %s: %w", name, err)
		}
	}
	for _, p := range flags {
		all.set(p)
	}
	return all, nil
}

// keywords are the names that no variable of Python can have.
var keywords = strings.Fields(`False None True and as assert async await break class continue def del elif else except
finally for from global if import in is lambda nonlocal not or pass raise return try while with yield`)

// checkParam wants the name of a Python variable.
func checkParam(name string) error {
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

// source returns the cell that sets the parameters.
func (ps params) source() string {
	lines := []string{"# Parameters"}
	for _, p := range ps {
		lines = append(lines, p.name+" = "+p.literal)
	}
	return strings.Join(lines, "\n")
}

// inject adds to the payloads that make a notebook a cell that sets parameters. It
// goes below the cell with the defaults, or else to the top; one from an earlier
// run is replaced. The warnings are for people.
func (ps params) inject(payloads []event.Payload, n *notebook.Notebook) (made []event.Payload, warnings []string, err error) {
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
		id = event.CellID(newID(cellIDLen))
	}
	tags, err := json.Marshal([]string{tagInjected})
	return append(slices.Clip(payloads),
		&event.CellCreated{Cell: id, Kind: event.KindCode, Language: language, Order: key, Source: ps.source()},
		&event.CellMetadataSet{Cell: id, Key: "tags", Value: tags}), warnings, err
}

// replace gives the cell of an earlier run these parameters, and no outputs.
func (ps params) replace(payloads []event.Payload, id event.CellID) []event.Payload {
	var made []event.Payload
	for _, p := range payloads {
		switch e := p.(type) {
		case *event.CellCreated:
			if e.Cell == id {
				changed := *e
				changed.Source = ps.source()
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
func (ps params) unknown(defaults *notebook.Cell) []string {
	if defaults == nil {
		return []string{"no cell has the tag " + tagParameters + ", so that the parameters are set at the top"}
	}
	var warnings []string
	for _, p := range ps {
		if !assigns(defaults.Source(), p.name) {
			warnings = append(warnings, fmt.Sprintf("the cell with the tag %s has no %s", tagParameters, p.name))
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

// rehearse folds payloads into a notebook that is not run.
func rehearse(payloads []event.Payload) (*notebook.Notebook, error) {
	n := notebook.New()
	if err := foldInto(n, payloads); err != nil {
		return nil, err
	}
	return n, nil
}
