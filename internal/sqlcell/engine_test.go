package sqlcell_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/internal/sqlcell"
)

// open returns an engine that is loaded.
func open(t *testing.T, cfg sqlcell.Config) *sqlcell.Engine {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	e, err := sqlcell.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := e.Load(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return e
}

// run executes a cell.
func run(t *testing.T, e *sqlcell.Engine, source string) (*langtest.Recorder, *lang.Error) {
	t.Helper()
	sink := &langtest.Recorder{}
	result, err := e.Execute(t.Context(), lang.Request{Source: source}, sink)
	if err != nil {
		t.Fatalf("execute %q: %v", source, err)
	}
	return sink, result.Err
}

// good executes a cell that must succeed, and returns its output.
func good(t *testing.T, e *sqlcell.Engine, source string) *langtest.Recorder {
	t.Helper()
	sink, err := run(t, e, source)
	if err != nil {
		t.Fatalf("execute %q: %v\n%s", source, err, strings.Join(err.Trace, "\n"))
	}
	return sink
}

// want compares the lines of output of a cell that must succeed.
func want(t *testing.T, e *sqlcell.Engine, source string, lines ...string) {
	t.Helper()
	if diff := cmp.Diff(lines, plainLines(good(t, e, source))); diff != "" {
		t.Errorf("%s\n%s", source, diff)
	}
}

// plainLines returns the output with tables as plain text.
func plainLines(r *langtest.Recorder) []string {
	var lines []string
	for _, e := range r.Events {
		text := e.Text
		if e.Bundle.Data != nil {
			text = dataText(e.Bundle, "text/plain")
		}
		lines = append(lines, e.Kind+": "+text)
	}
	return lines
}

func dataText(b lang.Bundle, mime string) string {
	var text string
	if json.Unmarshal(b.Data[mime], &text) != nil {
		return string(b.Data[mime])
	}
	return text
}

// last returns a form of the last table that was shown.
func last(t *testing.T, r *langtest.Recorder, mime string) string {
	t.Helper()
	for _, e := range slices.Backward(r.Events) {
		if e.Bundle.Data != nil {
			return dataText(e.Bundle, mime)
		}
	}
	t.Fatal("there is no table")
	return ""
}

const kept = "  n\n----\n 42\n(1 row)"

func TestSQLiteMeetsTheContractOfEngines(t *testing.T) {
	langtest.Suite(t, func(t *testing.T) lang.Engine {
		e, err := sqlcell.New(sqlcell.Config{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close() })
		return e
	}, langtest.Programs{
		Set: "-- param: kept = 42", Get: "select :kept as n", Got: "result: " + kept,
		Syntax: "select 'a',\n 'b'\n  frm b", SyntaxLine: 3,
		Name: "kept", Lead: "select '🐎', :",
		Define: "create table if not exists said (-- says what it does\n a int)", Defined: "said", Calling: "",
	})
}

func TestPostgreSQLMeetsTheContractOfEngines(t *testing.T) {
	url := serverURL(t)
	on := func(source string) string { return "-- connection: db\n" + source }
	langtest.Suite(t, func(t *testing.T) lang.Engine {
		e, err := sqlcell.New(sqlcell.Config{Dir: t.TempDir(), Connection: func(string) (string, error) { return url, nil }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = e.Close() })
		return e
	}, langtest.Programs{
		Set: on("do $$ begin if to_regclass('pg_temp.kept') is null then create temp table kept as select 42 as n; end if; end $$"), Get: on("select n from kept"), Got: "result: " + kept,
		Syntax: on("select 1;\nselect 'a'\n  frm b"), SyntaxLine: 4,
		Define: on("create temp table if not exists said (a int); comment on table said is 'says what it does'"), Defined: "said", Lead: on("select '🐎' from "),
	})
}

func TestTheLastTableIsTheResult(t *testing.T) {
	e := open(t, sqlcell.Config{})
	want(t, e, "create table t (a, b); insert into t values (1, 'x'), (2, null); select a from t; update t set b = ''; select b from t where a > 1; delete from t",
		"stdout: 2 rows inserted\n",
		"display:  a\n---\n 1\n 2\n(2 rows)",
		"stdout: 2 rows updated\n",
		"result:  b\n---\n \n(1 row)",
		"stdout: 2 rows deleted\n")
	want(t, e, "select * from t", "result:  a | b\n---+---\n(0 rows)")
	want(t, e, " ;; -- nothing\n;")
}

func TestATableBeforeAnErrorIsShown(t *testing.T) {
	sink, err := run(t, open(t, sqlcell.Config{}), "select 1 as a; select * from nope; select 2")
	if got := plainLines(sink); err == nil || !slices.Equal(got, []string{"display:  a\n---\n 1\n(1 row)"}) {
		t.Errorf("got %q and %v", got, err)
	}
}

func TestAStatementIsWhatTheDatabaseTakesForOne(t *testing.T) {
	e := open(t, sqlcell.Config{})
	good(t, e, `create table log (x);
		create table t (a);
		create trigger tr after insert on t begin insert into log values (';' || new.a); insert into log values ('--'); end;
		insert into t values ('a;b'); -- ; not this
		/* ; nor this */ insert into t values ("c;d");`)
	want(t, e, "select group_concat(x, ' ') as all_of_it from log", "result:  all_of_it\n-----------------\n ;a;b -- ;c;d --\n(1 row)")
}

func TestATransactionThatIsLeftOpenIsTold(t *testing.T) {
	e := open(t, sqlcell.Config{})
	good(t, e, "create table t (a)")
	opened := "stderr: A transaction is open, and goes on in the next cell: COMMIT keeps its changes, ROLLBACK drops them.\n"
	want(t, e, "begin", opened)
	want(t, e, "insert into t values (1)", "stdout: 1 row inserted\n")
	want(t, e, "rollback")
	want(t, e, "select count(*) as n from t", "result:  n\n---\n 0\n(1 row)")
}

func TestAFailedTransactionIsTold(t *testing.T) {
	e := onServer(t)
	good(t, e, "-- connection: db\nbegin")
	for range 2 {
		sink, err := run(t, e, "-- connection: db\nselect 1/0")
		if got := sink.Text(lang.Stderr); err == nil || got != "The transaction has failed: nothing runs in it until ROLLBACK ends it.\n" {
			t.Errorf("got %q and %v", got, err)
		}
	}
	want(t, e, "-- connection: db\nrollback")
	want(t, e, "-- connection: db\nselect 1 as n", "result:  n\n---\n 1\n(1 row)")
}

// onServer returns an engine with the connection db.
func onServer(t *testing.T) *sqlcell.Engine {
	t.Helper()
	url := serverURL(t)
	return open(t, sqlcell.Config{Connection: func(name string) (string, error) {
		if name != "db" {
			return "", errors.New("there is no connection " + name)
		}
		return url, nil
	}})
}

func TestACellForPostgreSQLIsOneTransaction(t *testing.T) {
	e := onServer(t)
	good(t, e, "-- connection: db\ncreate temp table t (a int)")
	for _, source := range []string{
		"-- connection: db\ninsert into t values (1);\nselect 1/0",
		"-- connection: db\n-- param: n = 0\ninsert into t values (1);\nselect 1/:n::int",
	} {
		sink, err := run(t, e, source)
		if err == nil || !strings.Contains(err.Message, "has been rolled back") || sink.Text(lang.Stdout) != "1 row inserted\n" {
			t.Errorf("got %v and %q", err, sink.Lines())
		}
	}
	want(t, e, "-- connection: db\nselect count(*) from t", "result:  count\n-------\n     0\n(1 row)")
	want(t, e, "-- connection: db\nvacuum t")
}

func TestNoticesAreWarnings(t *testing.T) {
	e := onServer(t)
	want(t, e, "-- connection: db\nselect 1 as n;\ndo $$ begin raise notice 'a; b' using hint = 'c'; end $$; select 2 as n",
		"display:  n\n---\n 1\n(1 row)", "stderr: NOTICE: a; b\nHINT: c\n", "result:  n\n---\n 2\n(1 row)")
}

func TestParametersAreBound(t *testing.T) {
	lite, server := open(t, sqlcell.Config{}), onServer(t)
	for name, value := range map[string]string{"s": `"o'x; drop"`, "n": "7", "f": "1.5", "b": "true", "z": "null", "big": "9007199254740993", "list": `[1,"a\"b",null]`} {
		for _, e := range []*sqlcell.Engine{lite, server} {
			if err := e.Set(t.Context(), name, json.RawMessage(value)); err != nil {
				t.Fatal(err)
			}
		}
	}
	sink := good(t, lite, "select :s s, typeof($n) t, @n n, :f + 0 f, :b b, :z z, :big big, :list l, ':n' q")
	if got, want := last(t, sink, "application/vnd.dataresource+json"), `[{"s":"o'x; drop","t":"integer","n":7,"f":1.5,"b":1,"z":null,"big":"9007199254740993","l":"[1,\"a\\\"b\",null]","q":":n"}]`; !strings.Contains(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
	sink = good(t, server, "-- connection: db\nselect :s s, :n::int n, :f::float8 f, :b::bool b, :z::int z, :big::bigint big, :list::text[] l, ':n' q, (array[1,2,3])[1:2] sl, $$:n$$ d, :n::int /* :n */ again")
	if got, want := last(t, sink, "application/vnd.dataresource+json"), `[{"s":"o'x; drop","n":7,"f":1.5,"b":true,"z":null,"big":"9007199254740993","l":[1,"a\"b",null],"q":":n","sl":[1,2],"d":":n","again":7}]`; !strings.Contains(got, want) {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestAParameterWithoutAValueIsAnError(t *testing.T) {
	for name, e := range map[string]*sqlcell.Engine{"": open(t, sqlcell.Config{}), "-- connection: db\n": onServer(t)} {
		if _, err := run(t, e, name+"select :missing"); err == nil || !strings.Contains(err.Message, "-- param: missing = ") {
			t.Errorf("got %v, want the remedy", err)
		}
	}
}

func TestDirectivesAreRead(t *testing.T) {
	e := open(t, sqlcell.Config{})
	want(t, e, "%%sql memory\n-- param: n = 3\nselect :n as n", "result:  n\n---\n 3\n(1 row)")
	want(t, e, "%%sql\nselect :n as n -- param: n = 4", "result:  n\n---\n 3\n(1 row)")
	for source, message := range map[string]string{
		"-- connection: postgres://me:s3cret@host/db\nselect 1": "a URL is a secret",
		"%%sql postgres://me:s3cret@host/db\nselect 1":          "a URL is a secret",
		"%%sql memory select 1":                                 "write the statements below it",
		"%%sql -o":                                              "write the statements below it",
		"-- connection:\nselect 1":                              "a connection has a name",
		"-- connection: shop\nselect 1":                         "there is no connection shop",
		"-- param: x\nselect 1":                                 "a value as JSON",
		"-- param: x = 'a'\nselect 1":                           "a value as JSON",
		"-- result: a b\nselect 1":                              "no name for a result",
	} {
		_, err := run(t, e, source)
		if err == nil || !strings.Contains(err.Message, message) || strings.Contains(err.Message, "s3cret") {
			t.Errorf("%q: got %v, want %q", source, err, message)
		}
	}
}

func TestAResultIsKeptUnderAName(t *testing.T) {
	e := open(t, sqlcell.Config{})
	good(t, e, "%%sql memory -i n,m -o found,again\nselect 1 as a, 'x' as b union all select 2, null")
	if got, err := e.Get(t.Context(), "again"); err != nil || len(got) == 0 {
		t.Errorf("got %s, %v", got, err)
	}
	got, err := e.Result("found")
	if want := `[{"a":1,"b":"x"},{"a":2,"b":null}]`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	good(t, e, "-- result: found\nselect 1 as a, 'x' as b union all select 2, null")
	if _, err := e.Result("other"); !errors.Is(err, sqlcell.ErrUnknownName) {
		t.Errorf("got %v, want ErrUnknownName", err)
	}
	if _, err := run(t, e, "-- result: many\nwith recursive c(x) as (select 1 union all select x+1 from c limit 40) select x, hex(zeroblob(500000)) from c"); err == nil || !strings.Contains(err.Message, "CREATE TABLE many AS") {
		t.Errorf("got %v, want the remedy", err)
	}
}

func TestAFrameBecomesATableAndATableAFrame(t *testing.T) {
	e := open(t, sqlcell.Config{})
	for range 2 { // the second takes the place of the first
		rows := `[{"id":1,"name":"é","at":null},{"id":2,"name":null,"score":1.5,"id of it":"9007199254740993"},{"name":"","ok":true}]`
		if err := e.Set(t.Context(), "people", json.RawMessage(rows)); err != nil {
			t.Fatal(err)
		}
	}
	want(t, e, "select name, type from pragma_table_info('people')", "result:  name     | type\n----------+---------\n id       | INTEGER\n"+
		" name     | TEXT\n at       | \n score    | REAL\n id of it | TEXT\n ok       | BOOLEAN\n(6 rows)")
	got, err := e.Get(t.Context(), "people")
	wanted := `[{"id":1,"name":"é","at":null,"score":null,"id of it":null,"ok":null},{"id":2,"name":null,"at":null,"score":1.5,"id of it":"9007199254740993","ok":null},{"id":null,"name":"","at":null,"score":null,"id of it":null,"ok":true}]`
	if err != nil || string(got) != wanted {
		t.Errorf("got  %s, %v\nwant %s", got, err, wanted)
	}
	if err := e.Set(t.Context(), "people", json.RawMessage(`[{"a":1,"A":2}]`)); err == nil {
		t.Error("got no error of columns with one name")
	}
	if again, err := e.Get(t.Context(), "people"); err != nil || string(again) != wanted {
		t.Errorf("got %s, %v, want the earlier table", again, err)
	}
	if _, err := e.Get(t.Context(), "nope"); !errors.Is(err, sqlcell.ErrUnknownName) {
		t.Errorf("got %v, want ErrUnknownName", err)
	}
	if err := e.Set(t.Context(), "a b", json.RawMessage("1")); err == nil {
		t.Error("got no error of a name with a space")
	}
}

func TestVariablesAreTablesParametersAndResults(t *testing.T) {
	e := open(t, sqlcell.Config{})
	good(t, e, "-- param: p = 1\n-- result: r\ncreate table t (a int, b text); create view v as select a from t; create temp table w (x); attach ':memory:' as o; create table o.u (y); select 1 as one")
	got, err := e.Variables(t.Context())
	wanted := []lang.Variable{
		{Name: "o.u", Type: "table", Shape: "1 column", Preview: "(y)"},
		{Name: "p", Type: "parameter", Preview: "1"},
		{Name: "r", Type: "result", Shape: "1 row", Size: 11, Preview: `[{"one":1}]`},
		{Name: "t", Type: "table", Shape: "2 columns", Preview: "(a INT, b TEXT)"},
		{Name: "temp.w", Type: "table", Shape: "1 column", Preview: "(x)"},
		{Name: "v", Type: "view", Shape: "1 column", Preview: "(a INT)"},
	}
	if diff := cmp.Diff(wanted, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestCompletionKnowsTheTablesOfTheStatement(t *testing.T) {
	lite, server := open(t, sqlcell.Config{}), onServer(t)
	good(t, lite, "create table orders (id int, total real, \"Order Date\" text); create table other (thing)")
	good(t, server, "-- connection: db\ncreate temp table orders (id int, total numeric(10,2), \"Order Date\" date)")
	tests := []struct {
		source string // with | at the cursor
		want   []string
	}{
		{"select to| from orders", []string{"total", "to"}},
		{"select x.| from orders as x", []string{"id", "total", `"Order Date"`}},
		{"select o.i| from other, orders o", []string{"id"}},
		{"select * from ord|", []string{"orders", "order"}},
		{"select * from orders where ORDE|", []string{`"Order Date"`, "orders", "ORDER"}},
		{"select thing from other; select t|o from orders", []string{"total", "table", "temp", "temporary", "then", "to", "transaction", "trigger", "true", "truncate"}},
		{"select nosuch.|", nil},
	}
	for _, test := range tests {
		at := strings.Index(test.source, "|")
		source := test.source[:at] + test.source[at+1:]
		got, err := lite.Complete(t.Context(), lang.Place{Source: source, Cursor: at})
		var texts []string
		for _, item := range got.Items {
			texts = append(texts, item.Text)
		}
		if diff := cmp.Diff(test.want, texts); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", test.source, err, diff)
		}
	}
	source := "-- connection: db\nselect o.t from orders o"
	got, err := server.Complete(t.Context(), lang.Place{Source: source, Cursor: strings.Index(source, " from")})
	if err != nil || len(got.Items) != 1 || got.Items[0] != (lang.Candidate{Text: "total", Kind: "column", Type: "numeric(10,2)"}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestInspectionHasTheColumns(t *testing.T) {
	e := open(t, sqlcell.Config{})
	good(t, e, "create table orders (id int, total real)")
	for source, signature := range map[string]string{
		"select * from ord|ers":        "orders(id INT, total REAL)",
		"select to|tal from orders":    "orders.total REAL",
		"select o|.id from orders o":   "orders(id INT, total REAL)",
		"select total| from elsewhere": "",
	} {
		at := strings.Index(source, "|")
		got, err := e.Inspect(t.Context(), lang.Place{Source: source[:at] + source[at+1:], Cursor: at})
		if err != nil || got.Signature != signature || got.Found != (signature != "") {
			t.Errorf("%s: got %+v, %v, want %q", source, got, err, signature)
		}
	}
}

func TestCSVHasAllRowsOnDemand(t *testing.T) {
	e := open(t, sqlcell.Config{})
	if got := last(t, good(t, e, "select 1"), "text/csv"); got != "" {
		t.Errorf("got %q without a demand", got)
	}
	if got, want := last(t, good(t, e, "-- csv\nselect 1 as \"a,b\", '' as e, null as n, 'x\"y' as q, x'00ff' as bin"), "text/csv"), "\"a,b\",e,n,q,bin\n1,\"\",,\"x\"\"y\",00ff\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	sink := good(t, e, "-- csv\nwith recursive c(x) as (select 1 union all select x+1 from c limit 5000) select x from c")
	if got := last(t, sink, "text/csv"); strings.Count(got, "\n") != 5001 {
		t.Errorf("got %d lines, want 5,001", strings.Count(got, "\n"))
	}
	sink = good(t, e, "-- csv\nselect hex(zeroblob(5000000)) as long")
	if got := last(t, sink, "text/csv"); got != "" || !strings.Contains(sink.Text(lang.Stderr), "no CSV") {
		t.Errorf("got %d bytes and %q", len(got), sink.Text(lang.Stderr))
	}
}

func TestCallsWaitForNoRun(t *testing.T) {
	e := open(t, sqlcell.Config{})
	ended, cancel := runForEver(t, e, "")
	if _, err := e.Variables(t.Context()); !errors.Is(err, lang.ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
	if _, err := e.Complete(t.Context(), lang.Place{}); !errors.Is(err, lang.ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
	if err := e.Set(t.Context(), "x", json.RawMessage("1")); !errors.Is(err, lang.ErrBusy) {
		t.Errorf("got %v, want ErrBusy", err)
	}
	cancel()
	<-ended
}

// ending is the end of a run.
type ending struct {
	result lang.Result
	err    error
}

// runForEver executes a statement that never ends, and returns when it has begun.
func runForEver(t *testing.T, e *sqlcell.Engine, head string) (<-chan ending, context.CancelFunc) {
	t.Helper()
	begun, ended := make(chan struct{}, 1), make(chan ending, 1)
	sink := &langtest.Recorder{OnStream: func(string, string) { begun <- struct{}{} }}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		result, err := e.Execute(ctx, lang.Request{Source: head + `create temp table started (a int); insert into started values (1);
			with recursive c(x) as (select 1 union all select x + 1 - (x / 1000000) from c) select count(*) from c`}, sink)
		ended <- ending{result, err}
	}()
	select {
	case <-begun:
	case end := <-ended:
		t.Fatalf("it has ended: %+v", end)
	}
	return ended, cancel
}
