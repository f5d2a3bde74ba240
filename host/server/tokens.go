package server

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
)

const (
	maxTokens  = 10_000    // at once
	usedEvery  = time.Hour // that a token was used is kept this often
	tokenIDLen = 8         // of the digest, in hexadecimal digits
)

// Tokens keep which tokens were made while no server runs.
type Tokens interface {
	// Load returns what was saved last, and nothing if that was never.
	Load() ([]Issued, error)
	// Save replaces what is kept. It is called by one goroutine at a time.
	Save(tokens []Issued) error
}

// Issued is a token that was made. Nobody can show one with what it says.
type Issued struct {
	Digest  string `json:"digest"`
	Claims  Claims `json:"claims"`
	Created int64  `json:"created"`        // in seconds since 1970
	Used    int64  `json:"used,omitempty"` // last, to the hour
}

// Former is what was good before servers kept which tokens they had made: for the runtimes
// that such a server has started, and that go on.
type Former struct {
	Secret   []byte
	Runtimes []event.RuntimeID
}

type unkeptTokens struct{}

func (unkeptTokens) Load() ([]Issued, error) { return nil, nil }
func (unkeptTokens) Save([]Issued) error     { return nil }

// errRevoked says that a token was taken back, errOlder that it is of before tokens were kept.
var (
	errRevoked = errors.New("the token was revoked; make a new one")
	errOlder   = errors.New("the token was made by an older server, whose tokens ended with it; make a new one")
)

// tokens are those that were made. One is good when this server has signed it, or when it
// is kept from an earlier start: the key that signs is another one each time, so that whoever
// has read the data directory once can make none.
type tokens struct {
	cfg Config

	mu      sync.Mutex
	all     map[digest]*issued
	revoked map[digest]bool
}

type issued struct {
	Issued
	over chan struct{} // closed when it is revoked
}

func newTokens(cfg Config) (*tokens, error) {
	t := &tokens{cfg: cfg, all: map[digest]*issued{}, revoked: map[digest]bool{}}
	kept, err := cfg.Tokens.Load()
	if err != nil {
		return nil, fmt.Errorf("load tokens: %w", err)
	}
	for _, k := range kept {
		d, err := digestFrom(k.Digest)
		if err == nil {
			err = k.Claims.check()
		}
		if err != nil {
			return nil, fmt.Errorf("load tokens: %w", err)
		}
		t.all[d] = &issued{Issued: k, over: make(chan struct{})}
	}
	return t, nil
}

// issue returns a new token, once it is kept.
func (t *tokens) issue(c Claims) (string, error) {
	unique := c
	unique.Unique = rand.Text()
	token, err := Sign(t.cfg.Signer, unique)
	if err != nil {
		return "", err
	}
	d := digest(sha256.Sum256([]byte(token)))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pruneLocked(c)
	if len(t.all) >= maxTokens {
		return "", fmt.Errorf("there are %d tokens; revoke some with `quire token revoke`", len(t.all))
	}
	t.all[d] = &issued{Issued: Issued{Digest: hex.EncodeToString(d[:]), Claims: c, Created: t.cfg.Now().Unix()}, over: make(chan struct{})}
	if err := t.saveLocked(); err != nil {
		delete(t.all, d)
		return "", err
	}
	return token, nil
}

// pruneLocked forgets what has ended, and the runtimes that another takes the place of.
func (t *tokens) pruneLocked(c Claims) {
	now := t.cfg.Now().Unix()
	for d, one := range t.all {
		old := one.Claims.Expires != 0 && now >= one.Claims.Expires
		replaced := c.Kind == event.ActorRuntime && one.Claims.Kind == c.Kind && one.Claims.Notebook == c.Notebook
		if old || replaced {
			delete(t.all, d)
		}
	}
}

// find returns what a token says that is good, and what is closed when it is revoked.
func (t *tokens) find(token string) (Claims, <-chan struct{}, error) {
	d := digest(sha256.Sum256([]byte(token)))
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.cfg.Now()
	if t.revoked[d] {
		return Claims{}, nil, errRevoked
	}
	one := t.all[d]
	if one == nil {
		c, err := verify(t.cfg.Signer, token, now)
		if errors.Is(err, errToken) {
			c, err = t.former(token)
		}
		return c, nil, err
	}
	if one.Claims.Expires != 0 && now.Unix() >= one.Claims.Expires {
		return Claims{}, nil, errExpired
	}
	if before := time.Unix(one.Used, 0); now.Sub(before) >= usedEvery {
		one.Used = now.Unix()
		_ = t.saveLocked() // that it was used is no reason to refuse it
	}
	one.Used = now.Unix()
	return one.Claims, one.over, nil
}

// former returns what a token of before says, if it is of a runtime that goes on.
func (t *tokens) former(token string) (Claims, error) {
	c, err := verify(t.cfg.Former.Secret, token, t.cfg.Now())
	if err != nil || len(t.cfg.Former.Secret) == 0 {
		return Claims{}, errToken
	}
	if c.Kind == event.ActorRuntime && slices.Contains(t.cfg.Former.Runtimes, event.RuntimeID(c.Name)) {
		return c, nil
	}
	return Claims{}, errOlder
}

// list returns the tokens that are good, the latest first.
func (t *tokens) list() []TokenInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pruneLocked(Claims{})
	all := make([]TokenInfo, 0, len(t.all))
	for _, one := range t.all {
		all = append(all, TokenInfo{
			ID: one.Digest[:tokenIDLen], Kind: one.Claims.Kind, Name: one.Claims.Name, Notebook: one.Claims.Notebook, Role: one.Claims.Role, Brings: one.Claims.Brings,
			Created: one.Created, Expires: one.Claims.Expires, Used: one.Used,
		})
	}
	slices.SortFunc(all, func(a, b TokenInfo) int { return cmp.Or(cmp.Compare(b.Created, a.Created), cmp.Compare(a.ID, b.ID)) })
	return all
}

// revoke ends the tokens with an id and the sockets that were opened with them, and reports whether there was one.
func (t *tokens) revoke(id string) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := false
	for d, one := range t.all {
		if one.Digest[:tokenIDLen] == id {
			found = true
			delete(t.all, d)
			t.revoked[d] = true
			close(one.over)
		}
	}
	if !found {
		return false, nil
	}
	return true, t.saveLocked()
}

func (t *tokens) saveLocked() error {
	list := make([]Issued, 0, len(t.all))
	for _, one := range t.all {
		list = append(list, one.Issued)
	}
	slices.SortFunc(list, func(a, b Issued) int { return cmp.Compare(a.Digest, b.Digest) })
	if err := t.cfg.Tokens.Save(list); err != nil {
		return fmt.Errorf("save tokens: %w", err)
	}
	return nil
}

// TokenInfo is what the owner is told of a token.
type TokenInfo struct {
	ID       string          `json:"id"`
	Kind     event.ActorKind `json:"kind" jsonschema:"key for a program, runtime for what executes a notebook"`
	Name     string          `json:"name"`
	Notebook string          `json:"notebook,omitempty"`
	Role     access.Role     `json:"role,omitempty"`
	Brings   bool            `json:"brings,omitempty" jsonschema:"whether it may connect runtimes"`
	Created  int64           `json:"created" jsonschema:"in seconds since 1970"`
	Expires  int64           `json:"expires,omitempty" jsonschema:"in seconds since 1970; never if it is not there"`
	Used     int64           `json:"used,omitempty" jsonschema:"when it was used last, in seconds since 1970"`
}

// TokenList is the tokens that are good.
type TokenList struct {
	Tokens []TokenInfo `json:"tokens"`
}
