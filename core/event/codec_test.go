package event_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

// envelope returns an event with this payload.
func envelope(p event.Payload) event.Event {
	return event.Event{Seq: 12, ID: event.ID{Client: "Xk_3-9", N: 41}, Actor: "person:ada", Time: 1_760_000_000_123, Payload: p}
}

func marshal(t *testing.T, p event.Payload) string {
	t.Helper()
	b, err := event.AppendDraft(nil, &event.Draft{ID: event.ID{Client: "c", N: 1}, Payload: p})
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// compact returns raw without the spaces between its tokens, or as it is if it is
// no JSON.
func compact(raw []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

func TestEV1EveryTypeComesBackAsItWas(t *testing.T) {
	for _, p := range examples() {
		want := envelope(p)
		data, err := event.Append(nil, &want)
		if err != nil {
			t.Errorf("%s: append: %v", p.Type(), err)
			continue
		}
		got, err := event.Decode(data)
		if diff := cmp.Diff(want, got, sameEvent); err != nil || diff != "" {
			t.Errorf("decode %s: error %v, (-want +got):\n%s", data, err, diff)
		}
	}
}

func TestEV1EveryDraftComesBackAsItWas(t *testing.T) {
	for _, p := range examples() {
		want := event.Draft{ID: event.ID{Client: "Xk_3-9", N: 41}, Payload: p}
		data, err := event.AppendDraft(nil, &want)
		if err != nil {
			t.Errorf("%s: append: %v", p.Type(), err)
			continue
		}
		got, err := event.DecodeDraft(data)
		if diff := cmp.Diff(want, got, sameEvent); err != nil || diff != "" {
			t.Errorf("decode %s: error %v, (-want +got):\n%s", data, err, diff)
		}
	}
}

func TestEV1MembersAreWrittenInOneOrder(t *testing.T) {
	e := envelope(&event.SourceEdited{Cell: "c1", Rev: 7, Edit: text.Replace(4, 1, "é\n")})
	for _, c := range []struct {
		name, want string
		encode     func() ([]byte, error)
	}{
		{
			"event", `{"seq":12,"id":"Xk_3-9.41","actor":"person:ada","time":1760000000123,` +
				`"type":"SourceEdited","payload":{"cell":"c1","rev":7,"edit":[4,"é\n",-1]}}`,
			func() ([]byte, error) { return event.Append(nil, &e) },
		},
		{
			"draft", `{"id":"Xk_3-9.41","type":"SourceEdited","payload":{"cell":"c1","rev":7,"edit":[4,"é\n",-1]}}`,
			func() ([]byte, error) { return event.AppendDraft(nil, &event.Draft{ID: e.ID, Payload: e.Payload}) },
		},
	} {
		got, err := c.encode()
		if err != nil || string(got) != c.want {
			t.Errorf("%s:\n got %s, %v\nwant %s", c.name, got, err, c.want)
		}
	}
}

func TestEV1ReadersTakeMembersInAnyOrderWithSpaces(t *testing.T) {
	const data = ` { "payload" : {"rev":7, "edit":[4, "x"], "cell":"c1"}, "type":"SourceEdited",
		"time":5, "actor":"person:ada", "id":"a.1", "seq":3, "colour":"red" } `
	want := event.Event{
		Seq: 3, ID: event.ID{Client: "a", N: 1}, Actor: "person:ada", Time: 5,
		Payload: &event.SourceEdited{Cell: "c1", Rev: 7, Edit: text.Insert(4, "x")},
	}
	got, err := event.Decode([]byte(data))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, (-want +got):\n%s", err, diff)
	}
}

func TestEV4ADraftCannotClaimWhatTheRoomStamps(t *testing.T) {
	const data = `{"seq":"nine","id":"a.1","actor":{"kind":"room"},"time":[],"type":"CellDeleted","payload":{"cell":"c1"}}`
	want := event.Draft{ID: event.ID{Client: "a", N: 1}, Payload: &event.CellDeleted{Cell: "c1"}}
	got, err := event.DecodeDraft([]byte(data))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, (-want +got):\n%s", err, diff)
	}
}

func TestEV7AnUnknownTypeIsKeptByteForByte(t *testing.T) {
	for _, raw := range []string{
		`{"cell":"c1", "colour":"<red> & \u00e9", "colour": 1.50}`, `null`, `[ ]`, `"\ud800"`, `{"deep":{"é":[1e9,-0]}}`,
	} {
		want := `{"seq":3,"id":"a.1","actor":"person:ada","time":5,"type":"CellPainted","payload":` + raw + `}`
		e, err := event.Decode([]byte(want))
		if err != nil {
			t.Errorf("decode %s: %v", want, err)
			continue
		}
		if err := e.Payload.Check(); err != nil {
			t.Errorf("check %s: got %v, want none", raw, err)
		}
		if got, err := event.Append(nil, &e); err != nil || string(got) != want {
			t.Errorf("\n got %s, %v\nwant %s", got, err, want)
		}
	}
}

func TestEV7AnUnknownPayloadIsWrittenOnOneLine(t *testing.T) {
	e := envelope(&event.Unknown{Name: "CellPainted", Raw: json.RawMessage("{\r\n\t\"a\":\n1}")})
	got, err := event.Append(nil, &e)
	if want := "\"payload\":{  \t\"a\": 1}}"; err != nil || !strings.HasSuffix(string(got), want) {
		t.Errorf("got %q, %v, want it to end with %q", got, err, want)
	}
}

func TestEV7AnUnknownPayloadThatIsNoJSONIsNotWritten(t *testing.T) {
	for _, raw := range []string{"", "{", `1}`, "\"\xff\""} {
		e := envelope(&event.Unknown{Name: "CellPainted", Raw: json.RawMessage(raw)})
		if got, err := event.Append(nil, &e); err == nil {
			t.Errorf("payload %q: got %s, want an error", raw, got)
		}
	}
}

func TestEV8MembersThatATypeDoesNotHaveAreIgnored(t *testing.T) {
	got, err := event.DecodeDraft([]byte(`{"id":"a.1","type":"RunCancelled","payload":{"run":"r1","colour":"red"}}`))
	want := event.Draft{ID: event.ID{Client: "a", N: 1}, Payload: &event.RunCancelled{Run: "r1"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, (-want +got):\n%s", err, diff)
	}
}

func TestEV10MarkupInOutputsIsNotEscaped(t *testing.T) {
	e := envelope(&event.OutputAppended{Output: "o1", Run: "r1", Epoch: 1, Text: "<b>&</b>"})
	got, err := event.Append(nil, &e)
	if want := `"text":"<b>&</b>"`; err != nil || !strings.Contains(string(got), want) {
		t.Errorf("got %s, %v, want it to contain %s", got, err, want)
	}
}

func TestAppendAddsToWhatIsThere(t *testing.T) {
	for _, p := range examples() {
		e := envelope(p)
		alone, err := event.Append(nil, &e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := event.Append([]byte("before"), &e)
		if want := "before" + string(alone); err != nil || string(got) != want {
			t.Errorf("got %s, %v, want %s", got, err, want)
		}
	}
}

func TestAppendWantsAPayload(t *testing.T) {
	if got, err := event.Append(nil, &event.Event{}); err == nil {
		t.Errorf("event: got %s, want an error", got)
	}
	if got, err := event.AppendDraft(nil, &event.Draft{}); err == nil {
		t.Errorf("draft: got %s, want an error", got)
	}
}

func TestEventsAndDraftsAreReadAndWrittenWithinOtherJSON(t *testing.T) {
	type both struct {
		Events []event.Event
		Drafts []event.Draft
	}
	e := envelope(&event.CellDeleted{Cell: "c1"})
	want := both{[]event.Event{e}, []event.Draft{{ID: e.ID, Payload: e.Payload}}}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got both
	err = json.Unmarshal(data, &got)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, (-want +got):\n%s", err, diff)
	}
}
