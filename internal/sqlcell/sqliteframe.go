package sqlcell

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	sqlite "modernc.org/sqlite/lib"
)

// store implements memoryDatabase: it makes a table of a frame, in place of a table of its name, or changes nothing.
func (d *sqliteDB) store(ctx context.Context, name string, f frame) *fault {
	defer d.stopWith(ctx)()
	return d.storeIn("main", name, f)
}

func (d *sqliteDB) storeIn(schema, name string, f frame) (failed *fault) {
	title := quoteName(schema) + "." + quoteName(name)
	steps := []string{"SAVEPOINT quire_set", "DROP TABLE IF EXISTS " + title, f.createSQLite(title)}
	last := d.h.lastRowID()
	defer func() {
		if failed != nil {
			d.h.begin() // an interrupt is over
			_, _ = d.rows("ROLLBACK TO quire_set", nil, catalogBounds)
		}
		_, released := d.rows("RELEASE quire_set", nil, catalogBounds)
		d.h.setLastRowID(last)
		if failed == nil {
			failed = released
		}
	}()
	for _, step := range steps {
		if _, f := d.rows(step, nil, catalogBounds); f != nil {
			return f
		}
	}
	return d.insert("INSERT INTO "+title+" VALUES (?"+strings.Repeat(", ?", len(f.fields)-1)+")", f)
}

// insert inserts the rows of a frame.
func (d *sqliteDB) insert(source string, f frame) (failed *fault) {
	s, err := d.h.script(source)
	if err != nil {
		return &fault{name: "SQLITE_NOMEM", message: err.Error(), at: -1}
	}
	defer s.free()
	stmt, failed := s.next()
	if failed != nil {
		return failed
	}
	defer stmt.close()
	err = f.each(func(row map[string]json.RawMessage, _ []string) error {
		for i, field := range f.fields {
			if failed := stmt.bind(i+1, field.sqliteValue(row[field.Name])); failed != nil {
				return failed
			}
		}
		if _, failed := stmt.step(); failed != nil {
			return failed
		}
		stmt.reset()
		return nil
	})
	return frameFault(err)
}

// createSQLite returns the statement that makes the table, with a type for each column whose values have one.
func (f frame) createSQLite(title string) string {
	parts := make([]string, len(f.fields))
	for i, field := range f.fields {
		parts[i] = strings.TrimSpace(quoteName(field.Name) + " " + field.sqliteType())
	}
	return "CREATE TABLE " + title + " (" + strings.Join(parts, ", ") + ")"
}

func (f resourceField) sqliteType() string {
	switch f.Type {
	case "integer":
		return "INTEGER"
	case "number":
		return "REAL"
	case "boolean":
		return "BOOLEAN"
	case "string":
		if f.Format == formatBinary {
			return "BLOB"
		}
		return "TEXT"
	case "date":
		return "DATE"
	case "time":
		return "TIME"
	case "datetime":
		return "TIMESTAMP"
	}
	return ""
}

// sqliteValue returns a value of the column as SQLite takes it. Times have the form of SQLite's own functions, with a space
// before the hour.
func (f resourceField) sqliteValue(raw json.RawMessage) any {
	v := sqliteValue(raw)
	text, ok := v.(string)
	switch {
	case !ok:
	case f.Format == formatBinary:
		if b, err := base64.StdEncoding.DecodeString(text); err == nil {
			return b
		}
	case f.Type == "datetime" && len(text) > 10 && text[10] == 'T':
		return text[:10] + " " + text[11:]
	}
	return v
}

// reset makes the statement ready to be executed again, and forgets the bound values.
func (s *statement) reset() {
	sqlite.Xsqlite3_reset(s.h.tls, s.ptr)
	sqlite.Xsqlite3_clear_bindings(s.h.tls, s.ptr)
	s.free()
}

// lastRowID returns what last_insert_rowid() gives, which a frame must not change.
func (h *handle) lastRowID() int64 { return sqlite.Xsqlite3_last_insert_rowid(h.tls, h.db) }

func (h *handle) setLastRowID(id int64) { sqlite.Xsqlite3_set_last_insert_rowid(h.tls, h.db, id) }
