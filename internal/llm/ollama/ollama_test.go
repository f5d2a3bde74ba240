package ollama_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/internal/llm/call"
	"github.com/quirehq/quire/internal/llm/llmtest"
	"github.com/quirehq/quire/internal/llm/ollama"
)

// The recorded streams and descriptions have the form of https://docs.ollama.com/api/chat, /api/tags and
// /api-reference/show-model-details.
func TestTheSuiteOfDialects(t *testing.T) {
	llmtest.Suite(t, llmtest.Dialect{
		New:         open,
		AnswerPath:  "/api/chat",
		ListPath:    "/api/tags",
		ContentType: "application/x-ndjson",
		Header:      "Authorization",
		HeaderValue: "Bearer " + llmtest.Key,
		Recorded:    os.DirFS("testdata"),
		Request:     "request.json",
		Event:       `{"model":"m","message":{"role":"assistant","content":"again"},"done":false}` + "\n",
		Begun:       `{"model":"m","message":{"role":"assistant","content":"`,
		Detail:      detail,
		Answers: map[string]llmtest.Answer{
			"text": {Message: assist.Message{Role: assist.RoleAssistant, Text: "Hello, wörld 🙂!"}, Usage: assist.Usage{Input: 26, Output: 10}, Stop: assist.StopEnd},
			"thinking": {
				Message: assist.Message{Role: assist.RoleAssistant, Text: "9.8", Thinking: []assist.Thinking{{Text: "9.11 or 9.8?"}}},
				Usage:   assist.Usage{Input: 19, Output: 40}, Stop: assist.StopEnd,
			},
			"call": {
				Message: assist.Message{Role: assist.RoleAssistant, Calls: []assist.ToolCall{{ID: "call-0", Name: "run", Arguments: `{"cell":"x1","all":true}`}}},
				Usage:   assist.Usage{Input: 60, Output: 17}, Stop: assist.StopTools,
			},
			"calls": {
				Message: assist.Message{Role: assist.RoleAssistant, Text: "Both.", Calls: []assist.ToolCall{{ID: "call_a", Name: "read", Arguments: `{}`}, {ID: "call_b", Name: "run", Arguments: `{"cell":"x2"}`}}},
				Usage:   assist.Usage{Input: 60, Output: 30}, Stop: assist.StopTools,
			},
			"length": {Message: assist.Message{Role: assist.RoleAssistant, Text: "It goes"}, Usage: assist.Usage{Input: 9, Output: 2}, Stop: assist.StopLength},
			// Ollama has no sign for a refusal.
			"refused": {Message: assist.Message{Role: assist.RoleAssistant, Text: "I cannot help."}, Usage: assist.Usage{Input: 9, Output: 5}, Stop: assist.StopEnd},
		},
		Models: []assist.ModelInfo{
			{Provider: "tested", Name: "llama3.2:latest", Can: assist.Ability{Tools: true}, Context: 8192},
			{Provider: "tested", Name: "gemma3:4b", Can: assist.Ability{Vision: true}, Context: 65_536},
			{Provider: "tested", Name: "qwen3:0.6b", Can: assist.Ability{Tools: true, Thinking: true}, Context: 16_384},
			{Provider: "tested", Name: "nomic-embed-text:latest", Context: 2048, Unusable: "it holds no conversations"},
			{Provider: "tested", Name: "gpt-oss:120b-cloud", Can: assist.Ability{Tools: true, Thinking: true}, Context: 131_072},
			{Provider: "tested", Name: "lost:1b", Unusable: "it cannot be described: tested: malformed: a part of the answer is not in the form that is expected: check the kind and the URL of the provider"},
		},
		Errors: []llmtest.Error{
			{Name: "wrong key", Status: 401, Kind: assist.FailedKey, Words: "unauthorized", Body: `{"error":"unauthorized: %s","signin_url":"https://ollama.com/connect"}`},
			{Name: "no such model", Status: 404, Kind: assist.FailedModel, Words: "not found", Body: `{"error":"model \"m\" not found, try pulling it first"}`},
			{Name: "too long", Status: 400, Kind: assist.FailedLength, Words: "context length", Body: `{"error":"the input length exceeds the context length"}`},
			{Name: "another mistake", Status: 400, Kind: assist.FailedRequest, Words: "does not support tools", Body: `{"error":"registry.ollama.ai/library/m:latest does not support tools"}`},
			{Name: "too many requests", Status: 429, Header: map[string]string{"Retry-After": "3"}, After: 3 * time.Second, Kind: assist.FailedRate, Words: "limit", Body: `{"error":"you have reached your hourly usage limit"}`},
			{Name: "busy", Status: 503, Kind: assist.FailedOverloaded, Words: "server busy", Body: `{"error":"server busy, please try again.  maximum pending requests exceeded %s"}`},
			{Name: "a fault", Status: 500, Kind: assist.FailedOverloaded, Words: "requires more system memory", Body: `{"error":"model requires more system memory (5.6 GiB) than is available (2.1 GiB)"}`},
		},
	})
}

func open(c call.Config) (assist.Provider, error) { return ollama.New(c) }

// detail returns the model that a request asks about.
func detail(path string, body []byte) string {
	var r struct{ Model string }
	if path != "/api/show" || json.Unmarshal(body, &r) != nil {
		return ""
	}
	return r.Model
}

func TestMO8AModelThinksAsItCan(t *testing.T) {
	for _, test := range []struct {
		model        string
		effort       assist.Effort
		capabilities string
		want         any
	}{
		{"qwen3", "", `["thinking"]`, nil},
		{"qwen3", assist.EffortHigh, `["thinking"]`, true},
		{"qwen3", assist.EffortNone, `["thinking"]`, false},
		{"gpt-oss:20b", assist.EffortLow, `["thinking"]`, "low"},
		{"llama3.2", assist.EffortHigh, `["completion"]`, nil},
	} {
		var shown atomic.Int32
		var got map[string]any
		p := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/api/show" {
				shown.Add(1)
				_, _ = w.Write([]byte(`{"capabilities":` + test.capabilities + `}`))
				return
			}
			if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
				t.Error(err)
			}
			_, _ = w.Write([]byte(`{"message":{"content":"x"},"done":true}` + "\n"))
		})
		for range 2 {
			for _, err := range p.Answer(t.Context(), assist.Request{Model: test.model, Effort: test.effort}) {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if got["think"] != test.want || shown.Load() != 1 {
			t.Errorf("%s with effort %q: got %v after %d descriptions, want %v after one", test.model, test.effort, got["think"], shown.Load(), test.want)
		}
	}
}

func serve(t *testing.T, handle http.HandlerFunc) *ollama.Provider {
	t.Helper()
	web := httptest.NewServer(handle)
	t.Cleanup(web.Close)
	p, err := ollama.New(call.Config{Provider: "tested", URL: web.URL})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAModelThatIsNotThereSaysSo(t *testing.T) {
	p := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"error":"model 'm' not found"}`))
	})
	for _, err := range p.Answer(t.Context(), assist.Request{Model: "m"}) {
		if f, ok := errors.AsType[*assist.ModelError](err); !ok || f.Kind != assist.FailedModel {
			t.Errorf("got %v, want a missing model", err)
		}
	}
}

func TestAModelIsPulledWithItsProgress(t *testing.T) {
	recorded, err := os.ReadFile("testdata/pull")
	if err != nil {
		t.Fatal(err)
	}
	p := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(recorded) })
	var got []ollama.Progress
	for progress, err := range p.Pull(t.Context(), "llama3.2") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, progress)
	}
	want := []ollama.Progress{
		{Status: "pulling manifest"},
		{Status: "pulling 170370233dd5", Completed: 241970, Total: 2142590208},
		{Status: "pulling 170370233dd5", Completed: 2142590208, Total: 2142590208},
		{Status: "verifying sha256 digest"},
		{Status: "writing manifest"},
		{Status: "success"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

func TestAPullThatFailsOrIsBrokenOffEnds(t *testing.T) {
	for stream, want := range map[string]assist.FailureKind{
		`{"status":"pulling manifest"}` + "\n" + `{"error":"pull model manifest: file does not exist"}` + "\n": assist.FailedModel,
		`{"status":"pulling manifest"}` + "\n" + `{"error":"no space left on device"}` + "\n":                  assist.FailedOverloaded,
		`{"status":"pulling manifest"}` + "\n":                                                                 assist.FailedUnreachable,
		`{"status":"pulling` + "\n":                                                                            assist.FailedMalformed,
	} {
		p := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(stream)) })
		var last error
		for _, err := range p.Pull(t.Context(), "m") {
			last = err
		}
		if f, ok := errors.AsType[*assist.ModelError](last); !ok || f.Kind != want {
			t.Errorf("%s: got %v, want %s", stream, last, want)
		}
	}
	gone := make(chan struct{})
	p := serve(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(gone)
		_, _ = w.Write([]byte(`{"status":"pulling manifest"}` + "\n"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	for range p.Pull(t.Context(), "m") {
		break
	}
	<-gone
}
