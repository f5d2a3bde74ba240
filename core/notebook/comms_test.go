package notebook

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/quirehq/quire/core/event"
)

// opened opens a widget with one key of state.
func opened(id event.CommID, key, value string) *event.CommOpened {
	return &event.CommOpened{Comm: id, Target: event.WidgetTarget, Run: "r", Epoch: 1, State: bundle(key, value)}
}

func updated(id event.CommID, pairs ...string) *event.CommUpdated {
	return &event.CommUpdated{Comm: id, Epoch: 1, State: bundle(pairs...)}
}

// viewed adds an output that shows a comm.
func viewed(id event.OutputID, run event.RunID, comm event.CommID) *event.OutputAdded {
	return &event.OutputAdded{Output: id, Run: run, Epoch: 1, Value: event.Output{
		Kind: event.OutputDisplay, Data: bundle(viewType, `{"model_id":"`+string(comm)+`","version_major":2}`, "text/plain", `"w"`),
	}}
}

// buffer is bytes in base64 at a path whose steps are in their JSON form.
func buffer(data string, steps ...string) event.Buffer {
	b := event.Buffer{Data: data}
	for _, s := range steps {
		b.Path = append(b.Path, json.RawMessage(s))
	}
	return b
}

// comm returns a comm in its JSON form, or nothing if there is none.
func (sc *scenario) comm(id event.CommID) string {
	sc.t.Helper()
	if sc.n.Comm(id) == nil {
		return ""
	}
	data, err := json.Marshal(sc.n.Comm(id))
	if err != nil {
		sc.t.Fatal(err)
	}
	return string(data)
}

// checkComms fails the test if the counts kept beside the comms do not match them.
func checkComms(t rapid.TB, n *Notebook) {
	t.Helper()
	views := map[event.CommID]int{}
	for _, o := range n.outputs {
		if id := viewOf(&o.value); id != "" {
			views[id]++
		}
	}
	check(t, "views", n.comms.views, views)
	total, dead := 0, 0
	for id, c := range n.comms.rows {
		check(t, "id of a comm", c.ID, id)
		check(t, "size of a comm", c.size, c.measure())
		total += c.size
		if c.Dead {
			dead++
			check(t, "names of a dead comm", c.names, references(c.State))
		} else {
			check(t, "live comm of a live runtime", n.isLive(c.Epoch), true)
		}
	}
	check(t, "bytes of the comms", n.comms.bytes, total)
	check(t, "dead comms", n.comms.dead, dead)
	check(t, "dead comms that are shown", len(n.shownComms()), dead)
	check(t, "sweepNeeded", n.comms.sweepNeeded, false)
}

func TestCM1ACommIsOpenedOnceForALiveRuntime(t *testing.T) {
	sc := running(t, "a").add(opened("w", "value", `7`))
	check(t, "comm", sc.comm("w"), `{"id":"w","target":"jupyter.widget","run":"r","epoch":1,"state":{"value":7}}`)
	check(t, "changes", sc.changes, []Change{{TableComms, "w"}})
	sc.moot(MootConflict, opened("w", "value", `8`))
	for _, epoch := range []event.Epoch{0, 2} {
		p := opened("v", "value", `8`)
		p.Epoch = epoch
		sc.moot(MootConflict, p)
	}
	sc.add(&event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopIdle})
	sc.moot(MootConflict, opened("v", "value", `8`))
}

func TestCM1ADeadCommIsReplacedByOneOfANewRuntime(t *testing.T) {
	sc := running(t, "a").add(opened("w", "old", `"IPY_MODEL_x"`), opened("x", "k", `1`), viewed("o", "r", "w"))
	sc.add(runtimeStarted("rt2", event.TakesCode))
	again := opened("w", "new", `2`)
	again.Epoch = 2
	sc.add(again)
	check(t, "comm", sc.comm("w"), `{"id":"w","target":"jupyter.widget","run":"r","epoch":2,"state":{"new":2}}`)
	check(t, "what only the old one named", sc.comm("x"), "")
	checkComms(t, sc.n)
}

func TestCM3AnUpdateReplacesItsKeysWithTheirBuffers(t *testing.T) {
	first := opened("w", "value", `7`)
	first.State["list"], first.State["text"] = json.RawMessage(`[null,1]`), json.RawMessage(`"t"`)
	first.Buffers = []event.Buffer{buffer("AAE=", `"list"`, `0`), buffer("AAI=", `"image"`)}
	sc := running(t, "a").add(first, updated("w", "value", ` [ 8 ] `))
	const head = `{"id":"w","target":"jupyter.widget","run":"r","epoch":1,`
	check(t, "one key", sc.comm("w"), head+
		`"state":{"list":[null,1],"text":"t","value":[8]},"buffers":[{"path":["list",0],"data":"AAE="},{"path":["image"],"data":"AAI="}]}`)
	sc.add(updated("w", "list", `[]`))
	check(t, "a key with a buffer", sc.comm("w"), head+
		`"state":{"list":[],"text":"t","value":[8]},"buffers":[{"path":["image"],"data":"AAI="}]}`)
	sc.add(&event.CommUpdated{Comm: "w", Epoch: 1, Buffers: []event.Buffer{buffer("AAM=", `"text"`), buffer("AAQ=", `"image"`)}})
	check(t, "keys that are bytes only", sc.comm("w"), head+
		`"state":{"list":[],"value":[8]},"buffers":[{"path":["text"],"data":"AAM="},{"path":["image"],"data":"AAQ="}]}`)
	sc.add(updated("w", "image", `null`))
	check(t, "null", sc.comm("w"), head+
		`"state":{"image":null,"list":[],"value":[8]},"buffers":[{"path":["text"],"data":"AAM="}]}`)
	check(t, "changes", sc.changes, []Change{{TableComms, "w"}})
	checkComms(t, sc.n)
}

func TestCM4AMessageChangesNothing(t *testing.T) {
	sc := running(t, "a").add(opened("w", "value", `7`))
	before := state(t, sc.n)
	sc.add(&event.CommSent{Comm: "w", Epoch: 1, Content: json.RawMessage(`{"method":"custom"}`)})
	check(t, "state", state(t, sc.n), before)
	check(t, "changes", len(sc.changes), 0)
}

func TestCM5AClosedCommIsGone(t *testing.T) {
	sc := running(t, "a").add(opened("w", "value", `7`), viewed("o", "r", "w"), &event.CommClosed{Comm: "w", Epoch: 1})
	check(t, "comm", sc.comm("w"), "")
	check(t, "outputs", sc.outputs("a"), []event.OutputID{"o"})
	checkComms(t, sc.n)
}

func TestCM6OnlyAnOpenCommOfTheEpochCanBeStatedOn(t *testing.T) {
	sc := running(t, "a").add(opened("w", "value", `7`), viewed("o", "r", "w"))
	about := func(id event.CommID, epoch event.Epoch) []event.Payload {
		return []event.Payload{
			&event.CommUpdated{Comm: id, Epoch: epoch, State: bundle("value", "8")},
			&event.CommSent{Comm: id, Epoch: epoch}, &event.CommClosed{Comm: id, Epoch: epoch},
		}
	}
	for _, p := range about("none", 1) {
		sc.moot(MootNotFound, p)
	}
	for _, p := range about("w", 2) {
		sc.moot(MootConflict, p)
	}
	sc.add(&event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopIdle})
	for _, p := range about("w", 1) {
		sc.moot(MootConflict, p)
	}
}

func TestCM10TheCommsOfARuntimeThatIsGoneAreDeadAndStayAsTheyWere(t *testing.T) {
	for name, end := range map[string]event.Payload{
		"stopped":   &event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopLease},
		"displaced": runtimeStarted("rt2", event.TakesCode),
	} {
		t.Run(name, func(t *testing.T) {
			sc := running(t, "a").add(runtimeStarted("ai", event.TakesAI), opened("w", "value", `7`), viewed("o", "r", "w"))
			other := opened("v", "value", `1`)
			other.Epoch = 2
			sc.add(other, end)
			check(t, "comm", sc.comm("w"), `{"id":"w","target":"jupyter.widget","run":"r","epoch":1,"state":{"value":7},"dead":true}`)
			check(t, "changed", slices.Contains(sc.changes, Change{TableComms, "w"}), true)
			check(t, "comm of the other runtime is dead", sc.n.Comm("v").Dead, false)
			checkComms(t, sc.n)
		})
	}
}

func TestCM11TheCommsOfAProgramThatEndedAreDead(t *testing.T) {
	sc := running(t, "a").add(opened("w", "k", `7`), opened("v", "k", `7`), viewed("o", "r", "w"))
	sc.moot(MootConflict, &event.CommsLost{Epoch: 2, Comms: []event.CommID{"w"}})
	sc.moot(MootConflict, &event.CommsLost{Epoch: 1, Comms: []event.CommID{"none"}})
	lost := &event.CommsLost{Epoch: 1, Comms: []event.CommID{"none", "w"}}
	sc.add(lost)
	check(t, "dead", []bool{sc.n.Comm("w").Dead, sc.n.Comm("v").Dead}, []bool{true, false})
	sc.moot(MootConflict, lost)
}

func TestCM12ADeadCommIsKeptForAsLongAsItIsShown(t *testing.T) {
	dead := func(t *testing.T, show ...event.Payload) *scenario {
		sc := running(t, "a", "b").add(opened("x", "children", `["IPY_MODEL_y", "IPY_MODEL_none"]`), opened("y", "k", `{"a":["IPY_MODEL_x"]}`), opened("z", "k", `1`))
		sc.add(show...)
		return sc.add(finished("r", 1, event.StatusOK), &event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopIdle})
	}
	shows := func(data string) event.Payload {
		return &event.OutputAdded{Output: "o", Run: "r", Epoch: 1, Value: event.Output{Kind: event.OutputResult, Data: bundle(viewType, data)}}
	}
	for name, c := range map[string]struct {
		show []event.Payload
		want []event.CommID
	}{
		"nothing":                     {nil, nil},
		"an output":                   {[]event.Payload{viewed("o", "r", "z")}, []event.CommID{"z"}},
		"a state":                     {[]event.Payload{viewed("o", "r", "x")}, []event.CommID{"x", "y"}},
		"a state within another":      {[]event.Payload{viewed("o", "r", "y")}, []event.CommID{"x", "y"}},
		"an output of a deleted cell": {[]event.Payload{viewed("o", "r", "z"), &event.CellDeleted{Cell: "a"}}, []event.CommID{"z"}},
		"an output that was cleared":  {[]event.Payload{viewed("o", "r", "z"), &event.CellOutputsCleared{}}, nil},
		"a view that is no object":    {[]event.Payload{shows(`"z"`)}, nil},
		"a view of a number":          {[]event.Payload{shows(`{"model_id":7}`)}, nil},
		"another member":              {[]event.Payload{shows(`{"MODEL_ID":"z"}`)}, nil},
		"a state with an escape":      {[]event.Payload{viewed("o", "r", "z"), updated("z", "k", `"IPY_MODEL_\u0078"`)}, []event.CommID{"z"}},
		"a state that quotes a name":  {[]event.Payload{viewed("o", "r", "z"), updated("z", "k", `"see \"IPY_MODEL_x\""`)}, []event.CommID{"z"}},
	} {
		t.Run(name, func(t *testing.T) {
			sc := dead(t, c.show...)
			check(t, "comms", sc.n.Comms(), c.want)
			checkComms(t, sc.n)
		})
	}
}

func TestCM12ADeadCommGoesWithTheLastOutputThatShowsIt(t *testing.T) {
	sc := running(t, "a", "b").add(opened("x", "k", `"IPY_MODEL_y"`), opened("y", "k", `1`), viewed("o", "r", "x"), finished("r", 1, event.StatusOK))
	sc.rerun("s", "b").add(&event.OutputAdded{Output: "p", Run: "s", Epoch: 1, Value: event.Output{
		Kind: event.OutputDisplay, DisplayID: "d", Data: viewed("p", "s", "y").Value.Data,
	}})
	sc.add(runtimeStarted("rt2", event.TakesCode), &event.CellOutputsCleared{Cells: []event.CellID{"a"}})
	check(t, "comms", sc.n.Comms(), []event.CommID{"y"})
	check(t, "changes", slices.Contains(sc.changes, Change{TableComms, "x"}), true)
	sc.add(requested("u", "a"), assigned("u", 2), started("u", 2))
	sc.add(&event.DisplayUpdated{DisplayID: "d", Run: "u", Epoch: 2, Data: bundle("text/plain", `"gone"`)})
	check(t, "comms", len(sc.n.Comms()), 0)
	checkComms(t, sc.n)
}

func TestCM12ALiveCommStaysThoughNothingShowsIt(t *testing.T) {
	sc := running(t, "a").add(opened("w", "k", `1`), viewed("o", "r", "w"), &event.CellOutputsCleared{})
	check(t, "comms", sc.n.Comms(), []event.CommID{"w"})
}

func TestCM20ThereAreSoManyCommsAndNoMore(t *testing.T) {
	sc := running(t, "a")
	for i := range event.MaxComms {
		sc.add(opened(event.CommID(fmt.Sprint("w", i)), "k", `1`))
	}
	sc.moot(MootInvalid, opened("more", "k", `1`))
	sc.add(&event.CommClosed{Comm: "w7", Epoch: 1}, opened("more", "k", `1`))
}

func TestCM20CommsHaveSoManyBytesAndNoMore(t *testing.T) {
	large := strings.Repeat("A", maxCommBytes/4)
	bytes := func(key string) *event.CommUpdated {
		return &event.CommUpdated{Comm: "w", Epoch: 1, Buffers: []event.Buffer{buffer(large, `"`+key+`"`)}}
	}
	another := opened("v", "k", `1`)
	another.Buffers = bytes("a").Buffers
	sc := running(t, "a").add(opened("w", "k", `1`), bytes("a"), bytes("b"), bytes("c"))
	for _, p := range []event.Payload{bytes("d"), another} {
		var moot *Moot // scenario.moot would compare all of these bytes
		if _, err := sc.n.Apply(sc.event(p), nil); !errors.As(err, &moot) || moot.Kind != MootInvalid || !strings.Contains(moot.Reason, "at most 33554432 fit") {
			t.Errorf("%s: got %v, want it to be moot", p.Type(), err)
		}
	}
	check(t, "buffers", len(sc.n.Comm("w").Buffers), 3)
	sc.add(updated("w", "a", `1`), bytes("d"))
	check(t, "fits", sc.n.comms.bytes <= maxCommBytes, true)
}

func TestCM20ASnapshotDoesNotGrowWithTheNumberOfUpdates(t *testing.T) {
	sc := running(t, "a").add(opened("w", "value", `10000`))
	want := len(state(t, sc.n))
	for i := range 10_000 {
		sc.add(updated("w", "value", fmt.Sprint(10_000+i)))
	}
	check(t, "bytes after 10,000 updates", len(state(t, sc.n)), want)
}

func drawComm(t *rapid.T) event.CommID { return one[event.CommID](t, "comm", "w", "x", "y") }

// drawState draws values, some of which name a comm.
func drawState(t *rapid.T) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	for range rapid.IntRange(0, 2).Draw(t, "keys") {
		m[one(t, "key", "a", "b", "é")] = drawValue(t)
	}
	if rapid.Bool().Draw(t, "names") {
		m[one(t, "key", "a", "b")] = json.RawMessage(`{"k": [ "IPY_MODEL_` + string(drawComm(t)) + `"]}`)
	}
	return m
}

func drawBuffers(t *rapid.T) (buffers []event.Buffer) {
	for range rapid.IntRange(0, 2).Draw(t, "buffers") {
		b := buffer("AAE=", `"`+one(t, "key", "a", "b", "é")+`"`)
		if often(t, "deep") {
			b.Path = append(b.Path, json.RawMessage(`0`))
		}
		buffers = append(buffers, b)
	}
	return buffers
}

// drawCommEvent draws an event of a comm, most often one that is not moot.
func drawCommEvent(t *rapid.T, n *Notebook) event.Payload {
	id := drawComm(t)
	_, epoch := drawRuntime(t, n)
	c := n.Comm(id)
	if (c == nil || c.Dead) && !often(t, "early") {
		return &event.CommOpened{
			Comm: id, Target: "t", Epoch: epoch, State: drawState(t), Metadata: one(t, "metadata", nil, bundle("version", ` "2" `)),
			Data: drawMetadata(t), Buffers: append(drawBuffers(t), one(t, "no path", nil, []event.Buffer{{Data: "AAE="}})...),
		}
	}
	if c != nil && !often(t, "other epoch") {
		epoch = c.Epoch
	}
	switch one(t, "type", "updated", "updated", "updated", "sent", "closed", "lost") {
	case "updated":
		return &event.CommUpdated{Comm: id, Epoch: epoch, State: drawState(t), Buffers: drawBuffers(t)}
	case "sent":
		return &event.CommSent{Comm: id, Epoch: epoch, Content: drawMetadata(t)}
	case "closed":
		return &event.CommClosed{Comm: id, Epoch: epoch}
	}
	return &event.CommsLost{Epoch: epoch, Comms: rapid.SliceOfN(rapid.Custom(drawComm), 1, 3).Draw(t, "comms")}
}

func TestCM2ABufferBelongsToTheFirstKeyOfItsPathAndTheValueThereMeansNothing(t *testing.T) {
	first := opened("w", "list", `["anything",1]`)
	first.Buffers = []event.Buffer{buffer("AAE=", `"list"`, `0`), buffer("AAI=", `"other"`, `"list"`)}
	sc := running(t, "a").add(first, updated("w", "list", `2`))
	check(t, "comm", sc.comm("w"), `{"id":"w","target":"jupyter.widget","run":"r","epoch":1,`+
		`"state":{"list":2},"buffers":[{"path":["other","list"],"data":"AAI="}]}`)
	checkComms(t, sc.n)
}
