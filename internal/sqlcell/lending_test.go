package sqlcell_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/internal/sqlcell"
)

// shelf has the tables of another language by name; "" is a variable that is none.
type shelf map[string]string

func (s shelf) Table(_ context.Context, name string) (json.RawMessage, error) {
	table, ok := s[name]
	switch {
	case !ok:
		return nil, lang.ErrNoVariable
	case table == "":
		return nil, fmt.Errorf("%w, but of type int", lang.ErrNoTable)
	}
	return json.RawMessage(table), nil
}

func (s shelf) SetTable(_ context.Context, name string, table json.RawMessage) error {
	if name == "refused" {
		return fmt.Errorf("no such name")
	}
	s[name] = string(table)
	return nil
}

const people = `{"schema":{"fields":[{"name":"name","type":"string"},{"name":"age","type":"integer"},{"name":"size","type":"number"},{"name":"here","type":"boolean"},
	{"name":"born","type":"date"},{"name":"seen","type":"datetime"},{"name":"tags","type":"array"},{"name":"raw","type":"string","format":"binary"}]},
	"data":[{"name":"Ada","age":36,"size":1.5,"here":true,"born":"1815-12-10","seen":"2020-01-02T03:04:05","tags":["a"],"raw":"AP8="},
	{"name":"Bob","age":null,"size":2,"here":false,"born":null,"seen":null,"tags":null,"raw":null}]}`

// lentTo executes a cell to which tables are lent, and returns the lines of its output and its error.
func lentTo(t *testing.T, e *sqlcell.Engine, tables shelf, source string) ([]string, *lang.Error) {
	t.Helper()
	sink := &langtest.Recorder{}
	result, err := e.Execute(t.Context(), lang.Request{Source: source, Tables: tables}, sink)
	if err != nil {
		t.Fatalf("execute %q: %v", source, err)
	}
	return plainLines(sink), result.Err
}

// lends fails unless a cell to which tables are lent gives lines.
func lends(t *testing.T, e *sqlcell.Engine, tables shelf, source string, lines ...string) {
	t.Helper()
	got, failed := lentTo(t, e, tables, source)
	if failed != nil {
		t.Fatalf("%s: %v", source, failed)
	}
	if diff := cmp.Diff(lines, got); diff != "" {
		t.Errorf("%s\n%s", source, diff)
	}
}

// refuses fails unless a cell to which tables are lent fails with a text.
func refuses(t *testing.T, e *sqlcell.Engine, tables shelf, source, want string) {
	t.Helper()
	lines, failed := lentTo(t, e, tables, source)
	if failed == nil || !strings.Contains(failed.Error(), want) {
		t.Errorf("%s: got %q, %v, want an error with %q", source, lines, failed, want)
	}
}

func TestTablesOfAnotherLanguageAreQueriedByName(t *testing.T) {
	e, tables := open(t, sqlcell.Config{}), shelf{"people": people, "n": ""}
	lends(t, e, tables, "select name, age, size, here, born, seen from people order by name",
		"result:  name |  age | size | here  | born       | seen\n------+------+------+-------+------------+---------------------\n Ada  |   36 |  1.5 | true  | 1815-12-10 | 2020-01-02 03:04:05\n Bob  | NULL |  2.0 | false | NULL       | NULL\n(2 rows)")
	lends(t, e, tables, "select typeof(age) a, typeof(size) s, typeof(here) h, typeof(raw) r, hex(raw) x, json_extract(tags, '$[0]') t, date(born, '+1 day') d from people limit 1",
		"result:  a       | s    | h       | r    | x    | t | d\n---------+------+---------+------+------+---+------------\n integer | real | integer | blob | 00FF | a | 1815-12-11\n(1 row)")
}

func TestALentTableIsWhatTheVariableIsAtEachRun(t *testing.T) {
	e, tables := open(t, sqlcell.Config{}), shelf{"x": `{"schema":{"fields":[{"name":"a","type":"integer"}]},"data":[{"a":1}]}`}
	lends(t, e, tables, "select * from x", "result:  a\n---\n 1\n(1 row)")
	tables["x"] = `{"schema":{"fields":[{"name":"b","type":"string"}]},"data":[]}`
	lends(t, e, tables, "select * from x", "result:  b\n---\n(0 rows)")
	delete(tables, "x")
	refuses(t, e, tables, "select * from x", "no such table: x")
}

func TestALentTableDoesNotComeBackByARollback(t *testing.T) {
	e, tables := open(t, sqlcell.Config{}), shelf{"x": `{"schema":{"fields":[{"name":"a","type":"integer"}]},"data":[{"a":1}]}`}
	lends(t, e, tables, "select a from x; begin; create table t (a)", "result:  a\n---\n 1\n(1 row)",
		"stderr: A transaction is open, and goes on in the next cell: COMMIT keeps its changes, ROLLBACK drops them.\n")
	tables["x"] = `{"schema":{"fields":[{"name":"a","type":"integer"}]},"data":[{"a":2}]}`
	lends(t, e, tables, "rollback; select a from x", "result:  a\n---\n 2\n(1 row)")
}

func TestATableOfTheDatabaseIsNotCoveredByAVariable(t *testing.T) {
	e, tables := open(t, sqlcell.Config{}), shelf{"people": people}
	good(t, e, "create table people (name); insert into people values ('real')")
	lends(t, e, tables, "select name from people; select name from python.people where age > 1",
		"display:  name\n------\n real\n(1 row)", "result:  name\n------\n Ada\n(1 row)")
	// Nor by one that was lent before it was made.
	good(t, e, "drop table people")
	lends(t, e, tables, "select count(*) n from people; create table people as select 'made' as name; select name from people",
		"display:  n\n---\n 2\n(1 row)", "result:  name\n------\n made\n(1 row)")
}

func TestALentTableIsReadOnly(t *testing.T) {
	e, tables := open(t, sqlcell.Config{}), shelf{"people": people}
	for _, source := range []string{
		"insert into people (name) values ('x')", "update people set name = ''", "delete from people", "drop table people", "alter table people add z",
		"select 1 from people; create table python.other (a)", "select 1 from people; detach python", "create trigger python.t after insert on people begin select 1; end",
	} {
		refuses(t, e, tables, source, "cannot be changed here")
	}
	lends(t, e, tables, "create table own as select name from people; insert into own select 'x' from people limit 1; select count(*) n from own",
		"stdout: 1 row inserted\n", "result:  n\n---\n 3\n(1 row)")
}

func TestAVariableThatIsNoTableSaysSo(t *testing.T) {
	e, tables := open(t, sqlcell.Config{}), shelf{"n": "", "damaged": `{"schema":{"fields":[]},"data":[]}`, "twice": `{"schema":{"fields":[{"name":"a"},{"name":"A"}]},"data":[]}`}
	refuses(t, e, tables, "select * from n", "n is a variable of Python, and cannot be queried: it is no table, but of type int")
	refuses(t, e, tables, "select * from damaged", "it has no columns")
	refuses(t, e, tables, "select * from twice", "duplicate column name")
	refuses(t, e, tables, "select * from main.n", "no such table: main.n")
	refuses(t, e, nil, "select * from n", "no such table: n")
}

func TestLendingLeavesTheRowIDsOfTheCell(t *testing.T) {
	e, tables := open(t, sqlcell.Config{}), shelf{"people": people}
	good(t, e, "create table t (a integer primary key)")
	lends(t, e, tables, "insert into t values (41); select last_insert_rowid() as id from people limit 1", "stdout: 1 row inserted\n", "result:  id\n----\n 41\n(1 row)")
}

func TestARestrictedNotebookQueriesVariables(t *testing.T) {
	e, tables := open(t, sqlcell.Config{Restricted: true}), shelf{"people": people}
	lends(t, e, tables, "select count(*) n from people", "result:  n\n---\n 2\n(1 row)")
}

func TestAResultIsKeptForAnotherLanguageWithItsTypes(t *testing.T) {
	e, tables := open(t, sqlcell.Config{}), shelf{"people": people}
	lentTo(t, e, tables, "-- result: found\nselect *, 9007199254740993 as wide from people")
	want := `{"schema":{"fields":[{"name":"name","type":"string"},{"name":"age","type":"integer"},{"name":"size","type":"number"},{"name":"here","type":"boolean"},` +
		`{"name":"born","type":"date"},{"name":"seen","type":"datetime"},{"name":"tags","type":"string"},{"name":"raw","type":"string","format":"binary"},{"name":"wide","type":"integer"}]},` +
		`"data":[{"name":"Ada","age":36,"size":1.5,"here":true,"born":"1815-12-10","seen":"2020-01-02 03:04:05","tags":"[\"a\"]","raw":"AP8=","wide":"9007199254740993"},` +
		`{"name":"Bob","age":null,"size":2.0,"here":false,"born":null,"seen":null,"tags":null,"raw":null,"wide":"9007199254740993"}]}`
	if diff := cmp.Diff(want, tables["found"]); diff != "" {
		t.Error(diff)
	}
	lines, failed := lentTo(t, e, tables, "-- result: refused\nselect 1 as a")
	if failed != nil || len(lines) != 2 || lines[1] != "stderr: The result is kept as refused for SQL, and not for Python: no such name\n" {
		t.Errorf("got %q, %v", lines, failed)
	}
}

func TestALargeResultIsKeptWholeOrNotAtAll(t *testing.T) {
	e, tables := open(t, sqlcell.Config{}), shelf{}
	series := "-- result: found\nwith recursive x(a) as (select 1 union all select a + 1 from x where a < "
	if _, failed := lentTo(t, e, tables, series+"20000) select a from x"); failed != nil || strings.Count(tables["found"], `{"a":`) != 20_000 {
		t.Errorf("got %d bytes, %v", len(tables["found"]), failed)
	}
	delete(tables, "found")
	for _, source := range []string{
		series + "40) select hex(zeroblob(500000)) from x", // beyond the bytes
		series + "300) select hex(zeroblob(80000)) from x union all select 1",
		series + "2) select hex(zeroblob(9000000)) from x", // beyond those of a value
	} {
		refuses(t, e, tables, source, "not kept as found, since it is too large: at most 1,000,000 rows and 32 MiB")
	}
	if _, ok := tables["found"]; ok {
		t.Error("a part was kept")
	}
}

func TestPostgreSQLCountsWhatIsCopiedAndMerged(t *testing.T) {
	url := serverURL(t)
	e := open(t, sqlcell.Config{Connection: func(string) (string, error) { return url, nil }})
	want(t, e, "-- connection: db\ncreate temp table m as select 1 as a; merge into m using (values (1), (2)) v(a) on m.a = v.a when matched then delete when not matched then insert values (v.a)", "stdout: 2 rows merged\n")
	want(t, e, "-- connection: db\ncopy (select 1 union all select 2) to program 'cat > /dev/null'", "stdout: 2 rows copied\n")
}

func TestPostgreSQLSaysWhatToDoWithAVariable(t *testing.T) {
	url := serverURL(t)
	e := open(t, sqlcell.Config{Connection: func(string) (string, error) { return url, nil }})
	tables := shelf{"people": people, "n": ""}
	refuses(t, e, tables, "-- connection: db\nselect 1;\nselect * from people", "people is a table of Python, which PostgreSQL does not see: pass what it needs by -i")
	refuses(t, e, tables, "-- connection: db\nselect * from n", "n is a variable of Python, and cannot be queried")
	_, failed := lentTo(t, e, tables, "-- connection: db\nselect * from other")
	if failed == nil || strings.Contains(failed.Error(), "Python") {
		t.Errorf("got %v", failed)
	}
}
