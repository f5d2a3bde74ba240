package server

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/quirehq/quire/core/directory"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
	"github.com/quirehq/quire/host/server/signin"
)

// FuzzArtifactLinks wants only links that were signed to be read, and those as they were made.
func FuzzArtifactLinks(f *testing.F) {
	secret, now := []byte("a secret of the artifacts' links"), time.Unix(1_900_000_000, 0)
	good := linked{Notebook: "b1", Hash: strings.Repeat("0", 64), Type: "image/png", Name: "plot.png", Expires: now.Unix() + 1}
	link, err := signLink(secret, forArtifact, good)
	if err != nil {
		f.Fatal(err)
	}
	tokens, err := signin.NewTokens(signin.TokensConfig{Signer: secret, Now: func() time.Time { return now }})
	if err != nil {
		f.Fatal(err)
	}
	programs, err := signin.New(signin.Config{Secret: secret, OwnerToken: "the-owners-own-token-0123456789", Tokens: tokens, Now: func() time.Time { return now }})
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
		for _, token := range []string{text, "qt_" + text} {
			r := &http.Request{Header: http.Header{"Authorization": {"Bearer " + token}}}
			if who, err := programs.Identify(r); err == nil {
				t.Fatalf("the link %q is taken for a token of %s", text, who.Actor)
			}
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

// FuzzListQueries wants queries of lists to be within bounds, or refused by name.
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
