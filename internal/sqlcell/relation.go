package sqlcell

import (
	"context"
	"fmt"
	"strings"
)

// relation is a table or a view.
type relation struct {
	schema  string // "" for the one that names without a schema mean
	name    string
	view    bool
	comment string
	columns []column
}

// maxColumns bounds the columns of all relations that are listed.
const maxColumns = 5000

var catalogBounds = bounds{rows: maxColumns, text: 1000, total: 4 << 20}

// title returns the name as a statement has it.
func (r relation) title() string {
	if r.schema == "" {
		return r.name
	}
	return r.schema + "." + r.name
}

func (r relation) kind() string {
	if r.view {
		return "view"
	}
	return "table"
}

// signature returns the relation with its columns.
func (r relation) signature() string {
	parts := make([]string, len(r.columns))
	for i, c := range r.columns {
		parts[i] = strings.TrimSpace(c.name + " " + c.declared)
	}
	return r.title() + "(" + strings.Join(parts, ", ") + ")"
}

// gather joins rows of schema, name, kind, comment, column and type to relations; the rows are sorted by relation.
func gather(t *table) []relation {
	var list []relation
	for _, row := range t.rows {
		schema, name := row[0].text, row[1].text
		if n := len(list); n == 0 || list[n-1].schema != schema || list[n-1].name != name {
			list = append(list, relation{schema: schema, name: name, view: row[2].text == "view", comment: row[3].text})
		}
		last := &list[len(list)-1]
		if row[4].kind != kindNull {
			last.columns = append(last.columns, column{name: row[4].text, declared: row[5].text})
		}
	}
	return list
}

// relations implements database.
func (d *sqliteDB) relations(ctx context.Context) ([]relation, *fault) {
	defer d.stopWith(ctx)()
	t, f := d.rows(`
		SELECT CASE t.schema WHEN 'main' THEN '' ELSE t.schema END, t.name, t.type, NULL, c.name, c.type
		FROM pragma_table_list t LEFT JOIN pragma_table_xinfo(t.name, t.schema) c
		WHERE t.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND t.type <> 'shadow' AND t.schema <> '`+lentSchema+`'
		ORDER BY 1, 2, c.cid`, nil, catalogBounds)
	if f != nil {
		return nil, f
	}
	return gather(t), nil
}

// fetch implements database.
func (d *sqliteDB) fetch(ctx context.Context, r relation, b bounds) (*table, *fault) {
	defer d.stopWith(ctx)()
	source := "SELECT * FROM " + quoteName(r.name)
	if r.schema != "" {
		source = "SELECT * FROM " + quoteName(r.schema) + "." + quoteName(r.name)
	}
	return d.rows(source, nil, b)
}

// quoteName quotes a name for both dialects.
func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// relations implements database. Those of the system are left out, and in a transaction that has failed all are.
func (d *postgresDB) relations(ctx context.Context) ([]relation, *fault) {
	if d.state() == stateFailed {
		return nil, nil
	}
	t, f := d.rows(ctx, `
		SELECT CASE WHEN pg_table_is_visible(c.oid) THEN '' ELSE n.nspname END, c.relname,
			CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END, obj_description(c.oid, 'pg_class'),
			a.attname, format_type(a.atttypid, a.atttypmod)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_toast'
		ORDER BY 1, 2, a.attnum LIMIT 5000`, catalogBounds)
	if f != nil {
		return nil, f
	}
	return gather(t), nil
}

// fetch implements database.
func (d *postgresDB) fetch(ctx context.Context, r relation, b bounds) (*table, *fault) {
	source := "SELECT * FROM " + quoteName(r.name)
	if r.schema != "" {
		source = "SELECT * FROM " + quoteName(r.schema) + "." + quoteName(r.name)
	}
	return d.rows(ctx, fmt.Sprintf("%s LIMIT %d", source, b.rows+1), b)
}

// rows executes one statement of our own.
func (d *postgresDB) rows(ctx context.Context, source string, b bounds) (*table, *fault) {
	rows := d.conn.ExecParams(ctx, source, nil, nil, nil, nil)
	t := newTable(postgresColumns(rows.FieldDescriptions()), b)
	for rows.NextRow() {
		t.addPostgres(rows.Values())
	}
	_, err := rows.Close()
	return t, d.failure(err, source)
}
