package server

import (
	"net/http"
	"sync"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/server/problem"
	"github.com/quirehq/quire/host/server/signin"
)

// Health reports that the server is up.
type Health struct {
	Status string `json:"status"`
}

// Version has the versions of the server and of the protocol.
type Version struct {
	Version  string `json:"version"`
	Protocol int    `json:"protocol" jsonschema:"the version of the messages of sockets"`
}

// Me describes the signed-in principal.
type Me struct {
	Actor    event.Actor `json:"actor"`
	Owner    bool        `json:"owner" jsonschema:"whether you own the server"`
	Notebook string      `json:"notebook,omitempty" jsonschema:"the only notebook that your token is good for"`
	Role     access.Role `json:"role,omitempty" jsonschema:"in that notebook"`
	Expires  int64       `json:"expires,omitempty" jsonschema:"the end of your token or sign-in, in seconds since 1970"`
}

// Link is a link that signs a browser in, once.
type Link struct {
	URL     string `json:"url"`
	Expires int64  `json:"expires" jsonschema:"in seconds since 1970"`
}

// NewToken asks for a token for a program.
type NewToken struct {
	Name      string      `json:"name" jsonschema:"of the program: 1 to 64 letters, digits, - and _"`
	Notebook  string      `json:"notebook"`
	Role      access.Role `json:"role" jsonschema:"editor, runner or viewer"`
	Brings    bool        `json:"brings,omitempty" jsonschema:"whether an editor may connect runtimes, which get the code of all members and their input to programs"`
	ExpiresIn int64       `json:"expiresIn" jsonschema:"seconds from now, at most a year"`
}

// Token is a token for a program. The server stores only its digest.
type Token struct {
	Token   string `json:"token"`
	Expires int64  `json:"expires" jsonschema:"in seconds since 1970"`
}

const maxTokenLife = 366 * 24 * time.Hour

// health reports that the server is up, and, if the logs can tell, that it can store events.
func (s *Server) health(*call, none) (Health, error) {
	if logs, ok := s.cfg.Logs.(interface{ Health() error }); ok {
		if err := s.healthy.of(logs.Health); err != nil {
			return Health{}, unhealthy(err)
		}
	}
	return Health{Status: "ok"}, nil
}

// unhealthy returns the part of a storage failure that anyone may know.
func unhealthy(err error) error {
	if reason, known := room.Unwritten(err); known {
		return problem.New(protocol.CodeUnavailable, reason)
	}
	return problem.New(protocol.CodeUnavailable, "the server can store nothing now; its log says why")
}

// healthEvery is the least interval at which the logs are asked: anyone may ask the server.
const healthEvery = time.Second

// healthy caches the health of the logs.
type healthy struct {
	now func() time.Time

	mu    sync.Mutex
	asked time.Time
	err   error
}

func (h *healthy) of(ask func() error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := h.now(); h.asked.IsZero() || now.Sub(h.asked) >= healthEvery || now.Before(h.asked) {
		h.asked, h.err = now, ask()
	}
	return h.err
}

func (s *Server) version(*call, none) (Version, error) {
	return Version{Version: s.cfg.Version, Protocol: protocol.Version}, nil
}

func (s *Server) me(c *call, _ none) (Me, error) {
	me := Me{Actor: c.who.Actor, Owner: c.who.Owner, Notebook: c.who.Notebook, Role: c.who.Role}
	if !c.who.Expires.IsZero() {
		me.Expires = c.who.Expires.Unix()
	}
	return me, nil
}

// Link returns the path of a new link that signs a browser in, once. It is good for a day, and
// until the server stops.
func (s *Server) Link() string { return s.signin.Link() }

func (s *Server) createLink(c *call, _ none) (Link, error) {
	return Link{URL: s.proxies.PublicOrigin(c.r) + s.Link(), Expires: s.cfg.Now().Add(signin.LinkLife).Unix()}, nil
}

func (s *Server) createToken(c *call, in NewToken) (Token, error) {
	life := time.Duration(in.ExpiresIn) * time.Second
	switch {
	case in.ExpiresIn < 1 || in.ExpiresIn > int64(maxTokenLife/time.Second):
		return Token{}, problem.New(protocol.CodeInvalid, "expiresIn must be from 1 second to 366 days")
	case in.Role != access.Editor && in.Role != access.Runner && in.Role != access.Viewer:
		return Token{}, problem.New(protocol.CodeInvalid, "role must be editor, runner or viewer")
	}
	c.note("name", in.Name)
	c.note("notebook", in.Notebook)
	c.note("role", string(in.Role))
	if in.Brings {
		c.note("brings", "runtimes")
	}
	if _, err := s.cfg.Directory.Notebook(c.r.Context(), in.Notebook); err != nil {
		return Token{}, err
	}
	claims := signin.Claims{
		Kind: event.ActorKey, Name: in.Name, Notebook: in.Notebook, Role: in.Role, Brings: in.Brings,
		Expires: s.cfg.Now().Add(life).Unix(),
	}
	if err := claims.Check(); err != nil {
		return Token{}, problem.New(protocol.CodeInvalid, err.Error())
	}
	token, err := s.tokens.Issue(claims)
	return Token{Token: token, Expires: claims.Expires}, err
}

// TokenList has the good tokens.
type TokenList struct {
	Tokens []signin.TokenInfo `json:"tokens"`
}

func (s *Server) listTokens(*call, none) (TokenList, error) {
	return TokenList{Tokens: s.tokens.List()}, nil
}

func (s *Server) revokeToken(c *call, _ none) (none, error) {
	found, err := s.tokens.Revoke(c.r.PathValue("token"))
	if err == nil && !found {
		err = problem.New(protocol.CodeNotFound, "there is no such token; `quire token ls` lists those that there are")
	}
	return none{}, err
}

func (s *Server) confirmLogin() endpoint {
	return s.signInPage(func(c *call) error { return s.signin.Confirm(c.w, c.r) })
}

func (s *Server) login() endpoint {
	return s.signInPage(func(c *call) error { return s.signin.SignIn(c.w, c.r) })
}

func (s *Server) confirmLogout() endpoint {
	return s.signInPage(func(c *call) error { return s.signin.ConfirmSignOut(c.w) })
}

func (s *Server) signInPage(serve func(*call) error) endpoint {
	return endpoint{status: http.StatusOK, gives: "text/html", serve: serve}
}

func (s *Server) signOut(c *call, _ none) (none, error) {
	return none{}, s.signin.SignOut(c.w, c.r, c.who)
}
