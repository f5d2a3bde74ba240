package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/quirehq/quire/core/lang"
)

// Abilities implements lang.Engine: Python has all. During a run they return lang.ErrBusy at once; a
// run that begins does not wait for them, and they return it too.
func (e *Engine) Abilities() lang.Abilities {
	return lang.Abilities{Completer: e, Inspector: e, VariableLister: e, Installer: e, Resetter: e, Drainer: e, Commer: e, Accessor: e, Tabler: e}
}

// request is a request to the driver.
type request struct {
	Do       string   `json:"do"`
	Source   string   `json:"source"`
	Cursor   int      `json:"cursor"`
	Packages []string `json:"packages"`

	Name  string          `json:"name"` // of get and set
	Value json.RawMessage `json:"value,omitempty"`
}

// Complete implements lang.Completer with the names, attributes, keys, parameters and modules of
// the live program. If there are none, IPython's completer is asked if a cell has started its
// shell, and otherwise jedi, for expressions that would have to be evaluated.
func (e *Engine) Complete(ctx context.Context, at lang.Place) (lang.Completion, error) {
	var found struct {
		Start int `json:"start"`
		End   int `json:"end"`
		Items []struct {
			Text string `json:"text"`
			Kind string `json:"kind"`
			Type string `json:"type"`
		} `json:"items"`
	}
	if err := e.ask(ctx, request{Do: "complete", Source: at.Source, Cursor: at.Cursor}, &found); err != nil {
		return lang.Completion{}, err
	}
	completion := lang.Completion{Start: found.Start, End: found.End, Items: make([]lang.Candidate, len(found.Items))}
	for i, item := range found.Items {
		completion.Items[i] = lang.Candidate(item)
	}
	return completion, nil
}

// Inspect implements lang.Inspector. Within the arguments of a call it describes the called
// function, unless the cursor is before or in a name.
func (e *Engine) Inspect(ctx context.Context, at lang.Place) (lang.Inspection, error) {
	var found struct {
		Found     bool   `json:"found"`
		Signature string `json:"signature"`
		Doc       string `json:"doc"`
	}
	if err := e.ask(ctx, request{Do: "inspect", Source: at.Source, Cursor: at.Cursor}, &found); err != nil {
		return lang.Inspection{}, err
	}
	inspection := lang.Inspection{Found: found.Found, Signature: found.Signature}
	if found.Doc != "" {
		inspection.Data = lang.Text("text/plain", found.Doc).Data
	}
	return inspection, nil
}

// Variables implements lang.VariableLister. It leaves out modules, names that begin
// with an underscore, and functions and classes that no cell defined.
func (e *Engine) Variables(ctx context.Context) ([]lang.Variable, error) {
	var found []struct {
		Name    string `json:"name"`
		Type    string `json:"type"`
		Shape   string `json:"shape"`
		Size    int64  `json:"size"`
		Preview string `json:"preview"`
	}
	if err := e.ask(ctx, request{Do: "variables"}, &found); err != nil {
		return nil, err
	}
	variables := make([]lang.Variable, len(found))
	for i, v := range found {
		variables[i] = lang.Variable(v)
	}
	return variables, nil
}

// passing is how many times the patience of a query the passing of a value may take, which can be megabytes.
const passing = 15

// Get implements lang.Accessor. A DataFrame is a list of rows, a series or an array a list, a date text in ISO 8601, and a
// number that JSON lacks null. A value of another type is refused, and so is one of more than 32 MiB.
func (e *Engine) Get(ctx context.Context, name string) (json.RawMessage, error) {
	var value json.RawMessage
	if err := e.askWithin(ctx, passing*e.patience, request{Do: "get", Name: name}, &value); err != nil {
		return nil, err
	}
	return value, nil
}

// Set implements lang.Accessor, with dicts, lists and the like for JSON's types.
func (e *Engine) Set(ctx context.Context, name string, value json.RawMessage) error {
	var none any
	return e.askWithin(ctx, passing*e.patience, request{Do: "set", Name: name, Value: value}, &none)
}

// Table implements lang.Tabler for frames of pandas and polars, tables of pyarrow and lists of dicts, of at most a million
// rows and 32 MiB.
func (e *Engine) Table(ctx context.Context, name string) (json.RawMessage, error) {
	var text string
	err := e.askWithin(ctx, passing*e.patience, request{Do: "table", Name: name}, &text)
	var failed *lang.Error
	switch {
	case err == nil:
		return json.RawMessage(text), nil
	case errors.As(err, &failed) && failed.Name == "NoVariable":
		return nil, lang.ErrNoVariable
	case errors.As(err, &failed) && failed.Name == "NoTable":
		return nil, fmt.Errorf("%w, but of type %s", lang.ErrNoTable, failed.Message)
	}
	return nil, err
}

// SetTable implements lang.Tabler: with a DataFrame where pandas is installed, else with a list of dicts.
func (e *Engine) SetTable(ctx context.Context, name string, table json.RawMessage) error {
	var none any
	return e.askWithin(ctx, passing*e.patience, request{Do: "set table", Name: name, Value: table}, &none)
}
