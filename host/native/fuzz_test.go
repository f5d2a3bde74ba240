package native_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/native"
)

// FuzzSpoolFiles reads what a runtime has left, cut or damaged anywhere: the events before the
// damage come back, and the error names the file and the line.
func FuzzSpoolFiles(f *testing.F) {
	line := func(n uint64) []byte {
		d := printed(n, "é\n")
		data, err := event.AppendDraft(nil, &d)
		if err != nil {
			f.Fatal(err)
		}
		return append(data, '\n')
	}
	whole := append(line(1), line(2)...)
	f.Add(whole, []byte(`{"output":"o.1","run":"r","epoch":1}`))
	f.Add(whole[:len(whole)-3], []byte(`{"output":"../o","run":1}`))
	f.Add(append(line(1), "{}\n"...), []byte(``))
	f.Add([]byte("\n\n"), []byte(`null`))
	dir := f.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "text"), 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data, about []byte) {
		for name, content := range map[string][]byte{"000000001": whole, "000000002": data, "text/o.1.json": about, "text/o.1.text": []byte("text")} {
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		drafts, err := native.ReadSpool(dir)
		if len(drafts) < 2 || drafts[0].ID.N != 1 || drafts[1].ID.N != 2 {
			t.Fatalf("got %v, want the events of the file before", drafts)
		}
		lines := bytes.Count(data, []byte("\n"))
		switch {
		case err == nil && len(drafts) != 2+lines:
			t.Fatalf("got %d events of %d lines", len(drafts)-2, lines)
		case err != nil && !strings.Contains(err.Error(), fmt.Sprintf("000000002: line %d: ", len(drafts)-1)):
			t.Fatalf("got %v behind %d events, want the file and the line", err, len(drafts)-2)
		}
		waiting, err := native.AbandonedIn(dir)
		if err != nil || len(waiting) > 1 || len(waiting) == 1 && waiting[0].Path != filepath.Join(dir, "text", "o.1.text") {
			t.Fatalf("got %+v and %v", waiting, err)
		}
	})
}

// answering is a server that says something, whatever it is asked.
type answering struct {
	status int
	header http.Header
	body   []byte
}

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
	return &http.Response{
		StatusCode: a.status, Status: fmt.Sprintf("%d x", a.status), Header: a.header, Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(io.MultiReader(bytes.NewReader(a.body), strings.NewReader(strings.Repeat(" ", 1<<16)))),
	}, nil
}

// FuzzUploadAnswers wants an artifact to count as stored only if a server confirms all of it.
func FuzzUploadAnswers(f *testing.F) {
	hash := nameOf("content").Hash
	f.Add(201, []byte(`{"hash":"`+hash+`","size":7}`))
	f.Add(201, []byte(`{"hash":"`+hash+`","size":6}`))
	f.Add(200, []byte(`{"hash":"x","size":7}`))
	f.Add(413, []byte(`{"detail":"the body is larger than this server accepts"}`))
	f.Add(302, []byte(`{`))
	f.Add(400, []byte(``))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 499 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout {
			return // it would be tried again, in time
		}
		u := native.Uploader{Target: func() (native.Target, error) {
			return native.Target{URL: "http://127.0.0.1:1/artifacts", Client: &http.Client{Transport: answering{status: status, header: http.Header{}, body: body}}}, nil
		}}
		a, err := u.Put(t.Context(), strings.NewReader("content"))
		if err == nil && (a.Size != 7 || a.Check() != nil || status >= 300) {
			t.Fatalf("got %+v of %d %s", a, status, body)
		}
		if err != nil && err.Error() == "" {
			t.Fatalf("got an error that says nothing of %d %s", status, body)
		}
	})
}
