package sqlcell_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/internal/sqlcell"
)

// duck returns an engine whose cells are for DuckDB in memory, or skips the test where it is not built in.
func duck(t *testing.T) *sqlcell.Engine {
	t.Helper()
	needDuckDB(t)
	return open(t, sqlcell.Config{DuckDB: true})
}

func needDuckDB(t *testing.T) {
	t.Helper()
	if err := sqlcell.LacksDuckDB(); err != nil {
		t.Skipf("DuckDB: %v", err)
	}
}

func TestDuckDBMeetsTheContractOfEngines(t *testing.T) {
	needDuckDB(t)
	langtest.Suite(t, func(t *testing.T) lang.Engine {
		e, err := sqlcell.New(sqlcell.Config{Dir: t.TempDir(), DuckDB: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close() })
		return e
	}, langtest.Programs{
		Set: "-- param: kept = 42", Get: "select :kept as n", Got: "result: " + kept,
		Syntax: "select 'a',\n 'b'\n  frm b", SyntaxLine: 3,
		Name: "kept", Lead: "select '🐎', :",
		Define: "create table if not exists said (a int); comment on table said is 'says what it does'", Defined: "said",
	})
}

func TestDuckDBWithoutItSaysHowToGetIt(t *testing.T) {
	if sqlcell.LacksDuckDB() == nil {
		t.Skip("DuckDB is built in")
	}
	if _, err := sqlcell.New(sqlcell.Config{DuckDB: true}); err == nil || !strings.Contains(err.Error(), "-tags duckdb") {
		t.Errorf("got %v, want the remedy", err)
	}
	e := open(t, sqlcell.Config{})
	for _, connection := range []string{"duckdb", "x.duckdb"} {
		if _, err := run(t, e, "-- connection: "+connection+"\nselect 1"); err == nil || !strings.Contains(err.Message, "-tags duckdb") {
			t.Errorf("%s: got %v, want the remedy", connection, err)
		}
	}
}

func TestDuckDBIsNotGrantedToARestrictedNotebook(t *testing.T) {
	if _, err := sqlcell.New(sqlcell.Config{DuckDB: true, Restricted: true}); err == nil || !strings.Contains(err.Error(), "sandbox") {
		t.Errorf("got %v", err)
	}
	e := open(t, sqlcell.Config{Restricted: true})
	for _, connection := range []string{"duckdb", "x.duckdb"} {
		if _, err := run(t, e, "-- connection: "+connection+"\nselect 1"); err == nil || !strings.Contains(err.Message, "sandbox") {
			t.Errorf("%s: got %v", connection, err)
		}
	}
}

func TestDuckDBShowsValuesAsItWritesThem(t *testing.T) {
	e := duck(t)
	sink := good(t, e, `select 1::tinyint as a, 18446744073709551615::ubigint as b, 170141183460469231731687303715884105727 as c, -0.50::decimal(10,2) as d, 1.5::double as e,
		'nan'::double as f, '-inf'::float as g, 0.1::float as h, true as i, 'é' || chr(0) as j, 'ab'::blob as k, '101'::bit as l, null as m,
		date '2020-01-02' as n, time '01:02:03.5' as o, timestamp '2020-01-02 03:04:05.123456' as p, interval '1 month 2 days 3 seconds' as q,
		'00000000-0000-0000-0000-00000000000a'::uuid as r, '{"b":9007199254740993,"a":1}'::json as s, [1,2,null] as t, {'b':date '2020-01-02','a':'x'} as u, map{'k':1} as v,
		'a'::enum('a','b') as w, timestamp 'infinity' as x, date '0044-03-15 (BC)' as y, '2020-01-01 00:00:00.123456789'::timestamp_ns as z`)
	wanted := `{"schema":{"fields":[{"name":"a","type":"integer"},{"name":"b","type":"integer"},{"name":"c","type":"integer"},{"name":"d","type":"number"},{"name":"e","type":"number"},` +
		`{"name":"f","type":"number"},{"name":"g","type":"number"},{"name":"h","type":"number"},{"name":"i","type":"boolean"},{"name":"j","type":"string"},{"name":"k","type":"string"},{"name":"l","type":"string"},{"name":"m","type":"integer"},` +
		`{"name":"n","type":"date"},{"name":"o","type":"time"},{"name":"p","type":"datetime"},{"name":"q","type":"string"},{"name":"r","type":"string"},{"name":"s","type":"any"},{"name":"t","type":"any"},{"name":"u","type":"any"},{"name":"v","type":"any"},` +
		`{"name":"w","type":"string"},{"name":"x","type":"any"},{"name":"y","type":"any"},{"name":"z","type":"datetime"}]},"data":[{"a":1,"b":"18446744073709551615","c":"170141183460469231731687303715884105727","d":-0.50,"e":1.5,` +
		`"f":"NaN","g":"-Infinity","h":0.1,"i":true,"j":"é\u0000","k":"x'6162' (2 bytes)","l":"101","m":null,"n":"2020-01-02","o":"01:02:03.5","p":"2020-01-02 03:04:05.123456","q":"1 month 2 days 00:00:03",` +
		`"r":"00000000-0000-0000-0000-00000000000a","s":{"b":9007199254740993,"a":1},"t":[1,2,null],"u":{"b":"2020-01-02","a":"x"},"v":{"k":1},"w":"a","x":"infinity","y":"0044-03-15 (BC)","z":"2020-01-01 00:00:00.123456789"}]}`
	if got := last(t, sink, "application/vnd.dataresource+json"); got != wanted {
		t.Errorf("got  %s\nwant %s", got, wanted)
	}
	want(t, e, "select date '2020-01-02' as a, 1 as a -- of one name", "result:  a          | a\n------------+---\n 2020-01-02 | 1\n(1 row)")
	want(t, e, "create table d (a int, b varchar); insert into d values (1, 'x'), (2, 'y'); update d set b = 'z' where a > 5; delete from d where a = 1 returning a",
		"stdout: 2 rows inserted\n0 rows updated\n", "result:  a\n---\n 1\n(1 row)")
}

func TestDuckDBBindsParameters(t *testing.T) {
	e := duck(t)
	want(t, e, "-- param: city = \"O'slo; drop table x\"\n-- param: n = 2\n-- param: list = [1, 2]\n-- param: none = null\n-- param: yes = true\n-- param: f = 0.5\nselect :city as c, $n + :n as n, list_sum(:list::int[]) as l, :none as z, :yes as y, :f * 2 as f, 'a:n' as t, ARRAY[1,2,3][:n:2] as s",
		"result:  c                   | n | l | z    | y    |   f | t   | s\n---------------------+---+---+------+------+-----+-----+-----\n O'slo; drop table x | 4 | 3 | NULL | true | 1.0 | a:n | [2]\n(1 row)")
	// The types of a result that depend on those of parameters are known once it is there.
	want(t, e, "select :n as n, date '2020-01-02' as d, timestamptz '2020-01-02 03:04:05+02' as z, [1] as l", "result:  n | d          | z                      | l\n---+------------+------------------------+-----\n 2 | 2020-01-02 | 2020-01-02 01:04:05+00 | [1]\n(1 row)")
	for source, want := range map[string]string{
		"select 1,\n :other":  "the parameter other has no value",
		"select 1,\n $other":  "the parameter other has no value",
		"select ?":            "give it a name",
		"select $1 + 1":       "give it a name",
		"select :city::int":   "Could not convert string",
		"select 'x' + :other": "the parameter other has no value",
	} {
		if _, err := run(t, e, source); err == nil || !strings.Contains(err.Message, want) {
			t.Errorf("%s: got %v, want %q", source, err, want)
		}
	}
}

func TestDuckDBPlacesErrors(t *testing.T) {
	e := duck(t)
	for _, c := range []struct {
		source, name string
		line, column int
	}{
		{"select 1;\n-- é\nselect 'é', x\n from (select 1 as a) t", "BinderError", 3, 13},
		{"select 1;\nselect *\n  from nope", "CatalogError", 3, 8},
		{"select 1\n frm b", "ParserError", 2, 6},
		{"select 1;\n\nselect cast('abc' as int)", "ConversionError", 3, 8},
		{"select 1 as a,\n  cast(x as date) as d from (values ('x')) t(x)", "ConversionError", 2, 3},
		{"create table p (a int primary key);\ninsert into p values (1), (1)", "ConstraintError", 2, 0},
	} {
		_, err := run(t, e, c.source)
		if err == nil || err.Name != c.name || err.Line != c.line || err.Column != c.column {
			t.Errorf("%q: got %+v, want %+v", c.source, err, c)
		}
	}
}

func TestDuckDBTransactionsGoOnInTheNextCell(t *testing.T) {
	e := duck(t)
	good(t, e, "create table t (a int primary key); insert into t values (1)")
	want(t, e, "begin; insert into t values (2)", "stdout: 1 row inserted\n", "stderr: A transaction is open, and goes on in the next cell: COMMIT keeps its changes, ROLLBACK drops them.\n")
	sink, err := run(t, e, "insert into t values (1)")
	if err == nil || !strings.Contains(strings.Join(plainLines(sink), ""), "The transaction has failed") {
		t.Errorf("got %q, %v", plainLines(sink), err)
	}
	if _, err := run(t, e, "select 1"); err == nil || err.Name != "TransactionContextError" && !strings.Contains(err.Message, "aborted") {
		t.Errorf("got %v", err)
	}
	want(t, e, "rollback; select a from t", "result:  a\n---\n 1\n(1 row)")
}

func TestDuckDBStops(t *testing.T) {
	e := duck(t)
	for _, source := range []string{
		"select count(*) from range(100000000000) a, range(1000) b",
		"select a.range from range(100000000000) a", // while it is fetched
	} {
		result, err := e.Execute(t.Context(), lang.Request{Source: source, Timeout: 200 * time.Millisecond}, &langtest.Recorder{})
		if err != nil || result.Err == nil || result.Err.Cause != lang.CauseTimedOut && result.Err.Lack != lang.LackMemory {
			t.Errorf("%s: got %+v, %v", source, result.Err, err)
		}
		want(t, e, "select 1 as a", "result:  a\n---\n 1\n(1 row)")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("stopped"))
	if _, err := e.Execute(ctx, lang.Request{Source: "select 1"}, &langtest.Recorder{}); err == nil {
		t.Error("a run that was cancelled executed")
	}
}

func TestDuckDBHasABoundOfMemory(t *testing.T) {
	needDuckDB(t)
	e := open(t, sqlcell.Config{DuckDB: true, Memory: 64 << 20})
	_, err := run(t, e, "create table t as select range as a, hash(range) as b, hash(range + 1) as c from range(50000000)")
	if err == nil || err.Lack != lang.LackMemory {
		t.Errorf("got %+v, want a lack of memory", err)
	}
}

func TestDuckDBOpensFiles(t *testing.T) {
	needDuckDB(t)
	dir := t.TempDir()
	e := open(t, sqlcell.Config{Dir: dir, Connection: func(string) (string, error) { return "duckdb:" + filepath.Join(dir, "kept.duckdb"), nil }})
	good(t, e, "-- connection: kept.duckdb\ncreate table t as select 7 as a")
	want(t, e, "%%sql shop\nselect a from t", "result:  a\n---\n 7\n(1 row)")
	if err := os.WriteFile(filepath.Join(dir, "x.csv"), []byte("a,b\n1,é\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want(t, e, "-- connection: duckdb\nselect * from 'x.csv'", "result:  a | b\n---+---\n 1 | é\n(1 row)")
	if _, err := run(t, e, "-- connection: ./a%zz.duckdb\nselect 1"); err == nil || !strings.Contains(err.Message, "no ?, % or #") {
		t.Errorf("got %v", err)
	}
}

func TestDuckDBQueriesVariables(t *testing.T) {
	e, tables := duck(t), shelf{"people": people, "n": "", "zoned": `{"schema":{"fields":[{"name":"t","type":"datetime"}]},"data":[{"t":null},{"t":"2020-01-02T03:04:05+02:00"}]}`}
	lends(t, e, tables, "select name, age, size, here, born, seen, tags, hex(raw) as raw from people order by name",
		"result:  name |  age | size | here  | born       | seen                | tags  | raw\n------+------+------+-------+------------+---------------------+-------+------\n Ada  |   36 |  1.5 | true  | 1815-12-10 | 2020-01-02 03:04:05 | [\"a\"] | 00FF\n Bob  | NULL |  2.0 | false | NULL       | NULL                | NULL  | NULL\n(2 rows)")
	lends(t, e, tables, "select epoch(t) as e from zoned where t is not null", "result:             e\n--------------\n 1577927045.0\n(1 row)")
	refuses(t, e, tables, "select * from n", "n is a variable of Python, and cannot be queried: it is no table, but of type int")
	for _, source := range []string{"insert into people (name) values ('x')", "update people set name = ''", "delete from people", "drop table people"} {
		if _, failed := lentTo(t, e, tables, source); failed == nil {
			t.Errorf("%s: the variable was changed", source)
		}
	}
	good(t, e, "create table people as select 'real' as name")
	lends(t, e, tables, "select name from people", "result:  name\n------\n real\n(1 row)")
	good(t, e, "drop table people")
	want(t, e, "show tables", "result:  name\n------\n(0 rows)")
	// It is fresh at each run, also behind a rollback.
	x := func(n string) string {
		return `{"schema":{"fields":[{"name":"a","type":"integer"}]},"data":[{"a":` + n + `}]}`
	}
	tables["x"] = x("1")
	lends(t, e, tables, "select a from x; begin", "result:  a\n---\n 1\n(1 row)", "stderr: A transaction is open, and goes on in the next cell: COMMIT keeps its changes, ROLLBACK drops them.\n")
	tables["x"] = x("2")
	lends(t, e, tables, "rollback; select a from x", "result:  a\n---\n 2\n(1 row)")
}

func TestDuckDBKeepsTablesOfOtherLanguages(t *testing.T) {
	e := duck(t)
	for range 2 {
		if err := e.SetTable(t.Context(), "people", []byte(people)); err != nil {
			t.Fatal(err)
		}
	}
	want(t, e, "select count(*) as n, sum(age) as s from people", "result:  n |  s\n---+----\n 2 | 36\n(1 row)")
	got, err := e.Table(t.Context(), "people")
	if want := `"data":[{"name":"Ada","age":36,"size":1.5,"here":true,"born":"1815-12-10","seen":"2020-01-02 03:04:05","tags":["a"],"raw":"AP8="},`; err != nil || !strings.Contains(string(got), want) {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}
