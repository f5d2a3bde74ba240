package artifact_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quirehq/quire/core/artifact"
)

func TestOU5ContentIsWhatItsTypeSays(t *testing.T) {
	for _, test := range []struct{ mime, value, content string }{
		{"image/png", `"iVBORw0KGgo="`, "\x89PNG\r\n\x1a\n"},
		{"IMAGE/PNG; x=y", `"iVBORw0KGgo="`, "\x89PNG\r\n\x1a\n"},
		{"application/pdf", `"JVBERg=="`, "%PDF"},
		{"image/svg+xml", `"<svg/>"`, "<svg/>"},
		{"text/html", `"<b>é\n</b>"`, "<b>é\n</b>"},
		{"application/x-unheard-of", `"aGk="`, "aGk="},
		{"application/json", `{"a": [1, 2]}`, `{"a": [1, 2]}`},
		{"application/vnd.vega.v5+json", `"text"`, `"text"`},
	} {
		content := artifact.Bytes(test.mime, json.RawMessage(test.value))
		if string(content) != test.content {
			t.Errorf("%s %s: got content %q, want %q", test.mime, test.value, content, test.content)
		}
		back, err := artifact.Value(test.mime, content)
		if err != nil || !sameJSON(t, back, test.value) {
			t.Errorf("%s: got %s and %v back, want %s", test.mime, back, err, test.value)
		}
	}
}

func sameJSON(t *testing.T, a json.RawMessage, b string) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	m, _ := json.Marshal(x)
	n, _ := json.Marshal(y)
	return string(m) == string(n)
}

func TestOU5WhatShouldBeBase64AndIsNotIsText(t *testing.T) {
	if got := artifact.Bytes("image/png", json.RawMessage(`"no base64!"`)); string(got) != "no base64!" {
		t.Errorf("got %q", got)
	}
}

func TestOU5ContentThatIsNoJSONIsAnErrorThatSaysSo(t *testing.T) {
	if got, err := artifact.Value("application/json", []byte("{")); err == nil {
		t.Errorf("got %s, want an error", got)
	}
}

func TestOU5WhatIsShownOfATextIsItsBeginningAndItsEndInWholeRunes(t *testing.T) {
	text := "a" + strings.Repeat("é", 1000) + "z"
	for n := range 40 {
		got := artifact.Shown(text, n)
		if !utf8.ValidString(got) || len(got) > n+60 || !strings.Contains(got, "bytes not shown") {
			t.Errorf("%d bytes: got %q", n, got)
		}
	}
	if got := artifact.Shown("short", 5); got != "short" {
		t.Errorf("got %q, want the whole of what fits", got)
	}
}
