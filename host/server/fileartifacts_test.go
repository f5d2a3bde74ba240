package server_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server"
)

// largeFile is a Jupyter notebook with a text of 3 MB and a picture of 1 MB.
func largeFile(t *testing.T) string {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	picture := make([]byte, 1<<20)
	for i := range picture {
		picture[i] = byte(r.Uint32())
	}
	lines := make([]string, 100_000)
	for i := range lines {
		lines[i] = fmt.Sprintf("   %q", fmt.Sprintf("line %d of what was printed\n", i))
	}
	return `{
 "cells": [
  {
   "cell_type": "code",
   "execution_count": 1,
   "id": "k1",
   "metadata": {},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
   ` + strings.Join(lines, ",\n   ") + `
     ]
    },
    {
     "data": {
      "image/png": "` + base64.StdEncoding.EncodeToString(picture) + `"
     },
     "metadata": {},
     "output_type": "display_data"
    }
   ],
   "source": []
  }
 ],
 "metadata": {
  "title": "Large"
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`
}

func TestIP15AnImportPutsLargeOutputsIntoTheStoreAndAnExportHasThem(t *testing.T) {
	w := newArtifactWorld(t)
	file := largeFile(t)
	var made directory.Listing
	w.importFile(t, "", file).want(t, 201).into(t, &made)
	logged, artifacts := 0, 0
	for _, e := range w.events(t, made.ID, "") {
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		logged += len(data)
		if p, ok := e.Payload.(*event.OutputsImported); ok {
			for _, v := range p.Outputs {
				artifacts += len(v.Artifacts)
			}
		}
	}
	if logged > 200_000 || artifacts != 2 {
		t.Errorf("got %d bytes in the log and %d artifacts", logged, artifacts)
	}
	a := w.do(t, request{method: "GET", path: "/api/notebooks/" + made.ID + "/export", token: ownerToken}).want(t, 200)
	same := func(file string) (v any) {
		if err := json.Unmarshal([]byte(file), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	if x, y := fmt.Sprint(same(file)), fmt.Sprint(same(a.body)); x != y {
		t.Errorf("the file that comes back says something else: %d bytes, want %d", len(y), len(x))
	}
}

func TestAnImportForWhichThereIsNoRoomIsWholeOrNothing(t *testing.T) {
	w := newArtifactWorld(t, func(c *server.Config) { c.Limits.NotebookArtifacts = 100_000 })
	a := w.importFile(t, "", largeFile(t)).want(t, 413)
	if got := a.problem(t).Detail; !strings.Contains(got, "100000 bytes") {
		t.Errorf("got %q, want the limit", got)
	}
}

func TestAnExportThatFailsHalfwayIsCutOff(t *testing.T) {
	w := newArtifactWorld(t)
	var made directory.Listing
	w.importFile(t, "", `{"cells":[`+strings.Repeat(`{"cell_type":"raw","metadata":{},"source":["`+strings.Repeat("x", 1<<16)+`"]},`, 4)+
		`{"cell_type":"code","execution_count":1,"metadata":{},"source":[],"outputs":[]}],"metadata":{},"nbformat":4,"nbformat_minor":5}`).want(t, 201).into(t, &made)
	stored := w.upload(t, made.ID, "no JSON")
	cell := event.CellID("")
	for _, e := range w.events(t, made.ID, "") {
		if p, ok := e.Payload.(*event.CellCreated); ok {
			cell = p.Cell
		}
	}
	p := w.join(t, made.ID, ownerToken, "c1")
	p.committed(p.push(&event.OutputsImported{Cell: cell, Outputs: []event.Output{
		{Kind: event.OutputDisplay, Artifacts: map[string]event.Artifact{"application/json": stored}},
	}})[0])
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+"/api/notebooks/"+made.ID+"/export", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+ownerToken)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if got, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("got an answer of %d bytes that looks whole", len(got))
	}
}
