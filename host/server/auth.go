package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server/origin"
)

// owner is the person that the server belongs to in local mode.
const owner = "owner"

// principal is who makes a request. The zero one is nobody.
type principal struct {
	actor    event.Actor
	person   string          // as the directory knows them; empty for programs
	owner    bool            // of the server
	cookie   bool            // known by a cookie, so that a browser may have been tricked
	began    time.Time       // when it signed in with that
	half     bool            // nobody, but for a cookie without its other half
	notebook string          // the only one that the token is good for, if not empty
	role     access.Role     // there
	brings   bool            // may connect runtimes there, as an editor
	expires  time.Time       // zero for never
	issued   event.Time      // when the token was made, 0 if it does not say
	over     <-chan struct{} // closed when somebody signs out; nil for tokens

	// until returns when a sign-in ends, which is later than expires once it was renewed;
	// nil for tokens.
	until func() time.Time
}

func (p principal) known() bool { return p.actor != "" }

// hasPage reports whether the principal gets the page, in which there is nothing of a
// notebook for one who has half of a sign-in.
func (p principal) hasPage() bool { return p.known() || p.half }

// key is what the requests of the principal are counted by.
func (p principal) key() string { return string(p.actor) + "@" + p.notebook }

// auth knows who carries which credentials.
type auth struct {
	cfg        Config
	cookie     string // the name of the cookie, which has the port since cookies have none
	ownerToken [sha256.Size]byte
	links      *secrets // each good for signing in once
	sessions   *secrets // of browsers that are signed in
}

func newAuth(cfg Config) (*auth, error) {
	a := &auth{
		cfg: cfg, cookie: "quire", ownerToken: sha256.Sum256([]byte(cfg.OwnerToken)), links: newLinks(cfg),
	}
	var err error
	if a.sessions, err = newSessions(cfg); err != nil {
		return nil, err
	}
	if addr, ok := cfg.Listener.Addr().(*net.TCPAddr); ok {
		a.cookie = fmt.Sprintf("quire_%d", addr.Port)
	}
	return a, nil
}

// errHalf says that a browser has a cookie and not what its page keeps.
var errHalf = errors.New("sign in again: this page does not have its part of the sign-in; open a link that quire link prints")

// errCredentials says that a request carries none, or some that mean nothing.
var errCredentials = errors.New("sign in first: open the link that the server printed, or get one with quire link")

// identify returns who makes a request. A request without credentials is nobody's,
// and one with bad credentials is an error.
func (a *auth) identify(r *http.Request) (principal, error) {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return principal{}, errToken
		}
		return a.bearer(strings.TrimSpace(token))
	}
	c, err := r.Cookie(a.cookieName(r))
	if err != nil {
		return principal{}, nil
	}
	session, ok := a.sessions.find(c.Value)
	if !ok {
		return principal{}, nil // an old cookie is no reason to refuse the sign-in page
	}
	if !session.matches(halfOf(r)) {
		return principal{half: true}, nil
	}
	return a.signedIn(c, session), nil
}

// signedIn returns who has signed in with a cookie.
func (a *auth) signedIn(c *http.Cookie, session secret) principal {
	p := ownerPrincipal()
	p.began = session.began
	p.cookie, p.expires, p.over = true, session.end, session.over
	p.until = func() time.Time {
		session, _ := a.sessions.find(c.Value)
		return session.end
	}
	return p
}

// renew has the sign-in that a request was made with last for as long as a new one, and
// tells the browser.
func (a *auth) renew(w http.ResponseWriter, r *http.Request, p *principal) {
	c, err := r.Cookie(a.cookieName(r))
	if err != nil || !p.cookie {
		return
	}
	if session, ok := a.sessions.renew(c.Value); ok {
		p.expires = session.end
		http.SetCookie(w, a.cookieOf(r, c.Value, int(sessionLife/time.Second)))
	}
}

// cookieName returns the name of the cookie for how a request came. A browser takes one
// with the prefix from this very host over https only: no other host of the domain, and no
// one on the way to an http page, can set it.
func (a *auth) cookieName(r *http.Request) string {
	if origin.Secure(r) {
		return "__Host-" + a.cookie
	}
	return a.cookie
}

func ownerPrincipal() principal {
	return principal{actor: event.NewActor(event.ActorPerson, owner), person: owner, owner: true}
}

// personNamed returns a person whom the server knows by name alone.
func personNamed(name string) principal { return principal{person: name, owner: name == owner} }

func (a *auth) bearer(token string) (principal, error) {
	sum := sha256.Sum256([]byte(token))
	if subtle.ConstantTimeCompare(sum[:], a.ownerToken[:]) == 1 {
		return ownerPrincipal(), nil
	}
	if !strings.HasPrefix(token, tokenPrefix) {
		return principal{}, errToken
	}
	c, over, err := a.cfg.tokens.find(token)
	if err != nil {
		return principal{}, err
	}
	p := principal{over: over, actor: event.NewActor(c.Kind, c.Name), notebook: c.Notebook, role: c.Role, brings: c.Brings, issued: c.Issued}
	if c.Kind == event.ActorPerson {
		p.person = c.Name
	}
	if c.Expires != 0 {
		p.expires = time.Unix(c.Expires, 0)
	}
	return p, nil
}

// setCookie signs the browser in that a response goes to, and returns the half of that
// which its page is to keep.
func (a *auth) setCookie(w http.ResponseWriter, r *http.Request) (half string, err error) {
	session, half, err := a.sessions.create()
	if err == nil {
		http.SetCookie(w, a.cookieOf(r, session, int(sessionLife/time.Second)))
	}
	return half, err
}

// endCookie signs the browser out that a request came from.
func (a *auth) endCookie(w http.ResponseWriter, r *http.Request) error {
	http.SetCookie(w, a.cookieOf(r, "", -1))
	c, err := r.Cookie(a.cookieName(r))
	if err == nil {
		_, err = a.sessions.use(c.Value)
	}
	return err
}

func (a *auth) cookieOf(r *http.Request, value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: a.cookieName(r), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: origin.Secure(r), SameSite: http.SameSiteStrictMode,
	}
}
