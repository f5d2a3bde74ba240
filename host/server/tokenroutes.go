package server

import (
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
	"github.com/quirehq/quire/host/server/signin"
)

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
