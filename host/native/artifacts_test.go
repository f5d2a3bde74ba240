package native_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/runtime"
	"github.com/quirehq/quire/host/native"
)

func nameOf(content string) event.Artifact {
	sum := sha256.Sum256([]byte(content))
	return event.Artifact{Hash: hex.EncodeToString(sum[:]), Size: int64(len(content))}
}

// keeping is a server that stores artifacts after some failures.
type keeping struct {
	*httptest.Server
	fails   []func(http.ResponseWriter, *http.Request)
	tries   atomic.Int32
	content map[string]string
}

func newKeeping(t *testing.T, fails ...func(http.ResponseWriter, *http.Request)) *keeping {
	t.Helper()
	k := &keeping{fails: fails, content: map[string]string{}}
	k.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := int(k.tries.Add(1)); n <= len(k.fails) {
			k.fails[n-1](w, r)
			return
		}
		if r.Method != http.MethodPost || r.URL.Path != "/artifacts" || r.Header.Get("Authorization") != "Bearer key" {
			http.Error(w, "", http.StatusForbidden)
			return
		}
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		a := nameOf(string(data))
		k.content[a.Hash] = string(data)
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(a)
	}))
	t.Cleanup(k.Close)
	return k
}

func (k *keeping) uploader() *native.Uploader {
	return &native.Uploader{Target: func() (native.Target, error) {
		return native.Target{URL: k.URL + "/artifacts", Token: "key"}, nil
	}}
}

func TestAnUploadIsKeptWhole(t *testing.T) {
	k := newKeeping(t)
	for _, content := range []string{"", "x", strings.Repeat("much ", 1<<20)} {
		r := strings.NewReader(content)
		_, _ = io.CopyN(io.Discard, r, 1) // a store begins at the beginning
		got, err := k.uploader().Put(t.Context(), r)
		if err != nil || got != nameOf(content) || k.content[got.Hash] != content {
			t.Errorf("%d bytes: got %v and %v", len(content), got, err)
		}
	}
}

func TestAG63AnUploadIsTriedAgainWhenTheServerWasAwayOrCutItOff(t *testing.T) {
	status := func(code int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", code) }
	}
	cut := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.CopyN(io.Discard, r.Body, 1000)
		panic(http.ErrAbortHandler)
	}
	k := newKeeping(t, status(503), cut, status(429), status(502))
	u, away := k.uploader(), true
	here := u.Target
	u.Target = func() (native.Target, error) {
		if away {
			away = false
			return native.Target{}, errors.New("there is no server")
		}
		return here()
	}
	content := strings.Repeat("much ", 1<<18)
	got, err := u.Put(t.Context(), strings.NewReader(content))
	if err != nil || got != nameOf(content) || k.content[got.Hash] != content || k.tries.Load() != 5 {
		t.Errorf("got %v and %v after %d tries", got, err, k.tries.Load())
	}
}

func TestAG63AnUploadThatIsGivenUpSaysWhy(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	u := &native.Uploader{Target: func() (native.Target, error) {
		cancel()
		return native.Target{}, errors.New("there is no server")
	}}
	if _, err := u.Put(ctx, strings.NewReader("x")); err == nil || !strings.Contains(err.Error(), "there is no server") {
		t.Errorf("got %v", err)
	}
}

func TestAG64WhatAServerRefusesIsNotTriedAgain(t *testing.T) {
	for _, code := range []int{403, 413, 507} {
		k := newKeeping(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			fmt.Fprint(w, `{"detail":"the notebook has too much"}`)
		})
		if _, err := k.uploader().Put(t.Context(), strings.NewReader("x")); err == nil || err.Error() != "the notebook has too much" {
			t.Errorf("%d: got %v", code, err)
		}
	}
}

// damaged fails to be read.
type damaged struct{ *bytes.Reader }

func (damaged) Read([]byte) (int, error) { return 0, errors.New("bad sector") }

func TestAG64WhatCannotBeReadIsNotTriedAgain(t *testing.T) {
	k := newKeeping(t)
	if _, err := k.uploader().Put(t.Context(), damaged{bytes.NewReader(make([]byte, 10))}); err == nil || !strings.Contains(err.Error(), "bad sector") {
		t.Errorf("got %v", err)
	}
}

func TestAFolderHasWhatWasPutThere(t *testing.T) {
	dir := t.TempDir()
	f := native.NewFolder(dir)
	for range 2 {
		a, err := f.Put(t.Context(), strings.NewReader("content"))
		if err != nil || a != nameOf("content") {
			t.Fatalf("got %v and %v", a, err)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("got %d files, want one", len(files))
	}
	r, err := f.Open(t.Context(), nameOf("content"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if got, err := io.ReadAll(r); string(got) != "content" || err != nil {
		t.Errorf("got %q and %v", got, err)
	}
	if _, err := f.Open(t.Context(), nameOf("other")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v for what is not there", err)
	}
	if _, err := f.Open(t.Context(), event.Artifact{Hash: "../" + filepath.Base(dir)}); err == nil {
		t.Error("a path was taken for a hash")
	}
}

func TestAG67WhatWaitedInTheSpoolOfAKilledRuntimeIsFound(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	spool, err := native.OpenSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer spool.Close()
	newScratch := native.ScratchIn(dir)
	for _, w := range []runtime.Waiting{{Output: "c-o10", Run: "r", Epoch: 1}, {Output: "c-o9", Run: "r", Epoch: 1}, {Output: "c-o11", Run: "r", Epoch: 1}, {Output: "c-o8", Run: "r", Epoch: 1}} {
		s, err := newScratch(w)
		if err != nil {
			t.Fatal(err)
		}
		if w.Output != "c-o8" { // which nothing was written to
			if _, err := io.WriteString(s, string(w.Output)); err != nil {
				t.Fatal(err)
			}
		}
		if w.Output == "c-o11" { // which was stored
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	found, err := native.AbandonedIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	var ids []event.OutputID
	for _, a := range found {
		ids = append(ids, a.Output)
		if data, err := os.ReadFile(a.Path); string(data) != string(a.Output) || a.Run != "r" || a.Epoch != 1 {
			t.Errorf("got %v with %q and %v", a, data, err)
		}
	}
	if diff := cmp.Diff([]event.OutputID{"c-o9", "c-o10"}, ids); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if drafts, err := native.ReadSpool(dir); len(drafts) != 0 || err != nil {
		t.Errorf("got events %v and %v", drafts, err)
	}
}
