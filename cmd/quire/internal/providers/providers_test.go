package providers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/core/assist"
)

func TestProvidersAreThoseThatAreStoredAndThoseOfTheEnvironment(t *testing.T) {
	stored := []datadir.Provider{
		{Name: "anthropic", Kind: "anthropic", Key: "stored-key"},
		{Name: "groq", Kind: "groq"},
		{Name: "local", Kind: "openai", URL: "http://localhost:8000/v1"},
		{Name: "old", Kind: "gone"},
	}
	variables := map[string]string{
		"ANTHROPIC_API_KEY": "variable-a", "GROQ_API_KEY": "variable-g", "OPENAI_API_KEY": "variable-o", "OPENAI_BASE_URL": "https://proxy/v1", "OLLAMA_HOST": "0.0.0.0",
	}
	type row struct{ Name, Kind, URL, Key, Source string }
	var got []row
	for _, f := range Find(stored, func(name string) string { return variables[name] }) {
		got = append(got, row{f.Name, f.Kind, f.URL, f.Key, f.Source})
		if (f.Err != nil) != (f.Name == "old") {
			t.Errorf("%s: got %v", f.Name, f.Err)
		}
	}
	want := []row{
		{"anthropic", "anthropic", "", "stored-key", "stored"},
		{"groq", "groq", "", "variable-g", "stored"},
		{"local", "openai", "http://localhost:8000/v1", "", "stored"}, // which must not get the key of OpenAI
		{"old", "gone", "", "", "stored"},
		{"ollama", "ollama", "http://localhost:11434", "", "OLLAMA_HOST"},
		{"openai", "openai", "https://proxy/v1", "variable-o", "OPENAI_API_KEY"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("providers (-want +got):\n%s", diff)
	}
	if got := Find(nil, func(string) string { return "" }); len(got) != 0 {
		t.Errorf("got %v of nothing, want none", got)
	}
}

func TestTheHostOfOllamaIsUnderstoodAsOllamaDoes(t *testing.T) {
	for text, want := range map[string]string{
		"localhost": "http://localhost:11434", "127.0.0.1:8080": "http://127.0.0.1:8080", ":9000": "http://localhost:9000",
		"0.0.0.0:11434": "http://localhost:11434", "[::]:1": "http://localhost:1", "[::1]": "http://[::1]:11434",
		"https://gpu.example": "https://gpu.example", "https://gpu.example:444/ollama": "https://gpu.example:444/ollama",
	} {
		if got := ollamaURL(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestProvidersThatCannotBeOpenedAreRefusedWithoutTheirKeys(t *testing.T) {
	script := filepath.Join(t.TempDir(), "turns.json")
	if err := os.WriteFile(script, []byte(`{"turns": [{}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, good := range []datadir.Provider{
		{Kind: "openai", Key: "k"}, {Kind: "openai", URL: "http://localhost:8000/v1"}, {Kind: "anthropic"}, {Kind: "groq"}, {Kind: "ollama"}, {Kind: "scripted", Script: script},
	} {
		if err := Check(good); err != nil {
			t.Errorf("%v: got %v", good, err)
		}
	}
	for want, bad := range map[string]datadir.Provider{
		"the kinds are anthropic":    {Kind: "cohere", Key: "s3cret"},
		"the URL cannot be read":     {Kind: "openai", URL: "localhost:8000", Key: "s3cret"},
		"no password":                {Kind: "openai", URL: "https://me:s3cret@host/v1"},
		"characters that no key has": {Kind: "anthropic", Key: "s3cret\tx"},
		"has no script":              {Kind: "ollama", Script: script},
		"neither a URL nor a key":    {Kind: "scripted", Script: script, Key: "s3cret"},
		"read the script":            {Kind: "scripted", Script: script + "x"},
	} {
		if err := Check(bad); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestMO30AProviderThatCannotBeOpenedSaysSoWhenItIsAsked(t *testing.T) {
	for name, f := range map[string]Found{
		"a kind":   {Provider: datadir.Provider{Name: "p", Kind: "gone"}, Err: errors.New("no such kind")},
		"a URL":    {Provider: datadir.Provider{Name: "p", Kind: "openai", URL: "nonsense"}},
		"a script": {Provider: datadir.Provider{Name: "p", Kind: "scripted", Script: filepath.Join(t.TempDir(), "none")}},
	} {
		p := Open(f)
		_, listed := p.Models(t.Context())
		var answered error
		for _, err := range p.Answer(t.Context(), assist.Request{}) {
			answered = err
		}
		for _, err := range []error{listed, answered} {
			if failure, ok := errors.AsType[*assist.ModelError](err); !ok || failure.Provider != "p" || p.Name() != "p" {
				t.Errorf("%s: got %v, want a failure of p", name, err)
			}
		}
	}
}

func TestOnlyOllamaPulls(t *testing.T) {
	if _, err := Ollama(Found{Provider: datadir.Provider{Name: "o", Kind: "ollama"}}); err != nil {
		t.Error(err)
	}
	if _, err := Ollama(Found{Provider: datadir.Provider{Name: "a", Kind: "openai"}}); err == nil || !strings.Contains(err.Error(), "only Ollama") {
		t.Errorf("got %v", err)
	}
}
