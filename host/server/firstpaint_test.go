package server_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/view"
	"github.com/quirehq/quire/host/server"
)

// withFirst gives a server a page that has a place for a notebook's first screen.
func withFirst(c *server.Config) {
	app := testApp()
	app["index.html"] = &fstest.MapFile{Data: []byte("<body><!-- first --><div id=root></div></body>")}
	c.App = app
}

func TestOnlyThePageOfANotebookPreloadsWhatThatNeeds(t *testing.T) {
	w := newWorld(t, func(c *server.Config) {
		app := testApp()
		app["index.html"] = &fstest.MapFile{Data: []byte("<head></head><body><!-- first --></body>")}
		app["preload.html"] = &fstest.MapFile{Data: []byte("<link rel=preload>")}
		c.App = app
	})
	made := w.importCells(t, "T", code("1"))
	if got := w.page(t, made.ID, ownerToken).body; !strings.HasPrefix(got, "<head><link rel=preload></head>") {
		t.Errorf("got %s, want the links in the head", got)
	}
	if got := w.do(t, request{method: "GET", path: "/", token: ownerToken}).want(t, 200).body; strings.Contains(got, "preload") {
		t.Errorf("got %s, want no links", got)
	}
}

// page reads the page of a notebook.
func (w *world) page(t *testing.T, id, token string) answer {
	t.Helper()
	return w.do(t, request{method: "GET", path: "/nb/" + id + "/what-it-is-called", token: token}).want(t, 200)
}

// rowsIn returns the rows that a page has for its script.
func rowsIn(t *testing.T, page, id string) (rows view.Batch, screen string) {
	t.Helper()
	screen, rest, found := strings.Cut(page, `<script type="application/json" id="first-rows" data-notebook="`+id+`">`)
	data, behind, ended := strings.Cut(rest, "</script>")
	if !found || !ended || strings.Contains(behind, "<script") {
		t.Fatalf("got %s, want a page with rows", page)
	}
	if err := json.Unmarshal([]byte(data), &rows); err != nil {
		t.Fatalf("rows %s: %v", data, err)
	}
	return rows, screen
}

// importCells makes a notebook of cells as files have them.
func (w *world) importCells(t *testing.T, title string, cells ...map[string]any) directory.Listing {
	t.Helper()
	for i, c := range cells {
		c["id"], c["metadata"] = fmt.Sprint("c", i), map[string]any{}
	}
	file, err := json.Marshal(map[string]any{"nbformat": 4, "nbformat_minor": 5, "cells": cells, "metadata": map[string]any{"title": title}})
	if err != nil {
		t.Fatal(err)
	}
	var made directory.Listing
	w.do(t, request{method: "POST", path: "/api/notebooks/import", token: ownerToken, body: string(file)}).want(t, 201).into(t, &made)
	return made
}

func code(source string, outputs ...map[string]any) map[string]any {
	return map[string]any{"cell_type": "code", "source": source, "outputs": outputs, "execution_count": 7}
}

func stream(text string) map[string]any {
	return map[string]any{"output_type": "stream", "name": "stdout", "text": text}
}

func displayed(data map[string]any) map[string]any {
	return map[string]any{"output_type": "display_data", "data": data, "metadata": map[string]any{}}
}

func TestThePageOfANotebookHasItsFirstCells(t *testing.T) {
	w := newWorld(t, withFirst)
	made := w.bookOfCells(t, ownerToken, "Fish & chips", 60)
	for range 2 {
		a := w.page(t, made.ID, ownerToken)
		rows, screen := rowsIn(t, a.body, made.ID)
		if len(rows.Cells) != 40 || rows.Status.Role != "owner" || rows.Status.Seq == 0 || rows.Notebook.Title != "Fish & chips" {
			t.Errorf("got %d cells of %+v, %+v, want 40 and who one is", len(rows.Cells), rows.Notebook, rows.Status)
		}
		for _, want := range []string{"Fish &amp; chips", "print(0)", "print(5)", "[6]", "<body><div id=\"first\""} {
			if !strings.Contains(screen, want) {
				t.Errorf("got %s, want %q in it", screen, want)
			}
		}
		if got := a.header.Get("Cache-Control"); !strings.Contains(got, "no-store") {
			t.Errorf("got Cache-Control %q, want that nobody keeps it", got)
		}
		w = w.again(t, withFirst)
	}
}

func TestThePageSaysNothingOfANotebookToWhoMayNotReadIt(t *testing.T) {
	w := newWorld(t, withFirst)
	made := w.bookOfCells(t, ownerToken, "Secret", 3)
	gone := w.bookOfCells(t, ownerToken, "Gone", 3)
	w.do(t, request{method: "DELETE", path: "/api/notebooks/" + gone.ID, token: ownerToken}).want(t, 204)
	w.store.grant(made.ID, "bob", "viewer")
	plain := w.page(t, "no-such-notebook", person(t, "stranger")).body
	for what, got := range map[string]string{
		"a stranger":           w.page(t, made.ID, person(t, "stranger")).body,
		"of a deleted one":     w.page(t, gone.ID, ownerToken).body,
		"the page without one": w.do(t, request{method: "GET", path: "/", token: ownerToken}).want(t, 200).body,
	} {
		if got != plain {
			t.Errorf("%s: got %s, want the page without a notebook", what, got)
		}
	}
	if out := w.page(t, made.ID, "").body; strings.Contains(out, "Secret") || !strings.Contains(out, "not signed in") {
		t.Errorf("got %s, want how to sign in and nothing else", out)
	}
	if rows, _ := rowsIn(t, w.page(t, made.ID, person(t, "bob")).body, made.ID); rows.Status.Role != "viewer" {
		t.Errorf("got role %q, want viewer", rows.Status.Role)
	}
}

func TestNothingThatANotebookSaysBecomesMarkup(t *testing.T) {
	w := newWorld(t, withFirst)
	evil := []string{
		`</script><script>alert(1)</script>`, `<!--<script>`, `</pre></div><img src=x onerror=alert(1)>`, `"><svg onload=alert(1)>`,
		"\u2028\u2029`${alert(1)}`", `&lt;b&gt;`, `<!-- first -->`,
	}
	for _, text := range evil {
		made := w.importCells(t, text,
			code(text, stream(text), displayed(map[string]any{"text/plain": text})),
			map[string]any{"cell_type": "markdown", "source": "# " + text + "\n\n" + text},
			map[string]any{"cell_type": "raw", "source": text})
		rows, screen := rowsIn(t, w.page(t, made.ID, ownerToken).body, made.ID)
		if got := rows.Cells[0].Text.Source; got != text {
			t.Errorf("got source %q, want %q", got, text)
		}
		for _, tag := range []string{"<script", "<img", "<svg", "</script", "<!--", "<b>"} {
			if strings.Contains(strings.Replace(screen, `<b class=`, "", 1), tag) {
				t.Errorf("%q: got %s in %s", text, tag, screen)
			}
		}
		if got := strings.Count(screen, "<pre"); got != strings.Count(screen, "</pre>") || got != 4 {
			t.Errorf("%q: got %d texts in %s, want two sources and two outputs", text, got, screen)
		}
	}
}

func TestTheFirstScreenEndsWhereHeightsAreNotKnown(t *testing.T) {
	w := newWorld(t, withFirst)
	for name, c := range map[string]struct {
		output map[string]any
		shown  bool
	}{
		"text":         {stream("out\n"), true},
		"a long text":  {stream(strings.Repeat("out\n", 50)), false},
		"a plain text": {displayed(map[string]any{"text/plain": "out"}), true},
		"a page":       {displayed(map[string]any{"text/plain": "out", "text/html": "<p>out"}), false},
		"an error":     {map[string]any{"output_type": "error", "ename": "E", "evalue": "out", "traceback": []string{}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			made := w.importCells(t, "T", code("first", c.output), code("second"))
			_, screen := rowsIn(t, w.page(t, made.ID, ownerToken).body, made.ID)
			if got := strings.Contains(screen, "second"); got != c.shown || !strings.Contains(screen, "first") {
				t.Errorf("got %s, want what follows: %v", screen, c.shown)
			}
		})
	}
}

func TestWhatAProgramPrintedIsShownAsATerminalDoes(t *testing.T) {
	w := newWorld(t, withFirst)
	made := w.importCells(t, "T", code("x", stream("\x1b[31mred\x1b[0m \x1b]8;;http://a\x07link\x1b]8;;\x07\r\n 10 %\r 20 %\r\nend\n")))
	_, screen := rowsIn(t, w.page(t, made.ID, ownerToken).body, made.ID)
	if want := "\nred link\n 20 %\nend</pre>"; !strings.Contains(screen, want) {
		t.Errorf("got %q, want %q in it", screen, want)
	}
}

func TestAPageCarriesNoRowsThatAreTooManyBytes(t *testing.T) {
	w := newWorld(t, withFirst)
	made := w.importCells(t, "T", code(strings.Repeat("long line of a source\n", 40_000)))
	got := w.page(t, made.ID, ownerToken).body
	if strings.Contains(got, "first-rows") || !strings.Contains(got, "long line") || len(got) > 100_000 {
		t.Errorf("got %d bytes, want a screen without rows", len(got))
	}
}

func TestThePageIsCompressedForWhoTakesThat(t *testing.T) {
	w := newWorld(t, withFirst)
	made := w.bookOfCells(t, ownerToken, "Fish", 60)
	plain := w.page(t, made.ID, ownerToken).body
	a := w.do(t, request{method: "GET", path: "/nb/" + made.ID, token: ownerToken, header: map[string]string{"Accept-Encoding": "gzip"}}).want(t, 200)
	unpacked, err := gzip.NewReader(strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil || string(data) != plain || len(a.body) > len(plain)/2 || a.header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("got %d bytes of %d, %v and %v, want the same page", len(a.body), len(plain), a.header, err)
	}
}

func TestThePageDoesWithoutANotebookThatCannotBeRead(t *testing.T) {
	w := newWorld(t, withFirst)
	w.book("b1")
	old := w.store.log("b1")
	w.store.crash("b1")
	w.store.put("b1", old)
	if got := w.page(t, "b1", ownerToken).body; strings.Contains(got, "first-rows") || !strings.Contains(got, "root") {
		t.Errorf("got %s, want the page alone", got)
	}
}
