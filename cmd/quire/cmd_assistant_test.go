package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

func TestAS50AnAssistantReadsItsTokenAndItsProvidersFromStdin(t *testing.T) {
	line, err := json.Marshal([]givenProvider{{"one", datadir.Provider{Kind: "openai", Key: "s3cret"}}, {"two", datadir.Provider{Kind: "anthropic", Key: "k"}}})
	if err != nil {
		t.Fatal(err)
	}
	a := &app{stdin: strings.NewReader("the-token\n" + string(line) + "\n")}
	models, err := a.assistantInput("-")
	if err != nil || a.config.Token != "the-token" || len(models) != 2 || models[0].Name() != "one" || models[1].Name() != "two" {
		t.Errorf("got the token %q, %d models, %v", a.config.Token, len(models), err)
	}
	for input, want := range map[string]string{"\n[]\n": "there is no token", "token\n{\"key\":\"s3cret\"\n": "has no providers"} {
		a := &app{stdin: strings.NewReader(input)}
		if _, err := a.assistantInput("-"); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: got %v, want %q without the key", input, err, want)
		}
	}
}

func TestAS51AnAssistantEndsAfterAFailedAnswer(t *testing.T) {
	n := notebook.New()
	add := func(p event.Payload) {
		t.Helper()
		e := event.Event{Seq: n.Seq() + 1, ID: event.ID{Client: "c", N: uint64(n.Seq() + 1)}, Actor: "person:ada", Payload: p}
		if _, err := n.Apply(&e, nil); err != nil {
			t.Fatal(err)
		}
	}
	add(&event.RuntimeStarted{Runtime: "ai-1", Takes: event.TakesAI})
	add(&event.CellCreated{Cell: "a", Kind: event.KindAI, Order: "R"})
	for _, test := range []struct {
		run    event.RunID
		status event.RunStatus
		want   bool
	}{{"good", event.StatusOK, false}, {"bad", event.StatusError, true}} {
		add(&event.RunRequested{Runs: []event.RunOf{{Run: test.run, Cell: "a"}}})
		if hasFailed(n, "ai-1") {
			t.Errorf("%s: it ends while a prompt waits", test.run)
		}
		add(&event.RunAssigned{Run: test.run, Epoch: 1})
		add(&event.RunStarted{Run: test.run, Epoch: 1})
		add(&event.RunFinished{Run: test.run, Epoch: 1, Status: test.status})
		if got := hasFailed(n, "ai-1"); got != test.want {
			t.Errorf("%s: got %v, want %v", test.run, got, test.want)
		}
	}
}
