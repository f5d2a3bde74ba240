package event_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/text"
)

func TestEV1BothDecodersReadWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := randomEvent(t)
		data, err := event.Append(nil, &want)
		if err != nil {
			t.Fatalf("append: %v", err)
		}
		slow, err := event.DecodeEvent(data)
		if diff := cmp.Diff(want, slow, sameEvent); err != nil || diff != "" {
			t.Fatalf("decode %s: error %v, (-want +got):\n%s", data, err, diff)
		}
		fast, ok := event.ScanEvent(data)
		if diff := cmp.Diff(want, fast, sameEvent); ok && diff != "" {
			t.Fatalf("scan %s (-want +got):\n%s", data, diff)
		}
	})
}

func TestEV1BothDecodersReadDraftsThatWereWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := randomEvent(t)
		want := event.Draft{ID: e.ID, Payload: e.Payload}
		data, err := event.AppendDraft(nil, &want)
		if err != nil {
			t.Fatalf("append: %v", err)
		}
		slow, err := event.SlowDraft(data)
		if diff := cmp.Diff(want, slow, sameEvent); err != nil || diff != "" {
			t.Fatalf("decode %s: error %v, (-want +got):\n%s", data, err, diff)
		}
		fast, ok := event.ScanDraft(data)
		if diff := cmp.Diff(want, fast, sameEvent); ok && diff != "" {
			t.Fatalf("scan %s (-want +got):\n%s", data, diff)
		}
	})
}

func TestScanningTakesEveryTypeInTheFormThatIsWritten(t *testing.T) {
	for _, p := range examples() {
		e := envelope(p)
		data, err := event.Append(nil, &e)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := event.ScanEvent(data); !ok {
			t.Errorf("scan %s: got no event", data)
		}
		data, err = event.AppendDraft(nil, &event.Draft{ID: e.ID, Payload: p})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := event.ScanDraft(data); !ok {
			t.Errorf("scan %s: got no draft", data)
		}
	}
}

func TestScanningGivesUpOnEveryOtherForm(t *testing.T) {
	const good = `{"seq":12,"id":"a.1","actor":"person:ada","time":5,"type":"SourceEdited","payload":{"cell":"c1","rev":7,"edit":[4]}}`
	if _, ok := event.ScanEvent([]byte(good)); !ok {
		t.Fatal("got no event from the good form")
	}
	for old, bad := range map[string]string{
		`{"seq"`:      `{ "seq"`,
		`:12`:         `:012`,
		`12`:          `1234567890123456789`,
		`"a.1"`:       `"a.0"`,
		`"person:ada`: `"person:\u0061da`,
		`:5,`:         `:-5,`,
		`"c1"`:        `"é"`,
		`[4]`:         `[0]`,
		`[4]}}`:       `[4]}`,
		`[4]}`:        `[4],"more":1}`,
		`"rev":7,`:    ``,
		`}}`:          `}} `,
	} {
		data := strings.Replace(good, old, bad, 1)
		if _, ok := event.ScanEvent([]byte(data)); ok {
			t.Errorf("scan %s: got an event", data)
		}
	}
	for i := range len(good) {
		if _, ok := event.ScanEvent([]byte(good[:i])); ok {
			t.Errorf("scan %s: got an event", good[:i])
		}
	}
}

func TestAppendingAnEditToSpareRoomAllocatesNothing(t *testing.T) {
	e := envelope(&event.SourceEdited{Cell: "c1", Rev: 7, Edit: text.Insert(1200, "x")})
	buf := make([]byte, 0, 512)
	got := testing.AllocsPerRun(100, func() {
		if _, err := event.Append(buf, &e); err != nil {
			t.Fatal(err)
		}
	})
	if got != 0 {
		t.Errorf("got %v allocations, want none", got)
	}
}

func TestDecodedEventsDoNotShareTheBytesTheyCameFrom(t *testing.T) {
	for _, p := range append(examples(), &event.Unknown{Name: "CellPainted", Raw: []byte(`{"a":1}`)}) {
		want := envelope(p)
		data, err := event.Append(nil, &want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := event.Decode(data)
		clear(data)
		if diff := cmp.Diff(want, got, sameEvent); err != nil || diff != "" {
			t.Errorf("%s: error %v, (-want +got):\n%s", p.Type(), err, diff)
		}
	}
}

func BenchmarkAppendSourceEdited(b *testing.B) {
	e := envelope(&event.SourceEdited{Cell: "c8f3k2p9", Rev: 1234, Edit: text.Insert(1200, "x")})
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buf, err = event.Append(buf[:0], &e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeSourceEdited(b *testing.B) {
	e := envelope(&event.SourceEdited{Cell: "c8f3k2p9", Rev: 1234, Edit: text.Insert(1200, "x")})
	data, err := event.Append(nil, &e)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := event.Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendOutputAppended(b *testing.B) {
	e := envelope(&event.OutputAppended{Output: "o1", Run: "r1", Epoch: 3, Text: strings.Repeat("a line of output\n", 50)})
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buf, err = event.Append(buf[:0], &e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeOutputAppended(b *testing.B) {
	e := envelope(&event.OutputAppended{Output: "o1", Run: "r1", Epoch: 3, Text: strings.Repeat("a line of output\n", 50)})
	data, err := event.Append(nil, &e)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := event.Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}
