package prompt_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/assist"
	"github.com/quirehq/quire/core/assist/prompt"
	"github.com/quirehq/quire/core/assist/transcript"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/notebook"
)

var update = flag.Bool("update", false, "write the golden files")

// book is a notebook that a test folds.
type book struct {
	*notebook.Notebook
	t   *testing.T
	seq event.Seq
}

func newBook(t *testing.T) *book {
	b := &book{Notebook: notebook.New(), t: t}
	b.add(&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode})
	b.add(&event.RuntimeStarted{Runtime: "as", Takes: event.TakesAI})
	return b
}

func (b *book) add(p event.Payload) {
	b.t.Helper()
	b.seq++
	e := event.Event{Seq: b.seq, ID: event.ID{Client: "c", N: uint64(b.seq)}, Actor: "person:ada", Payload: p}
	if _, err := b.Apply(&e, nil); err != nil {
		b.t.Fatalf("%s: %v", p.Type(), err)
	}
}

// cell adds a cell at the end, with outputs of a finished run if there are any.
func (b *book) cell(id event.CellID, kind event.CellKind, source string, outputs ...event.Output) {
	b.t.Helper()
	key, err := b.Between(len(b.Cells()))
	if err != nil {
		b.t.Fatal(err)
	}
	b.add(&event.CellCreated{Cell: id, Kind: kind, Order: key, Source: source})
	if len(outputs) == 0 {
		return
	}
	run, epoch := event.RunID("r-"+id), event.Epoch(1)
	if kind == event.KindAI {
		epoch = 2
	}
	b.add(&event.RunRequested{Runs: []event.RunOf{{Run: run, Cell: id}}})
	b.add(&event.RunAssigned{Run: run, Epoch: epoch})
	b.add(&event.RunStarted{Run: run, Epoch: epoch})
	for i, v := range outputs {
		b.add(&event.OutputAdded{Output: event.OutputID(fmt.Sprintf("o-%s-%d", id, i)), Run: run, Epoch: epoch, Value: v})
	}
	b.add(&event.RunFinished{Run: run, Epoch: epoch, Status: event.StatusOK})
}

func stream(text string) event.Output {
	return event.Output{Kind: event.OutputStream, Stream: event.Stdout, Text: text}
}

// said are the outputs of an answer with a call, as an assistant shows them.
func said(turn int, mime string, v any) event.Output {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	data := lang.Text("text/plain", "for people").Data
	data[mime] = raw
	return event.Output{Kind: event.OutputDisplay, Data: data, Metadata: transcript.Mark{Role: assist.RoleAssistant, Turn: turn}.Metadata()}
}

func text(turn int, s string) event.Output {
	return event.Output{Kind: event.OutputMarkdown, Text: s, Metadata: transcript.Mark{Role: assist.RoleAssistant, Turn: turn}.Metadata()}
}

func png(n int) event.Output {
	return event.Output{Kind: event.OutputDisplay, Data: lang.Text("image/png", base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{1}, n))).Data}
}

var sees = assist.ModelInfo{Name: "tide", Can: assist.Ability{Tools: true, Vision: true}}

func build(t *testing.T, b *book, cell event.CellID, s prompt.Settings, m assist.ModelInfo) prompt.Context {
	t.Helper()
	built, err := prompt.Build(b.Notebook, cell, b.Cell(cell).Source(), s, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// lagoon is a notebook with one of each that a context can have.
func lagoon(t *testing.T) *book {
	b := newBook(t)
	b.add(&event.NotebookTitled{Title: "Lagoon"})
	b.add(&event.FileAttached{Name: "tides.csv", MIME: "text/csv", Artifact: event.Artifact{Hash: strings.Repeat("a", 64), Size: 12}})
	b.cell("intro", event.KindMarkdown, "# Tides")
	b.cell("load", event.KindCode, "print(\"low\")", stream("\x1b[31mlow\x1b[0m\n"), png(3))
	b.cell("secret", event.KindCode, "password = 1")
	b.add(&event.CellVisibilitySet{Cell: "secret", Context: new(false)})
	b.cell("ask", event.KindAI, "mend it",
		said(1, transcript.ThinkingType, assist.Thinking{Text: "hm"}), text(1, "I run it."),
		said(1, transcript.CallType, transcript.Call{ID: "c1", Tool: "run_cell", Arguments: json.RawMessage(`{"cell":"load"}`)}),
		said(1, transcript.CallType, transcript.Call{ID: "c2", Tool: "fly", Arguments: json.RawMessage(`"{oops"`)}),
		said(1, transcript.ResultType, transcript.Result{ID: "c1", Tool: "run_cell", Text: "the run ended: ok"}),
		text(2, "It is mended."), said(2, transcript.UsageType, transcript.Usage{Turns: 2}))
	b.cell("now", event.KindAI, "and high tide?")
	b.cell("later", event.KindCode, "print(\"later\")")
	return b
}

func TestAS40AContextIsThatOfTheGoldenFile(t *testing.T) {
	built := build(t, lagoon(t), "now", prompt.Settings{System: "Speak of tides."}, sees)
	got, err := built.Preview()
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/lagoon.json"
	if *update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(got)+"\n" != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if strings.Contains(string(got), "password") || strings.Contains(string(got), "later") {
		t.Error("it has a cell that is hidden, or behind the prompt")
	}
}

func TestAS40CellsBehindThePromptAreContextIfAskedFor(t *testing.T) {
	built := build(t, lagoon(t), "now", prompt.Settings{After: new(true)}, sees)
	all := built.Request.Messages
	last := all[len(all)-1].Text
	if !strings.Contains(last, "stand behind the prompt") || !strings.Contains(last, `<cell id="later"`) || !strings.HasSuffix(last, "<prompt>\nand high tide?\n</prompt>") {
		t.Errorf("got %q", last)
	}
}

func TestAS41ACellsSettingsComeBeforeThoseOfTheNotebook(t *testing.T) {
	cold := 0.1
	own := prompt.Settings{Model: "small", System: "b", Temperature: &cold}
	got := own.Or(prompt.Settings{Provider: "cloud", Model: "large", System: "a", MaxTurns: 4, After: new(true)})
	if got.Provider != "" || got.Model != "small" || got.System != "a\n\nb" || got.MaxTurns != 4 || *got.Temperature != cold || !*got.After {
		t.Errorf("got %+v", got)
	}
	if _, err := prompt.SettingsOf(map[string]json.RawMessage{"assistant": json.RawMessage(`{"maxTurns":"many"}`)}); err == nil || !strings.Contains(err.Error(), "maxTurns") {
		t.Errorf("got %v, want an error that names the member", err)
	}
}

func TestAS43AContextIsShortenedFromAfarUntilItFits(t *testing.T) {
	b := newBook(t)
	var ids []event.CellID
	for i := range 20 {
		id := event.CellID(fmt.Sprintf("c%02d", i))
		ids = append(ids, id)
		b.cell(id, event.KindCode, strings.Repeat(fmt.Sprintf("x = %d\n", i), 400), stream(strings.Repeat("out\n", 2_000)), png(10))
	}
	b.cell("ask", event.KindAI, "sum up")
	before := 1 << 30
	for _, budget := range []int{200_000, 60_000, 30_000, 20_000, 9_000, 4_000, 1_500} {
		built := build(t, b, "ask", prompt.Settings{Budget: budget}, sees)
		if built.Tokens > budget || built.Tokens > before {
			t.Errorf("budget %d: got %d tokens, after %d before", budget, built.Tokens, before)
		}
		before = built.Tokens
		if n := len(built.Omitted); !slices.Equal(built.Omitted, ids[:n]) {
			t.Errorf("budget %d: got %v left out, want the farthest", budget, built.Omitted)
		}
		all := built.Request.Messages
		if last := all[len(all)-1].Text; !strings.HasSuffix(last, "<prompt>\nsum up\n</prompt>") || len(built.Omitted) > 0 && !strings.Contains(all[0].Text, "cells are left out here") {
			t.Errorf("budget %d: got the prompt %q", budget, last[max(0, len(last)-60):])
		}
		images := 0
		for _, m := range all {
			images += len(m.Images)
		}
		if images > 8 {
			t.Errorf("budget %d: got %d pictures, want at most 8", budget, images)
		}
		for id, source := range built.Sources {
			if source != b.Cell(id).Source() || slices.Contains(built.Omitted, id) {
				t.Errorf("budget %d: %s is not seen whole", budget, id)
			}
		}
	}
}

func TestAS44EqualNotebooksGiveEqualRequests(t *testing.T) {
	first := build(t, lagoon(t), "now", prompt.Settings{Budget: 900}, sees)
	second := build(t, lagoon(t), "now", prompt.Settings{Budget: 900}, sees)
	a, err := first.Preview()
	if err != nil {
		t.Fatal(err)
	}
	b, err := second.Preview()
	if err != nil || !bytes.Equal(a, b) {
		t.Errorf("got\n%s\nand\n%s, %v", a, b, err)
	}
}

func TestAS45AModelThatDoesNotSeeGetsNoPictures(t *testing.T) {
	for vision, want := range map[bool]int{true: 1, false: 0} {
		built := build(t, lagoon(t), "now", prompt.Settings{}, assist.ModelInfo{Can: assist.Ability{Vision: vision}})
		if got := len(built.Request.Messages[0].Images); got != want {
			t.Errorf("vision %v: got %d pictures, want %d", vision, got, want)
		}
	}
}

func TestAS42TokensAreAThirdOfTheBytes(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "abc": 1, "abcd": 2, "🌊": 2} {
		if got := prompt.Tokens(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}
