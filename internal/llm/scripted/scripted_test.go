package scripted_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/internal/llm/scripted"
)

func open(t *testing.T, text string) *scripted.Provider {
	t.Helper()
	s, err := scripted.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return scripted.New(scripted.Config{Provider: "demo", Script: s})
}

// ask joins the answer to a request.
func ask(ctx context.Context, p *scripted.Provider, r assist.Request) (m assist.Message, last assist.Chunk, err error) {
	for c, err := range p.Answer(ctx, r) {
		if err != nil {
			return m, last, err
		}
		if err := m.Join(c); err != nil {
			return m, last, err
		}
		last = c
	}
	return m, last, nil
}

func user(text string) assist.Request {
	return assist.Request{Model: "scripted", Messages: []assist.Message{{Role: assist.RoleUser, Text: text}}}
}

func TestAScriptIsPlayedTurnByTurn(t *testing.T) {
	p := open(t, `{"turns": [
		{"parts": [{"thinking": "Hm."}, {"signature": "s"}, {"text": "One "}, {"text": "moment."}, {"call": {"name": "read"}}, {"call": {"id": "x", "name": "run", "arguments": {"cell": 1}}}], "usage": {"input": 3, "output": 4}},
		{"expect": {"last": {"role": "tool", "text": "42"}}, "parts": [{"call": {"name": "run", "arguments": "not JSON"}}, {"text": "It is 42."}], "stop": "length"}
	]}`)
	m, last, err := ask(t.Context(), p, user("?"))
	want := assist.Message{
		Text: "One moment.", Thinking: []assist.Thinking{{Text: "Hm.", Signature: "s"}},
		Calls: []assist.ToolCall{{ID: "call-1", Name: "read"}, {ID: "x", Name: "run", Arguments: `{"cell": 1}`}},
	}
	if diff := cmp.Diff(want, m); diff != "" || err != nil {
		t.Errorf("got %v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff(assist.Chunk{Stop: assist.StopTools, Usage: &assist.Usage{Input: 3, Output: 4}}, last); diff != "" {
		t.Errorf("last chunk (-want +got):\n%s", diff)
	}
	m, last, err = ask(t.Context(), p, assist.Request{Messages: []assist.Message{{Role: assist.RoleTool, Text: "is 42"}}})
	want = assist.Message{Text: "It is 42.", Calls: []assist.ToolCall{{ID: "call-3", Name: "run", Arguments: "not JSON"}}}
	if diff := cmp.Diff(want, m); diff != "" || err != nil || last.Stop != assist.StopLength {
		t.Errorf("got %v, %v (-want +got):\n%s", err, last, diff)
	}
	if _, _, err = ask(t.Context(), p, user("?")); err == nil || !strings.Contains(err.Error(), "2 turns, and this request is number 3") {
		t.Errorf("got %v beyond the last turn", err)
	}
	if p.Played() != 3 {
		t.Errorf("got %d turns, want 3", p.Played())
	}
}

func TestALoopBeginsAgain(t *testing.T) {
	p := open(t, `{"loop": true, "turns": [{"parts": [{"text": "a"}]}, {"parts": [{"text": "b"}]}]}`)
	for _, want := range []string{"a", "b", "a"} {
		if m, _, err := ask(t.Context(), p, user("?")); err != nil || m.Text != want {
			t.Errorf("got %q, %v, want %q", m.Text, err, want)
		}
	}
}

func TestARequestThatIsNotExpectedFails(t *testing.T) {
	request := assist.Request{
		Model: "scripted", System: "Be brief.", Tools: []assist.Tool{{Name: "run"}},
		Messages: []assist.Message{
			{Role: assist.RoleUser, Text: "Plot it"},
			{Role: assist.RoleTool, Text: "a plot", CallID: "a", Images: make([]assist.Image, 1)},
		},
	}
	for expect, want := range map[string]string{
		`{}`:                                  "",
		`{"model": "scripted"}`:               "",
		`{"model": "other"}`:                  `its model is "scripted", not "other"`,
		`{"system": "brief"}`:                 "",
		`{"system": "long"}`:                  `its instructions lack "long": "Be brief."`,
		`{"tools": ["run"]}`:                  "",
		`{"tools": ["run", "edit"]}`:          `no tool "edit"`,
		`{"any": "Plot"}`:                     "",
		`{"any": "Draw"}`:                     `none of its messages has "Draw"`,
		`{"last": {"role": "tool"}}`:          "",
		`{"last": {"role": "user"}}`:          "of the tool, not of the user",
		`{"last": {"text": "plot"}}`:          "",
		`{"last": {"text": "Plot"}}`:          `lacks "Plot": "a plot"`,
		`{"last": {"failed": false}}`:         "",
		`{"last": {"failed": true}}`:          "failed is false",
		`{"last": {"callId": "b"}}`:           `answers the call "a", not "b"`,
		`{"last": {"images": 1}}`:             "",
		`{"last": {"callId":"a","images":2}}`: "has 1 images, not 2",
	} {
		p := open(t, `{"turns": [{"expect": `+expect+`, "parts": [{"text": "ok"}]}]}`)
		_, _, err := ask(t.Context(), p, request)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), "turn 1 of the script expects another request") || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", expect, err, want)
		}
	}
}

func TestAFailureAndAWaitArePlayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, `{"turns": [
			{"parts": [{"text": "So"}, {"wait": "2s"}, {"text": "me"}], "error": {"kind": "overloaded", "message": "busy", "status": 529}},
			{"parts": [{"text": "So"}, {"wait": "cancelled"}, {"text": "me"}]},
			{"parts": [{"text": "So"}, {"wait": "1h"}, {"text": "me"}]}
		]}`)
		began := time.Now()
		m, _, err := ask(t.Context(), p, user("?"))
		failure, ok := errors.AsType[*assist.ModelError](err)
		if !ok || failure.Kind != assist.FailedOverloaded || err.Error() != "demo: overloaded (HTTP 529): busy" || m.Text != "Some" || time.Since(began) != 2*time.Second {
			t.Errorf("got %q, %v after %v", m.Text, err, time.Since(began))
		}
		for range 2 {
			began = time.Now()
			stopped := errors.New("stopped")
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Minute, func() { cancel(stopped) })
			m, _, err = ask(ctx, p, user("?"))
			if !errors.Is(err, stopped) || m.Text != "So" || time.Since(began) != time.Minute {
				t.Errorf("got %q, %v after %v, want the cause after a minute", m.Text, err, time.Since(began))
			}
			if _, err := p.Models(ctx); !errors.Is(err, stopped) {
				t.Errorf("got %v of the models, want the cause", err)
			}
		}
	})
}

func TestTestsNeedNotWait(t *testing.T) {
	s, err := scripted.Parse([]byte(`{"turns": [{"parts": [{"wait": "1000h"}, {"text": "there"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var waited time.Duration
	p := scripted.New(scripted.Config{Script: s, Sleep: func(_ context.Context, d time.Duration) { waited += d }})
	if m, _, err := ask(t.Context(), p, user("?")); err != nil || m.Text != "there" || waited != 1000*time.Hour {
		t.Errorf("got %q, %v, waited %v", m.Text, err, waited)
	}
}

func TestTheModelsOfAScriptAreListed(t *testing.T) {
	got, err := open(t, `{"turns": [{}], "models": [{"name": "small", "title": "Small", "can": {"vision": true}, "context": 500}]}`).Models(t.Context())
	if diff := cmp.Diff([]assist.ModelInfo{{Provider: "demo", Name: "small", Title: "Small", Can: assist.Ability{Vision: true}, Context: 500}}, got); diff != "" || err != nil {
		t.Errorf("got %v (-want +got):\n%s", err, diff)
	}
	got, err = open(t, `{"turns": [{}]}`).Models(t.Context())
	if err != nil || len(got) != 1 || got[0].Name != "scripted" || !got[0].Can.Tools {
		t.Errorf("got %v, %v, want one that can all", got, err)
	}
}

func TestAScriptThatCannotBePlayedIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                            "unexpected EOF",
		`{"turns": []}`:                "no turns",
		`{"turns": [{}]} {}`:           "more behind",
		`{"turns": [{"part": []}]}`:    `unknown field "part"`,
		`{"turns": [{"parts": [{}]}]}`: "turn 1: part 1 must be one of",
		`{"turns": [{}, {"parts": [{"text": "a", "wait": "1s"}]}]}`: "turn 2: part 1 must be one of",
		`{"turns": [{"parts": [{"wait": "soon"}]}]}`:                `"soon" is neither a time`,
		`{"turns": [{"parts": [{"call": {"arguments": {}}}]}]}`:     "must have a name",
	} {
		path := filepath.Join(t.TempDir(), "script.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := scripted.Read(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want %q and the path", text, err, want)
		}
	}
	if _, err := scripted.Read(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("got no error for a file that is not there")
	}
}
