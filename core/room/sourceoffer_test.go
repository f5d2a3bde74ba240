package room_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/core/room/roomtest"
	"github.com/quirehq/quire/core/text"
)

func TestSY150AnOfferedSourceIsPutIntoTheNotebookInTheBatchThatHasTheOffer(t *testing.T) {
	const source = "# %load x.py\nx = 1"
	for name, test := range map[string]struct {
		before  []event.Payload // that ada states while the run goes on
		replace bool
		stated  event.Type
		want    []string
	}{
		"in place of what ran":             {nil, true, "SourceEdited", []string{"c: " + source, "d: "}},
		"below":                            {nil, false, "CellCreated", []string{"c: %load x.py", "made: " + source, "d: "}},
		"below what was edited meanwhile":  {[]event.Payload{roomtest.Insert("c", 0, 0, "#")}, true, "CellCreated", []string{"c: #%load x.py", "made: " + source, "d: "}},
		"where a cell was that is deleted": {[]event.Payload{&event.CellDeleted{Cell: "c"}}, false, "CellCreated", []string{"made: " + source, "d: "}},
		"into a cell that is deleted":      {[]event.Payload{&event.CellDeleted{Cell: "c"}}, true, "SourceEdited", []string{"d: "}},
	} {
		t.Run(name, func(t *testing.T) {
			d, asker, rt := roomtest.NewLoading(t, access.Editor, nil)
			asker.Push(test.before...)
			d.MustCommit()
			before := d.Notebook().Seq()
			rt.Push(roomtest.Offer(source, test.replace))
			d.MustCommit()
			if diff := cmp.Diff([]event.Type{"SourceOffered", test.stated}, typesAfter(d, before)); diff != "" {
				t.Errorf("stated (-want +got):\n%s", diff)
			}
			if got := d.Logged(before)[1].Actor; got != "runtime:rt" {
				t.Errorf("got actor %s, want the runtime, whose text it is", got)
			}
			if diff := cmp.Diff(test.want, d.Sources()); diff != "" {
				t.Errorf("cells (-want +got):\n%s", diff)
			}
			rt.Push(roomtest.Offer("again", true))
			d.MustCommit()
			if diff := cmp.Diff(test.want, d.Sources()); diff != "" {
				t.Errorf("after a second offer (-want +got):\n%s", diff)
			}
			d.Restart()
			if diff := cmp.Diff(test.want, d.Sources()); diff != "" {
				t.Errorf("after a restart (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSY150WhatIsTypedWhenTheOfferComesStays(t *testing.T) {
	d, asker, rt := roomtest.NewLoading(t, access.Editor, nil)
	rt.Push(roomtest.Offer("# %load x.py\nx = 1", true))
	asker.Push(roomtest.Insert("c", 0, 10, "  # mine")) // which was on its way
	d.MustCommit()
	if got, want := d.Source("c"), "# %load x.py\nx = 1  # mine"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSY150WhatARuntimeHasLeftIsPutIntoTheNotebookToo(t *testing.T) {
	d, _, rt := roomtest.NewLoading(t, access.Editor, nil)
	d.Spool = func(event.RuntimeID) []event.Draft {
		return []event.Draft{{ID: event.ID{Client: rt.Client, N: rt.N + 1}, Payload: roomtest.Offer("x = 1", true)}}
	}
	d.Leave(rt.Member)
	d.Pass(grace)
	if got := d.Source("c"); got != "x = 1" {
		t.Errorf("got %q", got)
	}
}

func TestSY151OnlyWhoMayEditHasASourcePutIntoTheNotebook(t *testing.T) {
	may := func(want bool) func(*room.Config) {
		return func(c *room.Config) {
			c.MayEdit = func(_ context.Context, actor event.Actor) bool { return want && actor == "person:ada" }
		}
	}
	for name, test := range map[string]struct {
		role   access.Role
		leaves bool
		change func(*room.Config)
		want   bool
	}{
		"a runner":                           {access.Runner, false, may(true), false},
		"an editor":                          {access.Editor, false, may(false), true},
		"an editor who is away":              {access.Editor, true, may(true), true},
		"one who may not edit any more":      {access.Editor, true, may(false), false},
		"one who is away from any such room": {access.Editor, true, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			d, asker, rt := roomtest.NewLoading(t, test.role, test.change)
			if test.leaves {
				d.Leave(asker.Member)
			}
			rt.Push(roomtest.Offer("x = 1\n", true))
			d.MustCommit()
			roomtest.WantCodes(t, rt.Take())
			if got := d.Source("c") == "x = 1\n"; got != test.want {
				t.Errorf("got that the source is replaced: %t, want %t", got, test.want)
			}
			shown := d.Notebook().Output("made")
			if got := shown != nil && shown.Value().Text == "x = 1\n"; got == test.want {
				t.Errorf("got that the text is shown: %t, want %t", got, !test.want)
			}
		})
	}
}

func TestSY151WhatTheRoomCannotTakeAsACellIsShown(t *testing.T) {
	d, asker, rt := roomtest.NewLoading(t, access.Editor, nil)
	asker.Push(roomtest.CellWith("made", "another's"))
	rt.Push(roomtest.Offer("x = 1", false))
	d.MustCommit()
	if got := d.Source("made"); got != "another's" {
		t.Errorf("got source %q", got)
	}
	if got := d.Notebook().Output("made"); got == nil || got.Value().Text != "x = 1" {
		t.Error("the text is not shown")
	}
}

func TestSY152ARoomMayKeepItsSources(t *testing.T) {
	d, _, rt := roomtest.NewLoading(t, access.Owner, func(c *room.Config) { c.KeepSources = true })
	before := d.Notebook().Seq()
	rt.Push(roomtest.Offer("x = 1", true))
	d.MustCommit()
	if diff := cmp.Diff([]event.Type{"SourceOffered"}, typesAfter(d, before)); diff != "" {
		t.Errorf("stated (-want +got):\n%s", diff)
	}
}

func TestSY153AReplicaSaysWhatTakesBackWhatCameOfAnOffer(t *testing.T) {
	for name, types := range map[string]bool{"with nothing pending": false, "while somebody types": true} {
		t.Run(name, func(t *testing.T) {
			d, _, rt := roomtest.NewLoading(t, access.Editor, nil)
			bob := d.Connect("person:bob", access.Editor, protocol.Hello{Client: "bob"})
			copied := replica.New("bob")
			receive := func() (all replica.Update) {
				t.Helper()
				for _, msg := range bob.Take() {
					up, err := copied.Receive(msg)
					if err != nil {
						t.Fatal(err)
					}
					all.Edits, all.Made = append(all.Edits, up.Edits...), append(all.Made, up.Made...)
				}
				return all
			}
			receive()
			if types {
				if _, _, err := copied.Edit("c", text.Insert(10, " # mine")); err != nil {
					t.Fatal(err)
				}
			}
			before := copied.View().Cell("c").Source()
			rt.Push(roomtest.Offer("# %load x.py\nx = 1", true))
			d.MustCommit()
			up := receive()
			if len(up.Edits) != 1 || up.Edits[0].Run != "r1" {
				t.Fatalf("got edits %+v, want one of r1", up.Edits)
			}
			if _, _, err := copied.Edit("c", up.Edits[0].Inverse); err != nil {
				t.Fatal(err)
			}
			if got := copied.View().Cell("c").Source(); got != before {
				t.Errorf("taken back: got %q, want %q", got, before)
			}
		})
	}
	d, _, rt := roomtest.NewLoading(t, access.Editor, nil)
	bob := d.Connect("person:bob", access.Editor, protocol.Hello{Client: "bob"})
	copied := replica.New("bob")
	rt.Push(roomtest.Offer("x = 1", false))
	d.MustCommit()
	var made []replica.MadeCell
	for _, msg := range bob.Take() {
		up, err := copied.Receive(msg)
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, up.Made...)
	}
	if diff := cmp.Diff([]replica.MadeCell{{Run: "r1", Cell: "made"}}, made); diff != "" {
		t.Errorf("made (-want +got):\n%s", diff)
	}
}

func TestSY150ALogFromBeforeOffersIsOpenedAndItsRunMayOffer(t *testing.T) {
	by := func(client event.ClientID, n uint64, actor event.Actor, p event.Payload) event.Event {
		return event.Event{ID: event.ID{Client: client, N: n}, Actor: actor, Time: 1, Payload: p}
	}
	events := []event.Event{
		by("ada", 1, "person:ada", roomtest.CellWith("c", "%load x.py")),
		by("of-rt", 1, "runtime:rt", &event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode}),
		by("ada", 2, "person:ada", roomtest.Request("r0", "c")),
		by("of-rt", 2, "runtime:rt", &event.RunAssigned{Run: "r0", Epoch: 1}),
		by("of-rt", 3, "runtime:rt", &event.RunStarted{Run: "r0", Epoch: 1}),
		by("of-rt", 4, "runtime:rt", &event.OutputAdded{Output: "o", Run: "r0", Epoch: 1, Value: roomtest.Printed("x = 1\n")}),
		by("of-rt", 5, "runtime:rt", roomtest.Finish("r0", 1, event.StatusOK)),
		by("ada", 3, "person:ada", roomtest.Request("r1", "c")),
		by("of-rt", 6, "runtime:rt", &event.RunAssigned{Run: "r1", Epoch: 1}),
		by("of-rt", 7, "runtime:rt", &event.RunStarted{Run: "r1", Epoch: 1}),
	}
	for i := range events {
		events[i].Seq = event.Seq(i + 1)
	}
	d := roomtest.NewSequencer(t, nil)
	d.Store(roomtest.BatchOf(t, events...))
	if err := d.Log.SaveSnapshot(t.Context(), room.Snapshot{Seq: 10, Fold: notebook.Version - 1, Data: []byte(`{"seq":10,"cells":[]}`)}); err != nil {
		t.Fatal(err)
	}
	d.Restart()
	if diff := cmp.Diff([]string{"c: %load x.py"}, d.Sources()); diff != "" {
		t.Fatalf("opened (-want +got):\n%s", diff)
	}
	d.Connect("person:ada", access.Editor, protocol.Hello{Client: "ada"})
	rt := d.Connect("runtime:rt", access.Runtime, protocol.Hello{Client: "of-rt", Runtime: "rt"})
	rt.Push(roomtest.Offer("x = 1", true))
	d.MustCommit()
	roomtest.WantCodes(t, rt.Take())
	if diff := cmp.Diff([]string{"c: x = 1"}, d.Sources()); diff != "" {
		t.Errorf("offered (-want +got):\n%s", diff)
	}
}
