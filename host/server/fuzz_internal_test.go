package server

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
)

// FuzzArtifactLinks wants only links that were signed to be read, and those as they were made.
func FuzzArtifactLinks(f *testing.F) {
	secret, now := []byte("a secret of the artifacts' links"), time.Unix(1_900_000_000, 0)
	good := linked{Notebook: "b1", Hash: strings.Repeat("0", 64), Type: "image/png", Name: "plot.png", Expires: now.Unix() + 1}
	link, err := signLink(secret, forArtifact, good)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(link, []byte(`{"n":"b1","h":"00","e":1900000001}`))
	f.Add(link[:len(link)-1], []byte(`{"n":"b1","h":"00","e":1900000000}`))
	f.Add(link+".", []byte(`{"e":1e99}`))
	f.Add("e30.AAAA", []byte(`[]`))
	f.Fuzz(func(t *testing.T, text string, said []byte) {
		if got, err := readLink[linked](secret, forArtifact, text, now); err == nil && (text != link || got != good) {
			t.Fatalf("got %+v from the link %q, which nobody has signed", got, text)
		}
		if _, err := verify(secret, text, now); err == nil {
			t.Fatalf("the link %q is taken for a token", text)
		}
		claims := base64.RawURLEncoding.EncodeToString(said)
		signed := claims + "." + base64.RawURLEncoding.EncodeToString(macOfLink(secret, forArtifact, claims))
		got, err := readLink[linked](secret, forArtifact, signed, now)
		if err != nil {
			if p := problem.Of(err); p.Code != protocol.CodeForbidden || !strings.HasSuffix(p.Detail, "ask for a new one") {
				t.Fatalf("got %v, want a refusal that says what to do", err)
			}
			return
		}
		if !json.Valid(said) || got.Expires <= now.Unix() {
			t.Fatalf("got %+v from %s", got, said)
		}
		again, err := signLink(secret, forArtifact, got)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := readLink[linked](secret, forArtifact, again, now); err != nil || second != got {
			t.Fatalf("got %+v (%v), want %+v again", second, err, got)
		}
	})
}

// FuzzListQueries wants what lists are asked for to be within bounds, or refused by name.
func FuzzListQueries(f *testing.F) {
	for _, seed := range []string{
		"", "limit=100&sort=title&after=T2xk.b1", "limit=101", "limit=-1", "search=" + strings.Repeat("x", 201), "search=%ff", "deleted=maybe",
		"sort=created&order=asc&after=1700000000000.b1", "after=x", "after=.b1&sort=title", "after=1.", "order=up", "sort=size", "limit=%zz", "a;b",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		r := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/api/notebooks", RawQuery: raw}}
		q, err := readQuery(r)
		if err != nil {
			p := problem.Of(err)
			names := []string{"limit", "search", "deleted", "sort", "order", "after"}
			if p.Code != protocol.CodeInvalid || !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(p.Detail, name+" ") && r.FormValue(name) != "" }) {
				t.Fatalf("%s: got %v, want what is wrong by its name", raw, err)
			}
			return
		}
		if q.Limit < 1 || q.Limit > maxPage || len(q.Search) > maxSearch || !utf8.ValidString(q.Search) {
			t.Fatalf("%s: got %+v, which is beyond the bounds", raw, q)
		}
		if q.After == (directory.Cursor{}) {
			return
		}
		if got, err := readCursor(q.Sort, writeCursor(q.Sort, q.After)); err != nil || got != q.After {
			t.Fatalf("%s: got %+v (%v), want %+v again", raw, got, err, q.After)
		}
	})
}

// FuzzEncodingsAndHalves reads two headers with lists in them.
func FuzzEncodingsAndHalves(f *testing.F) {
	f.Add("gzip, br;q=0.5", "quire.v1, quire.key.abc")
	f.Add("br;q=0, *", "quire.key.")
	f.Add("gzip; q = 1e-400", ",,")
	f.Add("GZIP;q=nan", "quire.key.a,quire.key.b")
	f.Fuzz(func(t *testing.T, encodings, protocols string) {
		for _, k := range codings() {
			if accepts(encodings, k.name) && !strings.Contains(strings.ToLower(encodings), k.name) {
				t.Fatalf("%q is taken to accept %s", encodings, k.name)
			}
			if accepts(k.name+";q=0,"+encodings, k.name) && !accepts(encodings, k.name) {
				t.Fatalf("%q beside a refusal of %s is taken to accept it", encodings, k.name)
			}
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Sec-Websocket-Protocol", protocols)
		if half := halfOf(r); half != "" {
			t.Fatalf("got the half %q from a request for no socket", half)
		}
		r.Header.Set("Upgrade", "websocket")
		if half := halfOf(r); !strings.Contains(protocols, half) || strings.Contains(half, ",") {
			t.Fatalf("got the half %q from %q", half, protocols)
		}
	})
}

// keptSignIns are sessions and tokens in memory.
type keptSignIns struct {
	sessions []Session
	tokens   []Issued
}

func (k *keptSignIns) Load() ([]Session, error)      { return k.sessions, nil }
func (k *keptSignIns) Save(sessions []Session) error { k.sessions = sessions; return nil }

type keptTokens struct{ *keptSignIns }

func (k keptTokens) Load() ([]Issued, error)    { return k.tokens, nil }
func (k keptTokens) Save(tokens []Issued) error { k.keptSignIns.tokens = tokens; return nil }

// FuzzKeptSignIns reads the files of sessions and tokens as a server does at its start: what
// it takes is good until its end and no longer, and comes back.
func FuzzKeptSignIns(f *testing.F) {
	hash := strings.Repeat("0f", 32)
	f.Add([]byte(`[{"digest":"`+hash+`","ends":1900000001,"half":"`+hash+`","began":1}]`), []byte(`[{"digest":"`+hash+`","claims":{"kind":"person","name":"ada"},"created":1}]`))
	f.Add([]byte(`[{"digest":"`+hash+`","ends":1}]`), []byte(`[{"digest":"`+hash+`","claims":{"kind":"runtime","name":"r1","notebook":"b1","role":"runtime","exp":1},"created":1}]`))
	f.Add([]byte(`[{"digest":"0f","ends":-1,"half":"x"}]`), []byte(`[{"digest":"","claims":{"kind":"key"}}]`))
	f.Add([]byte(`null`), []byte(`[null]`))
	now := time.Unix(1_900_000_000, 0)
	f.Fuzz(func(t *testing.T, sessionsJSON, tokensJSON []byte) {
		kept := &keptSignIns{}
		if json.Unmarshal(sessionsJSON, &kept.sessions) != nil || json.Unmarshal(tokensJSON, &kept.tokens) != nil {
			return
		}
		cfg := Config{Secret: []byte("s"), Sessions: kept, Tokens: keptTokens{kept}, Now: func() time.Time { return now }}
		s, err := newSessions(cfg)
		if err == nil {
			for d := range s.all {
				if _, ok := s.findLocked(d); !ok {
					t.Fatal("a session that has ended was taken")
				}
			}
			before := len(s.all)
			if _, _, err := s.create(); err != nil {
				t.Fatal(err)
			}
			again, err := newSessions(cfg)
			if err != nil || len(again.all) != len(s.all) || before < maxSecrets && len(s.all) != before+1 {
				t.Fatalf("got %d sessions (%v) of %d that were kept", len(again.all), err, len(s.all))
			}
		} else if !strings.HasPrefix(err.Error(), "load sessions: ") {
			t.Fatal(err)
		}
		tokens, err := newTokens(cfg)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "load tokens: ") {
				t.Fatal(err)
			}
			return
		}
		for _, one := range tokens.all {
			if one.Claims.check() != nil {
				t.Fatalf("took %+v", one.Claims)
			}
		}
		if token, err := tokens.issue(Claims{Kind: event.ActorPerson, Name: "grace"}); err == nil {
			if c, _, err := tokens.find(token); err != nil || c.Name != "grace" {
				t.Fatalf("got %+v (%v) of a new token", c, err)
			}
		}
	})
}
