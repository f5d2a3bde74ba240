package sqlcell

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	sqlite "modernc.org/sqlite/lib"

	"github.com/quirehq/quire/core/lang"
)

// sqliteDB is a database of SQLite.
type sqliteDB struct {
	mu     sync.Mutex // guards closing against interrupts
	h      *handle
	memory bool
	heap   int64 // the bound of memory, in bytes
	counts int64 // rows of a statement that is not read to its end

	lent    map[string]bool // the tables of another language, by name
	haunted bool            // the end of the transaction can bring back what was lent
}

// memoryName is the name of SQLite for a database in memory.
const memoryName = ":memory:"

// openSQLite opens a database in memory or in a file. Heap bounds the memory of all databases of the process; 0 is no
// bound.
func openSQLite(name string, g grant, heap int64) (*sqliteDB, error) {
	h, err := openHandle(name, g, heap)
	if err != nil {
		return nil, err
	}
	d := &sqliteDB{h: h, memory: name == memoryName, heap: heap, counts: countRows, lent: map[string]bool{}}
	// What is sorted is in memory, which is bounded, and not on a disk, which is not.
	setup := []string{"PRAGMA temp_store=2", "PRAGMA mmap_size=0", "PRAGMA cell_size_check=1", "ATTACH ':memory:' AS " + lentSchema}
	if d.memory && heap > 0 {
		// Half of the memory is left to sort and to delete.
		setup = append(setup, fmt.Sprintf("PRAGMA max_page_count=%d", max(heap/2/pageSize, 16)))
	}
	if heap > 0 {
		setup = append(setup, fmt.Sprintf("PRAGMA %s.max_page_count=%d", lentSchema, max(heap/4/pageSize, 16)))
	}
	for _, source := range setup {
		if _, f := d.rows(source, nil, bounds{rows: 1, text: 100, total: 100}); f != nil {
			d.close()
			return nil, f
		}
	}
	return d, nil
}

// pageSize is SQLite's default, in bytes.
const pageSize = 4096

// countRows bounds the rows that are only counted: a statement that never ends need not be waited for.
const countRows = 100_000

// run implements database.
func (d *sqliteDB) run(ctx context.Context, q query, out *output) *fault {
	if at := strings.IndexByte(q.source, 0); at >= 0 {
		return &fault{name: "SQLITE_ERROR", message: "the source has a character of code 0", at: at}
	}
	defer d.stopWith(ctx)()
	s, err := d.h.script(q.source)
	if err != nil {
		return &fault{name: "SQLITE_NOMEM", message: err.Error(), at: -1}
	}
	defer s.free()
	defer d.takeBack()
	for {
		if d.haunted && !d.h.inTransaction() {
			d.takeBack()
		}
		begin := s.at
		stmt, f := s.next()
		if f != nil && d.lend(ctx, q.lender, f) {
			continue
		}
		if stmt != nil {
			f = d.execute(stmt, q, out, q.source[begin:s.at])
		}
		if f != nil {
			return d.explain(f, begin+leading(q.source[begin:]))
		}
		if stmt == nil {
			return nil
		}
	}
}

// explain adds the place of the statement and the bound that it has hit.
func (d *sqliteDB) explain(f *fault, statement int) *fault {
	if f.at < 0 {
		f.line = statement
	}
	switch f.name {
	case "SQLITE_NOMEM":
		f.lack = lang.LackMemory
		f.more = append(f.more, "SQL cells have "+sizeText(d.heap)+" of memory, with what is sorted and the database in memory.")
	case "SQLITE_FULL":
		if d.memory {
			f.lack = lang.LackMemory
			f.more = append(f.more, "The database in memory has at most "+sizeText(d.heap/2)+": a file has more, by -- connection: NAME.db")
		}
	}
	return f
}

// sizeText writes a bound of memory.
func sizeText(bytes int64) string { return grouped(bytes>>20) + " MiB" }

// stopWith has statements stop when the context ends, until done.
func (d *sqliteDB) stopWith(ctx context.Context) (done func()) {
	d.h.begin()
	over := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(over)
		d.interrupt()
	})
	return func() {
		if !stop() {
			<-over // it must not meet the next statement
		}
	}
}

func (d *sqliteDB) interrupt() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.h.tls != nil {
		d.h.interrupt()
	}
}

// execute executes one statement.
func (d *sqliteDB) execute(stmt *statement, q query, out *output, source string) *fault {
	defer stmt.close()
	if f := bindAll(stmt, q.params); f != nil {
		return f
	}
	columns := stmt.columns()
	if len(columns) == 0 {
		if _, f := stmt.step(); f != nil {
			return f
		}
		if did := doneOf(source); did != "" {
			out.count(did, d.h.changes())
		}
		return nil
	}
	t := out.table(columns)
	for {
		more, f := stmt.step()
		if f != nil {
			return f
		}
		if !more {
			break
		}
		if t.reads() {
			t.add(stmt.row(columns, t.wants()))
			continue
		}
		t.count++
		if t.count >= d.counts && stmt.reads() {
			t.more = true
			break
		}
	}
	out.end(t)
	return nil
}

// sqliteValue returns a value of JSON as SQLite takes it: lists and objects as their JSON.
func sqliteValue(raw json.RawMessage) any {
	switch v := decodeValue(raw).(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if n, err := v.Float64(); err == nil && !strings.ContainsAny(v.String(), "eE") && isExact(v.String(), n) || strings.ContainsAny(v.String(), "eE") {
			return n
		}
		return v.String() // an integer or a decimal that no number of SQLite holds
	case nil, bool, string:
		return v
	}
	return string(raw)
}

// doneOf returns the word for what a statement did to rows, "" if it does not change rows.
func doneOf(source string) string {
	word := firstWord(source)
	switch word {
	case "insert", "replace":
		return "inserted"
	case "update":
		return "updated"
	case "delete":
		return "deleted"
	case "copy":
		return "copied"
	case "merge":
		return "merged"
	case "with":
		return "changed"
	}
	return ""
}

// rows executes one statement of our own.
func (d *sqliteDB) rows(source string, params parameters, b bounds) (*table, *fault) {
	s, err := d.h.script(source)
	if err != nil {
		return nil, &fault{name: "SQLITE_NOMEM", message: err.Error(), at: -1}
	}
	defer s.free()
	stmt, f := s.next()
	if stmt == nil {
		return nil, f
	}
	defer stmt.close()
	if f := bindAll(stmt, params); f != nil {
		return nil, f
	}
	t := newTable(stmt.columns(), b)
	for {
		more, f := stmt.step()
		if !more || f != nil {
			return t, f
		}
		if t.full() {
			t.more = true
			return t, nil
		}
		t.add(stmt.row(t.columns, t.wants()))
	}
}

// state implements database.
func (d *sqliteDB) state() state {
	if d.h.inTransaction() {
		return stateOpen
	}
	return stateNone
}

// close implements database.
func (d *sqliteDB) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.h.close()
}

// inTransaction reports whether a transaction is open.
func (h *handle) inTransaction() bool { return sqlite.Xsqlite3_get_autocommit(h.tls, h.db) == 0 }

// changes returns the number of rows that the last INSERT, UPDATE or DELETE changed.
func (h *handle) changes() int64 { return sqlite.Xsqlite3_changes64(h.tls, h.db) }
