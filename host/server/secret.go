package server

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"
)

const (
	sessionLife = 30 * 24 * time.Hour
	linkLife    = 24 * time.Hour
	maxSecrets  = 1000 // of a kind at once; the one that ends first makes room
)

// Sessions keep who is signed in while no server runs.
type Sessions interface {
	// Load returns what was saved last, and nothing if that was never.
	Load() ([]Session, error)
	// Save replaces what is kept. It is called by one goroutine at a time.
	Save(sessions []Session) error
}

// Session is a browser that is signed in. Nobody can sign in with what it says.
type Session struct {
	Digest string `json:"digest"` // of what the browser shows, by the server's secret
	Ends   int64  `json:"ends"`   // in seconds since 1970
}

// unkept are sessions that end with the server.
type unkept struct{}

func (unkept) Load() ([]Session, error) { return nil, nil }
func (unkept) Save([]Session) error     { return nil }

// secrets are random strings that were given out. Only their digests are kept.
type secrets struct {
	now  func() time.Time
	life time.Duration
	key  []byte // of the digests: who reads them without it cannot even try
	what string // they are for, so that a secret of one kind is none of another
	keep Sessions

	mu  sync.Mutex
	all map[digest]secret
}

type digest [sha256.Size]byte

// secret is one that was given out.
type secret struct {
	end  time.Time
	over chan struct{} // closed when it has ended before
}

func newLinks(cfg Config) *secrets { return newSecrets(cfg, "link", linkLife, unkept{}) }

// newSessions returns those that are kept and have not ended.
func newSessions(cfg Config) (*secrets, error) {
	s := newSecrets(cfg, "session", sessionLife, cfg.Sessions)
	kept, err := s.keep.Load()
	if err != nil {
		return nil, fmt.Errorf("load sessions: %w", err)
	}
	for _, k := range kept {
		d, err := hex.DecodeString(k.Digest)
		if err != nil || len(d) != sha256.Size {
			return nil, fmt.Errorf("load sessions: %.80q is no digest", k.Digest)
		}
		if end := time.Unix(k.Ends, 0); s.now().Before(end) {
			s.all[digest(d)] = secret{end: end, over: make(chan struct{})}
		}
	}
	return s, nil
}

func newSecrets(cfg Config, what string, life time.Duration, keep Sessions) *secrets {
	return &secrets{now: cfg.Now, life: life, key: cfg.Secret, what: what, keep: keep, all: map[digest]secret{}}
}

func (s *secrets) digest(text string) digest {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte("quire " + s.what + "\x00" + text))
	return digest(h.Sum(nil))
}

// create returns a new secret, once it is kept.
func (s *secrets) create() (string, error) {
	text := rand.Text() + rand.Text()
	d := s.digest(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoomLocked()
	s.all[d] = secret{end: s.now().Add(s.life), over: make(chan struct{})}
	if err := s.saveLocked(); err != nil {
		delete(s.all, d)
		return "", err
	}
	return text, nil
}

func (s *secrets) makeRoomLocked() {
	if len(s.all) < maxSecrets {
		return
	}
	var first digest
	var at time.Time
	for d, kept := range s.all {
		if at.IsZero() || kept.end.Before(at) {
			first, at = d, kept.end
		}
	}
	s.endLocked(first)
}

// find returns a secret that was given out and has not ended. Since it is looked
// up by its digest, the time that takes tells nothing.
func (s *secrets) find(text string) (secret, bool) {
	d := s.digest(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.findLocked(d)
}

func (s *secrets) findLocked(d digest) (secret, bool) {
	kept, ok := s.all[d]
	if ok && !s.now().Before(kept.end) {
		s.endLocked(d)
		return secret{}, false
	}
	return kept, ok
}

// use ends a secret, and reports whether it was good until then: of several who
// come with one, one has it. After an error it has ended here, and may be good
// again once the server starts anew.
func (s *secrets) use(text string) (bool, error) {
	d := s.digest(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.findLocked(d); !ok {
		return false, nil
	}
	s.endLocked(d)
	return true, s.saveLocked()
}

// endLocked forgets a secret and tells whoever goes by it.
func (s *secrets) endLocked(d digest) {
	close(s.all[d].over)
	delete(s.all, d)
}

// saveLocked keeps those that there are. The lock is held meanwhile, so that what is
// kept last is the latest: signing in and out is rare.
func (s *secrets) saveLocked() error {
	list := make([]Session, 0, len(s.all))
	for d, kept := range s.all {
		list = append(list, Session{Digest: hex.EncodeToString(d[:]), Ends: kept.end.Unix()})
	}
	if err := s.keep.Save(list); err != nil {
		return fmt.Errorf("save sessions: %w", err)
	}
	return nil
}

// newID returns a name for a notebook or a runtime that nobody can guess.
func newID() string { return strings.ToLower(rand.Text()[:20]) }
