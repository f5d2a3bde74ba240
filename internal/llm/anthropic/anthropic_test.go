package anthropic_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/internal/llm/anthropic"
	"github.com/quirehq/quire/internal/llm/call"
	"github.com/quirehq/quire/internal/llm/llmtest"
)

// The recorded streams have the form of https://docs.anthropic.com/en/docs/build-with-claude/streaming, and the
// descriptions of models that of https://docs.anthropic.com/en/api/models-list.
func TestTheSuiteOfDialects(t *testing.T) {
	llmtest.Suite(t, llmtest.Dialect{
		New:         open,
		AnswerPath:  "/v1/messages",
		ListPath:    "/v1/models",
		ContentType: "text/event-stream; charset=utf-8",
		Header:      "X-Api-Key",
		HeaderValue: llmtest.Key,
		Recorded:    os.DirFS("testdata"),
		Request:     "request.json",
		Event:       "event: content_block_delta\n" + `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"again"}}` + "\n\n",
		Begun:       "event: content_block_delta\n" + `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"`,
		Detail:      detail,
		Answers: map[string]llmtest.Answer{
			"text": {Message: assist.Message{Role: assist.RoleAssistant, Text: "Hello, wörld 🙂!"}, Usage: assist.Usage{Input: 19, Cached: 8, Output: 10}, Stop: assist.StopEnd},
			"thinking": {
				Message: assist.Message{
					Role: assist.RoleAssistant, Text: "9.8",
					Thinking: []assist.Thinking{{Text: "9.11 or 9.8?", Signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3h"}, {Signature: "redacted:EmwKAhgBEgy3va3pzix"}},
				},
				Usage: assist.Usage{Input: 19, Output: 40}, Stop: assist.StopEnd,
			},
			"call": {
				Message: assist.Message{Role: assist.RoleAssistant, Calls: []assist.ToolCall{{ID: "toolu_01T1x1fJ34qAmk2tNTrN7Up6", Name: "run", Arguments: `{"cell": "x1"}`}}},
				Usage:   assist.Usage{Input: 60, Output: 17}, Stop: assist.StopTools,
			},
			"calls": {
				Message: assist.Message{Role: assist.RoleAssistant, Text: "Both.", Calls: []assist.ToolCall{{ID: "toolu_a", Name: "read"}, {ID: "toolu_b", Name: "run", Arguments: `{"cell":"x2"}`}}},
				Usage:   assist.Usage{Input: 60, Output: 30}, Stop: assist.StopTools,
			},
			"length":  {Message: assist.Message{Role: assist.RoleAssistant, Text: "It goes"}, Usage: assist.Usage{Input: 9, Output: 2}, Stop: assist.StopLength},
			"refused": {Message: assist.Message{Role: assist.RoleAssistant, Text: "I cannot help."}, Usage: assist.Usage{Input: 9, Output: 5}, Stop: assist.StopRefused},
		},
		Models: []assist.ModelInfo{
			{Provider: "tested", Name: "claude-opus-4-6", Title: "Claude Opus 4.6", Can: assist.Ability{Tools: true, Vision: true, Thinking: true}, Context: 200_000},
			{Provider: "tested", Name: "claude-haiku-4-5", Title: "Claude Haiku 4.5", Can: assist.Ability{Tools: true, Vision: true, Thinking: true}, Context: 200_000},
			{Provider: "tested", Name: "claude-2.1", Title: "Claude 2.1", Can: assist.Ability{Tools: true}, Context: 100_000, Unusable: "the service has retired it"},
			{Provider: "tested", Name: "claude-bare", Title: "Claude Bare", Can: assist.Ability{Tools: true, Vision: true}},
		},
		// https://docs.anthropic.com/en/api/errors
		Errors: []llmtest.Error{
			{Name: "wrong key", Status: 401, Kind: assist.FailedKey, Words: "invalid x-api-key", Body: report("authentication_error", "invalid x-api-key: %s")},
			{Name: "key without the permission", Status: 403, Kind: assist.FailedKey, Words: "permission", Body: report("permission_error", "no permission")},
			{Name: "no credit", Status: 402, Kind: assist.FailedQuota, Words: "credit", Body: report("billing_error", "Your credit balance is too low")},
			{Name: "no such model", Status: 404, Kind: assist.FailedModel, Words: "model: m", Body: report("not_found_error", "model: m")},
			{Name: "too long", Status: 400, Kind: assist.FailedLength, Words: "prompt is too long", Body: report("invalid_request_error", "prompt is too long: 212000 tokens > 200000 maximum")},
			{Name: "too large", Status: 413, Kind: assist.FailedLength, Words: "exceeds", Body: report("request_too_large", "Request exceeds the maximum size")},
			{Name: "another mistake", Status: 400, Kind: assist.FailedRequest, Words: "max_tokens", Body: report("invalid_request_error", "max_tokens: must be greater than 0")},
			{Name: "too many requests", Status: 429, Header: map[string]string{"Retry-After": "7"}, After: 7 * time.Second, Kind: assist.FailedRate, Words: "rate limit", Body: report("rate_limit_error", "This request would exceed your organization's rate limit")},
			{Name: "a fault", Status: 500, Kind: assist.FailedOverloaded, Words: "Internal server error", Body: report("api_error", "Internal server error %s")},
			{Name: "overloaded", Status: 529, Kind: assist.FailedOverloaded, Words: "Overloaded", Body: report("overloaded_error", "Overloaded")},
		},
	})
}

func open(c call.Config) (assist.Provider, error) { return anthropic.New(c) }

// detail returns the model that a request asks about.
func detail(path string, _ []byte) string {
	name, ok := strings.CutPrefix(path, "/v1/models/")
	if !ok {
		return ""
	}
	return name
}

func report(kind, message string) string {
	return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_011CSHoEeqs5C35K2UUqR7Fy"}`
}

func TestMO8AModelThinksAsItCan(t *testing.T) {
	warm := 1.5
	for _, test := range []struct {
		model  string
		effort assist.Effort
		want   string
	}{
		{"claude-opus-4-6", "", `{"max_tokens":16384,"temperature":1}`},
		{"claude-opus-4-6", assist.EffortHigh, `{"max_tokens":16384,"output_config":{"effort":"high"},"thinking":{"display":"summarized","type":"adaptive"}}`},
		{"claude-opus-4-6", assist.EffortNone, `{"max_tokens":16384,"temperature":1,"thinking":{"type":"disabled"}}`},
		{"claude-haiku-4-5", assist.EffortMedium, `{"max_tokens":24576,"thinking":{"budget_tokens":8192,"type":"enabled"}}`},
		{"claude-2.1", assist.EffortHigh, `{"max_tokens":4096,"temperature":1}`},
		{"claude-unlisted", assist.EffortHigh, `{"max_tokens":4096,"temperature":1}`},
	} {
		got := sent(t, assist.Request{Model: test.model, Effort: test.effort, Temperature: &warm})
		settings := map[string]any{}
		for _, name := range []string{"max_tokens", "temperature", "thinking", "output_config"} {
			if value, ok := got[name]; ok {
				settings[name] = value
			}
		}
		text, err := json.Marshal(settings)
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != test.want {
			t.Errorf("%s with effort %q: got %s, want %s", test.model, test.effort, text, test.want)
		}
	}
}

func TestThinkingGoesBackAsItCame(t *testing.T) {
	got := sent(t, assist.Request{Model: "claude-opus-4-6", Messages: []assist.Message{
		{Role: assist.RoleUser, Text: " "},
		{Role: assist.RoleAssistant, Thinking: []assist.Thinking{{Text: "Hm.", Signature: "s"}, {Signature: "redacted:xyz"}, {Text: "of another service"}}, Calls: []assist.ToolCall{{ID: "a", Name: "run"}}},
		{Role: assist.RoleTool, CallID: "a"},
	}})
	want := []any{
		map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": "(nothing)"}}},
		map[string]any{"role": "assistant", "content": []any{
			map[string]any{"type": "thinking", "thinking": "Hm.", "signature": "s"},
			map[string]any{"type": "redacted_thinking", "data": "xyz"},
			map[string]any{"type": "tool_use", "id": "a", "name": "run", "input": map[string]any{}},
		}},
		map[string]any{"role": "user", "content": []any{
			map[string]any{"type": "tool_result", "tool_use_id": "a", "content": []any{map[string]any{"type": "text", "text": "(nothing)"}}},
		}},
	}
	if diff := cmp.Diff(any(want), got["messages"]); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// sent returns the body of a request.
func sent(t *testing.T, r assist.Request) (body map[string]any) {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name := detail(r.URL.Path, nil); name != "" {
			w.Header().Set("Content-Type", "application/json")
			description, err := os.ReadFile("testdata/details/" + name + ".json")
			if err != nil { // as services that have no descriptions answer
				w.WriteHeader(http.StatusNotFound)
			}
			_, _ = w.Write(description)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		stream, err := os.ReadFile("testdata/text")
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(stream)
	}))
	defer web.Close()
	p, err := anthropic.New(call.Config{Provider: "tested", URL: web.URL})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range p.Answer(t.Context(), r) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return body
}

func TestMO1TheEnvironmentOfTheSDKDoesNotCount(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request went where a variable says") }))
	defer elsewhere.Close()
	t.Setenv("ANTHROPIC_BASE_URL", elsewhere.URL)
	t.Setenv("ANTHROPIC_API_KEY", "of-the-environment")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Custom: yes")
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key := r.Header.Get("X-Api-Key"); key != "" || r.Header.Get("X-Custom") != "" {
			t.Errorf("got the key %q and the header %q, want none", key, r.Header.Get("X-Custom"))
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer web.Close()
	p, err := anthropic.New(call.Config{Provider: "tested", URL: web.URL})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Models(t.Context())
	if f, ok := errors.AsType[*assist.ModelError](err); !ok || f.Kind != assist.FailedKey {
		t.Errorf("got %v, want a refused key", err)
	}
}
