package jupyter

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"testing"

	"github.com/quirehq/quire/core/lang/langtest"
)

// sealed returns the parts of a message that is signed with a key.
func sealed(t testing.TB, s *signer, content any) [][]byte {
	t.Helper()
	parts, _, err := s.seal("stream", &header{ID: "parent", Type: "execute_request"}, content)
	if err != nil {
		t.Fatal(err)
	}
	return parts
}

func TestAMessageThatIsSignedIsRead(t *testing.T) {
	ours, theirs := newSigner("key"), newSigner("key")
	parts := append([][]byte{[]byte("a router's name")}, sealed(t, theirs, map[string]string{"text": "hé"})...)
	m, err := ours.open(iopub, append(parts, []byte("buffer")))
	if err != nil {
		t.Fatal(err)
	}
	if m.header.Type != "stream" || m.parent.ID != "parent" || string(m.content) != `{"text":"hé"}` ||
		m.channel != iopub || len(m.buffers) != 1 || string(m.buffers[0]) != "buffer" {
		t.Errorf("got %+v", m)
	}
}

func TestAMessageThatIsNotOfTheKernelIsDropped(t *testing.T) {
	ours := newSigner("key")
	good := sealed(t, newSigner("key"), 1)
	changed := func(part int, value string) [][]byte {
		parts := bytes.Split(bytes.Join(good, []byte("\x00\x00")), []byte("\x00\x00"))
		parts[part] = []byte(value)
		return parts
	}
	for name, parts := range map[string][][]byte{
		"signed with another key": sealed(t, newSigner("other"), 1),
		"changed":                 changed(5, "2"),
		"without a signature":     changed(1, ""),
		"with half a signature":   changed(1, string(good[1][:32])),
		"with no signature's hex": changed(1, "zz"),
		"without a delimiter":     good[1:],
		"cut off":                 good[:5],
		"empty":                   {},
	} {
		if m, err := ours.open(shell, parts); err == nil {
			t.Errorf("a message %s: got %+v, want an error", name, m)
		}
	}
	if _, err := ours.open(shell, good); err != nil {
		t.Fatal(err)
	}
	if _, err := ours.open(shell, good); !errors.Is(err, errRepeated) {
		t.Errorf("a message that came twice: got %v", err)
	}
}

func TestSignaturesAreRememberedUpToABound(t *testing.T) {
	ours, theirs := newSigner("key"), newSigner("key")
	for i := range 2*maxRemembered + 1 {
		if _, err := ours.open(shell, sealed(t, theirs, strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
	if len(ours.seen) != maxRemembered || len(ours.recent) != maxRemembered {
		t.Errorf("got %d and %d remembered, want %d", len(ours.seen), len(ours.recent), maxRemembered)
	}
}

// FuzzOpen decodes any content of a signed message with all its readers.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(`{"data":{"text/plain":"1"},"transient":{"display_id":"x"}}`), "display_data")
	f.Add([]byte(`{"name":"stdout","text":"x"}`), "stream")
	f.Add([]byte(`{"ename":"E","evalue":"v","traceback":["a\nb",3]}`), "error")
	f.Add([]byte(`{"execution_state":"idle","execution_count":1.5}`), "status")
	f.Fuzz(func(t *testing.T, content []byte, kind string) {
		ours, theirs := newSigner("key"), newSigner("key")
		parts, _, err := theirs.seal(kind, nil, json.RawMessage("{}"))
		if err != nil {
			t.Skip()
		}
		parts[5] = content
		sum := theirs.sum(parts[2:6])
		parts[1] = []byte(hexOf(sum[:]))
		m, err := ours.open(iopub, parts)
		if err != nil {
			t.Fatal(err)
		}
		r := run{sink: nowhere{}}
		r.deliver(m, true)
		r.reply = m
		r.showPayloads()
		if n := r.number(); n < 0 {
			t.Errorf("got count %d", n)
		}
		if r.held.failed != nil {
			_ = r.held.failed.shape("a\nb")
		}
		_, _ = commMessage(m)
	})
}

func TestAResultKeepsItsDisplayID(t *testing.T) {
	sink := &langtest.Recorder{}
	r := &run{sink: sink}
	r.show(&message{header: header{Type: "execute_result"}, content: []byte(`{"data":{"text/plain":"1"},"transient":{"display_id":"x"}}`)})
	r.show(&message{header: header{Type: "update_display_data"}, content: []byte(`{"data":{"text/plain":"2"},"transient":{"display_id":"x"}}`)})
	if len(sink.Events) != 2 || sink.Events[0].Kind != "result" || sink.Events[0].ID != "x" || sink.Events[1].ID != "x" {
		t.Errorf("got %+v", sink.Events)
	}
}
