package event_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
)

func TestTheSpecificationListsEachCauseOnce(t *testing.T) {
	data, err := os.ReadFile("../../spec/runs.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(data), "| cause |")
	var got []event.Cause
	for line := range strings.Lines(table) {
		if codes, _, ok := strings.Cut(strings.TrimPrefix(line, "|"), "|"); ok {
			for _, m := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(codes, -1) {
				got = append(got, event.Cause(m[1]))
			}
		}
	}
	if diff := cmp.Diff(event.Causes(), got); diff != "" {
		t.Errorf("causes (-declared +specified):\n%s", diff)
	}
}

func TestEachReasonOfAStopIsACause(t *testing.T) {
	for _, reason := range []event.StopReason{event.StopShutdown, event.StopRestart, event.StopIdle, event.StopFailed, event.StopLease} {
		if !slices.Contains(event.Causes(), event.Cause(reason)) {
			t.Errorf("%s is no cause", reason)
		}
	}
}

func TestAnEndOfAnOlderAuthorHasNoCauseAndStaysAsItWas(t *testing.T) {
	for _, data := range []string{
		`{"seq":7,"id":"k.1","actor":"runtime:k","time":1,"type":"RunFinished","payload":{"run":"r","epoch":1,"status":"lost","reason":"the runtime was shut down"}}`,
		`{"seq":7,"id":"k.1","actor":"runtime:k","time":1,"type":"RunFinished","payload":{"run":"r","epoch":1,"status":"ok","reason":"the program ended itself","exited":true}}`,
		`{"seq":7,"id":"room.1","actor":"room:","time":1,"type":"RuntimeStopped","payload":{"runtime":"k","epoch":1,"reason":"idle","detail":"nobody had used the runtime for 24h0m0s"}}`,
	} {
		e, err := event.Decode([]byte(data))
		if err == nil {
			err = e.Payload.Check()
		}
		if err != nil {
			t.Errorf("%s: %v", data, err)
			continue
		}
		switch p := e.Payload.(type) {
		case *event.RunFinished:
			wantNoCause(t, data, p.Cause)
		case *event.RuntimeStopped:
			wantNoCause(t, data, p.Cause)
		}
		if got, err := event.Append(nil, &e); err != nil || string(got) != data {
			t.Errorf("got %s, %v\nwant %s", got, err, data)
		}
	}
}

func wantNoCause(t *testing.T, data string, got event.Cause) {
	t.Helper()
	if got != "" {
		t.Errorf("%s: got the cause %q, want none", data, got)
	}
}

// olderFinished and olderStopped are the payloads as a client decodes them that was built before causes.
type (
	olderFinished struct {
		Run     event.RunID     `json:"run"`
		Epoch   event.Epoch     `json:"epoch"`
		Status  event.RunStatus `json:"status"`
		Count   int             `json:"count,omitempty"`
		Took    int64           `json:"took,omitempty"`
		Reason  string          `json:"reason,omitempty"`
		Exited  bool            `json:"exited,omitempty"`
		Allowed bool            `json:"allowed,omitempty"`
	}
	olderStopped struct {
		Runtime event.RuntimeID  `json:"runtime"`
		Epoch   event.Epoch      `json:"epoch"`
		Reason  event.StopReason `json:"reason"`
		Detail  string           `json:"detail,omitempty"`
	}
)

func TestAnOlderClientReadsAnEndWithItsReason(t *testing.T) {
	finished := event.RunFinished{Run: "r", Epoch: 1, Status: event.StatusLost, Reason: "the engine died", Cause: event.CauseEngineDied}
	readByOlder(t, &finished, olderFinished{Run: "r", Epoch: 1, Status: event.StatusLost, Reason: "the engine died"})
	stopped := event.RuntimeStopped{Runtime: "k", Epoch: 1, Reason: event.StopLease, Detail: "the runtime is gone: killed", Cause: event.CauseDied}
	readByOlder(t, &stopped, olderStopped{Runtime: "k", Epoch: 1, Reason: event.StopLease, Detail: "the runtime is gone: killed"})
}

func readByOlder[T any](t *testing.T, p event.Payload, want T) {
	t.Helper()
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var got T
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", data, diff)
	}
}
