package server_test

import (
	"strings"
	"testing"
)

func TestTheLogSaysWhichLimitProgramsHaveHit(t *testing.T) {
	w := newWorld(t)
	w.bookWithRuntime(t, "b1")
	hit := func(body string) answer {
		return w.do(t, request{method: "POST", path: "/api/notebooks/b1/runtime/limit", token: runtime(t, "b1", "r1"), body: body})
	}
	hit(`{"run":"run7","limit":"memory","value":"2 GiB"}`).want(t, 204)
	hit(`{"limit":"disk","value":"1 MiB in at most 10000 files"}`).want(t, 204)
	for _, line := range []string{
		`msg="run ended by a limit" notebook=b1 runtime=r1 run=run7 limit=memory value="2 GiB"`,
		`msg="programs killed between runs" notebook=b1 runtime=r1 limit=disk value="1 MiB in at most 10000 files"`,
	} {
		if got := w.log.String(); strings.Count(got, line) != 1 {
			t.Errorf("got the log %s, want one line with %s", got, line)
		}
	}
	before := w.log.String()
	for _, bad := range []string{
		`{"limit":"patience","value":"2"}`, `{"limit":"memory","value":""}`, `{"limit":"memory"}`, `{"limit":"memory","value":"` + strings.Repeat("9", 101) + `"}`,
		`{"run":"a b","limit":"memory","value":"2"}`, `{"limit":"memory","value":"2","more":1}`,
	} {
		hit(bad).want(t, 400).problem(t)
	}
	if after := strings.TrimPrefix(w.log.String(), before); strings.Contains(after, "limit=") {
		t.Errorf("got %s in the log for what is malformed", after)
	}
}
