package main

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/host/server"
)

// maxComplaint bounds what is said of what cannot be read: a person has to read it.
const maxComplaint = 4 << 10

// FuzzNetworkSettings wants no proxy to be everybody, and a public URL to be a scheme and a host.
func FuzzNetworkSettings(f *testing.F) {
	for _, seed := range []string{
		"127.0.0.1", "10.0.0.0/8 ::1", "0.0.0.0/0", "::/0", "::ffff:0.0.0.0/96", "fe80::1%lo", "10.1.2.3/8,,", "https://quire.example", "http://localhost:8642/", "https://u:p@h", "https://h?x#y", "ftp://h", "http://[::1]:1", "https://:443", "http://evil.example",
	} {
		f.Add(seed, "https://"+seed)
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, proxies, public string) {
		var wrong settings.Errors
		texts := settings.NetworkConfig{Public: public, Proxies: strings.FieldsFunc(proxies, func(r rune) bool { return r == ' ' || r == ',' })}
		n := parseNetwork(&texts, &wrong)
		for i, text := range texts.Proxies {
			if _, why := parseProxy(text); why == "" && (n.proxies[i].Bits() < 1 || n.proxies[i] != n.proxies[i].Masked()) {
				t.Fatalf("%q is taken for %s", text, n.proxies[i])
			}
		}
		if n.public == nil {
			return
		}
		if want := (url.URL{Scheme: n.public.Scheme, Host: n.public.Host}); *n.public != want || n.public.Hostname() == "" || n.public.Scheme == "http" && !isLoopback(n.public.Hostname()) {
			t.Fatalf("%q is taken for %v", public, n.public)
		}
		if again, err := url.Parse(n.public.String()); err != nil || *again != *n.public {
			t.Fatalf("%q is shown as %s, which is %v (%v)", public, n.public, again, err)
		}
	})
}

// FuzzAuditFiles has a record go on from whatever is in its file: what is added is read back,
// behind what can be read of the rest.
func FuzzAuditFiles(f *testing.F) {
	f.Add([]byte(`{"time":"2030-01-02T15:04:05Z","kind":"sign-in","actor":"person:owner","from":"127.0.0.1"}`+"\n"), int64(0))
	f.Add([]byte(`{"time":"2030-01-02T15:04:05Z","kind":"run","detail":{"cell":"a"}}`+"\n"+`{"time":"2030-01-`), int64(1_893_596_645))
	f.Add([]byte("\n\n[]\nnull\n{\"time\":1}\r\n"), int64(-1))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, since int64) {
		if err := os.WriteFile(filepath.Join(dir, auditFile), data, 0o600); err != nil {
			t.Fatal(err)
		}
		record, err := openAudit(dir, auditSize, slog.New(slog.DiscardHandler))
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
		if err = errors.Join(err, record.close()); err != nil {
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

// FuzzDataDirectory reads the small files of a data directory: each is what it must be, or is
// refused by its name.
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
		kept := map[string][]byte{serverFile: about, secretFile: line, keptTokenFile: line, sessionsFile: list, tokensFile: list}
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
			_ = isServerURL(r.URL) && r.transport() != nil
		}
		secret, err := loadSecret(dir)
		checkNamed(t, err, secretFile)
		if err == nil && len(secret) != secretSize {
			t.Fatalf("got a secret of %d bytes", len(secret))
		}
		token, err := newOwnerToken(dir, true)
		checkNamed(t, err, keptTokenFile)
		if err == nil && len(token) != 2*secretSize {
			t.Fatalf("got the token %q", token)
		}
		signedIn, err := sessions(dir).Load()
		checkNamed(t, err, sessionsFile)
		if err == nil {
			checkSaved(t, signedIn, sessions(dir).Save, sessions(dir).Load)
		}
		made, err := tokens(dir).Load()
		checkNamed(t, err, tokensFile)
		if err == nil {
			checkSaved(t, made, tokens(dir).Save, tokens(dir).Load)
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
		if err := (&prover{key: key}).check(talker{from: from}, "127.0.0.1:8642"); !errors.Is(err, errNotOurs) {
			t.Fatalf("got %v, want that it is another program", err)
		}
		if read := len(data) + 2*maxProof - from.Len(); read > maxProof {
			t.Fatalf("%d bytes were read", read)
		}
	})
}

// FuzzASecretIsTakenOut wants no text of a notebook to have what is taken out of it.
func FuzzASecretIsTakenOut(f *testing.F) {
	f.Add([]byte(`{"cells":[{"source":["key = \"hunter2\"\n"],"outputs":[{"text":"hunter\u0032"}]}],"metadata":{"hunter2":1e400}}`), "hunter2")
	f.Add([]byte(`["aaaa","aaaaaaa"]`), "aaaa")
	f.Add([]byte(`{"removed":"[removed]"}`), "removed")
	f.Add([]byte(`"\ud83d\ude00😀"`), "😀")
	f.Fuzz(func(t *testing.T, data []byte, secret string) {
		if len(secret) < leastSecret || len(secret) > mostSecret || strings.ContainsAny(secret, "\r\n[]") || strings.Contains("[removed]", secret) || !utf8.ValidString(secret) {
			return
		}
		clean, _, err := without(data, secret)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "read the notebook: ") {
				t.Fatal(err)
			}
			return
		}
		var v any
		if err := json.Unmarshal(clean, &v); err != nil && !strings.Contains(err.Error(), "cannot unmarshal number") {
			t.Fatalf("%s: %v", clean, err)
		}
		if has(v, secret) {
			t.Fatalf("%q is in %s", secret, clean)
		}
	})
}

func has(v any, secret string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, secret)
	case []any:
		return slices.ContainsFunc(v, func(one any) bool { return has(one, secret) })
	case map[string]any:
		for key, value := range v {
			if strings.Contains(key, secret) || has(value, secret) {
				return true
			}
		}
	}
	return false
}

// FuzzKernelMetadata reads what a notebook says of its kernel, and has it say another.
func FuzzKernelMetadata(f *testing.F) {
	f.Add([]byte(`{"name":"ir","display_name":"R"}`), []byte(`{"name":"R"}`), []byte(`{"kernel":"ir","other":[1]}`), "julia")
	f.Add([]byte(`{"name":1}`), []byte(`[]`), []byte(`null`), "python3")
	f.Add([]byte(``), []byte(`{`), []byte(`"x"`), "")
	f.Fuzz(func(t *testing.T, spec, info, own []byte, name string) {
		if !utf8.ValidString(name) {
			return
		}
		m := metadata{"kernelspec": spec, "language_info": info, keyQuire: own}
		if got := m.language(); got == "" || got != strings.ToLower(got) {
			t.Fatalf("got the language %q", got)
		}
		_ = m.asked()
		payload, err := m.choosing(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := payload.Check(); err != nil {
			return // such as a notebook's own values that are nested too deeply
		}
		set, err := json.Marshal(payload)
		if err != nil {
			t.Fatal(err)
		}
		var said struct{ Value json.RawMessage }
		if err := json.Unmarshal(set, &said); err != nil {
			t.Fatal(err)
		}
		var before, after map[string]json.RawMessage
		_ = json.Unmarshal(own, &before) // what is damaged says nothing
		if err := json.Unmarshal(said.Value, &after); err != nil {
			t.Fatal(err)
		}
		delete(before, "kernel")
		for key := range before {
			if _, ok := after[key]; !ok {
				t.Fatalf("%s has lost %q of %s", said.Value, key, own)
			}
		}
		m[keyQuire] = said.Value
		if got := m.asked(); got != name {
			t.Fatalf("got %q, want %q", got, name)
		}
	})
}

// FuzzTokenFiles takes the first line of a file for a token, whatever else is in it.
func FuzzTokenFiles(f *testing.F) {
	f.Add([]byte("qt_e30.AAAA\nmore"))
	f.Add([]byte(" \r\n"))
	f.Add([]byte("qt_.x"))
	f.Add([]byte("qt_eyJub3RlYm9vayI6ImIxIn0.x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a := &app{stdin: io.MultiReader(bytes.NewReader(data), neverEnding{})}
		err := a.readToken("-")
		token := a.config.Token
		if (err == nil) != (token != "") || len(token) > maxTokenFile || strings.Contains(token, "\n") || strings.TrimSpace(token) != token {
			t.Fatalf("got %q and %v", token, err)
		}
		if err == nil && !bytes.Contains(data, []byte(token)) {
			t.Fatalf("got %q, which is not in the file", token)
		}
		_ = tokenNotebook(token)
	})
}

// neverEnding are spaces, like those of a device.
type neverEnding struct{}

func (neverEnding) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
