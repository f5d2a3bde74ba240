package signin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"github.com/quirehq/quire/core/event"
)

const (
	// LinkLife is the time for which a link to sign in is good.
	LinkLife = 24 * time.Hour

	sessionLife = 30 * 24 * time.Hour // since it was last used
	renewEvery  = 24 * time.Hour      // so that not every request stores a session again
	maxSecrets  = 1000                // of a kind at once; the one that ends first is dropped
)

// SessionStore stores the sessions of browsers while no server runs.
type SessionStore interface {
	// Load returns the sessions that were saved last, none if there were never any.
	Load() ([]Session, error)
	// Save replaces the stored sessions. It is called by one goroutine at a time.
	Save(sessions []Session) error
}

// Session is a browser that is signed in. Its content is of no use for signing in.
type Session struct {
	Digest string `json:"digest"` // of the cookie, by the server's secret
	Ends   int64  `json:"ends"`   // in seconds since 1970
	// Half is the digest of the half that the page stores. A session of an older server has
	// none, and does not count any more.
	Half  string `json:"half,omitempty"`
	Began int64  `json:"began,omitempty"` // in seconds since 1970
	// Person is the id and Name the name of the person who is signed in. A session of an older server has neither: it is of
	// the owner, who was the only person.
	Person string `json:"person,omitempty"`
	Name   string `json:"name,omitempty"`
}

// of returns the person of a session.
func (s Session) of() (Person, error) {
	if s.Person == "" {
		return Owner(), nil
	}
	return Person{ID: s.Person, Name: s.Name}, event.CheckName("person", s.Person)
}

// noSessions is the store of sessions that end with the server.
type noSessions struct{}

func (noSessions) Load() ([]Session, error) { return nil, nil }
func (noSessions) Save([]Session) error     { return nil }

// secrets are random strings that were given out. Only their digests are stored.
type secrets struct {
	now  func() time.Time
	life time.Duration
	key  []byte // of the digests: without it they cannot even be tried
	what string // the kind of secret, so that a secret of one kind is no secret of another
	keep SessionStore

	mu    sync.Mutex
	all   map[digest]secret
	ended map[digest]bool // secrets that were good once, up to a limit
}

type digest [sha256.Size]byte

// secret is one that was given out.
type secret struct {
	end   time.Time
	over  chan struct{} // closed when it is ended early
	half  digest        // of the half that must be shown with it
	began time.Time
	of    Person // to whom it belongs
}

// matches reports whether a text is the other half of the secret.
func (s secret) matches(half string) bool {
	sum := sha256.Sum256([]byte(half))
	return subtle.ConstantTimeCompare(sum[:], s.half[:]) == 1
}

func newLinks(cfg Config) *secrets { return newSecrets(cfg, "link", LinkLife, noSessions{}) }

// newSessions returns the stored sessions that have not ended.
func newSessions(cfg Config) (*secrets, error) {
	s := newSecrets(cfg, "session", sessionLife, cfg.Sessions)
	kept, err := s.keep.Load()
	if err != nil {
		return nil, fmt.Errorf("load sessions: %w", err)
	}
	for _, k := range kept {
		d, err := digestFrom(k.Digest)
		if err != nil {
			return nil, fmt.Errorf("load sessions: %w", err)
		}
		if k.Half == "" {
			continue
		}
		half, err := digestFrom(k.Half)
		if err != nil {
			return nil, fmt.Errorf("load sessions: %w", err)
		}
		of, err := k.of()
		if err != nil {
			return nil, fmt.Errorf("load sessions: %w", err)
		}
		if end := time.Unix(k.Ends, 0); s.now().Before(end) {
			s.all[d] = secret{end: end, over: make(chan struct{}), half: half, began: time.Unix(k.Began, 0), of: of}
		}
	}
	return s, nil
}

func digestFrom(text string) (digest, error) {
	d, err := hex.DecodeString(text)
	if err != nil || len(d) != sha256.Size {
		return digest{}, fmt.Errorf("%.80q is not a digest", text)
	}
	return digest(d), nil
}

func newSecrets(cfg Config, what string, life time.Duration, keep SessionStore) *secrets {
	return &secrets{now: cfg.Now, life: life, key: cfg.Secret, what: what, keep: keep, all: map[digest]secret{}, ended: map[digest]bool{}}
}

func (s *secrets) digest(text string) digest {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte("quire " + s.what + "\x00" + text))
	return digest(h.Sum(nil))
}

// create returns a new secret of a person and its other half, once they are stored.
func (s *secrets) create(of Person) (text, half string, err error) {
	text, half = rand.Text()+rand.Text(), rand.Text()+rand.Text()
	d := s.digest(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoomLocked()
	s.all[d] = secret{end: s.now().Add(s.life), over: make(chan struct{}), half: sha256.Sum256([]byte(half)), began: s.now(), of: of}
	if err := s.saveLocked(); err != nil {
		delete(s.all, d)
		return "", "", err
	}
	return text, half, nil
}

// giveBack makes a secret good again that its person has used in vain. It is not stored.
func (s *secrets) giveBack(text string, of Person) {
	d := s.digest(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ended, d)
	s.all[d] = secret{end: s.now().Add(s.life), over: make(chan struct{}), of: of}
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

// find returns a secret that was given out and has not ended. It is looked up by its digest, so
// that the time of the search reveals nothing.
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

// renew extends a secret to a whole life again, once that is stored, and reports whether it
// did: a secret that was created or renewed recently is unchanged.
func (s *secrets) renew(text string) (secret, bool) {
	d := s.digest(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, ok := s.findLocked(d)
	end := s.now().Add(s.life)
	if !ok || end.Sub(kept.end) < renewEvery {
		return kept, false
	}
	renewed := kept
	renewed.end = end
	s.all[d] = renewed
	if s.saveLocked() != nil { // it ends when it would have
		s.all[d] = kept
		return kept, false
	}
	return s.all[d], true
}

// use ends a secret, and returns whose it was and whether it was good until then: of several concurrent
// uses one succeeds. After an error the secret has ended here, and may be good again when the server
// restarts.
func (s *secrets) use(text string) (of Person, good bool, err error) {
	d := s.digest(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, ok := s.findLocked(d)
	if !ok {
		return Person{}, false, nil
	}
	s.endLocked(d)
	return kept.of, true, s.saveLocked()
}

// wasGood reports whether a secret was good earlier in this run of the server, and is no longer.
func (s *secrets) wasGood(text string) bool {
	d := s.digest(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended[d]
}

// endLocked drops a secret, remembers that it was good, and ends all that depends on it.
func (s *secrets) endLocked(d digest) {
	close(s.all[d].over)
	delete(s.all, d)
	if len(s.ended) >= maxSecrets {
		clear(s.ended)
	}
	s.ended[d] = true
}

// saveLocked stores all secrets. The lock is held meanwhile, so that the last to be stored are
// the latest: signing in and out is rare.
func (s *secrets) saveLocked() error {
	list := make([]Session, 0, len(s.all))
	for d, kept := range s.all {
		list = append(list, Session{Digest: hex.EncodeToString(d[:]), Ends: kept.end.Unix(), Half: hex.EncodeToString(kept.half[:]), Began: kept.began.Unix(), Person: kept.of.ID, Name: kept.of.Name})
	}
	if err := s.keep.Save(list); err != nil {
		return fmt.Errorf("save sessions: %w", err)
	}
	return nil
}
