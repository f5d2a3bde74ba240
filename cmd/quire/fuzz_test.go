package main

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quirehq/quire/cmd/quire/internal/client"
)

// FuzzASecretIsTakenOut wants no text of a notebook to have a secret that was removed from it.
func FuzzASecretIsTakenOut(f *testing.F) {
	f.Add([]byte(`{"cells":[{"source":["key = \"hunter2\"\n"],"outputs":[{"text":"hunter\u0032"}]}],"metadata":{"hunter2":1e400}}`), "hunter2")
	f.Add([]byte(`["aaaa","aaaaaaa"]`), "aaaa")
	f.Add([]byte(`{"removed":"[removed]"}`), "removed")
	f.Add([]byte(`"\ud83d\ude00😀"`), "😀")
	f.Fuzz(func(t *testing.T, data []byte, secret string) {
		if len(secret) < leastSecret || len(secret) > mostSecret || strings.ContainsAny(secret, "\r\n[]") || strings.Contains("[removed]", secret) || !utf8.ValidString(secret) {
			return
		}
		clean, _, err := without(data, secret)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "read the notebook: ") {
				t.Fatal(err)
			}
			return
		}
		var v any
		if err := json.Unmarshal(clean, &v); err != nil && !strings.Contains(err.Error(), "cannot unmarshal number") {
			t.Fatalf("%s: %v", clean, err)
		}
		if has(v, secret) {
			t.Fatalf("%q is in %s", secret, clean)
		}
	})
}

func has(v any, secret string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, secret)
	case []any:
		return slices.ContainsFunc(v, func(one any) bool { return has(one, secret) })
	case map[string]any:
		for key, value := range v {
			if strings.Contains(key, secret) || has(value, secret) {
				return true
			}
		}
	}
	return false
}

// FuzzTokenFiles takes the first line of a file for a token, whatever else is in it.
func FuzzTokenFiles(f *testing.F) {
	f.Add([]byte("qt_e30.AAAA\nmore"))
	f.Add([]byte(" \r\n"))
	f.Add([]byte("qt_.x"))
	f.Add([]byte("qt_eyJub3RlYm9vayI6ImIxIn0.x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a := &app{stdin: io.MultiReader(bytes.NewReader(data), neverEnding{})}
		err := a.readToken("-")
		token := a.config.Token
		if (err == nil) != (token != "") || len(token) > maxTokenFile || strings.Contains(token, "\n") || strings.TrimSpace(token) != token {
			t.Fatalf("got %q and %v", token, err)
		}
		if err == nil && !bytes.Contains(data, []byte(token)) {
			t.Fatalf("got %q, which is not in the file", token)
		}
		_ = client.TokenNotebook(token)
	})
}

// neverEnding are spaces, like those of a device.
type neverEnding struct{}

func (neverEnding) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
