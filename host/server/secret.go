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

	mu   sync.Mutex
	ends map[[sha256.Size]byte]time.Time
}

func newSecrets(now func() time.Time, life time.Duration) *secrets {
	return &secrets{now: now, life: life, ends: map[[sha256.Size]byte]time.Time{}}
}

// create returns a new secret.
func (s *secrets) create() string {
	secret := rand.Text() + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeRoomLocked()
	s.ends[sha256.Sum256([]byte(secret))] = s.now().Add(s.life)
	return secret
}

func (s *secrets) makeRoomLocked() {
	if len(s.ends) < maxSecrets {
		return
	}
	var first [sha256.Size]byte
	var at time.Time
	for hash, end := range s.ends {
		if at.IsZero() || end.Before(at) {
			first, at = hash, end
		}
	}
	delete(s.ends, first)
}

// valid reports whether a secret was given out and has not ended. Since it is
// looked up by its hash, the time that takes tells nothing.
func (s *secrets) valid(secret string) bool {
	hash := sha256.Sum256([]byte(secret))
	s.mu.Lock()
	defer s.mu.Unlock()
	end, ok := s.ends[hash]
	if ok && !s.now().Before(end) {
		delete(s.ends, hash)
		return false
	}
	return ok
}

// use is valid, and ends the secret.
func (s *secrets) use(secret string) bool {
	if !s.valid(secret) {
		return false
	}
	hash := sha256.Sum256([]byte(secret))
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.ends[hash] // two may have come for one
	delete(s.ends, hash)
	return ok
}

// newID returns a name for a notebook or a runtime that nobody can guess.
func newID() string { return strings.ToLower(rand.Text()[:20]) }
