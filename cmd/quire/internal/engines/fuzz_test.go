package engines

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzKernelMetadata reads what a notebook says of its kernel, and has it say another.
func FuzzKernelMetadata(f *testing.F) {
	f.Add([]byte(`{"name":"ir","display_name":"R"}`), []byte(`{"name":"R"}`), []byte(`{"kernel":"ir","other":[1]}`), "julia")
	f.Add([]byte(`{"name":1}`), []byte(`[]`), []byte(`null`), "python3")
	f.Add([]byte(``), []byte(`{`), []byte(`"x"`), "")
	f.Fuzz(func(t *testing.T, spec, info, own []byte, name string) {
		if !utf8.ValidString(name) {
			return
		}
		m := Metadata{"kernelspec": spec, "language_info": info, keyQuire: own}
		if got := m.language(); got == "" || got != strings.ToLower(got) {
			t.Fatalf("got the language %q", got)
		}
		_ = m.asked()
		payload, err := m.choosing(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := payload.Check(); err != nil {
			return // such as a notebook's own values that are nested too deeply
		}
		set, err := json.Marshal(payload)
		if err != nil {
			t.Fatal(err)
		}
		var said struct{ Value json.RawMessage }
		if err := json.Unmarshal(set, &said); err != nil {
			t.Fatal(err)
		}
		var before, after map[string]json.RawMessage
		_ = json.Unmarshal(own, &before) // damaged metadata counts as missing
		if err := json.Unmarshal(said.Value, &after); err != nil {
			t.Fatal(err)
		}
		delete(before, "kernel")
		for key := range before {
			if _, ok := after[key]; !ok {
				t.Fatalf("%s has lost %q of %s", said.Value, key, own)
			}
		}
		m[keyQuire] = said.Value
		if got := m.asked(); got != name {
			t.Fatalf("got %q, want %q", got, name)
		}
	})
}
