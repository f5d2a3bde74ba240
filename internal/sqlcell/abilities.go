package sqlcell

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quirehq/quire/core/lang"
)

// ErrUnknownName says that a name is that of no parameter, kept result, table or view.
var ErrUnknownName = errors.New("there is no parameter, kept result, table or view of this name")

// claim takes the engine for a call; release gives it back. It is busy while a run executes.
func (e *Engine) claim() (release func(), err error) {
	select {
	case <-e.dead:
		return nil, lang.ErrDied
	case e.use <- struct{}{}:
	default:
		return nil, lang.ErrBusy
	}
	if e.databases == nil {
		e.unlock()
		return nil, lang.ErrClosed
	}
	return e.unlock, nil
}

// Variables implements [lang.VariableLister]: the tables and views of the connections that are open, the parameters and
// the results that are kept.
func (e *Engine) Variables(ctx context.Context) ([]lang.Variable, error) {
	release, err := e.claim()
	if err != nil {
		return nil, err
	}
	defer release()
	var list []lang.Variable
	for name, db := range e.databases {
		relations, f := db.relations(ctx)
		if f != nil {
			return nil, fmt.Errorf("list the tables of %s: %w", name, f)
		}
		for _, r := range relations {
			list = append(list, variableOf(name, r))
		}
	}
	for name, raw := range e.params {
		list = append(list, lang.Variable{Name: name, Type: "parameter", Preview: cutText(string(raw))})
	}
	for name, kept := range e.results {
		list = append(list, lang.Variable{Name: name, Type: "result", Shape: rowsText(kept.rows), Size: int64(len(kept.Data)), Preview: cutText(string(kept.Data))})
	}
	slices.SortFunc(list, func(a, b lang.Variable) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

func variableOf(connection string, r relation) lang.Variable {
	name := r.title()
	if connection != memoryConnection {
		name = connection + ": " + name
	}
	shape := grouped(int64(len(r.columns))) + " columns"
	if len(r.columns) == 1 {
		shape = "1 column"
	}
	signature := r.signature()
	return lang.Variable{Name: name, Type: r.kind(), Shape: shape, Preview: cutText(signature[len(r.title()):])}
}

// previewBytes bounds a preview.
const previewBytes = 120

func cutText(text string) string {
	text = oneLine(text)
	if len(text) <= previewBytes {
		return text
	}
	return textCell(kindText, []byte(text[:previewBytes]), len(text)).text + "…"
}

// Reset implements [lang.Resetter].
func (e *Engine) Reset(context.Context) error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	if e.isClosed() {
		return lang.ErrClosed
	}
	return e.renew()
}

// Result returns the rows of a result that a cell has kept by the directive result, as a list of objects.
func (e *Engine) Result(name string) (json.RawMessage, error) {
	release, err := e.claim()
	if err != nil {
		return nil, err
	}
	defer release()
	kept, ok := e.results[name]
	if !ok {
		return nil, fmt.Errorf("the result %s: %w", name, ErrUnknownName)
	}
	return kept.Data, nil
}

// Get returns a value by name as JSON: a result that a cell has kept, a parameter, or the rows of a table or view of the
// database in memory as a list of objects.
func (e *Engine) Get(ctx context.Context, name string) (json.RawMessage, error) {
	release, err := e.claim()
	if err != nil {
		return nil, err
	}
	defer release()
	if value, ok := e.params[name]; ok {
		return value, nil
	}
	r, err := e.resource(ctx, name)
	return r.Data, err
}

// Table implements [lang.Tabler]: a result that a cell has kept, or a table or view of the database in memory.
func (e *Engine) Table(ctx context.Context, name string) (json.RawMessage, error) {
	release, err := e.claim()
	if err != nil {
		return nil, err
	}
	defer release()
	if _, ok := e.params[name]; ok {
		return nil, fmt.Errorf("%s is a parameter: %w", name, lang.ErrNoTable)
	}
	r, err := e.resource(ctx, name)
	if errors.Is(err, ErrUnknownName) {
		return nil, lang.ErrNoVariable
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(r)
}

// resource returns a result that a cell has kept, or a table or view of the database in memory.
func (e *Engine) resource(ctx context.Context, name string) (resource, error) {
	if kept, ok := e.results[name]; ok {
		return kept, nil
	}
	db := e.databases[e.main()]
	relations, f := db.relations(ctx)
	if f != nil {
		return resource{}, f
	}
	at := slices.IndexFunc(relations, func(r relation) bool { return strings.EqualFold(r.title(), name) })
	if at < 0 {
		return resource{}, fmt.Errorf("%s: %w", name, ErrUnknownName)
	}
	t, f := db.fetch(ctx, relations[at], keptBounds)
	if f != nil {
		return resource{}, f
	}
	t.binary = true
	return t.whole()
}

// errTooLarge says that a table cannot be handed over.
var errTooLarge = fmt.Errorf("it is too large: at most %s rows and %d MiB can be handed over", grouped(int64(keptBounds.rows)), keptBounds.total>>20)

// whole returns all rows for other languages.
func (t *table) whole() (resource, error) {
	if t.more || int64(len(t.rows)) < t.count || t.isCut() {
		return resource{}, errTooLarge
	}
	return t.resource()
}

// isCut reports whether a value is not whole.
func (t *table) isCut() bool {
	for _, row := range t.rows {
		if slices.ContainsFunc(row, func(c cell) bool { return c.cut }) {
			return true
		}
	}
	return false
}
