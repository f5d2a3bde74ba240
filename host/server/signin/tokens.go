package signin

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
	usedEvery  = time.Hour // the interval at which the last use of a token is stored
	tokenIDLen = 8         // of the digest, in hexadecimal digits
)

// TokenStore stores the issued tokens while no server runs.
type TokenStore interface {
	// Load returns the tokens that were saved last, none if there were never any.
	Load() ([]Issued, error)
	// Save replaces the stored tokens. It is called by one goroutine at a time.
	Save(tokens []Issued) error
}

// Issued is a token that was issued. The token itself cannot be derived from it.
type Issued struct {
	Digest  string `json:"digest"`
	Claims  Claims `json:"claims"`
	Created int64  `json:"created"`        // in seconds since 1970
	Used    int64  `json:"used,omitempty"` // last, to the hour
}

// Former has the tokens of a server from before tokens were stored: they stay good for the
// runtimes that such a server has started and that still run.
type Former struct {
	Secret   []byte
	Runtimes []event.RuntimeID
}

// noTokens is the store of tokens that end with the server.
type noTokens struct{}

func (noTokens) Load() ([]Issued, error) { return nil, nil }
func (noTokens) Save([]Issued) error     { return nil }

// errRevoked says that a token was revoked, errOlder that it is older than the store of tokens.
var (
	errRevoked = errors.New("the token was revoked; make a new one")
	errOlder   = errors.New("the token was made by an older server, whose tokens ended with it; make a new one")
)

// TokensConfig has the dependencies of [Tokens].
type TokensConfig struct {
	Store  TokenStore // nil if tokens end with the server
	Signer []byte     // the key that signs tokens
	Former Former
	Now    func() time.Time
}

// Tokens are the tokens of programs. A token is good if this server has signed it, or if it is
// stored from an earlier run: the signing key differs in each run, so a copy of the data
// directory is not enough to make a token.
type Tokens struct {
	cfg TokensConfig

	mu      sync.Mutex
	all     map[digest]*issued
	revoked map[digest]bool
}

type issued struct {
	Issued
	over chan struct{} // closed when it is revoked
}

// NewTokens returns the tokens that are stored.
func NewTokens(cfg TokensConfig) (*Tokens, error) {
	if cfg.Store == nil {
		cfg.Store = noTokens{}
	}
	t := &Tokens{cfg: cfg, all: map[digest]*issued{}, revoked: map[digest]bool{}}
	kept, err := cfg.Store.Load()
	if err != nil {
		return nil, fmt.Errorf("load tokens: %w", err)
	}
	for _, k := range kept {
		d, err := digestFrom(k.Digest)
		if err == nil {
			err = k.Claims.Check()
		}
		if err != nil {
			return nil, fmt.Errorf("load tokens: %w", err)
		}
		t.all[d] = &issued{Issued: k, over: make(chan struct{})}
	}
	return t, nil
}

// Issue returns a new token, once it is stored.
func (t *Tokens) Issue(c Claims) (string, error) {
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

// pruneLocked drops tokens that have expired, and those of runtimes that a new one displaces.
func (t *Tokens) pruneLocked(c Claims) {
	now := t.cfg.Now().Unix()
	for d, one := range t.all {
		old := one.Claims.Expires != 0 && now >= one.Claims.Expires
		replaced := c.Kind.Serves() && one.Claims.Kind == c.Kind && one.Claims.Notebook == c.Notebook
		if old || replaced {
			delete(t.all, d)
		}
	}
}

// find returns the claims of a good token, and a channel that is closed when it is revoked.
func (t *Tokens) find(token string) (Claims, <-chan struct{}, error) {
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
		_ = t.saveLocked() // a failure to store the use is no reason to refuse the token
	}
	one.Used = now.Unix()
	return one.Claims, one.over, nil
}

// former returns the claims of a former token, if its runtime still runs.
func (t *Tokens) former(token string) (Claims, error) {
	c, err := verify(t.cfg.Former.Secret, token, t.cfg.Now())
	if err != nil || len(t.cfg.Former.Secret) == 0 {
		return Claims{}, errToken
	}
	if c.Kind.Serves() && slices.Contains(t.cfg.Former.Runtimes, event.RuntimeID(c.Name)) {
		return c, nil
	}
	return Claims{}, errOlder
}

// List returns the good tokens, the latest first.
func (t *Tokens) List() []TokenInfo {
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

// Revoke ends the tokens with an id, and the sockets that were opened with them. It reports
// whether there was one.
func (t *Tokens) Revoke(id string) (bool, error) {
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

func (t *Tokens) saveLocked() error {
	list := make([]Issued, 0, len(t.all))
	for _, one := range t.all {
		list = append(list, one.Issued)
	}
	slices.SortFunc(list, func(a, b Issued) int { return cmp.Compare(a.Digest, b.Digest) })
	if err := t.cfg.Store.Save(list); err != nil {
		return fmt.Errorf("save tokens: %w", err)
	}
	return nil
}

// TokenInfo describes a token to the owner.
type TokenInfo struct {
	ID       string          `json:"id"`
	Kind     event.ActorKind `json:"kind" jsonschema:"key for a program, runtime for a process that executes a notebook"`
	Name     string          `json:"name"`
	Notebook string          `json:"notebook,omitempty"`
	Role     access.Role     `json:"role,omitempty"`
	Brings   bool            `json:"brings,omitempty" jsonschema:"whether it may connect runtimes"`
	Created  int64           `json:"created" jsonschema:"in seconds since 1970"`
	Expires  int64           `json:"expires,omitempty" jsonschema:"in seconds since 1970; missing if never"`
	Used     int64           `json:"used,omitempty" jsonschema:"the last use, in seconds since 1970"`
}
