package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// key is the credential in these tests, which no output may have.
const providerKey = "sk-s3cret-0123456789"

// service is a service of OpenAI's dialect that repeats the key in its errors.
func service(t *testing.T) *httptest.Server {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Authorization")
		switch {
		case key != "Bearer "+providerKey:
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":{"message":"wrong key: ` + key + `","code":"invalid_api_key"}}`))
		case r.URL.Path == "/v1/models":
			_, _ = w.Write([]byte(`{"data":[{"id":"gpt-4o"},{"id":"text-embedding-3"},{"id":"evil\u001b[2J","max_model_len":4096}]}`))
		case r.URL.Path == "/v1/chat/completions":
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte(`data: {"choices":[{"delta":{"content":"Yes."},"finish_reason":"stop"}]}` + "\n\n" + `data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}` + "\n\ndata: [DONE]\n\n"))
		}
	}))
	t.Cleanup(web.Close)
	return web
}

// quire returns a function that runs a command in a data directory, and checks that no output has the key.
func quireIn(t *testing.T, dir string, environ ...string) func(stdin string, args ...string) (code int, stdout, stderr string) {
	return func(stdin string, args ...string) (int, string, string) {
		t.Helper()
		a, out, errs := offline()
		a.stdin, a.environ = strings.NewReader(stdin), environ
		code := a.execute(t.Context(), append([]string{"--data", dir}, args...))
		if all := out.String() + errs.String(); strings.Contains(all, providerKey) || strings.Contains(all, providerKey[3:]) || strings.Contains(all, "\x1b") {
			t.Errorf("%v: the key or a control sequence is in %q", args, all)
		}
		return code, out.String(), errs.String()
	}
}

func TestMO2AProviderIsAddedFromStdinAndNoOutputHasItsKey(t *testing.T) {
	dir, web := t.TempDir(), service(t)
	do := quireIn(t, dir)
	if code, _, errs := do(providerKey+"\nmore", "provider", "add", "cloud", "--kind", "openai", "--url", web.URL+"/v1"); code != exitOK || errs != "" {
		t.Fatalf("add: got %d %q", code, errs)
	}
	if code, out, _ := do("", "provider", "ls"); code != exitOK || out != "cloud  openai  "+web.URL+"/v1  key  stored\n" {
		t.Errorf("ls: got %d %q", code, out)
	}
	code, out, _ := do("", "provider", "ls", "--json")
	var listed []map[string]any
	if err := json.Unmarshal([]byte(out), &listed); err != nil || code != exitOK || len(listed) != 1 || listed[0]["key"] != true {
		t.Errorf("ls --json: got %d %q, %v", code, out, err)
	}
	if code, out, _ := do("", "provider", "test", "cloud", "--model", "gpt-4o"); code != exitOK || out != "cloud has 3 models, 2 of them for conversations\ngpt-4o answers: Yes. (9 tokens in, 2 out)\n" {
		t.Errorf("test: got %d %q", code, out)
	}
	if code, _, errs := do("wrong-"+providerKey, "provider", "add", "cloud", "--kind", "openai", "--url", web.URL+"/v1"); code != exitOK || errs != "" {
		t.Errorf("add again: got %d %q", code, errs)
	}
	if code, _, errs := do("", "provider", "test", "cloud"); code != exitFailed || !strings.Contains(errs, "key (HTTP 401): wrong key: Bearer [removed]") {
		t.Errorf("test with a wrong key: got %d %q", code, errs)
	}
	if code, _, _ := do("", "provider", "rm", "cloud"); code != exitOK {
		t.Errorf("rm: got %d", code)
	}
	if code, _, errs := do("", "provider", "rm", "cloud"); code == exitOK || !strings.Contains(errs, "no stored provider") {
		t.Errorf("rm of what is gone: got %d %q", code, errs)
	}
}

func TestProvidersThatAreNotRightAreRefused(t *testing.T) {
	do := quireIn(t, t.TempDir())
	for _, test := range []struct {
		stdin string
		args  []string
		word  string
	}{
		{providerKey, []string{"cloud"}, "--kind is missing"},
		{providerKey, []string{"cloud", "--kind", "cohere"}, "the kinds are"},
		{"", []string{"cloud", "--kind", "openai"}, "the key is missing"},
		{strings.Repeat("x", 5000), []string{"cloud", "--kind", "openai"}, "longer than"},
		{providerKey + "\x01", []string{"cloud", "--kind", "openai"}, "characters that no key has"},
		{providerKey, []string{"Cloud", "--kind", "openai"}, "no name for a provider"},
		{providerKey, []string{"cloud", "--kind", "openai", "--url", "https://x:" + providerKey + "@host"}, "no password"},
		{"", []string{"demo", "--kind", "scripted"}, "read the script"},
	} {
		if code, _, errs := do(test.stdin, append([]string{"provider", "add"}, test.args...)...); code != exitUsage || !strings.Contains(errs, test.word) {
			t.Errorf("%v: got %d %q, want %q", test.args, code, errs, test.word)
		}
	}
	for _, args := range [][]string{{"test", "none"}, {"pull", "none", "m"}, {"models"}} {
		if code, _, errs := do("", append([]string{"provider"}, args...)...); code != exitFailed || !strings.Contains(errs, "there is no") {
			t.Errorf("%v: got %d %q", args, code, errs)
		}
	}
}

func TestModelsAreListedWhateverAnotherProviderDoes(t *testing.T) {
	dir, web := t.TempDir(), service(t)
	script := filepath.Join(dir, "turns.json")
	if err := os.WriteFile(script, []byte(`{"turns": [{"parts": [{"text": "Hello."}]}], "loop": true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	do := quireIn(t, dir, "OPENAI_API_KEY="+providerKey, "OPENAI_BASE_URL="+web.URL+"/v1")
	for name, args := range map[string][]string{
		"demo": {"--kind", "scripted", "--script", script},
		"lost": {"--kind", "anthropic", "--url", web.URL},
	} {
		if code, _, errs := do("", append([]string{"provider", "add", name}, args...)...); code != exitOK {
			t.Fatalf("add %s: got %d %q", name, code, errs)
		}
	}
	want := "demo    scripted          tools, images, thinking  100000 tokens  \n" +
		"openai  gpt-4o            tools, images            128000 tokens  \n" +
		"openai  text-embedding-3  tools                                   it holds no conversations\n"
	code, out, errs := do("", "provider", "models")
	if code != exitOK || !strings.HasPrefix(out, want) || !strings.Contains(errs, "lost: key (HTTP 401): wrong key") {
		t.Errorf("models: got %d %q %q", code, out, errs)
	}
	code, out, _ = do("", "provider", "models", "--json")
	var listing struct {
		Models   []struct{ Provider, Name string }
		Failures []string
	}
	if err := json.Unmarshal([]byte(out), &listing); err != nil || code != exitOK || len(listing.Models) != 4 || len(listing.Failures) != 1 {
		t.Errorf("models --json: got %d %q, %v", code, out, err)
	}
	if code, out, _ := do("", "provider", "test", "demo", "--model", "scripted"); code != exitOK || !strings.Contains(out, "scripted answers: Hello.") {
		t.Errorf("test of a script: got %d %q", code, out)
	}
	if code, out, _ := do("", "provider", "ls"); code != exitOK || !strings.Contains(out, "key     OPENAI_API_KEY") {
		t.Errorf("ls: got %d %q", code, out)
	}
}

func TestAModelIsPulledByAServerOfOllama(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"status":"pulling 17","total":2000,"completed":1000}` + "\n" + `{"status":"pulling 17","total":2000,"completed":1000}` + "\n" + `{"status":"success"}` + "\n"))
	}))
	defer web.Close()
	do := quireIn(t, t.TempDir(), "OLLAMA_HOST="+web.URL)
	code, _, errs := do("", "provider", "pull", "ollama", "llama3.2")
	if code != exitOK || strings.Count(errs, "pulling 17, 50% of ") != 1 || !strings.HasSuffix(errs, "success\n") {
		t.Errorf("got %d %q", code, errs)
	}
}
