package sqlcell

import (
	"errors"
	"testing"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

func TestAResultWithoutEndIsNotReadToTheEnd(t *testing.T) {
	d, err := openSQLite(memoryName, grant{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	if d.counts != countRows {
		t.Errorf("got %d rows to count, want %d", d.counts, countRows)
	}
	d.counts = 1500
	for _, test := range []struct{ source, note string }{
		{"with recursive c(x) as (select 1 union all select x+1 from c) select x from c", "1,000 rows shown of more than 1,500"},
		{"with recursive c(x) as (select 1 union all select x+1 from c limit 1234) select x from c", "1,000 of 1,234 rows shown"},
		{"create table t (a)", ""},
		// What changes rows is read to its end.
		{"insert into t with recursive c(x) as (select 1 union all select x+1 from c limit 2000) select x from c returning a", "1,000 of 2,000 rows shown"},
		{"select a from t limit 2", "2 rows"},
	} {
		out := &output{sink: &langtest.Recorder{}}
		if f := d.run(t.Context(), query{source: test.source}, out); f != nil {
			t.Fatal(f)
		}
		note := ""
		if shown := out.result(); shown != nil {
			note = shown.note()
		}
		if note != test.note {
			t.Errorf("%s: got %q, want %q", test.source, note, test.note)
		}
	}
}

func TestAStatementThatDoesNotStopIsLeftAlone(t *testing.T) {
	e, err := New(Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Load(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	e.grace = time.Millisecond
	var sink *langtest.Recorder
	// The function compares texts for a tenth of a second or more, and is not interrupted meanwhile. A run that was stopped
	// before it began, or that ended before its timer was looked at, is none to leave alone.
	for {
		sink = &langtest.Recorder{}
		result, err := e.Execute(t.Context(), lang.Request{Source: "select instr(hex(zeroblob(60000)), hex(zeroblob(30000)) || '1')", Timeout: time.Millisecond}, sink)
		if errors.Is(err, lang.ErrDied) {
			break
		}
		if err != nil || result.Err != nil && result.Err.Cause != lang.CauseTimedOut {
			t.Fatalf("got %+v, %v, want ErrDied", result, err)
		}
	}
	if _, err := e.Execute(t.Context(), lang.Request{Source: "select 1"}, sink); !errors.Is(err, lang.ErrDied) {
		t.Errorf("got %v, want ErrDied", err)
	}
	if _, err := e.Variables(t.Context()); !errors.Is(err, lang.ErrDied) && !errors.Is(err, lang.ErrBusy) {
		t.Errorf("got %v, want ErrDied", err)
	}
	for range 2 {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(sink.Events) != 0 {
		t.Errorf("got %q after the end", sink.Lines())
	}
}
