package server

import (
	"net/http"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

// Health says that the server is up.
type Health struct {
	Status string `json:"status"`
}

// Version says which version the server is, and of the protocol.
type Version struct {
	Version  string `json:"version"`
	Protocol int    `json:"protocol" jsonschema:"the version of the messages of a socket"`
}

// Me says who somebody is to the server.
type Me struct {
	Actor    event.Actor `json:"actor"`
	Owner    bool        `json:"owner" jsonschema:"whether the server is yours"`
	Notebook string      `json:"notebook,omitempty" jsonschema:"the only one that your token is good for"`
	Role     access.Role `json:"role,omitempty" jsonschema:"in that notebook"`
	Expires  int64       `json:"expires,omitempty" jsonschema:"when your token or your sign-in ends, in seconds since 1970"`
}

// Link is a way to sign a browser in, once.
type Link struct {
	URL     string `json:"url"`
	Expires int64  `json:"expires" jsonschema:"in seconds since 1970"`
}

// NewToken asks for a key for a program.
type NewToken struct {
	Name      string      `json:"name" jsonschema:"who the program is: 1 to 64 letters, digits, - and _"`
	Notebook  string      `json:"notebook"`
	Role      access.Role `json:"role" jsonschema:"editor, runner or viewer"`
	ExpiresIn int64       `json:"expiresIn" jsonschema:"seconds from now, at most a year"`
}

// Token is a key for a program. The server does not keep it.
type Token struct {
	Token   string `json:"token"`
	Expires int64  `json:"expires" jsonschema:"in seconds since 1970"`
}

const maxKeyLife = 366 * 24 * time.Hour

func (s *Server) health(*call, none) (Health, error) { return Health{Status: "ok"}, nil }

func (s *Server) version(*call, none) (Version, error) {
	return Version{Version: s.cfg.Version, Protocol: replica.Version}, nil
}

func (s *Server) me(c *call, _ none) (Me, error) {
	me := Me{Actor: c.who.actor, Owner: c.who.owner, Notebook: c.who.notebook, Role: c.who.role}
	if !c.who.expires.IsZero() {
		me.Expires = c.who.expires.Unix()
	}
	return me, nil
}

// Link returns the path of a new link that signs a browser in, once. It is good
// for a day, and until the server stops.
func (s *Server) Link() string {
	token, _ := s.auth.links.create() // links are not kept, so that nothing fails
	return "/login?token=" + token
}

func (s *Server) createLink(c *call, _ none) (Link, error) {
	return Link{URL: originOf(c.r) + s.Link(), Expires: s.cfg.Now().Add(linkLife).Unix()}, nil
}

func (s *Server) createToken(c *call, in NewToken) (Token, error) {
	life := time.Duration(in.ExpiresIn) * time.Second
	switch {
	case in.ExpiresIn < 1 || in.ExpiresIn > int64(maxKeyLife/time.Second):
		return Token{}, problem(replica.CodeInvalid, "expiresIn must be from 1 second to 366 days")
	case in.Role != access.Editor && in.Role != access.Runner && in.Role != access.Viewer:
		return Token{}, problem(replica.CodeInvalid, "role must be editor, runner or viewer")
	}
	if _, err := s.cfg.Directory.Notebook(c.r.Context(), in.Notebook); err != nil {
		return Token{}, err
	}
	claims := Claims{
		Kind: event.ActorKey, Name: in.Name, Notebook: in.Notebook, Role: in.Role,
		Expires: s.cfg.Now().Add(life).Unix(),
	}
	if err := claims.check(); err != nil {
		return Token{}, problem(replica.CodeInvalid, err.Error())
	}
	token, err := Sign(s.cfg.Secret, claims)
	return Token{Token: token, Expires: claims.Expires}, err
}

func (s *Server) login() endpoint {
	return endpoint{status: http.StatusSeeOther, gives: "text/html", serve: s.signIn}
}

// signIn exchanges the token of a link for a cookie.
func (s *Server) signIn(c *call) error {
	if c.r.Method != http.MethodGet {
		return problemWith(http.StatusMethodNotAllowed, replica.CodeInvalid, "a link must be opened with GET")
	}
	from := addressOf(c.r)
	if s.limits.failures.empty(from) {
		return tooMany(c.w, "too many failed attempts to sign in; wait a minute")
	}
	next := localPath(c.r.FormValue("next"))
	good, err := s.auth.links.use(linkToken(c.r.FormValue("token")))
	if err != nil {
		return err
	}
	if !good {
		s.limits.failures.take(from)
		return writePage(c.w, http.StatusForbidden, "This link does not work any more", linkUsed, signInForm(next))
	}
	if err := s.auth.setCookie(c.w, c.r); err != nil {
		return err
	}
	http.Redirect(c.w, c.r, next, http.StatusSeeOther)
	return nil
}

// signOut ends the session of the browser that asks, and its sockets with it. Who
// shows a token has none.
func (s *Server) signOut(c *call, _ none) (none, error) {
	if c.who.cookie {
		return none{}, s.auth.endCookie(c.w, c.r)
	}
	return none{}, nil
}
