package sqlcell_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
	"github.com/quirehq/quire/internal/sqlcell"
)

// everywhere runs a test on SQLite and on PostgreSQL, with the directive of the connection.
func everywhere(t *testing.T, test func(t *testing.T, e *sqlcell.Engine, head string)) {
	t.Run("SQLite", func(t *testing.T) { test(t, open(t, sqlcell.Config{}), "") })
	t.Run("PostgreSQL", func(t *testing.T) {
		test(t, onServer(t), "-- connection: db\nset client_min_messages = notice;\n"+toldToBegin)
	})
}

// toldToBegin has the server send something at once: what it counts comes with the end of a cell.
const toldToBegin = "do $$ begin raise notice 'begun'; end $$;\n"

// forget drops what runForEver has left.
func forget(t *testing.T, e *sqlcell.Engine, head string) {
	t.Helper()
	good(t, e, head+"drop table if exists started")
}

func TestAnInterruptStopsAStatement(t *testing.T) {
	everywhere(t, func(t *testing.T, e *sqlcell.Engine, head string) {
		for range 3 {
			ended, cancel := runForEver(t, e, head)
			defer cancel()
			if err := e.Interrupt(); err != nil {
				t.Fatal(err)
			}
			end := <-ended
			if end.err != nil || end.result.Err == nil || end.result.Err.Cause != lang.CauseInterrupted || end.result.Err.Name == "" {
				t.Fatalf("got %+v, %v", end.result, end.err)
			}
			forget(t, e, head)
		}
	})
}

func TestTheEndOfTheContextStopsAStatement(t *testing.T) {
	everywhere(t, func(t *testing.T, e *sqlcell.Engine, head string) {
		ended, cancel := runForEver(t, e, head)
		cancel()
		if end := <-ended; end.err != nil || end.result.Err == nil || end.result.Err.Cause != lang.CauseInterrupted {
			t.Fatalf("got %+v, %v", end.result, end.err)
		}
		forget(t, e, head)
	})
}

func TestATimeOutStopsAStatement(t *testing.T) {
	everywhere(t, func(t *testing.T, e *sqlcell.Engine, head string) {
		result, err := e.Execute(t.Context(), lang.Request{
			Source: head + "with recursive c(x) as (select 1 union all select x + 1 - (x / 1000000) from c) select count(*) from c", Timeout: 100 * time.Millisecond,
		}, &langtest.Recorder{})
		if err != nil || result.Err == nil || result.Err.Cause != lang.CauseTimedOut {
			t.Errorf("got %+v, %v", result, err)
		}
		good(t, e, head+"select 1")
	})
}

func TestAnInterruptBetweenRunsStopsNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, e *sqlcell.Engine, head string) {
		for range 20 {
			if err := e.Interrupt(); err != nil {
				t.Fatal(err)
			}
			good(t, e, head+"select 1")
		}
	})
}

func TestClosingEndsARun(t *testing.T) {
	everywhere(t, func(t *testing.T, e *sqlcell.Engine, head string) {
		ended, cancel := runForEver(t, e, head)
		defer cancel()
		for range 2 {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
		if end := <-ended; !errors.Is(end.err, lang.ErrClosed) {
			t.Errorf("got %+v, %v, want ErrClosed", end.result, end.err)
		}
		if _, err := e.Execute(t.Context(), lang.Request{Source: "select 1"}, &langtest.Recorder{}); !errors.Is(err, lang.ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
		if _, err := e.Variables(t.Context()); !errors.Is(err, lang.ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
	})
}

func TestARunDoesNotStartUnderAContextThatHasEnded(t *testing.T) {
	e := open(t, sqlcell.Config{})
	reason := errors.New("not wanted any more")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	if _, err := e.Execute(ctx, lang.Request{Source: "create table t (a)"}, &langtest.Recorder{}); !errors.Is(err, reason) {
		t.Errorf("got %v, want the cause", err)
	}
	want(t, e, "select count(*) as n from sqlite_schema", "result:  n\n---\n 0\n(1 row)")
}

// SQLite rolls a transaction back whose statement was interrupted while it wrote, and keeps it where the statement had not
// begun.
func TestAnInterruptThatRollsATransactionBackSaysSo(t *testing.T) {
	for range 10 {
		e := open(t, sqlcell.Config{})
		good(t, e, "create table t (a); begin; insert into t values (1)")
		ctx, cancel := context.WithCancel(t.Context())
		sink := &langtest.Recorder{OnStream: func(string, string) { cancel() }}
		result, err := e.Execute(ctx, lang.Request{Source: `insert into t values (2);
		insert into t with recursive c(x) as (select 1 union all select x + 1 - (x / 1000000) from c) select x from c where x < 0`}, sink)
		if err != nil || result.Err == nil || result.Err.Cause != lang.CauseInterrupted || result.Err.Line != 2 {
			t.Fatalf("got %+v, %v", result, err)
		}
		told := strings.Contains(result.Err.Message, "The transaction that was open has been rolled back.")
		if _, err := run(t, e, "commit"); (err != nil) != told {
			t.Errorf("got %v of commit, told of a rollback: %v", err, told)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	const endless = "with recursive c(x) as (select 1 union all select x+1 from c)"
	e := open(t, sqlcell.Config{Memory: 16 << 20})
	t.Cleanup(func() { open(t, sqlcell.Config{}) }) // the bound is one of the process
	for source, name := range map[string]string{
		endless + " select x, hex(zeroblob(1000)) from c order by 2, 1":                                "SQLITE_NOMEM",
		"create table big as " + endless + " select hex(zeroblob(1000)) as a from c":                   "SQLITE_FULL",
		"attach ':memory:' as o; create table o.big as " + endless + " select zeroblob(5000) a from c": "SQLITE_NOMEM",
		"select hex(zeroblob(20000000))":                                                               "SQLITE_NOMEM",
		"select zeroblob(300000000)":                                                                   "SQLITE_TOOBIG",
	} {
		_, err := run(t, e, source)
		if err == nil || err.Name != name || name != "SQLITE_TOOBIG" && err.Lack != lang.LackMemory {
			t.Errorf("%s: got %+v, want %s", source, err, name)
		}
	}
	want(t, e, "select 1 as n", "result:  n\n---\n 1\n(1 row)")
}
