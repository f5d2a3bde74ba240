// Package llmtest is the suite of adapters of language models. It speaks to them over a socket, as the service of each
// dialect does, and as services must not.
package llmtest

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/internal/llm/call"
)

var update = flag.Bool("update", false, "write the golden files of requests")

// Key is the credential of the tests. No failure may have it.
const Key = "sk-t3st-4f9c1e77d2"

// Dialect is an adapter with what services of its dialect send.
type Dialect struct {
	New         func(call.Config) (assist.Provider, error)
	Root        string // the path of the URL of a service
	AnswerPath  string // the path to which a conversation is sent
	ListPath    string // the path of the list of models
	ContentType string // of a stream
	Header      string // that has the key
	HeaderValue string
	// Recorded has a file for each name in Answers, "models.json", "details/NAME.json" for each model that is asked
	// about, "garbage" and "truncated", which begin well and end in bytes that are no event, and "reported", in which the
	// service reports that it is overloaded.
	Recorded fs.FS
	// Answers are what the recorded answers mean: "text", "thinking", "call", "calls", "length" and "refused".
	Answers map[string]Answer
	Models  []assist.ModelInfo // that are in the recorded list
	Event   string             // a whole event that may come any number of times
	Begun   string             // the beginning of an event within a text in JSON
	// Errors are responses with an error by their status. A %s in them is replaced by the key.
	Errors []Error
	// Request is the file with the JSON of the request of [Conversation].
	Request string
	// Detail returns the name of the model that a request asks about, empty for other requests; nil if there are none of
	// these. The conversations of the suite are with the model "m".
	Detail func(path string, body []byte) (name string)
}

// Answer is an answer in whole.
type Answer struct {
	Message assist.Message
	Usage   assist.Usage
	Stop    assist.StopReason
}

// Error is a response with an error, and the failure that it is.
type Error struct {
	Name   string
	Status int
	Header map[string]string
	Body   string
	Kind   assist.FailureKind
	After  time.Duration
	Words  string // that the failure must have
}

// Suite tests an adapter.
func Suite(t *testing.T, d Dialect) {
	for _, name := range []string{"text", "thinking", "call", "calls", "length", "refused"} {
		t.Run("MO3: answer "+name, func(t *testing.T) { d.testAnswer(t, name) })
	}
	t.Run("MO7: the whole conversation is sent", d.testRequest)
	t.Run("MO1: the key is in its header", d.testKey)
	t.Run("MO33: models are listed with what they can do", d.testModels)
	t.Run("a list at a wrong address is no missing model", d.testNoList)
	for _, e := range d.Errors {
		t.Run("MO2 and MO6: error "+e.Name, func(t *testing.T) { d.testError(t, e) })
	}
	d.hostile(t)
	d.cancelled(t)
}

// simple is a request of which nothing matters.
func simple() assist.Request {
	return assist.Request{Model: "m", Messages: []assist.Message{{Role: assist.RoleUser, Text: "Hello"}}}
}

func (d *Dialect) testAnswer(t *testing.T, name string) {
	s := d.serve(t, d.record(t, name))
	got, chunks, err := collect(t.Context(), s.provider, simple())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d.Answers[name], got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	if name == "text" && chunks < 3 {
		t.Errorf("got %d chunks, want the text as it comes", chunks)
	}
}

// record returns a handler that sends a recorded answer, byte by byte if that shows more.
func (d *Dialect) record(t *testing.T, name string) http.HandlerFunc {
	body := d.read(t, name)
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", d.ContentType)
		send(w, body[:len(body)/3]) // within an event, most likely
		send(w, body[len(body)/3:])
	}
}

func (d *Dialect) read(t *testing.T, name string) string {
	t.Helper()
	body, err := fs.ReadFile(d.Recorded, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func send(w http.ResponseWriter, text string) {
	_, _ = w.Write([]byte(text)) // a client may have gone
	_ = http.NewResponseController(w).Flush()
}

// collect joins the chunks of an answer.
func collect(ctx context.Context, m assist.Model, r assist.Request) (a Answer, chunks int, err error) {
	a.Message.Role = assist.RoleAssistant
	for c, err := range m.Answer(ctx, r) {
		if err != nil {
			return a, chunks, err
		}
		if a.Stop != "" {
			return a, chunks, fmt.Errorf("chunk %+v comes behind the last", c)
		}
		chunks++
		if err := a.Message.Join(c); err != nil {
			return a, chunks, err
		}
		if c.Usage != nil {
			a.Usage = *c.Usage
		}
		a.Stop = c.Stop
	}
	if a.Stop == "" {
		return a, chunks, fmt.Errorf("the answer ends without a reason")
	}
	return a, chunks, nil
}

// Conversation is a request that has everything a request can have.
func Conversation() assist.Request {
	half := 0.5
	picture := assist.Image{MIME: "image/png", Data: []byte{0x89, 'P', 'N', 'G'}}
	return assist.Request{
		Model: "m", System: "Be brief.", Temperature: &half, MaxTokens: 512,
		Tools: []assist.Tool{{Name: "run", Description: "Runs a cell.", Parameters: json.RawMessage(`{"type":"object","properties":{"cell":{"type":"string"}},"required":["cell"]}`)}},
		Messages: []assist.Message{
			{Role: assist.RoleUser, Text: "What is this?", Images: []assist.Image{picture}},
			{
				Role: assist.RoleAssistant, Thinking: []assist.Thinking{{Text: "I look.", Signature: "c2ln"}}, Text: "I run two cells.",
				Calls: []assist.ToolCall{{ID: "a", Name: "run", Arguments: `{"cell":"1"}`}, {ID: "b", Name: "run", Arguments: `not JSON`}},
			},
			{Role: assist.RoleTool, CallID: "a", Text: "a plot", Images: []assist.Image{picture}},
			{Role: assist.RoleTool, CallID: "b", Text: "no such cell", Failed: true},
			{Role: assist.RoleUser, Text: "And now?"},
		},
	}
}

func (d *Dialect) testRequest(t *testing.T) {
	s := d.serve(t, d.record(t, "text"))
	if _, _, err := collect(t.Context(), s.provider, Conversation()); err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(s.last(t).body, &got); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", d.Request)
	if *update {
		text, err := json.MarshalIndent(got, "", "  ")
		if err == nil {
			err = os.WriteFile(path, append(text, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func (d *Dialect) testKey(t *testing.T) {
	s := d.serve(t, d.record(t, "text"))
	if _, _, err := collect(t.Context(), s.provider, simple()); err != nil {
		t.Fatal(err)
	}
	r := s.last(t)
	if got := r.header.Get(d.Header); got != d.HeaderValue {
		t.Errorf("got %s: %q, want %q", d.Header, got, d.HeaderValue)
	}
	for name, values := range r.header {
		if name != http.CanonicalHeaderKey(d.Header) && strings.Contains(fmt.Sprint(values), Key) {
			t.Errorf("the key is in the header %s too", name)
		}
	}
	if r.path != d.AnswerPath || strings.Contains(r.query, Key) {
		t.Errorf("got a request of %s?%s, want %s", r.path, r.query, d.AnswerPath)
	}
}

func (d *Dialect) testModels(t *testing.T) {
	s := d.serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != d.ListPath {
			t.Errorf("got a request of %s, want %s", r.URL.Path, d.ListPath)
		}
		w.Header().Set("Content-Type", "application/json")
		send(w, d.read(t, "models.json"))
	})
	got, err := s.provider.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d.Models, got); diff != "" {
		t.Errorf("models (-want +got):\n%s", diff)
	}
}

func (d *Dialect) testNoList(t *testing.T) {
	s := d.serve(t, func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) })
	_, err := s.provider.Models(t.Context())
	wantFailure(t, err, assist.FailedRequest, "check the URL")
}

func (d *Dialect) testError(t *testing.T, e Error) {
	s := d.serve(t, func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range e.Header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(e.Status)
		send(w, strings.ReplaceAll(e.Body, "%s", Key))
	})
	_, _, err := collect(t.Context(), s.provider, simple())
	failure := wantFailure(t, err, e.Kind, e.Words)
	if failure.Status != e.Status || failure.After != e.After {
		t.Errorf("got status %d, wait %v, want %d, %v", failure.Status, failure.After, e.Status, e.After)
	}
	if n := s.count(); n != 1 {
		t.Errorf("got %d requests, want one: only the package retry repeats them", n)
	}
}
