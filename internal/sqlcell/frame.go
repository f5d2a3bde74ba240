package sqlcell

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/quirehq/quire/core/lang"
	sqlite "modernc.org/sqlite/lib"
)

// Set sets a parameter, or with a list of objects makes a table of the database in memory with these rows, in place of
// an earlier one.
func (e *Engine) Set(ctx context.Context, name string, value json.RawMessage) error {
	if name == "" || wordLength(name) != len(name) {
		return fmt.Errorf("%q is no name for a parameter or a table: want letters, digits and _", name)
	}
	if !json.Valid(value) {
		return fmt.Errorf("the value of %s is no JSON", name)
	}
	release, err := e.claim()
	if err != nil {
		return err
	}
	defer release()
	delete(e.results, name)
	frame, ok := frameOf(value)
	if !ok {
		e.params[name] = value
		return nil
	}
	delete(e.params, name)
	db, ok := e.databases[memoryConnection].(*sqliteDB)
	if !ok {
		return lang.ErrClosed
	}
	if f := db.store(ctx, name, frame); f != nil {
		return fmt.Errorf("make the table %s: %w", name, f)
	}
	return nil
}

// frame is a table from another language.
type frame struct {
	columns []string // in the order in which they appear
	rows    []map[string]json.RawMessage
}

// frameOf returns a list of objects as a table, and whether the value is one: with a row and a column at least.
func frameOf(value json.RawMessage) (frame, bool) {
	var f frame
	if json.Unmarshal(value, &f.rows) != nil || len(f.rows) == 0 {
		return f, false
	}
	known := map[string]bool{}
	for _, keys := range orderedKeys(value) {
		if !known[keys] {
			known[keys] = true
			f.columns = append(f.columns, keys)
		}
	}
	return f, len(f.columns) > 0
}

// orderedKeys returns the keys of the objects of a list, in their order.
func orderedKeys(list json.RawMessage) []string {
	var keys []string
	d := json.NewDecoder(bytes.NewReader(list))
	for {
		t, err := d.Token()
		if err != nil {
			return keys
		}
		key, ok := t.(string) // what is not is a bracket: values are skipped
		if !ok {
			continue
		}
		keys = append(keys, key)
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return keys
		}
	}
}

// store makes a table of a frame, in place of a table of its name, or changes nothing.
func (d *sqliteDB) store(ctx context.Context, name string, f frame) (failed *fault) {
	defer d.stopWith(ctx)()
	steps := []string{"SAVEPOINT quire_set", "DROP TABLE IF EXISTS " + quoteName(name), f.create(name)}
	defer func() {
		if failed != nil {
			d.h.begin() // an interrupt is over
			_, _ = d.rows("ROLLBACK TO quire_set", nil, catalogBounds)
		}
		_, last := d.rows("RELEASE quire_set", nil, catalogBounds)
		if failed == nil {
			failed = last
		}
	}()
	for _, step := range steps {
		if _, f := d.rows(step, nil, catalogBounds); f != nil {
			return f
		}
	}
	return d.insert("INSERT INTO "+quoteName(name)+" VALUES (?"+strings.Repeat(", ?", len(f.columns)-1)+")", f)
}

// insert inserts the rows of a frame.
func (d *sqliteDB) insert(source string, f frame) *fault {
	s, err := d.h.script(source)
	if err != nil {
		return &fault{name: "SQLITE_NOMEM", message: err.Error(), at: -1}
	}
	defer s.free()
	stmt, failed := s.next()
	if failed != nil {
		return failed
	}
	defer func() { stmt.close() }()
	for _, row := range f.rows {
		for i, name := range f.columns {
			var value any
			if raw, ok := row[name]; ok {
				value = sqliteValue(raw)
			}
			if failed := stmt.bind(i+1, value); failed != nil {
				return failed
			}
		}
		if _, failed := stmt.step(); failed != nil {
			return failed
		}
		stmt.reset()
	}
	return nil
}

// create returns the statement that makes the table, with a type for each column whose values have one.
func (f frame) create(name string) string {
	parts := make([]string, len(f.columns))
	for i, column := range f.columns {
		parts[i] = strings.TrimSpace(quoteName(column) + " " + f.typeOf(column))
	}
	return "CREATE TABLE " + quoteName(name) + " (" + strings.Join(parts, ", ") + ")"
}

func (f frame) typeOf(column string) string {
	found := ""
	for _, row := range f.rows {
		var is string
		switch v := decodeValue(row[column]).(type) {
		case nil:
			continue
		case bool:
			is = "BOOLEAN"
		case json.Number:
			is = "REAL"
			if _, err := v.Int64(); err == nil {
				is = "INTEGER"
			}
		default:
			is = "TEXT"
		}
		switch {
		case found == "" || found == is:
			found = is
		case found == "INTEGER" && is == "REAL", found == "REAL" && is == "INTEGER":
			found = "REAL"
		default:
			return ""
		}
	}
	return found
}

// reset makes the statement ready to be executed again, and forgets the bound values.
func (s *statement) reset() {
	sqlite.Xsqlite3_reset(s.h.tls, s.ptr)
	sqlite.Xsqlite3_clear_bindings(s.h.tls, s.ptr)
	s.free()
}
