package sqlcell

import (
	"testing"

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
