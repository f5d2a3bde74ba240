package event_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
)

func TestTheLinesOfAnErrorSayItsPlaceOnce(t *testing.T) {
	for _, c := range []struct {
		name string
		err  event.Error
		want []string
	}{
		{"no trace", event.Error{Name: "SyntaxError", Message: "no\nend", Line: 2, Column: 9}, []string{"SyntaxError: no", "end", "    at line 2, column 9"}},
		{"no column", event.Error{Name: "StackOverflow", Line: 12}, []string{"StackOverflow", "    at line 12"}},
		{"no place", event.Error{Name: "E", Message: "m"}, []string{"E: m"}},
		{"an empty trace", event.Error{Name: "E", Message: "m", Line: 1, Trace: []string{"", " "}}, []string{"E: m", "    at line 1"}},
		{"a trace without it", event.Error{Name: "E", Line: 2, Trace: []string{"E: 2 at In[2]:12", "line 21"}}, []string{"E: 2 at In[2]:12", "line 21", "    at line 2"}},
		{"a trace with a word", event.Error{Name: "E", Line: 2, Trace: []string{"Cell In[1], \x1b[1mline\x1b[0m 2", "E"}}, []string{"Cell In[1], \x1b[1mline\x1b[0m 2", "E"}},
		{"a trace with a colon", event.Error{Name: "E", Line: 2, Column: 4, Trace: []string{"E", "  at In[1]:2:4"}}, []string{"E", "  at In[1]:2:4"}},
		{"a trace with an arrow", event.Error{Name: "E", Line: 2, Trace: []string{"----> 2 f()"}}, []string{"----> 2 f()"}},
	} {
		if diff := cmp.Diff(c.want, c.err.Lines()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
