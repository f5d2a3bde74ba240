package jupyter

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

func TestWhatAKernelSaysBeforeItsFirstRunIsKeptUpToABound(t *testing.T) {
	c := newConversation()
	c.engine.run = nil
	content, err := json.Marshal(map[string]string{"name": lang.Stdout, "text": strings.Repeat("x", 1<<20)})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		c.say("iopub", "of none", "stream", string(content))
	}
	if got := len(c.engine.ended.early); got != 3 {
		t.Errorf("got %d messages kept, want the 3 of a MiB that fit", got)
	}
	sink := &langtest.Recorder{}
	c.engine.ended.deliverEarly(&run{sink: sink})
	if len(sink.Events) != 2 || len(sink.Events[0].Text) != 3<<20 || !strings.HasPrefix(sink.Events[1].Text, "[7 messages were left out") {
		t.Errorf("got %d outputs, want the text and a notice of 7 messages", len(sink.Events))
	}
	c.engine.ended.deliverEarly(&run{sink: sink})
	if len(sink.Events) != 2 {
		t.Errorf("got %d outputs, want nothing twice", len(sink.Events))
	}
}
