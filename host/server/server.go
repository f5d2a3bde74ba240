// Package server serves notebooks to people and programs: the HTTP API, the sockets of members, and
// the wiring of rooms, sign-in, artifacts and the page.
//
// It promises that every request passes the same checks before its handler runs: of its Host and
// Origin, of its principal, of its rate, and of the permission that the one table of routes asks
// for. A change of a notebook goes through its room, where it is checked again, stamped and
// ordered. The package stores nothing and opens no connections itself: [Config] has the directory,
// the logs, the WebSocket upgrade and the launcher of runtimes.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/server/artifacts"
	"github.com/quirehq/quire/host/server/origin"
	"github.com/quirehq/quire/host/server/rooms"
	"github.com/quirehq/quire/host/server/signin"
	"github.com/quirehq/quire/host/server/transfer"
	"github.com/quirehq/quire/host/server/webapp"
)

// Server serves the notebooks of one data directory.
type Server struct {
	cfg       Config
	log       *slog.Logger
	hosts     origin.Hosts
	proxies   origin.Proxies
	signin    *signin.Service
	tokens    *signin.Tokens
	rooms     *rooms.Set
	rates     *rateLimits
	artifacts *artifacts.Service
	healthy   *healthy
	memory    *budget // of answers made of whole notebooks
	inbound   *budget // of large messages from sockets
	purges    purges
	app       *webapp.App
	openapi   []byte
	handler   http.Handler
}

// New returns a server. It serves its listener once [Server.Run] is called.
func New(cfg Config) (*Server, error) {
	if err := cfg.setDefaults(); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	tokens, err := signin.NewTokens(signin.TokensConfig{Store: cfg.Tokens, Signer: cfg.Signer, Former: cfg.Former, Now: cfg.Now})
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	s := &Server{
		cfg: cfg, log: cfg.Logger,
		hosts: origin.NewHosts(cfg.Listener.Addr(), cfg.Hosts, cfg.Public), proxies: origin.Proxies{Trusted: cfg.TrustedProxies, Public: cfg.Public},
		rates: newRateLimits(cfg), artifacts: artifacts.New(cfg.artifactsConfig()), healthy: &healthy{now: cfg.Now}, memory: newBudget(cfg.Limits.Answers), inbound: newBudget(inboundMessages * protocol.MaxMessage), purges: purges{ids: map[string]bool{}},
	}
	s.tokens = tokens
	s.rooms = rooms.New(s.roomsConfig())
	s.signin, err = signin.New(signin.Config{
		Address: cfg.Listener.Addr(), Secret: cfg.Secret, OwnerToken: cfg.OwnerToken, Tokens: tokens, Sessions: cfg.Sessions, Now: cfg.Now,
		MayFail: s.rates.failures.take, Attempted: s.recordSignIn,
	})
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	if s.app, err = webapp.New(cfg.App); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	if err := cfg.Metrics.observeAnswers(s.memory); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	if q, ok := cfg.Logs.(queue); ok {
		if err := cfg.Metrics.observeQueue(q); err != nil {
			return nil, fmt.Errorf("server: %w", err)
		}
	}
	routes := s.routes()
	if s.openapi, err = describe(routes, cfg.Version); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	s.handler = s.middleware(s.mux(routes))
	return s, nil
}

// Handler returns the handler of all requests.
func (s *Server) Handler() http.Handler { return s.handler }

// Bounds of the time that stopping takes. Together they are under five seconds.
const (
	requestsStop = 500 * time.Millisecond // for requests under way
	flushStop    = 300 * time.Millisecond // for the last messages of a socket
)

// Run serves the listener until ctx ends. Then it accepts no more connections, lets the rooms commit,
// tell their members to connect again and save snapshots, and returns nil within five seconds.
func (s *Server) Run(ctx context.Context) error {
	hs := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       transfer.Patience, // neither applies to a socket
		WriteTimeout:      transfer.Patience,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		// Nothing is answered before the middleware, not even OPTIONS *.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	var collecting sync.WaitGroup
	life, cancel := context.WithCancel(ctx)
	collecting.Go(func() { s.artifacts.Collect(life) })
	served := make(chan error, 1)
	go func() { served <- hs.Serve(s.cfg.Listener) }()
	var err error
	select {
	case <-ctx.Done():
	case err = <-served:
		err = fmt.Errorf("serve %s: %w", s.cfg.Listener.Addr(), err)
	}
	cancel()
	s.stop(context.WithoutCancel(ctx), hs)
	collecting.Wait()
	if err == nil {
		<-served
	}
	return err
}

func (s *Server) stop(ctx context.Context, hs *http.Server) {
	soon, cancel := context.WithTimeout(ctx, requestsStop)
	defer cancel()
	err := hs.Shutdown(soon)
	s.rooms.Close()
	if err = errors.Join(err, hs.Close()); err != nil {
		s.log.Debug("requests were cut off", "error", err)
	}
}

// recordSignIn records an attempt to sign in with a link.
func (s *Server) recordSignIn(r *http.Request, actor event.Actor, failed string) {
	from := origin.Address(r)
	if failed != "" {
		s.log.Info("sign-in failed", "from", from, "reason", failed)
	}
	s.recordAct(Act{Kind: actSignIn, Actor: actor, From: from, Failed: failed})
}

// roomsConfig returns the configuration of the rooms.
func (s *Server) roomsConfig() rooms.Config {
	m := s.cfg.Metrics
	return rooms.Config{
		Directory: s.cfg.Directory, Artifacts: s.artifacts, Launcher: s.cfg.Launcher, Assistants: s.cfg.Assistants, Logger: s.log, Now: s.cfg.stamp, Clock: s.cfg.Clock,
		Metrics: rooms.Metrics{Rooms: m.rooms, Clients: m.clients, Behind: m.behind, Launched: m.launched},
		Limits: rooms.Limits{
			Notebook: s.cfg.Limits.Notebook, History: s.cfg.Limits.History, Idle: s.cfg.Limits.Idle, LaunchStart: s.cfg.Limits.LaunchStart, Grace: s.cfg.Limits.Grace,
		},
		Log:     func(id string) room.Log { return auditedLog{Log: s.cfg.Logs.Log(id), cfg: &s.cfg, notebook: id} },
		LogSize: func(id string) func(context.Context) (int64, error) { return sizeOf(s.cfg.Logs.Log(id)) },
		Reserve: func(ctx context.Context, id string) (func(), error) {
			return s.memory.takeFold(ctx, s.cfg.Logs.Log(id))
		},
		MayEdit: s.mayEdit, Issue: s.issueRuntime,
	}
}

// mayEdit reports whether a person may edit a notebook now. The holder of a token may as long as
// it is connected, which the room sees itself.
func (s *Server) mayEdit(ctx context.Context, notebook string, actor event.Actor) bool {
	if actor.Kind() != event.ActorPerson {
		return false
	}
	role, err := s.cfg.roleOf(ctx, signin.PersonNamed(actor.Name()), notebook)
	return err == nil && role.May(access.Edit)
}

// issueRuntime returns the token of a runtime. It does not expire: it is good for as long as the
// notebook has that runtime.
func (s *Server) issueRuntime(notebook string, runtime event.RuntimeID, takes event.Takes) (string, error) {
	return s.tokens.Issue(signin.Claims{
		Kind: takes.Actor(runtime).Kind(), Name: string(runtime), Notebook: notebook, Role: access.Serving(takes), Issued: s.cfg.stamp(),
	})
}
