package server

import (
	"net/http"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/host/server/signin"
)

// Me describes the signed-in principal.
type Me struct {
	Actor    event.Actor `json:"actor"`
	Name     string      `json:"name,omitempty" jsonschema:"yours, if you are a person whose name the sign-in has"`
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

func (s *Server) me(c *call, _ none) (Me, error) {
	me := Me{Actor: c.who.Actor, Name: c.who.Name, Owner: c.who.Owner, Notebook: c.who.Notebook, Role: c.who.Role}
	if !c.who.Expires.IsZero() {
		me.Expires = c.who.Expires.Unix()
	}
	return me, nil
}

// Link returns the path of a new link that signs a browser of the owner in, once. It is good for a day, and
// until the server stops.
func (s *Server) Link() string { return s.LinkFor(signin.Owner()) }

// LinkFor is Link for the browser of a person.
func (s *Server) LinkFor(p signin.Person) string { return s.signin.Link(p) }

func (s *Server) createLink(c *call, _ none) (Link, error) {
	return Link{URL: s.proxies.PublicOrigin(c.r) + s.LinkFor(signin.Person{ID: c.who.Person, Name: c.who.Name}), Expires: s.cfg.Now().Add(signin.LinkLife).Unix()}, nil
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
