package terminal

import (
	"testing"

	"github.com/quirehq/quire/core/event"
)

func TestEveryCauseHasWords(t *testing.T) {
	for _, cause := range event.Causes() {
		if whyEnded(cause, "") == "" {
			t.Errorf("%s: got no words", cause)
		}
		_, fixed := causeWords[cause]
		if _, named := causeNames[cause]; fixed == named {
			t.Errorf("%s: got it in both tables or none, want one", cause)
		}
		if got := whyEnded(cause, "with facts"); !fixed && got != "with facts" {
			t.Errorf("%s: got %q, want the reason with its facts", cause, got)
		}
	}
}

func TestAnEndWithoutAKnownCauseHasTheReasonOfTheLog(t *testing.T) {
	for _, cause := range []event.Cause{"", "of-tomorrow"} {
		if got := whyEnded(cause, "the machine went away"); got != "the machine went away" {
			t.Errorf("%q: got %q, want the reason", cause, got)
		}
		if got := whyEnded(cause, ""); got != "" {
			t.Errorf("%q: got %q, want nothing", cause, got)
		}
	}
}
