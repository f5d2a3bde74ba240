package sqlcell_test

import (
	"strings"
	"testing"

	"github.com/quirehq/quire/internal/sqlcell"
)

// failing is a cell that fails, with its error.
type failing struct {
	source, name, message string
	line, column          int // 0 for an unknown column
}

func (f failing) check(t *testing.T, e *sqlcell.Engine, head string) {
	t.Helper()
	_, err := run(t, e, head+f.source)
	if err == nil {
		t.Errorf("%s: got no error", f.source)
		return
	}
	lines := strings.Count(head, "\n")
	if err.Name != f.name || !strings.HasPrefix(err.Message, f.message) || err.Line != f.line+lines || err.Column != f.column {
		t.Errorf("%s:\ngot  %s %q at %d:%d\nwant %s %q at %d:%d", f.source, err.Name, err.Message, err.Line-lines, err.Column, f.name, f.message, f.line, f.column)
	}
}

func TestErrorsOfSQLiteHaveTheirPlace(t *testing.T) {
	e := open(t, sqlcell.Config{})
	good(t, e, "create table t (a integer primary key, b text not null unique, c int check (c > 0), d int references t(a)) ; create table s (x int) strict")
	good(t, e, "insert into t values (1, 'x', 1, null)")
	for _, f := range []failing{
		{"select * frm t", "SQLITE_ERROR", `near "frm": syntax error`, 1, 10},
		{"select 1;\n select '🐎', nope\nfrom t", "SQLITE_ERROR", "no such column: nope", 2, 15},
		{"select 1;\n\n/* c */ select * from nowhere", "SQLITE_ERROR", "no such table: nowhere", 3, 0},
		{"select nofn(1)", "SQLITE_ERROR", "no such function: nofn", 1, 8},
		{"select abs(1, 2)", "SQLITE_ERROR", "wrong number of arguments to function abs()", 1, 8},
		{"select 1;\nselect 'open", "SQLITE_ERROR", `unrecognized token: "'open"`, 2, 8},
		{"select (", "SQLITE_ERROR", "incomplete input", 1, 0},
		{"insert into t values (1)", "SQLITE_ERROR", "table t has 4 columns but 1 values were supplied", 1, 0},
		{"select 1;\ninsert into t values (1, 'y', 1, null)", "SQLITE_CONSTRAINT_PRIMARYKEY", "UNIQUE constraint failed: t.a", 2, 0},
		{"insert into t values (2, 'x', 1, null)", "SQLITE_CONSTRAINT_UNIQUE", "UNIQUE constraint failed: t.b", 1, 0},
		{"insert into t values (2, null, 1, null)", "SQLITE_CONSTRAINT_NOTNULL", "NOT NULL constraint failed: t.b", 1, 0},
		{"insert into t values (2, 'y', 0, null)", "SQLITE_CONSTRAINT_CHECK", "CHECK constraint failed: c > 0", 1, 0},
		{"insert into t values (2, 'y', 1, 9)", "SQLITE_CONSTRAINT_FOREIGNKEY", "FOREIGN KEY constraint failed", 1, 0},
		{"insert into s values ('no')", "SQLITE_CONSTRAINT_DATATYPE", "cannot store TEXT value in INT column s.x", 1, 0},
		{"insert into t (a, b) values ('no', 'z')", "SQLITE_MISMATCH", "datatype mismatch", 1, 0},
		{"create table t (a)", "SQLITE_ERROR", "table t already exists", 1, 14},
		{"commit", "SQLITE_ERROR", "cannot commit - no transaction is active", 1, 0},
		{"select json('{')", "SQLITE_ERROR", "malformed JSON", 1, 0},
		{"select a, count(*) from t where count(*) > 1", "SQLITE_ERROR", "misuse of aggregate: count()", 1, 33},
		{"select ?", "SQLITE_RANGE", "a parameter has a number", 1, 0},
		{"select 1\x00", "SQLITE_ERROR", "the source has a character of code 0", 1, 9},
	} {
		f.check(t, e, "")
	}
}

func TestErrorsOfPostgreSQLHaveTheirPlace(t *testing.T) {
	const head = "-- connection: db\n"
	e := onServer(t)
	good(t, e, head+"create temp table t (a integer primary key, b text not null unique, c int check (c > 0))")
	good(t, e, head+"insert into t values (1, 'x', 1)")
	for _, f := range []failing{
		{"select * frm t", "SyntaxErrorOrAccessRuleViolation", `syntax error at or near "frm" (SQLSTATE 42601)`, 1, 10},
		{"select 1;\n select '🐎', nope\nfrom t", "SyntaxErrorOrAccessRuleViolation", `column "nope" does not exist (SQLSTATE 42703)`, 2, 15},
		{"select 1;\n\nselect * from nowhere", "SyntaxErrorOrAccessRuleViolation", `relation "nowhere" does not exist (SQLSTATE 42P01)`, 3, 15},
		{"select nofn(1)", "SyntaxErrorOrAccessRuleViolation", "function nofn(integer) does not exist (SQLSTATE 42883)\nHINT: No function matches", 1, 8},
		{"select 1;\nselect 'open", "SyntaxErrorOrAccessRuleViolation", `unterminated quoted string at or near "'open" (SQLSTATE 42601)`, 2, 8},
		{"select (", "SyntaxErrorOrAccessRuleViolation", "syntax error at end of input (SQLSTATE 42601)", 1, 9},
		{"select 1;\nselect 1/(a-1) from t", "DataException", "division by zero (SQLSTATE 22012)", 2, 0},
		{"select 'x'::int", "DataException", `invalid input syntax for type integer: "x" (SQLSTATE 22P02)`, 1, 8},
		{"insert into t values (1, 'y', 1)", "IntegrityConstraintViolation", "duplicate key value violates unique constraint \"t_pkey\" (SQLSTATE 23505)\nDETAIL: Key (a)=(1) already exists.", 1, 0},
		{"insert into t values (2, null, 1)", "IntegrityConstraintViolation", `null value in column "b" of relation "t" violates not-null constraint (SQLSTATE 23502)`, 1, 0},
		{"insert into t values (2, 'y', 0)", "IntegrityConstraintViolation", `new row for relation "t" violates check constraint "t_c_check" (SQLSTATE 23514)`, 1, 0},
		{"create table t (a int)\n  as", "SyntaxErrorOrAccessRuleViolation", `syntax error at or near "as" (SQLSTATE 42601)`, 2, 3},
		{"select 1 union select 'a', 2", "SyntaxErrorOrAccessRuleViolation", "each UNION query must have the same number of columns (SQLSTATE 42601)", 1, 23},
		{"do $$ begin\n raise exception 'no %', 1 using errcode = 'P0001'; end $$", "PLpgSQLError", "no 1 (SQLSTATE P0001)\nCONTEXT: PL/pgSQL function", 1, 0},
		{"select 1; vacuum", "InvalidTransactionState", "VACUUM cannot run inside a transaction block (SQLSTATE 25001)", 1, 0},
		{"set role nosuch", "DataException", `role "nosuch" does not exist (SQLSTATE 22023)`, 1, 0},
		{"copy t from stdin", "FeatureNotSupported", "a cell has no data for COPY FROM STDIN", 1, 13},
		{"select 1; copy t to stdout", "FeatureNotSupported", "a cell does not show the output of COPY", 1, 21},
		{"-- param: n = 1\nselect :n::int;\nselect '🐎', :n::int + nope", "SyntaxErrorOrAccessRuleViolation", `column "nope" does not exist (SQLSTATE 42703)`, 3, 24},
		{"-- param: n = 1\nselect :n::int;\nselect 1/0", "DataException", "division by zero (SQLSTATE 22012)", 3, 0},
	} {
		f.check(t, e, head)
	}
}

func TestATraceShowsThePlace(t *testing.T) {
	_, err := run(t, open(t, sqlcell.Config{}), "select\n\t'日本', nope")
	want := "SQLITE_ERROR: no such column: nope\nLINE 2:  '日本', nope\n                 ^"
	if got := strings.Join(err.Trace, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	_, err = run(t, open(t, sqlcell.Config{}), "select '"+strings.Repeat("x", 500)+"', nope, '"+strings.Repeat("x", 500)+"'")
	if got := err.Trace[1]; len(got) > 200 || !strings.Contains(got, "nope") || err.Column != 512 {
		t.Errorf("got %q at %d", got, err.Column)
	}
}

func TestAConnectionThatIsLostIsMadeAgain(t *testing.T) {
	e := onServer(t)
	_, err := run(t, e, "-- connection: db\nselect pg_terminate_backend(pg_backend_pid())")
	if err == nil || !strings.Contains(err.Message, "The connection is lost") {
		t.Errorf("got %v", err)
	}
	good(t, e, "-- connection: db\nselect 1")
}
