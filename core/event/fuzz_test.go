package event_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
)

// maxSeed is the length of the longest input that a fuzzer starts from: long ones make it slow.
const maxSeed = 1 << 10

// hostile has inputs that are nearly events.
var hostile = []string{
	``, `null`, `{}`, `[]`, `{"seq":1}`, `{"id":"a.1"}`,
	`{"id":"a.1","type":"CellDeleted"}`,
	`{"id":"a.1","type":"","payload":{}}`,
	`{"id":"a.1","type":"CellDeleted","payload":5}`,
	`{"id":"a.1","type":"SourceEdited","payload":{"edit":null}}`,
	`{"id":"a.1","type":"SourceEdited","payload":{"cell":"c","rev":0,"edit":[4],"edit":[-1]}}`,
	`{"id":"","type":"CellDeleted","payload":{"cell":"c"}}`,
	`{"type":"CellDeleted","payload":{"cell":"c"}}`,
	`{"id":null,"type":"CellDeleted","payload":{"cell":"c"}}`,
	`{"id":"a.1","type":"RunCancelled","payload":null}`,
	`{"id":"a.1","type":"CellPainted","payload":{"a":1} }`,
	`{"id":"a.1","type":"CellPainted","payload":{"a":1},"type":"CellPainted","payload":{"b":2}}`,
	"{\"id\":\"a.1\",\"type\":\"CellPainted\",\"payload\":\"\xff\"}",
	"{\"id\":\"a.1\",\"type\":\"CellPainted\",\"payload\":{\r\n\t\"a\":1}}",
	`{"seq":-1,"id":"a.1","type":"CellPainted","payload":{}}`,
	`{"seq":99999999999999999999,"id":"a.1","type":"CellPainted","payload":{}}`,
	`{"seq":1,"id":"a.1","actor":"\ud800","time":-1,"type":"\udfff","payload":{ }}`,
}

func TestEV16WhatIsNoEventIsRefused(t *testing.T) {
	for data, want := range map[string]string{
		``:                      "decode event: ",
		`{"seq":3}`:             "decode event 3: id is missing",
		`{"seq":3,"id":null}`:   "decode event 3: id is missing",
		`{"seq":3,"id":"a.1"}`:  "decode event 3: type is missing",
		`{"seq":-1,"id":"a.1"}`: "decode event: json: ",
		`{"seq":3,"id":"a.0"}`:  `decode event: event id "a.0": want a counter from 1 after the dot, without leading zeros`,
		`{"seq":3,"id":"a.1","type":"CellDeleted"}`:                        "decode event 3: CellDeleted: payload is missing",
		`{"seq":3,"id":"a.1","type":"CellMoved","payload":{"cell":1}}`:     "decode event 3: CellMoved: json: ",
		"{\"seq\":3,\"id\":\"a.1\",\"type\":\"New\",\"payload\":\"\xff\"}": "decode event 3: New: payload is not valid JSON",
	} {
		if got, err := event.Decode([]byte(data)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("decode %s:\n got %v, %v\nwant %s…", data, got, err, want)
		}
	}
}

func TestEV16ARefusedDraftTellsItsID(t *testing.T) {
	want := event.ID{Client: "a", N: 7}
	for _, data := range []string{
		`{"id":"a.7"}`, `{"id":"a.7","type":"CellDeleted"}`, `{"id":"a.7","type":"CellDeleted","payload":{"cell":1}}`, `{"id":"a.7","type":5}`,
	} {
		got, err := event.DecodeDraft([]byte(data))
		if err == nil || got.ID != want {
			t.Errorf("decode %s: got %v, %v, want id %v and an error", data, got, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, p := range examples() {
		e := envelope(p)
		if data, err := event.Append(nil, &e); err == nil && len(data) < maxSeed {
			f.Add(data)
		}
	}
	for _, s := range hostile {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		slow, err := event.DecodeEvent(data)
		if fast, ok := event.ScanEvent(data); ok {
			if diff := cmp.Diff(slow, fast, sameEvent); err != nil || diff != "" {
				t.Fatalf("scanned, but decoding says %v (-decoded +scanned):\n%s", err, diff)
			}
		}
		if err != nil {
			return
		}
		again, err := event.Append(nil, &slow)
		if err != nil {
			t.Fatalf("encode what was decoded: %v", err)
		}
		checkAgain(t, again, slow.Payload)
		got, err := event.Decode(again)
		if diff := cmp.Diff(slow, got, sameEvent); err != nil || diff != "" {
			t.Fatalf("decode %s: error %v, (-want +got):\n%s", again, err, diff)
		}
	})
}

func FuzzDecodeDraft(f *testing.F) {
	for _, p := range examples() {
		if data, err := event.AppendDraft(nil, &event.Draft{ID: event.ID{Client: "a", N: 1}, Payload: p}); err == nil && len(data) < maxSeed {
			f.Add(data)
		}
	}
	for _, s := range hostile {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		slow, err := event.SlowDraft(data)
		if fast, ok := event.ScanDraft(data); ok {
			if diff := cmp.Diff(slow, fast, sameEvent); err != nil || diff != "" {
				t.Fatalf("scanned, but decoding says %v (-decoded +scanned):\n%s", err, diff)
			}
		}
		if err != nil {
			return
		}
		again, err := event.AppendDraft(nil, &slow)
		if err != nil {
			t.Fatalf("encode what was decoded: %v", err)
		}
		checkAgain(t, again, slow.Payload)
		got, err := event.DecodeDraft(again)
		if diff := cmp.Diff(slow, got, sameEvent); err != nil || diff != "" {
			t.Fatalf("decode %s: error %v, (-want +got):\n%s", again, err, diff)
		}
	})
}

// checkAgain checks data that a decoded payload was encoded to: it is JSON, an unknown payload is unchanged, and Check
// does not panic.
func checkAgain(t *testing.T, data []byte, p event.Payload) {
	t.Helper()
	if !json.Valid(data) {
		t.Fatalf("encoded to invalid JSON: %s", data)
	}
	if bytes.ContainsAny(data, "\n\r") {
		t.Fatalf("encoded to more than one line: %q", data)
	}
	if u, ok := p.(*event.Unknown); ok && !strings.HasSuffix(string(data), `,"payload":`+oneLine(u.Raw)+`}`) {
		t.Fatalf("unknown payload %s did not stay as it was: %s", u.Raw, data)
	}
	_ = p.Check()
}

// oneLine returns raw with spaces for its line breaks.
func oneLine(raw []byte) string {
	return strings.NewReplacer("\n", " ", "\r", " ").Replace(string(raw))
}
