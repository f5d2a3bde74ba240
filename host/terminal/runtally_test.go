package terminal

import (
	"testing"

	"github.com/quirehq/quire/core/event"
)

func TestAVerdictTellsWhatFailedFromWhatWasNotRun(t *testing.T) {
	ok := Outcome{Status: event.StatusOK, Started: true}
	failed := Outcome{Status: event.StatusError, Started: true}
	unstarted := Outcome{Status: event.StatusError}
	allowed := Outcome{Status: event.StatusError, Started: true, MayFail: true}
	stopped := Outcome{Status: event.StatusCancelled, Started: true}
	unrun := Outcome{Status: event.StatusCancelled}
	skipped := Outcome{Status: event.StatusSkipped}
	for name, c := range map[string]struct {
		ended []Outcome
		want  string
	}{
		"all went well":               {[]Outcome{ok, allowed, skipped}, ""},
		"one failed":                  {[]Outcome{ok, failed}, "1 of 2 cells did not succeed"},
		"one could not be started":    {[]Outcome{unstarted}, "1 of 1 cells did not succeed"},
		"one failed before another":   {[]Outcome{failed, unrun}, "1 of 2 cells did not succeed, and 1 was not run"},
		"one was stopped before some": {[]Outcome{ok, stopped, unrun, unrun}, "1 of 4 cells did not succeed, and 2 were not run"},
		"one was taken back":          {[]Outcome{ok, unrun}, "1 of 2 cells was not run"},
		"all were taken back":         {[]Outcome{unrun, unrun}, "2 of 2 cells were not run"},
	} {
		t.Run(name, func(t *testing.T) {
			count := Tally{Total: len(c.ended)}
			for _, o := range c.ended {
				count.Add(o)
			}
			got := ""
			if err := count.Verdict(); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
