package server_test

import (
	"context"
	"errors"
	"mime"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/artifact"
	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/notebook"
	"github.com/quirehq/quire/host/server"
)

const file = `{"cells":[{"cell_type":"code","execution_count":1,"id":"k1","metadata":{},"outputs":[],"source":["1+1"]},` +
	`{"cell_type":"markdown","id":"k2","metadata":{},"source":["# hi"]}],` +
	`"metadata":{"title":"From Jupyter"},"nbformat":4,"nbformat_minor":5}`

func (w *world) importFile(t *testing.T, query, body string) answer {
	t.Helper()
	return w.do(t, request{
		method: "POST", path: "/api/notebooks/import" + query, token: ownerToken, body: body,
		header: map[string]string{"Content-Type": "application/x-ipynb+json"},
	})
}

func TestAJupyterFileGoesInAndOut(t *testing.T) {
	w := newWorld(t)
	var made directory.Listing
	w.importFile(t, "?title=Mine", file).want(t, 201).into(t, &made)
	if got, want := made.Title, "Mine"; got != want {
		t.Errorf("got title %q, want %q", got, want)
	}
	a := w.do(t, request{method: "GET", path: "/api/notebooks/" + made.ID + "/export", token: ownerToken}).want(t, 200)
	var got struct {
		Cells []struct {
			ID     string   `json:"id"`
			Source []string `json:"source"`
		} `json:"cells"`
	}
	a.into(t, &got)
	if len(got.Cells) != 2 || got.Cells[0].ID != "k1" || got.Cells[1].Source[0] != "# hi" {
		t.Errorf("got %s", a.body)
	}
	if got, want := a.header.Get("Content-Disposition"), `attachment; filename=Mine.ipynb`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheNameOfAnExportedFileCannotLeaveItsHeader(t *testing.T) {
	w := newWorld(t)
	for title, want := range map[string]string{
		"a\"b\r\nSet-Cookie: x=1": "a-b--Set-Cookie- x=1.ipynb", "../../etc/passwd": "etc-passwd.ipynb", `C:\x`: "C--x.ipynb",
		"日本": "日本.ipynb", "<script>": "script.ipynb", ";x=y": ";x=y.ipynb", ".hidden": "hidden.ipynb", "/": "notebook.ipynb",
		"a\u0085b": "a-b.ipynb", "plot\u202eexe": "plot-exe.ipynb", "a\u2028b": "a-b.ipynb", "می\u200cخواهم": "می\u200cخواهم.ipynb",
		strings.Repeat("é", 300): strings.Repeat("é", 100) + ".ipynb",
	} {
		made := w.create(t, ownerToken, title)
		a := w.do(t, request{method: "GET", path: "/api/notebooks/" + made.ID + "/export", token: ownerToken}).want(t, 200)
		kind, params, err := mime.ParseMediaType(a.header.Get("Content-Disposition"))
		if err != nil || kind != "attachment" || params["filename"] != want || a.header.Get("Set-Cookie") != "" {
			t.Errorf("%q: got %v, %v, want the name %q", title, a.header, err, want)
		}
	}
}

func TestAnImportIsWholeOrNothing(t *testing.T) {
	w := newWorld(t)
	damaged := strings.Replace(file, `"source":["# hi"]`, `"source":7`, 1)
	a := w.importFile(t, "", damaged).want(t, 422)
	if got, want := a.problem(t).Detail, "cells[1].source"; !strings.Contains(got, want) {
		t.Errorf("got %q, want the place %s", got, want)
	}
	w.importFile(t, "?title="+strings.Repeat("x", 2000), file).want(t, 400).problem(t)
	w.importFile(t, "", "{}").want(t, 422).problem(t)
	if n := len(w.store.books); n != 0 {
		t.Errorf("got %d notebooks, want none", n)
	}
	var made directory.Listing
	w.importFile(t, "", file).want(t, 201).into(t, &made)
	var first event.Time
	for _, e := range w.events(t, made.ID, "") {
		if first == 0 {
			first = e.Time
		}
		if e.Actor != "person:owner" {
			t.Errorf("got actor %s, want person:owner", e.Actor)
		}
	}
	if got, want := w.store.appends(made.ID), 1; got != want {
		t.Errorf("got %d appends, want %d", got, want)
	}
}

// withPage lends a server a page of HTML.
func withPage(c *server.Config) {
	c.Page = func(_ context.Context, n *notebook.Notebook, _ artifact.Source) ([]byte, error) {
		return []byte("<title>" + n.Title() + "</title>"), nil
	}
}

func TestANotebookIsExportedInTheFormatThatIsAskedFor(t *testing.T) {
	w := newWorld(t, withPage)
	var made directory.Listing
	w.importFile(t, "?title=Mine", file).want(t, 201).into(t, &made)
	for _, test := range []struct{ format, name, kind, want string }{
		{"", "Mine.ipynb", "application/x-ipynb+json", `"1+1"`},
		{"ipynb", "Mine.ipynb", "application/x-ipynb+json", `"1+1"`},
		{"py", "Mine.py", "text/x-python; charset=utf-8", "# %%\n1+1\n\n# %% [markdown]\n# # hi\n"},
		{"PY", "Mine.py", "text/x-python; charset=utf-8", "# %%\n1+1\n"},
		{"js", "Mine.js", "application/octet-stream", "// %% [markdown]\n// # hi\n"},
		{"md", "Mine.md", "text/markdown; charset=utf-8", "```python\n1+1\n```\n\n# hi\n"},
		{"html", "Mine.html", "text/html; charset=utf-8", "<title>Mine</title>"},
	} {
		a := w.do(t, request{method: "GET", path: "/api/notebooks/" + made.ID + "/export?format=" + test.format, token: ownerToken}).want(t, 200)
		_, params, err := mime.ParseMediaType(a.header.Get("Content-Disposition"))
		if err != nil || params["filename"] != test.name || a.header.Get("Content-Type") != test.kind || !strings.Contains(a.body, test.want) {
			t.Errorf("%q: got %v with\n%s\nwant %s of %s with %q", test.format, a.header, a.body, test.name, test.kind, test.want)
		}
		if got := a.header.Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%q: got X-Content-Type-Options %q", test.format, got)
		}
		policy := a.header.Get("Content-Security-Policy")
		if strings.Contains(policy, "script") || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "sandbox") != (test.format == "html") {
			t.Errorf("%q: got the policy %q", test.format, policy)
		}
	}
}

func TestAFormatThatThereIsNotIsRefused(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	for _, format := range []string{"docx", "html", "../x", "."} { // the server is lent no page
		a := w.do(t, request{method: "GET", path: "/api/notebooks/b1/export?format=" + format, token: ownerToken}).want(t, 400)
		if a.problem(t).Code != "invalid" {
			t.Errorf("%q: got %s", format, a.body)
		}
	}
	w.importFile(t, "?format=docx", file).want(t, 400).problem(t)
	w.importFile(t, "?format=html", "<p>").want(t, 400).problem(t)
}

func TestAPageThatCannotBeWrittenIsAnErrorOfTheServer(t *testing.T) {
	w := newWorld(t, func(c *server.Config) {
		c.Page = func(context.Context, *notebook.Notebook, artifact.Source) ([]byte, error) {
			return nil, errors.New("no ink")
		}
	})
	w.book("b1")
	a := w.do(t, request{method: "GET", path: "/api/notebooks/b1/export?format=html", token: ownerToken}).want(t, 500)
	if strings.Contains(a.problem(t).Detail, "ink") || !strings.Contains(w.log.String(), "no ink") {
		t.Errorf("got %s with the log\n%s", a.body, w.log)
	}
}

func TestAFileIsReadInTheFormatThatItHas(t *testing.T) {
	w := newWorld(t)
	const program, text = "# %% [markdown]\n# hi\n\n# %%\n1+1\n", "hi\n\n```python\n1+1\n```\n"
	for _, test := range []struct{ query, kind, body, want string }{
		{"?format=py", "application/octet-stream", program, "markdown code"},
		{"?format=py", "application/json", program, "markdown code"},
		{"", "text/x-python", program, "markdown code"},
		{"", "application/octet-stream", program, "markdown code"},
		{"", "text/x-python", "1+1\n", "code"},
		{"", "text/markdown", text, "markdown code"},
		{"?format=md", "text/x-python", text, "markdown code"},
		{"?format=lua", "application/octet-stream", "-- %% [raw]\n-- x\n", "raw"},
		{"", "application/octet-stream", "\n " + file, "code markdown"},
		{"", "application/json", file, "code markdown"},
	} {
		var made directory.Listing
		w.do(t, request{
			method: "POST", path: "/api/notebooks/import" + test.query, token: ownerToken, body: test.body,
			header: map[string]string{"Content-Type": test.kind},
		}).want(t, 201).into(t, &made)
		var kinds []string
		for _, e := range w.events(t, made.ID, "") {
			if p, ok := e.Payload.(*event.CellCreated); ok {
				kinds = append(kinds, string(p.Kind))
			}
		}
		if got := strings.Join(kinds, " "); got != test.want {
			t.Errorf("%s of %s: got cells %q, want %q", test.query, test.kind, got, test.want)
		}
	}
}

func TestAFileThatCannotBeReadNamesThePlace(t *testing.T) {
	w := newWorld(t)
	for _, test := range []struct{ query, body, want string }{
		{"", `{"nbformat":4,"cells":[{"cell_type":"code","outputs":[{}]}]}`, "the file is not a Jupyter notebook that can be read: cells[0].outputs[0].output_type: it is missing or empty"},
		{"?format=py", "x\n\xff", "the file is not a program that can be read: line 2: "},
		{"?format=md", "\xff", "the file is not Markdown that can be read: line 1: "},
	} {
		a := w.importFile(t, test.query, test.body).want(t, 422)
		if got := a.problem(t).Detail; !strings.HasPrefix(got, test.want) {
			t.Errorf("got %q, want one that begins %q", got, test.want)
		}
	}
	if n := len(w.store.books); n != 0 {
		t.Errorf("got %d notebooks, want none", n)
	}
}

func TestAnExportSaysHowManyAttachedFilesItLeavesOut(t *testing.T) {
	const attached = `{"cells":[{"cell_type":"markdown","id":"k","metadata":{},"source":["![](attachment:a.png)"],` +
		`"attachments":{"a.png":{"image/png":"iVBORw0KGgo="}}}],"metadata":{},"nbformat":4,"nbformat_minor":5}`
	w := newWorld(t)
	var made directory.Listing
	w.importFile(t, "", attached).want(t, 201).into(t, &made)
	for format, want := range map[string]string{"ipynb": "", "py": "1", "md": "1"} {
		a := w.do(t, request{method: "GET", path: "/api/notebooks/" + made.ID + "/export?format=" + format, token: ownerToken}).want(t, 200)
		if got := a.header.Get(server.AttachmentsLeftOut); got != want {
			t.Errorf("%s: got %q, want %q", format, got, want)
		}
	}
}
