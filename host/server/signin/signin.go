// Package signin identifies the authors of requests: browsers by a session that a link has
// begun, programs by tokens.
//
// It promises that a link signs in one browser once, that a cookie alone gives nothing of a
// notebook, that stored sessions and tokens are of no use without the secret of the server, and
// that revoking one ends it everywhere. What a principal may do is left to the caller.
package signin

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server/origin"
)

const (
	secretSize    = 32
	minOwnerToken = 20 // bytes
)

// Config has the dependencies and credentials of a [Service].
type Config struct {
	Address    net.Addr     // of the listener; its port is part of the cookie's name
	Secret     []byte       // 32 bytes of the data directory: stored sessions are good with it only
	OwnerToken string       // of the owner's own programs
	Tokens     *Tokens      // of other programs
	Sessions   SessionStore // nil if browsers are signed out when the server stops
	Now        func() time.Time

	// MayFail counts a failed attempt to sign in from an address, and reports whether that
	// address was within its limit.
	MayFail func(address string) bool
	// Attempted records an attempt to sign in with a link. Failed is the reason of a failure,
	// else empty.
	Attempted func(r *http.Request, actor event.Actor, failed string)
}

// Service signs browsers in and identifies the authors of requests.
type Service struct {
	cfg        Config
	cookie     string // its name, with the port: browsers send a cookie to all ports of a host
	ownerToken [sha256.Size]byte
	links      *secrets // each good for one sign-in
	sessions   *secrets // of browsers that are signed in
}

// New returns a service with the sessions that are stored.
func New(cfg Config) (*Service, error) {
	switch {
	case len(cfg.Secret) < secretSize:
		return nil, fmt.Errorf("secret is %d bytes, want %d", len(cfg.Secret), secretSize)
	case len(cfg.OwnerToken) < minOwnerToken:
		return nil, fmt.Errorf("owner's token is %d bytes, want at least %d", len(cfg.OwnerToken), minOwnerToken)
	}
	if cfg.Sessions == nil {
		cfg.Sessions = noSessions{}
	}
	s := &Service{
		cfg: cfg, cookie: "quire", ownerToken: sha256.Sum256([]byte(cfg.OwnerToken)), links: newLinks(cfg),
	}
	var err error
	if s.sessions, err = newSessions(cfg); err != nil {
		return nil, err
	}
	if addr, ok := cfg.Address.(*net.TCPAddr); ok {
		s.cookie = fmt.Sprintf("quire_%d", addr.Port)
	}
	return s, nil
}

// ErrHalf says that a browser has a cookie without the other half that its page stores.
var ErrHalf = errors.New("sign in again: this page does not have its part of the sign-in; open a link that quire link prints")

// ErrNone says that a request has no credentials, or meaningless ones.
var ErrNone = errors.New("sign in first: open the link that the server printed, or get one with quire link")

// Identify returns the author of a request. A request without credentials has an unknown
// author, and one with invalid credentials is an error.
func (s *Service) Identify(r *http.Request) (Principal, error) {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return Principal{}, errToken
		}
		return s.bearer(strings.TrimSpace(token))
	}
	c, err := s.Cookie(r)
	if err != nil {
		return Principal{}, nil
	}
	session, ok := s.sessions.find(c.Value)
	if !ok {
		return Principal{}, nil // an old cookie is no reason to refuse the sign-in page
	}
	if !session.matches(halfOf(r)) {
		return Principal{Half: true}, nil
	}
	return s.signedIn(c, session), nil
}

func (s *Service) bearer(token string) (Principal, error) {
	sum := sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(sum[:], s.ownerToken[:]) == 1 {
		return Owner().principal(), nil
	}
	if !strings.HasPrefix(token, tokenPrefix) {
		return Principal{}, errToken
	}
	c, over, err := s.cfg.Tokens.find(token)
	if err != nil {
		return Principal{}, err
	}
	p := Principal{over: over, Actor: event.NewActor(c.Kind, c.Name), Notebook: c.Notebook, Role: c.Role, Brings: c.Brings, Issued: c.Issued}
	if c.Kind == event.ActorPerson {
		p.Person = c.Name
	}
	if c.Expires != 0 {
		p.Expires = time.Unix(c.Expires, 0)
	}
	return p, nil
}

// A browser sends a cookie to every port of a host, so that a cookie alone proves only that a
// browser, and not which page of which port, sends the request. The page stores the other half
// of a sign-in in the storage of its origin, which no other port can read, and sends it in a
// header, or, where a browser cannot set one, as a subprotocol of a WebSocket.
const (
	halfHeader   = "Quire-Key"
	halfProtocol = "quire.key."
)

// halfOf returns the half of a sign-in that a request has besides its cookie.
func halfOf(r *http.Request) string {
	if half := r.Header.Get(halfHeader); half != "" || !origin.WantsSocket(r) {
		return half
	}
	for _, header := range r.Header.Values("Sec-Websocket-Protocol") {
		for name := range strings.SplitSeq(header, ",") {
			if half, ok := strings.CutPrefix(strings.TrimSpace(name), halfProtocol); ok {
				return half
			}
		}
	}
	return ""
}

// Cookie returns the cookie of the sign-in of a request.
func (s *Service) Cookie(r *http.Request) (*http.Cookie, error) { return r.Cookie(s.cookieName(r)) }

// ByCookie returns the principal of a cookie without its other half. It is for signed links,
// which stand for that half.
func (s *Service) ByCookie(c *http.Cookie) (Principal, error) {
	session, ok := s.sessions.find(c.Value)
	if !ok {
		return Principal{}, ErrNone
	}
	return s.signedIn(c, session), nil
}

// signedIn returns the principal of a session.
func (s *Service) signedIn(c *http.Cookie, session secret) Principal {
	p := session.of.principal()
	p.Began = session.began
	p.Cookie, p.Expires, p.over = true, session.end, session.over
	p.until = func() time.Time {
		session, _ := s.sessions.find(c.Value)
		return session.end
	}
	return p
}

// Renew extends the sign-in of a request to the life of a new one, and sends the browser its
// cookie again.
func (s *Service) Renew(w http.ResponseWriter, r *http.Request, p *Principal) {
	c, err := s.Cookie(r)
	if err != nil || !p.Cookie {
		return
	}
	if session, ok := s.sessions.renew(c.Value); ok {
		p.Expires = session.end
		http.SetCookie(w, s.cookieOf(r, c.Value, int(sessionLife/time.Second)))
	}
}

// Link returns the path of a new link that signs a browser of a person in, once. It is good for [LinkLife],
// and until the server stops.
func (s *Service) Link(of Person) string {
	token, _, _ := s.links.create(of) // links are not stored, so that nothing fails
	return "/login?token=" + token
}

// SignOut ends the session of the browser that sends a request, with its sockets, and has the
// browser clear its storage. A program that shows a token has no session to end.
func (s *Service) SignOut(w http.ResponseWriter, r *http.Request, p Principal) error {
	if !p.Cookie {
		return nil
	}
	w.Header().Set("Clear-Site-Data", `"cache", "storage"`)
	http.SetCookie(w, s.cookieOf(r, "", -1))
	c, err := s.Cookie(r)
	if err == nil {
		_, _, err = s.sessions.use(c.Value)
	}
	return err
}

func (s *Service) cookieOf(r *http.Request, value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: s.cookieName(r), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: origin.Secure(r), SameSite: http.SameSiteStrictMode,
	}
}

// cookieName returns the name of the cookie for the scheme of a request. A browser accepts the
// prefix only from this very host over https: no other host of the domain, and no attacker
// between the browser and an http page, can set such a cookie.
func (s *Service) cookieName(r *http.Request) string {
	if origin.Secure(r) {
		return "__Host-" + s.cookie
	}
	return s.cookie
}
