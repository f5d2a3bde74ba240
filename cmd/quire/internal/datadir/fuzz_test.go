package datadir

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/host/server"
)

// maxComplaint bounds an error: a user has to read it.
const maxComplaint = 4 << 10

// FuzzAuditFiles has a record go on from any file: an act that is added is read back, behind
// the readable acts of the file.
func FuzzAuditFiles(f *testing.F) {
	f.Add([]byte(`{"time":"2030-01-02T15:04:05Z","kind":"sign-in","actor":"person:owner","from":"127.0.0.1"}`+"\n"), int64(0))
	f.Add([]byte(`{"time":"2030-01-02T15:04:05Z","kind":"run","detail":{"cell":"a"}}`+"\n"+`{"time":"2030-01-`), int64(1_893_596_645))
	f.Add([]byte("\n\n[]\nnull\n{\"time\":1}\r\n"), int64(-1))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, since int64) {
		if err := os.WriteFile(filepath.Join(dir, auditFile), data, 0o600); err != nil {
			t.Fatal(err)
		}
		record, err := OpenAudit(dir, AuditSize, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		added := server.Act{Time: time.Unix(since, 0).UTC(), Kind: "added", Detail: map[string]string{"at": "the end"}}
		if y := added.Time.Year(); y < 0 || y > 9999 {
			added.Time = time.Unix(0, 0).UTC()
		}
		record.Record(added)
		var got []server.Act
		err = record.Acts(t.Context(), added.Time, func(a server.Act) error {
			got = append(got, a)
			return nil
		})
		if err = errors.Join(err, record.Close()); err != nil {
			t.Fatal(err)
		}
		if len(got) == 0 || got[len(got)-1].Kind != added.Kind || got[len(got)-1].Detail["at"] != "the end" || len(got) > bytes.Count(data, []byte("\n"))+2 {
			t.Fatalf("got %+v, want the one that was added to be the last", got)
		}
		if slices.ContainsFunc(got, func(a server.Act) bool { return a.Time.Before(added.Time) }) {
			t.Fatalf("got %+v, and asked for those since %v", got, added.Time)
		}
	})
}

// FuzzDataDirectory reads the small files of a data directory: each is valid, or is refused
// by its name.
func FuzzDataDirectory(f *testing.F) {
	hash := strings.Repeat("0f", 32)
	f.Add([]byte(`{"url":"http://127.0.0.1:8642","token":"t","pid":1,"key":"AAAA","certificate":"","python":"/usr/bin/python3"}`), []byte(hash+"\n"), []byte(`[{"digest":"`+hash+`","ends":1}]`))
	f.Add([]byte(`{"url":"x","key":"=="}`), []byte(hash), []byte(`[{"digest":"`+hash+`","claims":{"kind":"person","name":"ada"},"created":1}]`))
	f.Add([]byte(`{"url":""}`), []byte(hash+hash), []byte(`{`))
	f.Add([]byte(`{"memory":"2G","notebook":"b1","runtime":"r1","pid":-1,"born":"x"}`), []byte("\n"), []byte(`null`))
	dir := f.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, about, line, list []byte) {
		kept := map[string][]byte{ServerFile: about, SecretFile: line, keptTokenFile: line, sessionsFile: list, tokensFile: list}
		for name, data := range kept {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c := &settings.Config{Data: dir}
		r, err := announced(c)
		checkNamed(t, err, dir)
		if err == nil && (r.URL == "" || r.Key == nil) {
			t.Fatalf("got %+v", r)
		}
		if err == nil {
			_ = r.Transport()
		}
		secret, err := LoadSecret(dir)
		checkNamed(t, err, SecretFile)
		if err == nil && len(secret) != SecretSize {
			t.Fatalf("got a secret of %d bytes", len(secret))
		}
		token, err := NewOwnerToken(dir, true)
		checkNamed(t, err, keptTokenFile)
		if err == nil && len(token) != 2*SecretSize {
			t.Fatalf("got the token %q", token)
		}
		signedIn, err := Sessions(dir).Load()
		checkNamed(t, err, sessionsFile)
		if err == nil {
			checkSaved(t, signedIn, Sessions(dir).Save, Sessions(dir).Load)
		}
		made, err := Tokens(dir).Load()
		checkNamed(t, err, tokensFile)
		if err == nil {
			checkSaved(t, made, Tokens(dir).Save, Tokens(dir).Load)
		}
	})
}

func checkNamed(t *testing.T, err error, name string) {
	t.Helper()
	if err != nil && (!strings.Contains(err.Error(), name) || len(err.Error()) > maxComplaint) {
		t.Fatalf("got %v, want the file %s to be named", err, name)
	}
}

func checkSaved[T any](t *testing.T, list []T, save func([]T) error, load func() ([]T, error)) {
	t.Helper()
	err := save(list)
	if err != nil {
		t.Fatal(err)
	}
	again, err := load()
	first, _ := json.Marshal(list)
	if second, _ := json.Marshal(again); err != nil || !bytes.Equal(first, second) {
		t.Fatalf("got %s (%v), want %s again", second, err, first)
	}
}

// talker is a connection to a program that says something, whatever it is asked.
type talker struct {
	net.Conn
	from *bytes.Reader
}

func (c talker) Read(p []byte) (int, error)  { return c.from.Read(p) }
func (c talker) Write(p []byte) (int, error) { return len(p), nil }
func (c talker) SetDeadline(time.Time) error { return nil }
func (c talker) Close() error                { return nil }

// FuzzProofs wants no answer of a program that lacks the server's key to be a proof, and no more
// of it to be read than a proof has.
func FuzzProofs(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 22\r\n\r\n{\"signature\":\"AAAAAAA\"}"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"sig\r\n0\r\n\r\n"))
	f.Add([]byte("HTTP/1.0 200 OK\r\n\r\n{}"))
	f.Add([]byte("SSH-2.0-OpenSSH_9.6\r\n"))
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n"))
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte("k"), ed25519.SeedSize)).Public().(ed25519.PublicKey)
	f.Fuzz(func(t *testing.T, data []byte) {
		from := bytes.NewReader(append(data, make([]byte, 2*maxProof)...))
		if err := (&prover{key: key}).check(talker{from: from}, "127.0.0.1:8642"); !errors.Is(err, ErrNotOurs) {
			t.Fatalf("got %v, want that it is another program", err)
		}
		if read := len(data) + 2*maxProof - from.Len(); read > maxProof {
			t.Fatalf("%d bytes were read", read)
		}
	})
}
