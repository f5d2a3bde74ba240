package ipynb

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
)

// withWidgets is a file with the model m1, which refers to m2 and is shown, and m3.
const withWidgets = `{"cells": [{"cell_type": "code", "execution_count": 1, "id": "a", "metadata": {}, "source": [], "outputs": [
  {"output_type": "display_data", "metadata": {}, "data": {"application/vnd.jupyter.widget-view+json": {"model_id": "m1", "version_major": 2, "version_minor": 0}}}]}],
 "metadata": {"widgets": {"other": 1, "application/vnd.jupyter.widget-state+json": {"version_major": 2, "version_minor": 0, "state": {
  "m1": {"model_name": "M", "model_module": "x", "model_module_version": "1", "state": {"layout": ["IPY_MODEL_m2", 1.50]}},
  "m2": {"model_name": "L", "model_module": "x", "model_module_version": "1", "state": {}, "buffers": [{"encoding": "base64", "path": ["v"], "data": "AAE="}]},
  "m3": {"model_name": "L", "model_module": "x", "model_module_version": "1", "state": {}}}}}},
 "nbformat": 4, "nbformat_minor": 5}`

func TestIP20WidgetsOfAFileComeBackAsTheyWere(t *testing.T) {
	got, err := decode(through(t, []byte(withWidgets)))
	if err != nil {
		t.Fatal(err)
	}
	want, err := decode([]byte(withWidgets))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// live adds a running program with a slider w, which is shown in a new cell.
func live(t *testing.T, n *notebook.Notebook) {
	t.Helper()
	values := func(pairs ...string) map[string]json.RawMessage {
		m := map[string]json.RawMessage{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = json.RawMessage(pairs[i+1])
		}
		return m
	}
	hash := event.Artifact{Hash: strings.Repeat("ab", 32), Size: 3}
	apply(
		t, n, &event.CellCreated{Cell: "live", Kind: event.KindCode, Order: "f"}, &event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode},
		&event.RunRequested{Runs: []event.RunOf{{Run: "r", Cell: "live"}}}, &event.RunAssigned{Run: "r", Epoch: 1}, &event.RunStarted{Run: "r", Epoch: 1},
		&event.CommOpened{
			Comm: "w", Target: event.WidgetTarget, Epoch: 1,
			State: values("_model_name", `"IntSliderModel"`, "_model_module", `"@jupyter-widgets/controls"`, "_model_module_version", `"2.0.0"`, "value", "3", "list", "[null]"),
			Buffers: []event.Buffer{
				{Path: []json.RawMessage{json.RawMessage(`"list"`), json.RawMessage(`0`)}, Data: "AAE="},
				{Data: "AAI="},
				{Path: []json.RawMessage{json.RawMessage(`"image"`)}, Artifact: &hash},
			},
		},
		&event.CommOpened{Comm: "plain", Target: "other", Epoch: 1, State: values("_model_name", `"X"`, "_model_module", `"x"`)},
		&event.CommOpened{Comm: "nameless", Target: event.WidgetTarget, Epoch: 1, State: values("value", "3")},
		&event.CommUpdated{Comm: "w", Epoch: 1, State: values("value", "7")},
		&event.OutputAdded{Output: "o", Run: "r", Epoch: 1, Value: event.Output{
			Kind: event.OutputDisplay, Data: values(mimeView, `{"model_id":"w","version_major":2,"version_minor":0}`),
		}},
	)
}

// savedModels returns the models in a file, each in one line of JSON.
func savedModels(t *testing.T, file []byte) map[string]string {
	t.Helper()
	root := decodeObject(file)
	got := map[string]string{}
	for id, model := range child(child(child(child(root, "metadata"), keyWidgets), mimeWidgets), keyState) {
		got[id] = string(raw(model))
	}
	return got
}

const savedSlider = `{"buffers":[{"data":"AAE=","encoding":"base64","path":["list",0]}%s],"model_module":"@jupyter-widgets/controls","model_module_version":"2.0.0","model_name":"IntSliderModel",` +
	`"state":{"_model_module":"@jupyter-widgets/controls","_model_module_version":"2.0.0","_model_name":"IntSliderModel","list":[null],"value":7}}`

func TestIP20WidgetsOfALiveNotebookAreWhereJupyterLooks(t *testing.T) {
	n := notebook.New()
	live(t, n)
	want := map[string]string{"w": fmt.Sprintf(savedSlider, "")}
	if diff := cmp.Diff(want, savedModels(t, mustExport(t, n))); diff != "" {
		t.Errorf("models (-want +got):\n%s", diff)
	}
	apply(t, n, &event.RuntimeStopped{Runtime: "rt", Epoch: 1, Reason: event.StopIdle})
	if diff := cmp.Diff(want, savedModels(t, mustExport(t, n))); diff != "" {
		t.Errorf("models when the program has ended (-want +got):\n%s", diff)
	}
	apply(t, n, &event.CellOutputsCleared{})
	if file := string(mustExport(t, n)); strings.Contains(file, keyWidgets) {
		t.Errorf("got widgets that nothing shows: %s", file)
	}
}

func TestIP20WhatCameWithAFileStaysWhileItIsShown(t *testing.T) {
	n := fold(t, mustImport(t, []byte(withWidgets)))
	live(t, n)
	got := savedModels(t, mustExport(t, n))
	if len(got) != 3 || got["m1"] == "" || got["m2"] == "" || got["w"] == "" {
		t.Errorf("got %v, want m1 and m2, which are shown, and w", got)
	}
	apply(t, n, &event.CellOutputsCleared{Cells: []event.CellID{"a"}})
	if got := savedModels(t, mustExport(t, n)); len(got) != 1 {
		t.Errorf("got %v, want w alone", got)
	}
}

func TestIP20MetadataOfThatNameThatIsNoWidgetsStays(t *testing.T) {
	n := notebook.New()
	apply(t, n, &event.NotebookMetadataSet{Key: keyWidgets, Value: json.RawMessage(`"mine"`)})
	live(t, n)
	if got := child(decodeObject(mustExport(t, n)), "metadata")[keyWidgets]; got != "mine" {
		t.Errorf("got %v, want what the notebook has", got)
	}
}

// threeBytes has the same bytes for every artifact.
type threeBytes struct{ err error }

func (s threeBytes) Open(context.Context, event.Artifact) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("\x00\xff\x01")), s.err
}

func TestIP20BytesOutsideTheLogAreInTheFileIfTheyCanBeHad(t *testing.T) {
	n := notebook.New()
	live(t, n)
	for name, c := range map[string]struct {
		from threeBytes
		want string
	}{
		"there":   {threeBytes{}, `,{"data":"AP8B","encoding":"base64","path":["image"]}`},
		"missing": {threeBytes{fs.ErrNotExist}, ""},
	} {
		var file bytes.Buffer
		if err := Write(t.Context(), &file, n, c.from); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{"w": fmt.Sprintf(savedSlider, c.want)}, savedModels(t, file.Bytes())); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if err := Write(t.Context(), io.Discard, n, threeBytes{io.ErrUnexpectedEOF}); err == nil {
		t.Error("got no error, want that of the store")
	}
}
