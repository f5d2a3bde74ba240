package replica_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room/roomtest"
)

// older returns messages as a client decodes them that was built before SourceOffered.
func older(t *testing.T, messages []protocol.ToClient) []protocol.ToClient {
	t.Helper()
	for _, msg := range roomtest.Only[*protocol.Events](messages) {
		for i := range msg.Events {
			p, ok := msg.Events[i].Payload.(*event.SourceOffered)
			if !ok {
				continue
			}
			raw, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			msg.Events[i].Payload = &event.Unknown{Name: p.Type(), Raw: raw}
		}
	}
	return messages
}

func TestEV7AnOlderClientTakesWhatComesOfAnOfferAndKeepsTheOffer(t *testing.T) {
	for name, replace := range map[string]bool{"in place of what ran": true, "as a cell": false} {
		t.Run(name, func(t *testing.T) {
			d, _, rt := roomtest.NewLoading(t, access.Editor, nil)
			g, saved := &guest{Replica: replica.New("bob")}, &disk{}
			saved.keep(t, g.Replica)
			g.connect(d)
			receive := func() { roomtest.Feed(t, g.Replica, older(t, g.seat.Take())) }
			receive()
			saved.keep(t, g.Replica)
			g.types("c", 10, "  # mine")
			g.types("d", 0, "mine")
			before := d.Notebook().Seq()
			rt.Push(roomtest.Offer("# %load x.py\nx = 1", replace), roomtest.Finish("r1", 1, event.StatusOK))
			d.MustCommit()
			roomtest.WantCodes(t, rt.Take())
			receive()
			if got, want := g.View().Cell("c").Source() == "# %load x.py\nx = 1  # mine", replace; got != want {
				t.Errorf("before its edits are sent the cell has %q", g.View().Cell("c").Source())
			}
			g.types("d", 4, " too")
			g.send()
			d.MustCommit()
			receive()
			if g.Pending() != 0 {
				t.Errorf("%d events are still pending", g.Pending())
			}
			var got []string
			for _, id := range g.Confirmed().Cells() {
				got = append(got, string(id)+": "+g.Confirmed().Cell(id).Source())
			}
			if diff := cmp.Diff(d.Sources(), got); diff != "" {
				t.Errorf("cells (-room +client):\n%s", diff)
			}
			if got := g.Confirmed().Run("r1").State; got != notebook.RunFinished {
				t.Errorf("got a run that is %v, want finished", got)
			}

			saved.keep(t, g.Replica)
			if diff := cmp.Diff(recordsAfter(d, before), lastOf(saved.kept.Events, d.Notebook().Seq()-before)); diff != "" {
				t.Errorf("kept (-log +client):\n%s", diff)
			}
			upgraded := restore(t, saved.kept)
			if diff := cmp.Diff(snapshotOf(t, d.Notebook()), snapshotOf(t, upgraded.Confirmed())); diff != "" {
				t.Errorf("by a client that knows offers (-room +client):\n%s", diff)
			}
		})
	}
}

// recordsAfter returns the events of a sequencer's log after a number, as they are stored.
func recordsAfter(d *roomtest.Sequencer, after event.Seq) (records []string) {
	d.T.Helper()
	err := d.Log.Read(d.T.Context(), after, func(r event.Record) error {
		records = append(records, string(r.Data))
		return nil
	})
	if err != nil {
		d.T.Fatal(err)
	}
	return records
}

func lastOf(events [][]byte, n event.Seq) (last []string) {
	for _, data := range events[len(events)-int(n):] {
		last = append(last, string(data))
	}
	return last
}

func snapshotOf(t *testing.T, n *notebook.Notebook) string {
	t.Helper()
	data, err := n.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
