package order

import (
	"encoding/json"
	"html"
	"strings"
	"testing"
)

const (
	highest = "~~~~~"
	lowest  = "#####"
)

func TestOR2KeysOfEveryStructureAreValid(t *testing.T) {
	valid := []Key{
		"R", "S", "Q", "RR", "o#", "4~", "s##", "0~~", highest, highest + "R", lowest + "R", lowest + lowest + "R", "####$",
		"R!a!R", "R!a!R!b!R", "RR!a!RR", "R!Az09_-!R", Key("R!" + strings.Repeat("x", 64) + "!R"),
		Key(strings.Repeat("R", MaxLen)),
	}
	for _, key := range valid {
		if err := key.Valid(); err != nil {
			t.Errorf("%q: got error %v, want none", key, err)
		}
	}
}

func TestOR2MalformedKeysAreRefused(t *testing.T) {
	tests := map[string]Key{
		"empty":              "",
		"space":              "R R",
		"quote":              `R"`,
		"backslash":          `R\`,
		"control character":  "R\n",
		"outside ASCII":      "Ré",
		"cut level":          "s#",
		"cut level at a tag": "s#!a!R",
		"only a tag":         "!a!",
		"tag first":          "!a!R",
		"tag last":           "R!a!",
		"two tags":           "R!a!!b!R",
		"open tag":           "R!a",
		"empty id":           "R!!R",
		"letter not in ids":  "R!a.b!R",
		"long id":            Key("R!" + strings.Repeat("x", 65) + "!R"),
		"long key":           Key(strings.Repeat("R", MaxLen+1)),
	}
	for name, key := range tests {
		if key.Valid() == nil {
			t.Errorf("%s: got no error for %q", name, key)
		}
	}
}

func TestOR2KeysNeedNoEscape(t *testing.T) {
	var key strings.Builder
	for c := byte(' '); c <= '~'; c++ {
		if k := Key("~###" + string(c)); k.Valid() == nil {
			key.WriteByte(c)
		}
	}
	symbols := key.String()
	if got, want := len(symbols), 87; got != want {
		t.Errorf("got %d symbols, want %d", got, want)
	}
	if got := html.EscapeString(symbols); got != symbols {
		t.Errorf("HTML: got %s, want %s", got, symbols)
	}
	got, err := json.Marshal(symbols)
	if err != nil || string(got) != `"`+symbols+`"` {
		t.Errorf("JSON: got %s, %v, want %q", got, err, symbols)
	}
}

func TestOR4TheLeastLevelIsNeverLast(t *testing.T) {
	for _, key := range []Key{lowest, "R" + lowest, lowest + "!a!R", "R!a!" + lowest} {
		if key.Valid() == nil {
			t.Errorf("got no error for %q", key)
		}
	}
}
