package jupyter

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
)

func TestOpenCommsAreBoundedAndClosedOnesGo(t *testing.T) {
	c := newComms()
	open := func(comm string) {
		c.note(lang.CommMessage{Kind: lang.CommOpen, Comm: comm, Target: lang.WidgetTarget}, "request")
	}
	for i := range 3 * event.MaxComms {
		open(fmt.Sprint("comm", i))
	}
	open(strings.Repeat("x", 1<<20))
	if len(c.opened) != event.MaxComms || len(c.widgets) != event.MaxComms {
		t.Errorf("got %d comms and %d widgets, want %d", len(c.opened), len(c.widgets), event.MaxComms)
	}
	for i := range 3 * event.MaxComms {
		c.note(lang.CommMessage{Kind: lang.CommClose, Comm: fmt.Sprint("comm", i)}, "request")
	}
	if len(c.opened)+len(c.widgets) != 0 {
		t.Errorf("got %d comms and %d widgets, want that those which were closed are gone", len(c.opened), len(c.widgets))
	}
	open("again")
	if c.opened["again"] != "request" || !c.widgets["again"] {
		t.Error("a comm that is opened when there is room is not known")
	}
}
