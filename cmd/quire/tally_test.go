package main

import (
	"testing"

	"github.com/quirehq/quire/core/event"
)

func TestAVerdictTellsWhatFailedFromWhatWasNotRun(t *testing.T) {
	ok := outcome{status: event.StatusOK, started: true}
	failed := outcome{status: event.StatusError, started: true}
	unstarted := outcome{status: event.StatusError}
	allowed := outcome{status: event.StatusError, started: true, mayFail: true}
	stopped := outcome{status: event.StatusCancelled, started: true}
	unrun := outcome{status: event.StatusCancelled}
	skipped := outcome{status: event.StatusSkipped}
	for name, c := range map[string]struct {
		ended []outcome
		want  string
	}{
		"all went well":               {[]outcome{ok, allowed, skipped}, ""},
		"one failed":                  {[]outcome{ok, failed}, "1 of 2 cells did not succeed"},
		"one could not be started":    {[]outcome{unstarted}, "1 of 1 cells did not succeed"},
		"one failed before another":   {[]outcome{failed, unrun}, "1 of 2 cells did not succeed, and 1 was not run"},
		"one was stopped before some": {[]outcome{ok, stopped, unrun, unrun}, "1 of 4 cells did not succeed, and 2 were not run"},
		"one was taken back":          {[]outcome{ok, unrun}, "1 of 2 cells was not run"},
		"all were taken back":         {[]outcome{unrun, unrun}, "2 of 2 cells were not run"},
	} {
		t.Run(name, func(t *testing.T) {
			count := tally{total: len(c.ended)}
			for _, o := range c.ended {
				count.add(o)
			}
			got := ""
			if err := count.verdict(); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
