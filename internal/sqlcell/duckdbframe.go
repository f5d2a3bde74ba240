//go:build duckdb && cgo

package sqlcell

import (
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/json"
	"slices"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
)

// batchBytes is how much JSON of a frame DuckDB takes at once.
const batchBytes = 1 << 20

// store implements memoryDatabase.
func (d *duckDB) store(ctx context.Context, name string, f frame) *fault {
	inTransaction := d.is != stateNone
	if !inTransaction {
		if _, f := d.rows(ctx, "BEGIN", catalogBounds); f != nil {
			return f
		}
	}
	failed := d.fill(ctx, "TABLE "+quoteName(name), f)
	if !inTransaction {
		end := "COMMIT"
		if failed != nil {
			end = "ROLLBACK"
		}
		if _, f := d.rows(context.WithoutCancel(ctx), end, catalogBounds); failed == nil {
			failed = f
		}
	}
	return failed
}

// fill makes a table of a frame, in place of one of its name. DuckDB reads the rows as JSON, by the types of the columns.
func (d *duckDB) fill(ctx context.Context, title string, f frame) *fault {
	zoned := f.zoned()
	columns, structure, values := make([]string, len(f.fields)), make([]string, len(f.fields)), make([]string, len(f.fields))
	for i, field := range f.fields {
		as, name := field.duckType(zoned[field.Name]), quoteName(field.Name)
		columns[i], values[i] = name+" "+as, name
		if as == "BLOB" {
			as, values[i] = "VARCHAR", "from_base64("+name+")"
		}
		key, err := json.Marshal(field.Name)
		if err != nil {
			return frameFault(err)
		}
		structure[i] = string(key) + `:"` + as + `"`
	}
	if _, failed := d.rows(ctx, "CREATE OR REPLACE "+title+" ("+strings.Join(columns, ", ")+")", catalogBounds); failed != nil {
		return failed
	}
	_, name, _ := strings.Cut(title, "TABLE ")
	insert := "INSERT INTO " + name + " SELECT " + strings.Join(values, ", ") + " FROM (SELECT unnest(from_json($rows::JSON, " +
		quoteText("[{"+strings.Join(structure, ",")+"}]") + "), max_depth := 2))"
	return frameFault(f.batches(func(rows []byte) error {
		arg := driver.NamedValue{Name: "rows", Ordinal: 1, Value: duckdb.Typed(string(rows), duckdb.TYPE_VARCHAR)}
		if _, failed := d.rows(ctx, insert, catalogBounds, arg); failed != nil {
			return failed
		}
		return nil
	}))
}

// batches calls a function with the rows, as lists in JSON of some size.
func (f frame) batches(do func(rows []byte) error) error {
	var batch bytes.Buffer
	flush := func() error {
		if batch.Len() == 0 {
			return nil
		}
		batch.WriteByte(']')
		defer batch.Reset()
		return do(batch.Bytes())
	}
	err := f.each(func(row map[string]json.RawMessage, _ []string) error {
		text, err := json.Marshal(row)
		if err != nil {
			return err
		}
		if batch.Len() == 0 {
			batch.WriteByte('[')
		} else {
			batch.WriteByte(',')
		}
		batch.Write(text)
		if batch.Len() < batchBytes {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// zoned returns the columns whose times have a zone, by their first.
func (f frame) zoned() map[string]bool {
	found := map[string]bool{}
	_ = f.each(func(row map[string]json.RawMessage, _ []string) error { // an error comes again when the rows are read
		for _, field := range f.fields {
			if _, known := found[field.Name]; field.Type != "datetime" || known {
				continue
			}
			if text, ok := decodeValue(row[field.Name]).(string); ok && len(text) > 10 {
				found[field.Name] = strings.ContainsAny(text[10:], "+-Z")
			}
		}
		return nil
	})
	return found
}

func (f resourceField) duckType(zoned bool) string {
	switch f.Type {
	case "integer":
		return "BIGINT"
	case "number":
		return "DOUBLE"
	case "boolean":
		return "BOOLEAN"
	case "date":
		return "DATE"
	case "time":
		return "TIME"
	case "datetime":
		if zoned {
			return "TIMESTAMPTZ"
		}
		return "TIMESTAMP"
	case "array", "object":
		return "JSON"
	}
	if f.Format == formatBinary {
		return "BLOB"
	}
	return "VARCHAR"
}

// lend makes a view of the variable whose name a statement misses, and reports whether it did. A view cannot be changed.
func (d *duckDB) lend(ctx context.Context, from lender, f *fault) bool {
	name, ok := strings.CutPrefix(f.message, "Table with name ")
	name, _, _ = strings.Cut(name, " does not exist!")
	if !ok || f.name != "CatalogError" || slices.Contains(d.lent, name) {
		return false
	}
	frame, found, note := from.frame(ctx, name)
	if note != "" {
		f.more = append(f.more, note)
	}
	if !found {
		return false
	}
	hidden := quoteName(lentPrefix + name)
	d.lent = append(d.lent, name)
	failed := d.fill(ctx, "TEMP TABLE "+hidden, frame)
	if failed == nil {
		_, failed = d.rows(ctx, "CREATE OR REPLACE TEMP VIEW "+quoteName(name)+" AS SELECT * FROM temp."+hidden, catalogBounds)
	}
	if failed != nil {
		f.more = append(f.more, name+" is a table of Python, and cannot be queried: "+failed.message)
	}
	return failed == nil
}

// lentPrefix begins the name of the table that is behind the view of a variable.
const lentPrefix = "python."

// takeBack drops what was lent: the next cell gets what the variables are then. A transaction that fails or is rolled back
// keeps it, so it is dropped again when that has ended.
func (d *duckDB) takeBack() {
	for _, name := range append(d.lent, d.left...) {
		for _, source := range []string{"DROP VIEW IF EXISTS temp." + quoteName(name), "DROP TABLE IF EXISTS temp." + quoteName(lentPrefix+name)} {
			_, _ = d.rows(context.Background(), source, catalogBounds) // it fails in a transaction that has failed
		}
	}
	if d.is == stateNone {
		d.lent, d.left = nil, nil
		return
	}
	d.lent, d.left = nil, append(d.left, d.lent...)
}
