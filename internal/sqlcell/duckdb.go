//go:build duckdb && cgo

package sqlcell

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/quirehq/quire/core/lang"
)

// LacksDuckDB returns the reason why DuckDB cannot be used in this program, with the remedy; nil if it can.
func LacksDuckDB() error { return nil }

// duckDB is a database of DuckDB, by its driver's lower half: one connection, which takes one statement at a time.
type duckDB struct {
	connector *duckdb.Connector
	conn      *duckdb.Conn
	heap      int64 // the bound of memory, in bytes
	is        state
	lent      []string // the tables of another language that the cell has
	left      []string // those of earlier cells that the end of the transaction can bring back
}

// openDuckDB opens a database in memory, for "", or in a file. Heap bounds its memory; 0 is no bound.
func openDuckDB(ctx context.Context, path, dir string, heap int64) (database, *fault) {
	if strings.ContainsAny(path, "?%#") { // the driver would read options there
		return nil, &fault{name: connectionError, at: -1, message: "a file of DuckDB has no ?, % or # in its name here"}
	}
	connector, err := duckdb.NewConnector(path, nil)
	if err != nil {
		return nil, duckFault(err)
	}
	conn, err := connector.Connect(ctx)
	if err != nil {
		_ = connector.Close() // nothing was written
		return nil, duckFault(err)
	}
	d := &duckDB{connector: connector, conn: conn.(*duckdb.Conn), heap: heap}
	setup := []string{
		"SET errors_as_json = true", "SET temp_directory = ''", // what is sorted is in memory, which is bounded, and not on a disk
		"SET autoinstall_known_extensions = false", // nothing is downloaded that a cell does not name
		"SET file_search_path = " + quoteText(dir),
	}
	if heap > 0 {
		setup = append(setup, fmt.Sprintf("SET memory_limit = '%dB'", heap))
	}
	for _, source := range setup {
		if _, f := d.rows(ctx, source, catalogBounds); f != nil {
			d.close()
			return nil, f
		}
	}
	return d, nil
}

func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// run implements database.
func (d *duckDB) run(ctx context.Context, q query, out *output) *fault {
	if at := strings.IndexByte(q.source, 0); at >= 0 {
		return &fault{name: "ParserError", message: "the source has a character of code 0", at: at}
	}
	defer d.takeBack()
	source, tokens := duckPlaces(q)
	for _, part := range statements(source, tokens) {
		begin := part[0] + leading(source[part[0]:])
		if len(d.left) > 0 && d.is == stateNone {
			d.takeBack()
		}
		if f := d.execute(ctx, source[begin:part[1]], q, out); f != nil {
			f.line = begin
			if f.at >= 0 {
				f.at += begin
			}
			d.noteFailure(ctx, source[begin:part[1]])
			f.explainPlace(q.source, tokens)
			return f
		}
	}
	return nil
}

// duckPlaces writes the parameters that are set as DuckDB has them, with $ for the colon, so that all offsets hold.
func duckPlaces(q query) (source string, tokens []token) {
	tokens = scan(q.source)
	text := []byte(q.source)
	for _, t := range tokens {
		if _, set := q.params[strings.TrimPrefix(q.source[t.start:t.end], ":")]; set && t.kind == tokenPlace {
			text[t.start] = '$'
		}
	}
	return string(text), tokens
}

// execute executes one statement.
func (d *duckDB) execute(ctx context.Context, source string, q query, out *output) *fault {
	stmt, f := d.prepare(ctx, source, q.lender)
	if f != nil {
		return f
	}
	defer func() { _ = stmt.Close() }() // it frees memory, and cannot fail
	kind, err := stmt.StatementType()
	if err != nil {
		return duckFault(err)
	}
	args, f := duckArguments(stmt, q.params)
	if f != nil {
		return f
	}
	rows, columns, done, f := d.query(ctx, stmt, kind, source, args)
	if f != nil {
		return f
	}
	defer done()
	return d.show(ctx, rows, columns, kind, source, out)
}

// query executes a statement; done frees its result.
func (d *duckDB) query(ctx context.Context, stmt *duckdb.Stmt, kind duckdb.StmtType, source string, args []driver.NamedValue) (rows driver.Rows, columns []column, done func(), f *fault) {
	var texts *duckdb.Stmt
	var offset int
	if kind == duckdb.STATEMENT_TYPE_SELECT {
		texts, offset = d.prepareTexts(ctx, source, stmt)
	}
	if texts == nil {
		rows, err := stmt.QueryContext(ctx, args)
		if err != nil {
			return nil, nil, nil, duckFault(err)
		}
		return rows, duckColumns(nil, rows), func() { _ = rows.Close() }, nil
	}
	rows, err := texts.QueryContext(ctx, args)
	if err != nil {
		f := duckFault(err)
		if f.at -= offset; f.at < 0 || f.at > len(source) {
			f.at = -1
		}
		_ = texts.Close()
		return nil, nil, nil, f
	}
	return rows, duckColumns(stmt, rows), func() { _ = errors.Join(rows.Close(), texts.Close()) }, nil
}

// prepare prepares a statement, for which tables of another language are borrowed that the database lacks.
func (d *duckDB) prepare(ctx context.Context, source string, from lender) (*duckdb.Stmt, *fault) {
	for {
		stmt, err := d.conn.PrepareContext(ctx, source)
		if err == nil {
			return stmt.(*duckdb.Stmt), nil
		}
		if f := duckFault(err); !d.lend(ctx, from, f) {
			return nil, f
		}
	}
}

// duckArguments returns the values of the parameters of a statement.
func duckArguments(stmt *duckdb.Stmt, params parameters) ([]driver.NamedValue, *fault) {
	args := make([]driver.NamedValue, stmt.NumInput())
	for i := range args {
		name, err := stmt.ParamName(i + 1)
		if err != nil {
			return nil, duckFault(err)
		}
		if strings.Trim(name, "0123456789") == "" {
			return nil, &fault{name: "ParameterError", message: "a parameter has a number: give it a name, such as :name", at: -1}
		}
		raw, ok := params[name]
		if !ok {
			return nil, missingParameter(name)
		}
		args[i] = driver.NamedValue{Name: name, Ordinal: i + 1, Value: duckValue(raw)}
	}
	return args, nil
}

// duckValue returns a value of JSON as DuckDB takes it: lists and objects as their JSON, which it casts to its own.
func duckValue(raw json.RawMessage) any {
	switch v := sqliteValue(raw).(type) {
	case int64:
		return duckdb.Typed(v, duckdb.TYPE_BIGINT)
	case float64:
		return duckdb.Typed(v, duckdb.TYPE_DOUBLE)
	case bool:
		return duckdb.Typed(v, duckdb.TYPE_BOOLEAN)
	case string:
		return duckdb.Typed(v, duckdb.TYPE_VARCHAR)
	}
	return nil
}

// show shows the rows of a statement, or what it did to rows.
func (d *duckDB) show(ctx context.Context, rows driver.Rows, columns []column, kind duckdb.StmtType, source string, out *output) *fault {
	did := ""
	switch kind {
	case duckdb.STATEMENT_TYPE_INSERT:
		did = "inserted"
	case duckdb.STATEMENT_TYPE_UPDATE:
		did = "updated"
	case duckdb.STATEMENT_TYPE_DELETE:
		did = "deleted"
	case duckdb.STATEMENT_TYPE_COPY:
		did = "copied"
	case duckdb.STATEMENT_TYPE_SELECT, duckdb.STATEMENT_TYPE_EXPLAIN, duckdb.STATEMENT_TYPE_CALL, duckdb.STATEMENT_TYPE_EXECUTE, duckdb.STATEMENT_TYPE_PRAGMA,
		duckdb.STATEMENT_TYPE_RELATION, duckdb.STATEMENT_TYPE_LOGICAL_PLAN, duckdb.STATEMENT_TYPE_MULTI:
	default:
		d.noteTransaction(kind, source)
		return nil
	}
	if did != "" && !returnsRows(source) {
		row := make([]driver.Value, len(columns))
		if err := rows.Next(row); err == nil {
			if n, ok := row[0].(int64); ok {
				out.count(did, n)
			}
		}
		return nil
	}
	t := out.table(columns)
	if f := t.readDuck(ctx, rows); f != nil {
		return f
	}
	out.end(t)
	return nil
}

// returnsRows reports whether a statement that changes rows has a RETURNING.
func returnsRows(source string) bool {
	for _, t := range scan(source) {
		if t.kind == tokenWord && strings.EqualFold(source[t.start:t.end], "returning") {
			return true
		}
	}
	return false
}

// noteTransaction follows the transaction, which DuckDB does not tell.
func (d *duckDB) noteTransaction(kind duckdb.StmtType, source string) {
	if kind != duckdb.STATEMENT_TYPE_TRANSACTION {
		return
	}
	d.is = stateNone
	if word := firstWord(source); word == "begin" || word == "start" {
		d.is = stateOpen
	}
}

// noteFailure follows the transaction after a statement has failed: some errors end all but its end.
func (d *duckDB) noteFailure(ctx context.Context, source string) {
	if d.is == stateNone {
		return
	}
	if firstWord(source) == "commit" || firstWord(source) == "end" {
		d.is = stateNone
		return
	}
	if _, f := d.rows(context.WithoutCancel(ctx), "SELECT 1", catalogBounds); f != nil {
		d.is = stateFailed
	}
}

// rows executes one statement of our own.
func (d *duckDB) rows(ctx context.Context, source string, b bounds, args ...driver.NamedValue) (*table, *fault) {
	rows, err := d.conn.QueryContext(ctx, source, args)
	if err != nil {
		return nil, duckFault(err)
	}
	defer func() { _ = rows.Close() }()
	t := newTable(duckColumns(nil, rows), b)
	return t, t.readDuck(ctx, rows)
}

// readDuck reads all rows.
func (t *table) readDuck(ctx context.Context, rows driver.Rows) *fault {
	values := make([]driver.Value, len(t.columns))
	for {
		if ctx.Err() != nil {
			return &fault{name: "Interrupted", message: "the statement was stopped", at: -1}
		}
		err := rows.Next(values)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return duckFault(err)
		}
		if !t.reads() {
			t.count++
			continue
		}
		row := make([]cell, len(values))
		for i, v := range values {
			row[i] = t.columns[i].duckCell(v, t.wants())
		}
		t.add(row)
	}
}

// duckFault returns the fault of an error, with its place in the statement. DuckDB writes it as JSON, with words before it
// where the statement cannot be parsed.
func duckFault(err error) *fault {
	f := &fault{name: "DuckDBError", message: err.Error(), at: -1}
	var e *duckdb.Error
	if !errors.As(err, &e) {
		return f
	}
	f.message = e.Msg
	var told struct {
		Type     string `json:"exception_type"`
		Message  string `json:"exception_message"`
		Position string `json:"position"`
	}
	at := strings.IndexByte(e.Msg, '{')
	if at < 0 || json.Unmarshal([]byte(e.Msg[at:]), &told) != nil || told.Message == "" {
		return f
	}
	f.name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, told.Type) + "Error"
	f.message = told.Message
	if _, err := fmt.Sscan(told.Position, &f.at); err != nil {
		f.at = -1
	}
	switch e.Type {
	case duckdb.ErrorTypeFatal, duckdb.ErrorTypeInternal:
		f.lost = true
	}
	switch told.Type {
	case "Out of Memory":
		f.lack = lang.LackMemory
	case "FATAL", "INTERNAL":
		f.lost = true
	}
	return f
}

// state implements database.
func (d *duckDB) state() state { return d.is }

// relations implements database.
func (d *duckDB) relations(ctx context.Context) ([]relation, *fault) {
	if d.is == stateFailed {
		return nil, nil
	}
	t, f := d.rows(ctx, `
		SELECT CASE WHEN c.database_name = 'temp' OR c.schema_name = current_schema() THEN '' ELSE c.schema_name END, c.table_name,
			r.kind, r.comment, c.column_name, c.data_type
		FROM duckdb_columns() c JOIN (
			SELECT table_oid AS oid, database_oid, 'table' AS kind, comment FROM duckdb_tables() UNION ALL
			SELECT view_oid, database_oid, 'view', comment FROM duckdb_views()) r ON r.oid = c.table_oid AND r.database_oid = c.database_oid
		WHERE NOT c.internal AND c.database_name IN (current_database(), 'temp')
		ORDER BY 1, 2, c.column_index LIMIT 5000`, catalogBounds)
	if f != nil {
		return nil, f
	}
	return gather(t), nil
}

// fetch implements database.
func (d *duckDB) fetch(ctx context.Context, r relation, b bounds) (*table, *fault) {
	source := "SELECT * FROM " + quoteName(r.name)
	if r.schema != "" {
		source = "SELECT * FROM " + quoteName(r.schema) + "." + quoteName(r.name)
	}
	stmt, f := d.prepare(ctx, source, lender{})
	if f != nil {
		return nil, f
	}
	defer func() { _ = stmt.Close() }()
	rows, columns, done, f := d.query(ctx, stmt, duckdb.STATEMENT_TYPE_SELECT, source, nil)
	if f != nil {
		return nil, f
	}
	defer done()
	t := newTable(columns, b)
	t.binary = true
	return t, t.readDuck(ctx, rows)
}

// close implements database. An open transaction is rolled back.
func (d *duckDB) close() {
	_ = d.conn.Close() // twice is no error that matters
	_ = d.connector.Close()
}
