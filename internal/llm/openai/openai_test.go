package openai_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/internal/llm/call"
	"github.com/quirehq/quire/internal/llm/llmtest"
	"github.com/quirehq/quire/internal/llm/openai"
)

// The recorded streams have the form of https://platform.openai.com/docs/api-reference/chat-streaming, that of thinking
// the one of https://api-docs.deepseek.com/guides/reasoning_model, and the list of models that of
// https://platform.openai.com/docs/api-reference/models/list and of the servers that openai/models.go names.
func TestTheSuiteOfDialects(t *testing.T) {
	llmtest.Suite(t, llmtest.Dialect{
		New:         open,
		Root:        "/v1",
		AnswerPath:  "/v1/chat/completions",
		ListPath:    "/v1/models",
		ContentType: "text/event-stream; charset=utf-8",
		Header:      "Authorization",
		HeaderValue: "Bearer " + llmtest.Key,
		Recorded:    os.DirFS("testdata"),
		Request:     "request.json",
		Event:       `data: {"choices":[{"index":0,"delta":{"content":"again"}}]}` + "\n\n",
		Begun:       `data: {"choices":[{"index":0,"delta":{"content":"`,
		Answers: map[string]llmtest.Answer{
			"text": {Message: assist.Message{Role: assist.RoleAssistant, Text: "Hello, wörld 🙂!"}, Usage: assist.Usage{Input: 19, Cached: 8, Output: 10}, Stop: assist.StopEnd},
			"thinking": {
				Message: assist.Message{Role: assist.RoleAssistant, Text: "9.8", Thinking: []assist.Thinking{{Text: "9.11 or 9.8?"}}},
				Usage:   assist.Usage{Input: 19, Output: 40}, Stop: assist.StopEnd,
			},
			"call": {
				Message: assist.Message{Role: assist.RoleAssistant, Calls: []assist.ToolCall{{ID: "call_DdmO9pD3xa9XTPNJ32zg2hcA", Name: "run", Arguments: `{"cell":"x1"}`}}},
				Usage:   assist.Usage{Input: 60, Output: 17}, Stop: assist.StopTools,
			},
			"calls": {
				Message: assist.Message{Role: assist.RoleAssistant, Text: "Both.", Calls: []assist.ToolCall{{ID: "call_a", Name: "read", Arguments: `{}`}, {ID: "call_b", Name: "run", Arguments: `{"cell":"x2"}`}}},
				Usage:   assist.Usage{Input: 60, Output: 30}, Stop: assist.StopTools,
			},
			"length":  {Message: assist.Message{Role: assist.RoleAssistant, Text: "It goes"}, Usage: assist.Usage{Input: 9, Output: 2}, Stop: assist.StopLength},
			"refused": {Message: assist.Message{Role: assist.RoleAssistant, Text: "I cannot help."}, Usage: assist.Usage{Input: 9, Output: 5}, Stop: assist.StopRefused},
		},
		Models: []assist.ModelInfo{
			{Provider: "tested", Name: "gpt-4o-mini", Can: assist.Ability{Tools: true, Vision: true}, Context: 128_000},
			{Provider: "tested", Name: "o3", Can: assist.Ability{Tools: true, Vision: true, Thinking: true}, Context: 200_000},
			{Provider: "tested", Name: "text-embedding-3-small", Can: assist.Ability{Tools: true}, Unusable: "it holds no conversations"},
			{Provider: "tested", Name: "whisper-large-v3", Can: assist.Ability{Tools: true}, Context: 448, Unusable: "it holds no conversations"},
			{Provider: "tested", Name: "llama-3.1-8b-instant", Can: assist.Ability{Tools: true}, Context: 131_072, Unusable: "the service has switched it off"},
			{Provider: "tested", Name: "Qwen/Qwen3-8B", Can: assist.Ability{Tools: true}, Context: 40_960},
			{Provider: "tested", Name: "gpt-oss-20b.gguf", Can: assist.Ability{Tools: true, Thinking: true}, Context: 131_072},
			{Provider: "tested", Name: "google/gemma-3-4b-it", Title: "Google: Gemma 3 4B", Can: assist.Ability{Vision: true}, Context: 96_000},
		},
		// https://platform.openai.com/docs/guides/error-codes
		Errors: []llmtest.Error{
			{
				Name: "wrong key", Status: 401, Kind: assist.FailedKey, Words: "Incorrect API key provided",
				Body: `{"error":{"message":"Incorrect API key provided: %s. You can find your API key at https://platform.openai.com/account/api-keys.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,
			},
			{Name: "key of another region, in no JSON", Status: 403, Kind: assist.FailedKey, Words: "no access", Body: "no access with %s\n"},
			{Name: "no credit", Status: 429, Kind: assist.FailedQuota, Words: "quota", Body: `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`},
			{
				Name: "too many requests", Status: 429, Header: map[string]string{"Retry-After": "20", "Retry-After-Ms": "19500"}, Kind: assist.FailedRate, After: 19500 * time.Millisecond, Words: "Rate limit reached",
				Body: `{"error":{"message":"Rate limit reached for gpt-4o-mini","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`,
			},
			{Name: "no such model", Status: 404, Kind: assist.FailedModel, Words: "does not exist", Body: `{"error":{"message":"The model ` + "`m`" + ` does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`},
			{Name: "too long for OpenAI", Status: 400, Kind: assist.FailedLength, Words: "128000 tokens", Body: `{"error":{"message":"This model's maximum context length is 128000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`},
			{Name: "too long for llama.cpp", Status: 400, Kind: assist.FailedLength, Words: "exceeds", Body: `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`},
			{Name: "too long for vLLM", Status: 400, Kind: assist.FailedLength, Words: "maximum context length", Body: `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","param":null,"code":400}`},
			{Name: "another mistake", Status: 400, Kind: assist.FailedRequest, Words: "temperature", Body: `{"error":{"message":"Invalid value: temperature","type":"invalid_request_error","param":"temperature","code":null}}`},
			{Name: "a fault", Status: 500, Kind: assist.FailedOverloaded, Words: "had an error", Body: `{"error":{"message":"The server had an error while processing your request","type":"server_error","param":null,"code":null}}`},
			{Name: "overloaded, in HTML", Status: 503, Header: map[string]string{"Content-Type": "text/html"}, Kind: assist.FailedOverloaded, Words: "Service Unavailable", Body: "<html>%s</html>"},
			{Name: "an empty answer", Status: 502, Kind: assist.FailedOverloaded, Words: "Bad Gateway"},
			{Name: "in a list, as Gemini", Status: 400, Kind: assist.FailedRequest, Words: "API key not valid", Body: `[{"error":{"code":400,"message":"API key not valid: %s","status":"INVALID_ARGUMENT"}}]`},
			{Name: "a detail, as FastAPI", Status: 422, Kind: assist.FailedRequest, Words: "wrong type", Body: `{"detail":[{"loc":["body"],"msg":"wrong type %s"}]}`},
			{Name: "a text, as LM Studio", Status: 400, Kind: assist.FailedRequest, Words: "No models loaded", Body: `{"error":"No models loaded"}`},
		},
	})
}

func open(c call.Config) (assist.Provider, error) { return openai.New(c) }

func TestMO8ReasoningModelsTakeOtherSettings(t *testing.T) {
	warm := 0.7
	tool := []assist.Tool{{Name: "run"}}
	for _, test := range []struct {
		model  string
		effort assist.Effort
		tools  []assist.Tool
		want   string
	}{
		{"gpt-4o", assist.EffortHigh, nil, `{"max_tokens":9,"temperature":0.7}`},
		{"o3", "", nil, `{"max_completion_tokens":9}`},
		{"o3", assist.EffortHigh, nil, `{"max_completion_tokens":9,"reasoning_effort":"high"}`},
		{"o4-mini", assist.EffortNone, nil, `{"max_completion_tokens":9,"reasoning_effort":"low"}`},
		{"openai/gpt-5-mini", assist.EffortNone, nil, `{"max_completion_tokens":9,"reasoning_effort":"minimal"}`},
		{"gpt-5.2", assist.EffortNone, nil, `{"max_completion_tokens":9,"reasoning_effort":"none"}`},
		{"gpt-6-sol", assist.EffortHigh, nil, `{"max_completion_tokens":9,"reasoning_effort":"high"}`},
		{"gpt-6-sol", assist.EffortHigh, tool, `{"max_completion_tokens":9,"reasoning_effort":"none"}`},
		{"openai/gpt-oss-120b", assist.EffortLow, nil, `{"max_completion_tokens":9,"reasoning_effort":"low"}`},
	} {
		got := sent(t, assist.Request{Model: test.model, Effort: test.effort, Tools: test.tools, Temperature: &warm, MaxTokens: 9})
		settings := map[string]any{}
		for _, name := range []string{"max_tokens", "max_completion_tokens", "temperature", "reasoning_effort"} {
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

func TestATemperatureOfZeroIsSent(t *testing.T) {
	zero := 0.0
	if got, ok := sent(t, assist.Request{Model: "m", Temperature: &zero})["temperature"].(float64); !ok || got > 1e-40 {
		t.Errorf("got %v, %v, want nearly zero", got, ok)
	}
}

// sent returns the body of a request.
func sent(t *testing.T, r assist.Request) (body map[string]any) {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte(`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"))
	}))
	defer web.Close()
	p, err := openai.New(call.Config{Provider: "tested", URL: web.URL})
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

func TestAnswersInOtherFormsAreUnderstood(t *testing.T) {
	for name, test := range map[string]struct {
		stream string
		want   assist.Message
		stop   assist.StopReason
	}{
		"reasoning by another name": {
			`data: {"choices":[{"delta":{"reasoning":"So."}}]}` + "\n\n" + `data: {"choices":[{"delta":{"content":"Yes"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
			assist.Message{Text: "Yes", Thinking: []assist.Thinking{{Text: "So."}}},
			assist.StopEnd,
		},
		"calls whole, without indexes, and another reason": {
			`data: {"choices":[{"delta":{"tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"y","arguments":"{}"}}]}}]}` + "\n\n" +
				`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
			assist.Message{Calls: []assist.ToolCall{{ID: "a", Name: "x", Arguments: "{}"}, {ID: "b", Name: "y", Arguments: "{}"}}},
			assist.StopTools,
		},
		"comments, other line ends and no last event": {
			": keep alive\r\n\r\ndata:{\"choices\":[{\"delta\":{\"content\":\"Yes\"}}]}\r\n\r\n: keep alive\r\n\r\ndata:{\"choices\":[{\"delta\":{},\"finish_reason\":\"content_filter\"}]}\r\n\r\n",
			assist.Message{Text: "Yes"},
			assist.StopRefused,
		},
	} {
		t.Run(name, func(t *testing.T) {
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = bytes.NewBufferString(test.stream).WriteTo(w)
			}))
			defer web.Close()
			p, err := openai.New(call.Config{Provider: "tested", URL: web.URL + "/"})
			if err != nil {
				t.Fatal(err)
			}
			var got assist.Message
			var stop assist.StopReason
			for c, err := range p.Answer(t.Context(), assist.Request{Model: "m"}) {
				if err == nil {
					err = got.Join(c)
				}
				if err != nil {
					t.Fatal(err)
				}
				stop = c.Stop
			}
			if a, b := encode(t, test.want), encode(t, got); a != b || stop != test.stop {
				t.Errorf("got %s, %q, want %s, %q", b, stop, a, test.stop)
			}
		})
	}
}

func encode(t *testing.T, m assist.Message) string {
	t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAServiceThatCannotBeReachedIsRefusedBeforeAnyRequest(t *testing.T) {
	for _, c := range []call.Config{
		{URL: "ftp://host"},
		{URL: "host:80"},
		{URL: "https://me:" + llmtest.Key + "@host"},
		{URL: "https://host/?key=" + llmtest.Key},
		{URL: "https://host", Key: "two\nlines " + llmtest.Key},
		{URL: "https://" + llmtest.Key + "\x7f"},
	} {
		if _, err := openai.New(c); err == nil || bytes.Contains([]byte(err.Error()), []byte(llmtest.Key)) {
			t.Errorf("%s: got %v, want an error without the key", c.URL, err)
		}
	}
}
