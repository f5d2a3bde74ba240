package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server"
	"github.com/quirehq/quire/host/server/artifacts"
)

func TestAR20WhatIsUploadedComesBackAndUploadingItAgainIsTheSame(t *testing.T) {
	w := newArtifactWorld(t)
	for _, data := range []string{"", "x", png, strings.Repeat("long\n", 100_000)} {
		a := w.upload(t, "b1", data)
		w.upload(t, "b1", data)
		got := w.do(t, download("b1", a, "")).want(t, 200)
		if got.body != data || got.header.Get("Content-Length") != fmt.Sprint(len(data)) {
			t.Errorf("got %d bytes, want %d", len(got.body), len(data))
		}
	}
}

func TestAR10AnArtifactOfAnotherNotebookDoesNotExist(t *testing.T) {
	w := newArtifactWorld(t)
	w.book("b2")
	a := w.upload(t, "b1", "secret")
	token := key(t, "b2", access.Editor)
	for _, q := range []request{
		download("b2", a, ""),
		{method: "HEAD", path: download("b2", a, "").path},
		{method: "POST", path: download("b2", a, "/link").path, body: `{}`},
	} {
		q.token = token
		got := w.do(t, q).want(t, 404)
		if q.method != "HEAD" && !strings.Contains(got.problem(t).Detail, "no such artifact") {
			t.Errorf("%s: got %s", q.method, got.body)
		}
		q.token = key(t, "b1", access.Viewer)
		q.path = strings.Replace(q.path, "/b2/", "/b1/", 1)
		if got := w.do(t, q); got.status >= 400 {
			t.Errorf("%s of the notebook that has it: got %d %s", q.method, got.status, got.body)
		}
	}
	p := w.join(t, "b2", token, "c1")
	if no := p.refused(p.push(&event.FileAttached{Name: "f", Artifact: a})[0]); no.Code != "not-found" {
		t.Errorf("an event of b2: got %+v, want that it is not found", no)
	}
	p = w.join(t, "b1", key(t, "b1", access.Editor), "c1")
	p.committed(p.push(&event.FileAttached{Name: "f", Artifact: a})[0])
}

func TestAR11AServerThatKeepsNoArtifactsTakesNoneAndNoEventsOfThem(t *testing.T) {
	w := newWorld(t)
	w.book("b1")
	w.do(t, uploadOf("b1", "x")).want(t, 503).problem(t)
	w.do(t, download("b1", artifactOf("x"), "")).want(t, 503).problem(t)
	p := w.join(t, "b1", ownerToken, "c1")
	p.refused(p.push(&event.FileAttached{Name: "f", Artifact: artifactOf("x")})[0])
}

func TestAR15AnArtifactAndANotebookMayHaveSoManyBytes(t *testing.T) {
	w := newArtifactWorld(t, func(c *server.Config) { c.Limits.Artifact, c.Limits.NotebookArtifacts = 1000, 2500 })
	w.book("b2")
	full, over := strings.Repeat("a", 1000), strings.Repeat("b", 1001)
	w.upload(t, "b1", full)
	for _, length := range []int64{1001, -1} { // known before, and not
		resp := w.stream(t, "b1", strings.NewReader(over), length)
		body, err := io.ReadAll(resp.Body)
		if resp.StatusCode != 413 || err != nil || !strings.Contains(string(body), "at most 1000 bytes") {
			t.Errorf("got %d %s and %v, want that it is too large", resp.StatusCode, body, err)
		}
		_ = resp.Body.Close()
	}
	w.upload(t, "b1", strings.Repeat("c", 1000))
	got := w.do(t, uploadOf("b1", strings.Repeat("d", 501))).want(t, 413).problem(t)
	if !strings.Contains(got.Detail, "2500 bytes") {
		t.Errorf("got %q, want the limit in it", got.Detail)
	}
	w.upload(t, "b1", strings.Repeat("d", 500))
	w.upload(t, "b1", full)
	w.upload(t, "b2", strings.Repeat("d", 501))
}

// stream sends a body of which the length need not be known, -1 for that.
func (w *world) stream(t *testing.T, book string, body io.Reader, length int64) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(soon(t), "POST", w.url+uploadOf(book, "").path, struct{ io.Reader }{body})
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = length
	req.Header.Set("Authorization", "Bearer "+ownerToken)
	resp, err := w.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func TestAR15ANotebookHasSoManyUploadsAtOnce(t *testing.T) {
	const most, all = 2, 5
	w := newArtifactWorld(t, func(c *server.Config) { c.Limits.Uploads = most })
	w.book("b2")
	answers := make(chan int, all)
	var ends []*io.PipeWriter
	for range all {
		body, end := io.Pipe()
		ends = append(ends, end)
		go func() {
			resp := w.stream(t, "b1", body, -1)
			answers <- resp.StatusCode
			_ = resp.Body.Close()
		}()
	}
	for range all - most {
		if got := <-answers; got != 429 { // while none has sent anything
			t.Errorf("got %d, want 429", got)
		}
	}
	w.upload(t, "b2", "elsewhere")
	for _, end := range ends {
		_, _ = io.WriteString(end, "begun") // not of those that were refused
		_ = end.Close()
	}
	for range most {
		if got := <-answers; got != 201 {
			t.Errorf("got %d, want 201", got)
		}
	}
	w.upload(t, "b1", "third")
}

func TestAR2AnUploadThatIsCutOffLeavesNothingAndIsNoFaultOfTheServer(t *testing.T) {
	dir := t.TempDir()
	w := newWorld(t, withArtifacts(t, dir))
	w.book("b1")
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: 1000\r\n\r\nhalf of it",
		uploadOf("b1", "").path, strings.TrimPrefix(w.url, "http://"), ownerToken)
	if _, err := io.WriteString(conn, head); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if resp.StatusCode != 400 || !strings.Contains(string(body), "before all of it was there") {
		t.Errorf("got %d %s", resp.StatusCode, body)
	}
	left := 0
	err = fs.WalkDir(os.DirFS(dir), "artifacts", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasSuffix(path, "owner") {
			left++
		}
		return err
	})
	if err != nil || left > 0 {
		t.Errorf("got %d files and %v, want none", left, err)
	}
	if strings.Contains(w.log.String(), "level=ERROR") {
		t.Errorf("got in the log: %s", w.log.String())
	}
}

func TestAR1ManyUploadTheSameAtOnce(t *testing.T) {
	w := newArtifactWorld(t, func(c *server.Config) { c.Limits.NotebookArtifacts = 300_000 })
	data := strings.Repeat("same", 50_000)
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() { w.upload(t, "b1", data) })
	}
	all.Wait()
	if got := w.do(t, download("b1", artifactOf(data), "")).want(t, 200); got.body != data {
		t.Errorf("got %d other bytes", len(got.body))
	}
}

// faulty are bytes that cannot be kept.
type faulty struct {
	artifacts.Bytes
	err error
}

func (f faulty) Put(_ context.Context, r io.Reader, _ func(event.Artifact) error) (event.Artifact, error) {
	_, err := io.Copy(io.Discard, r)
	return event.Artifact{}, errors.Join(err, f.err)
}

func TestAnArtifactThatCannotBeKeptIsSaidAndTheReasonIsInTheLog(t *testing.T) {
	for err, want := range map[error]int{fmt.Errorf("write: %w", syscall.ENOSPC): 503, errors.New("disk on fire"): 500} {
		w := newArtifactWorld(t, func(c *server.Config) { c.Artifacts.Bytes = faulty{c.Artifacts.Bytes, err} })
		p := w.do(t, uploadOf("b1", "x")).want(t, want).problem(t)
		if strings.Contains(p.Detail, err.Error()) || want == 503 && !strings.Contains(p.Detail, "full") {
			t.Errorf("got %q", p.Detail)
		}
		if !strings.Contains(w.log.String(), err.Error()) {
			t.Errorf("got no %q in the log", err)
		}
	}
}

func TestAR11WhileTheIndexCannotBeAskedNoEventIsLostAndNoneIsTaken(t *testing.T) {
	index := &stuck{}
	w := newArtifactWorld(t, func(c *server.Config) {
		index.Index = c.Artifacts.Index
		c.Artifacts.Index = index
	})
	a := w.upload(t, "b1", "x")
	index.set(errors.New("disk on fire"))
	p := w.join(t, "b1", ownerToken, "c1")
	p.push(&event.FileAttached{Name: "f", Artifact: a})
	if got := fmt.Sprintf("%T", p.ended()); got != "*protocol.Resume" {
		t.Errorf("got %s last, want that it is to connect again", got)
	}
	index.set(nil)
	p = w.join(t, "b1", ownerToken, "c1")
	p.committed(p.push(&event.FileAttached{Name: "f", Artifact: a})[0])
}

// stuck is an index that cannot note mentions while it has an error.
type stuck struct {
	artifacts.Index
	mu  sync.Mutex
	err error
}

func (s *stuck) set(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

func (s *stuck) MentionArtifacts(ctx context.Context, notebook string, list []event.Artifact) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	return s.Index.MentionArtifacts(ctx, notebook, list)
}

func TestAR13ACopyHasTheArtifactsOfOutputsAndFiles(t *testing.T) {
	w := newArtifactWorld(t)
	picture, table := w.upload(t, "b1", png), w.upload(t, "b1", "a,b\n")
	loose := w.upload(t, "b1", "never mentioned")
	outputs := []event.Output{
		{Kind: event.OutputStream, Stream: event.Stdout, Text: "head", Artifacts: map[string]event.Artifact{"text/plain": table}},
		{Kind: event.OutputDisplay, Artifacts: map[string]event.Artifact{"image/png": picture}},
	}
	p := w.join(t, "b1", ownerToken, "c1")
	ids := p.push(
		&event.CellCreated{Cell: "none", Kind: event.KindMarkdown, Order: "A"},
		&event.CellCreated{Cell: "a", Kind: event.KindCode, Language: "python", Order: "B"},
		&event.OutputsImported{Cell: "a", Outputs: outputs, Count: 3},
		&event.FileAttached{Name: "t.csv", MIME: "text/csv", Artifact: table},
	)
	p.committed(ids[3])
	var made struct{ ID string }
	w.do(t, request{method: "POST", path: "/api/notebooks/b1/duplicate", token: ownerToken, body: `{}`}).want(t, 201).into(t, &made)
	for a, want := range map[event.Artifact]int{picture: 200, table: 200, loose: 404} {
		w.do(t, download(made.ID, a, "")).want(t, want)
	}
	log := w.do(t, request{method: "GET", path: "/api/notebooks/" + made.ID + "/log", token: ownerToken}).want(t, 200).body
	for _, part := range []string{`"text":"head","artifacts":{"text/plain":`, `"artifacts":{"image/png":`, `"name":"t.csv"`, `"count":3`} {
		if !strings.Contains(log, part) {
			t.Errorf("got no %s in the log of the copy:\n%s", part, log)
		}
	}
	if strings.Contains(log, "is not in this file") {
		t.Errorf("got the note of a file in the log of the copy:\n%s", log)
	}
}

func TestAR14TheArtifactsOfADeletedNotebookAreThereWhenItIsRestored(t *testing.T) {
	w := newArtifactWorld(t)
	a := w.upload(t, "b1", "x")
	w.do(t, request{method: "DELETE", path: "/api/notebooks/b1", token: ownerToken}).want(t, 204)
	w.do(t, download("b1", a, "")).want(t, 404)
	w.do(t, request{method: "POST", path: "/api/notebooks/b1/restore", token: ownerToken}).want(t, 200)
	w.do(t, download("b1", a, "")).want(t, 200)
}
