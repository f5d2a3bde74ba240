package event_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
)

// path makes the path of a buffer from steps in their JSON form.
func path(steps ...string) (p []json.RawMessage) {
	for _, s := range steps {
		p = append(p, json.RawMessage(s))
	}
	return p
}

func commCases() []checkCase {
	hash := png()
	state := map[string]json.RawMessage{"value": json.RawMessage(`7`)}
	opened := event.CommOpened{Comm: "w1", Target: event.WidgetTarget, Epoch: 1}
	with := func(change func(*event.CommOpened)) *event.CommOpened {
		e := opened
		change(&e)
		return &e
	}
	buffer := func(b event.Buffer) *event.CommUpdated {
		return &event.CommUpdated{Comm: "w1", Epoch: 1, Buffers: []event.Buffer{b}}
	}
	return []checkCase{
		{&opened, ""},
		{with(func(e *event.CommOpened) {
			e.Run, e.State, e.Metadata = "r1", state, map[string]json.RawMessage{"version": json.RawMessage(`"2.1.0"`)}
			e.Data, e.Buffers = json.RawMessage(`{"a":null}`), []event.Buffer{{}, {Path: path(`"image"`), Artifact: &hash}}
		}), ""},
		{with(func(e *event.CommOpened) { e.Comm = "" }), "comm is missing"},
		{with(func(e *event.CommOpened) { e.Comm = "a b" }), `comm "a b" has a character other than letters, digits, - and _`},
		{with(func(e *event.CommOpened) { e.Epoch = 0 }), noEpoch},
		{with(func(e *event.CommOpened) { e.Target = "" }), "target is missing"},
		{with(func(e *event.CommOpened) { e.Run = "a b" }), `run "a b" has a character other than letters, digits, - and _`},
		{with(func(e *event.CommOpened) { e.State = map[string]json.RawMessage{"k": json.RawMessage(`{`)} }), `state["k"] is not valid JSON`},
		{with(func(e *event.CommOpened) { e.Metadata = map[string]json.RawMessage{"k": json.RawMessage(`{`)} }), `metadata["k"] is not valid JSON`},
		{with(func(e *event.CommOpened) { e.Data = json.RawMessage(`{`) }), "data is not valid JSON"},
		{with(func(e *event.CommOpened) { e.Buffers = []event.Buffer{{Data: "?"}} }), "buffers[0]: data is not base64: illegal base64 data at input byte 0"},

		{&event.CommUpdated{Comm: "w1", Epoch: 1, State: state}, ""},
		{buffer(event.Buffer{Path: path(`"a"`, `0`, `"b"`), Data: "AAE="}), ""},
		{&event.CommUpdated{Comm: "w1", Epoch: 1}, "state is missing"},
		{&event.CommUpdated{Comm: "w1", State: state}, noEpoch},
		{buffer(event.Buffer{Data: "AAE="}), "buffers[0]: path is missing"},
		{buffer(event.Buffer{Path: path(`0`)}), "buffers[0]: path[0]: want a key, or an index behind the first key, got 0"},
		{buffer(event.Buffer{Path: path(`"a"`, `-1`)}), "buffers[0]: path[1]: want a key, or an index behind the first key, got -1"},
		{buffer(event.Buffer{Path: path(`"a"`, `1.5`)}), "buffers[0]: path[1]: want a key, or an index behind the first key, got 1.5"},
		{buffer(event.Buffer{Path: path(`"a"`, `null`)}), "buffers[0]: path[1]: want a key, or an index behind the first key, got null"},
		{buffer(event.Buffer{Path: path(strings.Split(strings.Repeat(`"a" `, 65), " ")[:65]...)}), "buffers[0]: path has 65 steps, at most 64 fit"},
		{buffer(event.Buffer{Path: path(`"a"`), Data: "AAE=", Artifact: &hash}), "buffers[0]: want data or an artifact, got both"},
		{
			buffer(event.Buffer{Path: path(`"a"`), Artifact: &event.Artifact{Hash: "ab"}}),
			`buffers[0]: artifact: want a SHA-256 hash of 64 hexadecimal digits, got "ab"`,
		},

		{&event.CommSent{Comm: "w1", Epoch: 1, From: "person:ada", Content: json.RawMessage(`{"method":"custom"}`), Buffers: []event.Buffer{{Data: "AAE="}}}, ""},
		{&event.CommSent{Epoch: 1}, "comm is missing"},
		{&event.CommSent{Comm: "w1", Epoch: 1, Content: json.RawMessage(`{`)}, "content is not valid JSON"},
		{&event.CommSent{Comm: "w1", Epoch: 1, From: "\xff"}, "from is not valid UTF-8"},

		{&event.CommClosed{Comm: "w1", Epoch: 1, Content: json.RawMessage(`{}`)}, ""},
		{&event.CommClosed{Comm: "w1"}, noEpoch},
		{&event.CommClosed{Comm: "w1", Epoch: 1, Content: json.RawMessage(`{`)}, "content is not valid JSON"},

		{&event.CommsLost{Epoch: 1, Comms: []event.CommID{"w1", "w2"}}, ""},
		{&event.CommsLost{Epoch: 1}, "comms: want 1 to 10000, got 0"},
		{&event.CommsLost{Epoch: 1, Comms: []event.CommID{"w1", ""}}, "comms[1]: comm is missing"},
		{&event.CommsLost{Comms: []event.CommID{"w1"}}, noEpoch},
	}
}

func TestEV17ABufferKnowsTheKeyThatItBelongsTo(t *testing.T) {
	for _, test := range []struct {
		path []json.RawMessage
		key  string
		ok   bool
	}{
		{path(`"a"`, `0`), "a", true}, {path(`"\u0061"`), "a", true}, {path(`""`), "", true}, {path(`0`), "", false}, {nil, "", false},
	} {
		b := event.Buffer{Path: test.path}
		if key, ok := b.Key(); key != test.key || ok != test.ok {
			t.Errorf("%s: got %q, %t, want %q, %t", test.path, key, ok, test.key, test.ok)
		}
	}
}
