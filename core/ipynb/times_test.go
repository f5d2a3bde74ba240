package ipynb

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/order"
)

// timesIn returns the times of each cell in a file.
func timesIn(t *testing.T, file []byte) map[string]map[string]string {
	t.Helper()
	var f struct {
		Cells []struct {
			ID       string `json:"id"`
			Metadata struct {
				Execution map[string]string `json:"execution"`
			} `json:"metadata"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(file, &f); err != nil {
		t.Fatal(err)
	}
	times := map[string]map[string]string{}
	for _, c := range f.Cells {
		if c.Metadata.Execution != nil {
			times[c.ID] = c.Metadata.Execution
		}
	}
	return times
}

func TestIP21TimesInAFileAreThoseOfTheRunsThatItShows(t *testing.T) {
	n := notebook.New()
	create := func(id event.CellID, place string) {
		apply(t, n,
			&event.CellCreated{Cell: id, Kind: event.KindCode, Order: order.Key(place)},
			&event.CellMetadataSet{Cell: id, Key: "execution", Value: json.RawMessage(`{"iopub.status.busy":"2001-01-01T00:00:00.000000Z"}`)},
		)
	}
	create("ended", "R")
	create("going", "Z")
	create("waiting", "b")
	create("idle", "d")
	apply(t, n,
		&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode},
		&event.RunRequested{Runs: []event.RunOf{{Run: "r1", Cell: "ended"}, {Run: "r2", Cell: "going"}, {Run: "r3", Cell: "waiting"}}, KeepGoing: true},
		&event.RunAssigned{Run: "r1", Epoch: 1},
		&event.RunStarted{Run: "r1", Epoch: 1}, // the twelfth event, in the test's twelfth millisecond
		&event.RunFinished{Run: "r1", Epoch: 1, Status: event.StatusError},
		&event.RunAssigned{Run: "r2", Epoch: 1},
		&event.RunStarted{Run: "r2", Epoch: 1},
	)
	old := map[string]string{"iopub.status.busy": "2001-01-01T00:00:00.000000Z"}
	var b bytes.Buffer
	if err := WriteTimed(t.Context(), &b, n, nil); err != nil {
		t.Fatal(err)
	}
	want := map[string]map[string]string{
		"ended": {
			"iopub.status.busy": "1970-01-01T00:00:00.012000Z", "iopub.execute_input": "1970-01-01T00:00:00.012000Z",
			"iopub.status.idle": "1970-01-01T00:00:00.013000Z", "shell.execute_reply": "1970-01-01T00:00:00.013000Z",
		},
		"going":   {"iopub.status.busy": "1970-01-01T00:00:00.015000Z", "iopub.execute_input": "1970-01-01T00:00:00.015000Z"},
		"waiting": old,
		"idle":    old,
	}
	if diff := cmp.Diff(want, timesIn(t, b.Bytes())); diff != "" {
		t.Errorf("with times (-want +got):\n%s", diff)
	}
	data, err := Export(n)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]map[string]string{"waiting": old, "idle": old}, timesIn(t, data)); diff != "" {
		t.Errorf("without (-want +got):\n%s", diff)
	}
}
