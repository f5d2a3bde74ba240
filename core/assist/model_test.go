package assist

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func join(t *testing.T, chunks ...Chunk) Message {
	t.Helper()
	m := Message{Role: RoleAssistant}
	for _, c := range chunks {
		if err := m.Join(c); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func TestChunksOfTextAndThinkingAreJoined(t *testing.T) {
	got := join(t, Chunk{Thinking: "so "}, Chunk{Thinking: "what"}, Chunk{Signature: "sig1"}, Chunk{Thinking: "more"}, Chunk{Text: "an"}, Chunk{Text: "swer"})
	want := Message{Role: RoleAssistant, Text: "answer", Thinking: []Thinking{{"so what", "sig1"}, {Text: "more"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPartsOfToolCallsAreJoinedByIndex(t *testing.T) {
	got := join(t,
		Chunk{Call: &CallChunk{Index: 1, ID: "b", Name: "run"}},
		Chunk{Call: &CallChunk{Index: 0, ID: "a", Name: "read", Arguments: `{"ce`}},
		Chunk{Call: &CallChunk{Index: 1, Arguments: `{}`}},
		Chunk{Call: &CallChunk{Index: 0, Arguments: `ll":1}`}},
		Chunk{Call: &CallChunk{Index: 3, ID: "d", Name: "list"}})
	want := []ToolCall{{"a", "read", `{"cell":1}`}, {"b", "run", `{}`}, {ID: "d", Name: "list"}}
	if diff := cmp.Diff(want, got.Whole()); diff != "" {
		t.Error(diff)
	}
}

func TestAToolCallFarOutOfRangeIsRefused(t *testing.T) {
	for _, index := range []int{-1, maxCalls, 1 << 40} {
		m := Message{}
		err := m.Join(Chunk{Call: &CallChunk{Index: index, Name: "run"}})
		failure, ok := errors.AsType[*ModelError](err)
		if !ok || failure.Kind != FailedMalformed || len(m.Calls) != 0 {
			t.Errorf("index %d: got %v with %d calls, want a malformed response", index, err, len(m.Calls))
		}
	}
}

func TestFailuresThatPassAreTemporary(t *testing.T) {
	for kind, want := range map[FailureKind]bool{
		FailedKey: false, FailedQuota: false, FailedRate: true, FailedOverloaded: true, FailedUnreachable: true,
		FailedModel: false, FailedLength: false, FailedRequest: false, FailedMalformed: false,
	} {
		if got := (&ModelError{Kind: kind}).Temporary(); got != want {
			t.Errorf("%s: got %v", kind, got)
		}
	}
}

func TestAnErrorNamesProviderStatusAndWords(t *testing.T) {
	err := &ModelError{Kind: FailedRate, Provider: "openai", Status: 429, Err: errors.New("slow down")}
	if got, want := err.Error(), "openai: rate (HTTP 429): slow down"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
