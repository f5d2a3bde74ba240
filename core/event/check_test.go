package event_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirehq/quire/core/event"
)

// checkCase is a payload and the error that Check returns for it, empty for a well-formed one.
type checkCase struct {
	payload event.Payload
	want    string
}

// allCases returns the cases of all families, good ones of every type among them.
func allCases() []checkCase {
	return slices.Concat(notebookCases(), cellCases(), runCases(), outputCases(), runtimeCases(), assistantCases(), commCases(), fileCases())
}

// examples returns at least one rich and well-formed payload of every type.
func examples() []event.Payload {
	var good []event.Payload
	for _, c := range allCases() {
		if c.want == "" {
			good = append(good, c.payload)
		}
	}
	return good
}

// sameEvent compares decoded payloads: nil is empty, and JSON values that differ
// only in spaces are equal.
var sameEvent = cmp.Options{
	cmpopts.EquateEmpty(),
	cmp.FilterValues(func(a, b json.RawMessage) bool { return len(a) > 0 && len(b) > 0 },
		cmp.Comparer(func(a, b json.RawMessage) bool { return compact(a) == compact(b) })),
}

func TestEV11ChecksSayWhatIsMalformed(t *testing.T) {
	for _, c := range allCases() {
		got := ""
		if err := c.payload.Check(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s %s:\n got %q\nwant %q", c.payload.Type(), marshal(t, c.payload), got, c.want)
		}
	}
}

func TestEV11EveryTypeHasAGoodAndABadExample(t *testing.T) {
	good, bad := map[event.Type]bool{}, map[event.Type]bool{"AllRunsCancelled": true} // it has no field that could be malformed
	for _, c := range allCases() {
		if c.want == "" {
			good[c.payload.Type()] = true
		} else {
			bad[c.payload.Type()] = true
		}
	}
	for _, typ := range event.Types() {
		if !good[typ] || !bad[typ] {
			t.Errorf("%s: got a good example %t and a bad one %t, want both", typ, good[typ], bad[typ])
		}
	}
}

func TestEV6TheCatalogueNamesEachPayloadAsItNamesItself(t *testing.T) {
	for _, typ := range event.Types() {
		if got := event.New(typ).Type(); got != typ {
			t.Errorf("New(%q).Type(): got %q", typ, got)
		}
	}
	if got := event.New("CellPainted"); got != nil {
		t.Errorf("New of an unknown type: got %v, want nil", got)
	}
}

func TestEV9NamesAreShortAndPlain(t *testing.T) {
	long := strings.Repeat("n", event.MaxName)
	for _, name := range []string{"a", "Z9-_", long} {
		if err := event.CheckName("client", name); err != nil {
			t.Errorf("CheckName(%q): got %v, want none", name, err)
		}
	}
	for name, want := range map[string]string{
		"":         "client is missing",
		long + "n": "client is 65 bytes, at most 64 fit",
		"a.b":      `client "a.b" has a character other than letters, digits, - and _`,
		"é":        `client "é" has a character other than letters, digits, - and _`,
		"a\x00":    `client "a\x00" has a character other than letters, digits, - and _`,
	} {
		if err := event.CheckName("client", name); err == nil || err.Error() != want {
			t.Errorf("CheckName(%q): got %v, want %s", name, err, want)
		}
	}
}
