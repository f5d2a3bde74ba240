package event_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
)

// readVectors reads a file of spec/vectors into v.
func readVectors(t *testing.T, name string, v any) {
	t.Helper()
	data, err := os.ReadFile("../../spec/vectors/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func TestEV1EveryVectorIsWrittenAsItWasRead(t *testing.T) {
	var vectors []json.RawMessage
	readVectors(t, "event.json", &vectors)
	for i, want := range vectors {
		e, err := event.Decode(want)
		if err != nil {
			t.Errorf("vector %d: %v", i, err)
			continue
		}
		if err := e.Payload.Check(); err != nil {
			t.Errorf("vector %d: %v", i, err)
		}
		got, err := event.Append(nil, &e)
		if diff := cmp.Diff(value(t, want), value(t, got)); err != nil || diff != "" {
			t.Errorf("vector %d: error %v, (-want +got):\n%s", i, err, diff)
		}
	}
}

func TestEV2VectorsAreALogWithoutGaps(t *testing.T) {
	var vectors []event.Event
	readVectors(t, "event.json", &vectors)
	seen := map[event.ID]bool{}
	for i, e := range vectors {
		if want := event.Seq(i + 1); e.Seq != want {
			t.Errorf("vector %d: got seq %d, want %d", i, e.Seq, want)
		}
		if seen[e.ID] {
			t.Errorf("vector %d: id %s is there twice", i, e.ID)
		}
		seen[e.ID] = true
	}
}

func TestEV6EveryTypeHasAVectorAndOneIsUnknown(t *testing.T) {
	var vectors []event.Event
	readVectors(t, "event.json", &vectors)
	count := map[event.Type]int{}
	for _, e := range vectors {
		count[e.Payload.Type()]++
	}
	for _, typ := range event.Types() {
		if count[typ] == 0 {
			t.Errorf("%s: got no vector, want one", typ)
		}
		delete(count, typ)
	}
	if len(count) != 1 {
		t.Errorf("got unknown types %v, want one", count)
	}
}

func TestEV11EveryMalformedVectorIsRefused(t *testing.T) {
	var vectors []struct {
		Rule, Why string
		Draft     json.RawMessage
	}
	readVectors(t, "event-refused.json", &vectors)
	if len(vectors) == 0 {
		t.Fatal("got no vectors")
	}
	for _, v := range vectors {
		d, err := event.DecodeDraft(v.Draft)
		if err == nil {
			err = d.Payload.Check()
		}
		if err == nil {
			t.Errorf("%s, %s: got no error from %s", v.Rule, v.Why, v.Draft)
		}
	}
}

func value(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
