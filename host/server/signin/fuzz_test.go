package signin

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quirehq/quire/core/event"
)

func FuzzTokens(f *testing.F) {
	secret := bytes.Repeat([]byte("k"), 32)
	good, err := Sign(secret, Claims{Kind: event.ActorPerson, Name: "ada"})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"", "qt_", "qt_.", "qt_e30.AAAA", good[:len(good)-1], good + ".", "qt_" + good} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if c, err := verify(secret, token, time.Now()); err == nil && token != good {
			t.Errorf("got %+v from a token that was never signed", c)
		}
	})
}

// keptSignIns are sessions and tokens in memory.
type keptSignIns struct {
	sessions []Session
	tokens   []Issued
}

func (k *keptSignIns) Load() ([]Session, error) { return k.sessions, nil }

func (k *keptSignIns) Save(sessions []Session) error { k.sessions = sessions; return nil }

type keptTokens struct{ *keptSignIns }

func (k keptTokens) Load() ([]Issued, error) { return k.tokens, nil }

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
		cfg := Config{Secret: []byte("s"), Sessions: kept, Now: func() time.Time { return now }}
		s, err := newSessions(cfg)
		if err == nil {
			for d := range s.all {
				if _, ok := s.findLocked(d); !ok {
					t.Fatal("a session that has ended was taken")
				}
			}
			before := len(s.all)
			if _, _, err := s.create(Owner()); err != nil {
				t.Fatal(err)
			}
			again, err := newSessions(cfg)
			if err != nil || len(again.all) != len(s.all) || before < maxSecrets && len(s.all) != before+1 {
				t.Fatalf("got %d sessions (%v) of %d that were kept", len(again.all), err, len(s.all))
			}
		} else if !strings.HasPrefix(err.Error(), "load sessions: ") {
			t.Fatal(err)
		}
		tokens, err := NewTokens(TokensConfig{Store: keptTokens{kept}, Now: cfg.Now})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "load tokens: ") {
				t.Fatal(err)
			}
			return
		}
		for _, one := range tokens.all {
			if one.Claims.Check() != nil {
				t.Fatalf("took %+v", one.Claims)
			}
		}
		if token, err := tokens.Issue(Claims{Kind: event.ActorPerson, Name: "grace"}); err == nil {
			if c, _, err := tokens.find(token); err != nil || c.Name != "grace" {
				t.Fatalf("got %+v (%v) of a new token", c, err)
			}
		}
	})
}

// FuzzHalves reads the half of a sign-in from a header that has a list.
func FuzzHalves(f *testing.F) {
	f.Add("quire.v1, quire.key.abc")
	f.Add("quire.key.")
	f.Add(",,")
	f.Add("quire.key.a,quire.key.b")
	f.Fuzz(func(t *testing.T, protocols string) {
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
