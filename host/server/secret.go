package server

import (
	"crypto/rand"
	"crypto/sha256"
	"strings"
	"sync"
	"time"
)

const (
	sessionLife = 30 * 24 * time.Hour
	linkLife    = 24 * time.Hour
	maxSecrets  = 1000 // of a kind at once; the one that ends first makes room
)

// secrets are random strings that were given out. Only their hashes are kept, and
// only in memory: a restart of the server ends them all.
type secrets struct {
	now  func() time.Time
	life time.Duration

	mu  sync.Mutex
	all map[[sha256.Size]byte]secret
}

// secret is one that was given out.
type secret struct {
	end  time.Time
	over chan struct{} // closed when it has ended before
}

func newSecrets(now func() time.Time, life time.Duration) *secrets {
	return &secrets{now: now, life: life, all: map[[sha256.Size]byte]secret{}}
}

// create returns a new secret.
func (s *secrets) create() string {
	text := rand.Text() + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoomLocked()
	s.all[sha256.Sum256([]byte(text))] = secret{end: s.now().Add(s.life), over: make(chan struct{})}
	return text
}

func (s *secrets) makeRoomLocked() {
	if len(s.all) < maxSecrets {
		return
	}
	var first [sha256.Size]byte
	var at time.Time
	for hash, kept := range s.all {
		if at.IsZero() || kept.end.Before(at) {
			first, at = hash, kept.end
		}
	}
	s.endLocked(first)
}

// find returns a secret that was given out and has not ended. Since it is looked
// up by its hash, the time that takes tells nothing.
func (s *secrets) find(text string) (secret, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.findLocked(sha256.Sum256([]byte(text)))
}

func (s *secrets) findLocked(hash [sha256.Size]byte) (secret, bool) {
	kept, ok := s.all[hash]
	if ok && !s.now().Before(kept.end) {
		s.endLocked(hash)
		return secret{}, false
	}
	return kept, ok
}

// use ends a secret, and reports whether it was good until then: of several who
// come with one, one has it.
func (s *secrets) use(text string) bool {
	hash := sha256.Sum256([]byte(text))
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.findLocked(hash)
	if ok {
		s.endLocked(hash)
	}
	return ok
}

// endLocked forgets a secret and tells whoever goes by it.
func (s *secrets) endLocked(hash [sha256.Size]byte) {
	close(s.all[hash].over)
	delete(s.all, hash)
}

// newID returns a name for a notebook or a runtime that nobody can guess.
func newID() string { return strings.ToLower(rand.Text()[:20]) }
