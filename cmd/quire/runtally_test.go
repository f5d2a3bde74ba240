package main

import (
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/terminal"
)

func TestAVerdictTellsWhatFailedFromWhatWasNotRun(t *testing.T) {
	ok := terminal.Outcome{Status: event.StatusOK, Started: true}
	failed := terminal.Outcome{Status: event.StatusError, Started: true}
	unstarted := terminal.Outcome{Status: event.StatusError}
	allowed := terminal.Outcome{Status: event.StatusError, Started: true, MayFail: true}
	stopped := terminal.Outcome{Status: event.StatusCancelled, Started: true}
	unrun := terminal.Outcome{Status: event.StatusCancelled}
	skipped := terminal.Outcome{Status: event.StatusSkipped}
	for name, c := range map[string]struct {
		ended []terminal.Outcome
		want  string
	}{
		"all went well":               {[]terminal.Outcome{ok, allowed, skipped}, ""},
		"one failed":                  {[]terminal.Outcome{ok, failed}, "1 of 2 cells did not succeed"},
		"one could not be started":    {[]terminal.Outcome{unstarted}, "1 of 1 cells did not succeed"},
		"one failed before another":   {[]terminal.Outcome{failed, unrun}, "1 of 2 cells did not succeed, and 1 was not run"},
		"one was stopped before some": {[]terminal.Outcome{ok, stopped, unrun, unrun}, "1 of 4 cells did not succeed, and 2 were not run"},
		"one was taken back":          {[]terminal.Outcome{ok, unrun}, "1 of 2 cells was not run"},
		"all were taken back":         {[]terminal.Outcome{unrun, unrun}, "2 of 2 cells were not run"},
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
