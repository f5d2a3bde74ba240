package protocol_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/text"
)

// vectors is spec/vectors/sync.json.
type vectors struct {
	ToRoom, ToClient []json.RawMessage
	MalformedToRoom  []struct {
		Why     string
		Message json.RawMessage
	}
}

func readVectors(t testing.TB) vectors {
	t.Helper()
	data, err := os.ReadFile("../../spec/vectors/sync.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// wantValue wants two messages to be the same JSON value.
func wantValue(t *testing.T, want, got []byte) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(want, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got, &b); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSY110EveryMessageIsWrittenAsItWasRead(t *testing.T) {
	kinds := map[string]bool{}
	note := func(data []byte) {
		var head struct{ Kind string }
		if err := json.Unmarshal(data, &head); err != nil {
			t.Fatal(err)
		}
		kinds[head.Kind] = true
	}
	v := readVectors(t)
	for _, want := range v.ToRoom {
		note(want)
		msg, err := protocol.DecodeToRoom(want)
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		got, err := protocol.EncodeToRoom(msg)
		if err != nil {
			t.Fatal(err)
		}
		wantValue(t, want, got)
	}
	for _, want := range v.ToClient {
		note(want)
		msg, err := protocol.DecodeToClient(want)
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		got, err := protocol.EncodeToClient(msg)
		if err != nil {
			t.Fatal(err)
		}
		wantValue(t, want, got)
	}
	if len(kinds) != 11 {
		t.Errorf("got vectors of kinds %v, want all eleven", kinds)
	}
}

func TestSY8WhatIsMalformedIsNotDecoded(t *testing.T) {
	for _, v := range readVectors(t).MalformedToRoom {
		if msg, err := protocol.DecodeToRoom(v.Message); err == nil {
			t.Errorf("%s: got %+v from %s, want an error", v.Why, msg, v.Message)
		}
	}
	for _, data := range []string{
		``, `{`, `null`, `"kind"`, `{"kind":"push","events":[{]}`, `{"kind":"push","events":[{"id":"a.1"]}`,
		`{"kind":"push","events":[`, `{"kind":"push","events":[,]}`, `{"kind":"push","events":[{}}]}`, `{"kind":"pus`,
		`{"kind":"push","events":["]}`, `{"kind":"push","events":["\"]}`,
	} {
		if msg, err := protocol.DecodeToRoom([]byte(data)); err == nil {
			t.Errorf("%q: got %+v, want an error", data, msg)
		}
	}
}

func TestSY8WhatARoomDoesNotSendIsNotDecoded(t *testing.T) {
	for _, data := range []string{``, `[]`, `{"kind":"hello","version":1}`, `{"kind":"events","events":[{"seq":1}]}`, `{"kind":"welcome","seq":"x"}`} {
		if msg, err := protocol.DecodeToClient([]byte(data)); err == nil {
			t.Errorf("%q: got %+v, want an error", data, msg)
		}
	}
}

// nasty draws a text that a reader of JSON could stumble over.
func nasty(t *rapid.T, what string) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{
		`"`, `\`, `\\"`, `{`, `}`, `[`, `]`, `]}`, `},{`, `,`, "\n", "\u2028", "é", "\U0001F600", "a", "\x00", `\u0022`,
	}), 0, 12).Draw(t, what)
	var s string
	for _, p := range parts {
		s += p
	}
	return s
}

// vectorEvents returns the payloads of the vectors of the fold.
func vectorEvents(t *testing.T) (all []event.Payload) {
	t.Helper()
	for _, family := range []string{"notebook", "runs", "outputs", "comms"} {
		data, err := os.ReadFile("../../spec/vectors/" + family + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var cases []struct{ Events []json.RawMessage }
		if err := json.Unmarshal(data, &cases); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			for _, raw := range c.Events {
				if e, err := event.Decode(raw); err == nil {
					all = append(all, e.Payload)
				}
			}
		}
	}
	return all
}

// drawPayload draws an event, often one with a text that is hard to read.
func drawPayload(t *rapid.T, known []event.Payload) event.Payload {
	s := nasty(t, "text")
	raw, err := json.Marshal(map[string]any{s: []any{s, map[string]any{}, nil}})
	if err != nil {
		t.Fatal(err)
	}
	return rapid.SampledFrom([]event.Payload{
		&event.SourceEdited{Cell: "c", Rev: event.Rev(rapid.Uint64().Draw(t, "rev")), Edit: text.Insert(3, s)},
		&event.CellCreated{Cell: "c", Kind: event.KindCode, Order: "U", Source: s},
		&event.OutputAdded{Output: "o", Run: "r", Epoch: 1, Value: event.Output{Kind: event.OutputStream, Stream: event.Stdout, Text: s}},
		&event.CellMetadataSet{Cell: "c", Key: s, Value: raw},
		&event.Unknown{Name: "Newer", Raw: raw},
		rapid.SampledFrom(known).Draw(t, "known"),
	}).Draw(t, "payload")
}

func TestSY111TheFastReaderOfAPushAgreesWithTheGeneralOne(t *testing.T) {
	known := vectorEvents(t)
	rapid.Check(t, func(t *rapid.T) {
		push := &protocol.Push{Events: []event.Draft{}}
		for range rapid.IntRange(0, 5).Draw(t, "events") {
			id := event.ID{Client: "c", N: rapid.Uint64Min(1).Draw(t, "n")}
			push.Events = append(push.Events, event.Draft{ID: id, Payload: drawPayload(t, known)})
		}
		data, err := protocol.EncodeToRoom(push)
		if err != nil {
			t.Fatal(err)
		}
		fast, fastErr := protocol.DecodePush(data)
		slow, slowErr := protocol.SlowPush(data)
		if diff := cmp.Diff(slow, fast); diff != "" || fastErr != nil || slowErr != nil || !protocol.Fast(data) {
			t.Fatalf("%s: errors %v and %v, fast %t (-general +fast):\n%s", data, slowErr, fastErr, protocol.Fast(data), diff)
		}
	})
}

func TestSY111TheFastReaderOfEventsAgreesWithTheGeneralOne(t *testing.T) {
	known := vectorEvents(t)
	rapid.Check(t, func(t *rapid.T) {
		var lists [][]byte
		for seq := range rapid.IntRange(1, 5).Draw(t, "events") {
			e := event.Event{
				Seq: event.Seq(seq + 1), ID: event.ID{Client: "c", N: 1}, Actor: event.Actor(nasty(t, "actor")),
				Time: event.Time(rapid.Int64().Draw(t, "time")), Payload: drawPayload(t, known),
			}
			data, err := event.Append(nil, &e)
			if err != nil {
				t.Fatal(err)
			}
			lists = append(lists, data)
		}
		data := protocol.JoinEvents(lists)
		fast, fastErr := protocol.DecodeFrame(data)
		slow, slowErr := protocol.SlowFrame(data)
		if events, ok := fast.(*protocol.Events); ok {
			if diff := cmp.Diff(lists, events.Records); diff != "" {
				t.Fatalf("%s: records (-want +got):\n%s", data, diff)
			}
			events.Records = nil // the general reader has none
		}
		if diff := cmp.Diff(slow, fast); diff != "" || fastErr != nil || slowErr != nil || !protocol.Fast(data) {
			t.Fatalf("%s: errors %v and %v, fast %t (-general +fast):\n%s", data, slowErr, fastErr, protocol.Fast(data), diff)
		}
	})
}

func TestSY111MessagesInAnotherFormAreReadAllTheSame(t *testing.T) {
	want := &protocol.Push{Events: []event.Draft{
		{ID: event.ID{Client: "c", N: 1}, Payload: &event.CellCreated{Cell: "a", Kind: event.KindCode, Order: "U"}}, {ID: event.ID{Client: "c", N: 2}, Payload: &event.CellCreated{Cell: "b", Kind: event.KindCode, Order: "U"}},
	}}
	const a, b = `{"id":"c.1","type":"CellCreated","payload":{"cell":"a","kind":"code","order":"U"}}`,
		`{"payload":{"order":"U","cell":"b","kind":"code"},"extra":"]}","type":"CellCreated","id":"c.2"}`
	for _, data := range []string{
		`{"kind":"push","events":[` + a + `,` + b + `]}`,
		`{"kind":"push","events":[` + a + ` , ` + b + `]}`,
		` { "events" : [` + a + "\n,\t" + b + `] , "kind" : "push" } `,
		`{"kind":"push","newer":[{}],"events":[` + a + `,` + b + `]}`,
		`{"kind":"push","events":[` + a + `,` + b + `],"newer":[{}]}`,
	} {
		got, err := protocol.DecodeToRoom([]byte(data))
		if err != nil {
			t.Errorf("%s: %v", data, err)
			continue
		}
		if diff := cmp.Diff(protocol.ToRoom(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", data, diff)
		}
	}
}

// FuzzDecodeToRoom wants hostile bytes to do no harm, and the readers to agree.
func FuzzDecodeToRoom(f *testing.F) {
	v := readVectors(f)
	for _, data := range v.ToRoom {
		f.Add([]byte(data))
	}
	for _, bad := range v.MalformedToRoom {
		f.Add([]byte(bad.Message))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		msg, err := protocol.DecodeToRoom(data)
		if err != nil {
			return
		}
		if protocol.Fast(data) {
			slow, err := protocol.SlowPush(data)
			if diff := cmp.Diff(slow, msg); diff != "" || err != nil {
				t.Fatalf("the general reader has %v (-general +fast):\n%s", err, diff)
			}
		}
		first, err := protocol.EncodeToRoom(msg)
		if err != nil {
			t.Fatal(err)
		}
		again, err := protocol.DecodeToRoom(first)
		if err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		second, err := protocol.EncodeToRoom(again)
		if err != nil || string(second) != string(first) {
			t.Fatalf("got %s (%v), want %s", second, err, first)
		}
	})
}

// FuzzDecodeToClient wants hostile bytes to do no harm, to a replica either.
func FuzzDecodeToClient(f *testing.F) {
	for _, data := range readVectors(f).ToClient {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		msg, err := protocol.DecodeToClient(data)
		if err != nil {
			return
		}
		if protocol.Fast(data) {
			slow, err := protocol.SlowFrame(data)
			if diff := cmp.Diff(slow, msg); diff != "" || err != nil {
				t.Fatalf("the general reader has %v (-general +fast):\n%s", err, diff)
			}
		}
		if _, err := protocol.EncodeToClient(msg); err != nil {
			t.Fatal(err)
		}
		r := replica.New("q7Xa")
		if _, _, err := r.Do(&event.CellCreated{Cell: "c1", Kind: event.KindCode, Order: "U"}); err != nil {
			t.Fatal(err)
		}
		_, _ = r.Receive(msg) // whatever it says of it
		if _, _, err := r.Edit("c1", text.Insert(0, "x")); err == nil && r.View().Cell("c1") == nil {
			t.Fatal("an edit of no cell was made")
		}
	})
}
