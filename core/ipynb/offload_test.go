package ipynb

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/core/order"
)

// memoryStore stores artifacts in memory.
type memoryStore map[string][]byte

func (s memoryStore) Put(_ context.Context, r io.ReadSeeker) (event.Artifact, error) {
	data, err := io.ReadAll(r)
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	s[hash] = data
	return event.Artifact{Hash: hash, Size: int64(len(data))}, err
}

func (s memoryStore) Open(_ context.Context, a event.Artifact) (io.ReadCloser, error) {
	data, ok := s[a.Hash]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// offloaded returns the notebook of a file with nearly all outputs outside the log, and the store that has them.
func offloaded(t tb, file []byte) (*notebook.Notebook, memoryStore) {
	t.Helper()
	payloads, s := mustImport(t, file), memoryStore{}
	if err := offloadAll(context.Background(), payloads, s, sizes{1, 1, 4, 4}); err != nil {
		t.Fatalf("stow: %v", err)
	}
	return fold(t, payloads), s
}

func written(t tb, n *notebook.Notebook, s memoryStore) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(context.Background(), &b, n, s); err != nil {
		t.Fatalf("write: %v", err)
	}
	return b.String()
}

func TestIP15AFileIsTheSameWhetherItsOutputsAreInTheLogOrNot(t *testing.T) {
	moved := 0
	for _, name := range corpus(t) {
		file := read(t, name)
		want := through(t, file)
		n, s := offloaded(t, file)
		moved += len(s)
		if diff := cmp.Diff(string(want), written(t, n, s)); diff != "" {
			t.Errorf("%s (-in the log +outside):\n%s", name, diff)
		}
	}
	if moved < 10 {
		t.Errorf("only %d values were outside the log", moved)
	}
}

func fileWith(t tb, outputs ...any) []byte {
	t.Helper()
	root := object{"nbformat": json.Number("4"), "nbformat_minor": json.Number("5"), "metadata": object{}, "cells": []any{
		object{"id": "a", "cell_type": "code", "metadata": object{}, "source": []any{}, "execution_count": json.Number("1"), "outputs": outputs},
	}}
	return append(appendValue(nil, root, 0), '\n')
}

func TestIP15LargeOutputsOfAFileComeBackByteForByte(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 0))
	png := make([]byte, 200<<10)
	for i := range png {
		png[i] = byte(r.Uint32())
	}
	plain := base64.StdEncoding.EncodeToString(png)
	var text strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&text, "line %d of é and 🐎\r\n", i)
	}
	file := fileWith(t,
		object{"output_type": "stream", "name": "stdout", "text": lines(text.String())},
		object{"output_type": "display_data", "metadata": object{}, "data": object{
			"image/png": plain, "image/gif": plain + "\n", "image/jpeg": wrapped(plain, 76), "text/plain": lines(text.String()),
			"text/html": []any{strings.Repeat("<td>long</td>", 30_000)}, "image/tiff": "no base64 " + plain,
			"application/json": object{"rows": []any{plain}}, "application/x-other": plain,
		}},
	)
	payloads, s := mustImport(t, file), memoryStore{}
	if err := Offload(t.Context(), payloads, s); err != nil {
		t.Fatal(err)
	}
	n := fold(t, payloads)
	if got := n.OutputSize(""); got > 8<<20 { // invalid base64 stays
		t.Errorf("got %d bytes in the log", got)
	}
	if got := written(t, n, s); got != string(file) {
		t.Errorf("got another file of %d bytes, want %d", len(got), len(file))
	}
	snapshot, err := n.Snapshot()
	if err != nil || bytes.Contains(snapshot, []byte("line 30000 ")) {
		t.Errorf("got a snapshot of %d bytes with all of the text, and %v", len(snapshot), err)
	}
}

func TestIP15AHugeJSONValueIsWrittenAsItIsStored(t *testing.T) {
	const value, huge = `{"b":"x","a":[1,2]}`, maxIndented + 1 // in the form of the log
	n, s := storedOutput(t, "application/json", value, huge)
	if got := written(t, n, s); !json.Valid([]byte(got)) || !strings.Contains(got, value) {
		t.Errorf("got %d bytes without the value", len(got))
	}
	n, s = storedOutput(t, "application/json", value[1:], huge)
	if err := Write(t.Context(), io.Discard, n, s); err == nil || !strings.Contains(err.Error(), "not the JSON") {
		t.Errorf("got %v for what is no JSON", err)
	}
}

// storedOutput returns a notebook with a display of one value, in a store.
func storedOutput(t *testing.T, mime, content string, size int64) (*notebook.Notebook, memoryStore) {
	t.Helper()
	s := memoryStore{}
	a, err := s.Put(t.Context(), strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	a.Size = size
	n := fold(t, mustImport(t, oneCell("code", `{}`)))
	apply(t, n, &event.OutputsImported{Cell: "a", Outputs: []event.Output{{Kind: event.OutputDisplay, Artifacts: map[string]event.Artifact{mime: a}}}})
	return n, s
}

func TestIP15WhatTheStoreHasNotIsNamed(t *testing.T) {
	n, _ := storedOutput(t, "image/png", "x", 1)
	if got := written(t, n, memoryStore{}); !strings.Contains(got, "[image/png of 1 bytes is not in this file: sha256 2d711642") {
		t.Errorf("got %s", got)
	}
}

func TestIP16TextThatGoesOnOutsideTheLogIsOneOutput(t *testing.T) {
	s := memoryStore{}
	rest := strings.Repeat("more\n", 1000)
	a, err := s.Put(t.Context(), strings.NewReader(rest))
	if err != nil {
		t.Fatal(err)
	}
	stream := func(name, text string) event.Output {
		return event.Output{Kind: event.OutputStream, Stream: name, Text: text}
	}
	n := fold(t, []event.Payload{
		&event.CellCreated{Cell: "a", Kind: event.KindCode, Order: "R"},
		&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode},
		&event.RunRequested{Runs: []event.RunOf{{Run: "r", Cell: "a"}}},
		&event.RunAssigned{Run: "r", Epoch: 1}, &event.RunStarted{Run: "r", Epoch: 1},
		&event.OutputAdded{Output: "o1", Run: "r", Epoch: 1, Value: stream("stdout", "head\n")},
		&event.OutputAdded{Output: "o2", Run: "r", Epoch: 1, Value: stream("stdout", "… the end …")},
		&event.OutputAdded{Output: "o3", Run: "r", Epoch: 1, Value: stream("stderr", "… the end …")},
		&event.OutputStored{Output: "o2", Run: "r", Epoch: 1, Artifacts: map[string]event.Artifact{"text/plain": a}},
		&event.OutputStored{Output: "o3", Run: "r", Epoch: 1, Artifacts: map[string]event.Artifact{"text/plain": a}},
	})
	want := []string{"stdout:head\n" + rest, "stderr:" + rest}
	if diff := cmp.Diff(want, streams(t, written(t, n, s), 0)); diff != "" {
		t.Errorf("streams (-want +got):\n%s", diff)
	}
}

func TestIP16NeighbouringTextsOfOneStreamOfOneRunAreOneOutput(t *testing.T) {
	s := memoryStore{}
	a, err := s.Put(t.Context(), strings.NewReader("stored\nsto"))
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]event.Artifact{"text/plain": a}
	lost := map[string]event.Artifact{"text/plain": {Hash: strings.Repeat("0f", 32), Size: 9}}
	stream := func(text string) event.Output {
		return event.Output{Kind: event.OutputStream, Stream: event.Stdout, Text: text}
	}
	whole, gone := stream("…"), stream("…")
	whole.Artifacts, gone.Artifacts = kept, lost
	payloads := []event.Payload{&event.RuntimeStarted{Runtime: "rt", Takes: event.TakesCode}}
	for _, cell := range []event.CellID{"a", "b", "c"} {
		payloads = append(payloads, &event.CellCreated{Cell: cell, Kind: event.KindCode, Order: order.Key("R" + cell)})
	}
	at := 0
	run := func(cell event.CellID, id event.RunID, in []event.Output, late ...event.Output) {
		payloads = append(payloads, &event.RunRequested{Runs: []event.RunOf{{Run: id, Cell: cell}}},
			&event.RunAssigned{Run: id, Epoch: 1}, &event.RunStarted{Run: id, Epoch: 1})
		for i, v := range append(in, late...) {
			if i == len(in) {
				payloads = append(payloads, &event.RunFinished{Run: id, Epoch: 1, Status: event.StatusOK})
			}
			out := &event.OutputAdded{Output: event.OutputID(fmt.Sprint("o", at)), Run: id, Epoch: 1, Value: v}
			if i >= len(in) {
				out.Late = cell
			}
			payloads = append(payloads, out)
			at++
		}
	}
	run("a", "r1", []event.Output{stream("first"), stream("")}, stream(" 0\r"), stream("\nfirst 1\n"), stream("first 2\n"))
	run("b", "r2", []event.Output{stream("head\n"), whole}, stream("re\nlate"), whole, stream(" end\n"))
	run("c", "r3", []event.Output{gone}, stream("late\n"))
	text := written(t, fold(t, payloads), s)
	for i, want := range [][]string{
		{"stdout:first 0\r\nfirst 1\nfirst 2\n"},
		{"stdout:head\nstored\nstore\nlatestored\nsto end\n"},
		{"stdout:…\n[text/plain of 9 bytes is not in this file: sha256 " + strings.Repeat("0f", 32) + "]", "stdout:late\n"},
	} {
		if diff := cmp.Diff(want, streams(t, text, i)); diff != "" {
			t.Errorf("streams of cell %d (-want +got):\n%s", i, diff)
		}
	}
}

// streams returns the names and texts of the streams of a cell of a file, which must be cut into lines like Jupyter's.
func streams(t tb, file string, cell int) (found []string) {
	t.Helper()
	var parsed struct {
		Cells []struct {
			Outputs []struct {
				Name string
				Text []any
			}
		}
	}
	if err := json.Unmarshal([]byte(file), &parsed); err != nil {
		t.Fatalf("%v", err)
	}
	for _, out := range parsed.Cells[cell].Outputs {
		text, _ := joined(out.Text)
		if diff := cmp.Diff(lines(text), out.Text); diff != "" {
			t.Errorf("lines (-want +got):\n%s", diff)
		}
		found = append(found, out.Name+":"+text)
	}
	return found
}
