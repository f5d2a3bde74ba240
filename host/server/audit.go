package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/room"
	"github.com/quirehq/quire/host/server/origin"
	"github.com/quirehq/quire/host/server/problem"
)

// Act is an action of a user or program, or an attempt at one. It has no secret and no code in it.
type Act struct {
	Time     time.Time         `json:"time"`
	Kind     string            `json:"kind" jsonschema:"the kind of act, such as sign-in, link, token, run, export or delete"`
	Actor    event.Actor       `json:"actor,omitempty" jsonschema:"the author, if known"`
	From     string            `json:"from,omitempty" jsonschema:"the address of the client"`
	Notebook string            `json:"notebook,omitempty"`
	Failed   string            `json:"failed,omitempty" jsonschema:"the reason why it failed, or may have failed"`
	Detail   map[string]string `json:"detail,omitempty"`
}

// Audit keeps a record of acts. It may be used from any goroutine.
type Audit interface {
	// Record stores an act. If that fails, it must report so where the owner sees it.
	Record(a Act)
	// Acts calls yield with the acts since a time, in order, and returns the first error of yield.
	Acts(ctx context.Context, since time.Time, yield func(Act) error) error
}

// acts is the table of the routes whose use is recorded, with the kinds of acts.
var acts = map[string]string{
	"POST /api/links":                          "link",
	"POST /api/tokens":                         "token",
	"DELETE /api/tokens/{token}":               "token-revoke",
	"POST /api/logout":                         "sign-out",
	"POST /api/notebooks":                      "create",
	"POST /api/notebooks/import":               "import",
	"PATCH /api/notebooks/{id}":                "rename",
	"DELETE /api/notebooks/{id}":               "delete",
	"POST /api/notebooks/{id}/restore":         "restore",
	"POST /api/notebooks/{id}/purge":           "purge",
	"POST /api/notebooks/{id}/duplicate":       "duplicate",
	"GET /api/notebooks/{id}/export":           "export",
	"GET /api/notebooks/{id}/log":              "export",
	"GET /exports/{link}":                      "export",
	"PUT /api/notebooks/{id}/limits":           "limits",
	"PUT /api/notebooks/{id}/trust":            "trust",
	"DELETE /api/notebooks/{id}/runtime":       "runtime-stop",
	"POST /api/notebooks/{id}/runtime/restart": "runtime-restart",
}

// The kinds of acts that are not the use of a route.
const (
	actRun     = "run"
	actRuntime = "runtime"
	actSignIn  = "sign-in"
)

// quietActs are recorded, but not written to the server's log.
var quietActs = map[string]bool{actRun: true, "export": true, actRuntime: true}

// record records an act of a call, even if the client has left.
func (s *Server) record(c *call, kind string, err error) {
	a := Act{Kind: kind, Actor: c.who.Actor, From: origin.Address(c.r), Notebook: c.r.PathValue("id"), Detail: c.detail}
	if err != nil {
		a.Failed = string(problem.Of(err).Code)
	}
	s.recordAct(a)
}

func (s *Server) recordAct(a Act) { recordIn(s.cfg, a) }

func recordIn(cfg Config, a Act) {
	a.Time = cfg.Now().UTC()
	if cfg.Audit != nil {
		cfg.Audit.Record(a)
	}
	if !quietActs[a.Kind] && a.Failed == "" {
		cfg.Logger.Info("act", "kind", a.Kind, "actor", a.Actor, "from", a.From, "notebook", a.Notebook)
	}
}

// note adds a detail to the act of a call.
func (c *call) note(name, value string) {
	if c.detail == nil {
		c.detail = map[string]string{}
	}
	c.detail[name] = value
}

// auditedLog records requested runs and attached runtimes after their events are committed: before
// that nothing is run or published.
type auditedLog struct {
	room.Log
	cfg      *Config // of the server: each open room has one of these
	notebook string
}

// Append implements [room.Log].
func (l auditedLog) Append(ctx context.Context, b room.Batch) error {
	err := l.Log.Append(ctx, b)
	if err != nil {
		return err
	}
	for _, r := range b.Records {
		if bytes.Contains(r.Data, []byte(`"RunRequested"`)) || bytes.Contains(r.Data, []byte(`"RuntimeStarted"`)) {
			l.record(r)
		}
	}
	return nil
}

func (l auditedLog) record(r event.Record) {
	e, err := event.Decode(r.Data)
	if err != nil {
		return // the fold reports the error
	}
	a := Act{Actor: e.Actor, Notebook: l.notebook}
	switch p := e.Payload.(type) {
	case *event.RuntimeStarted:
		a.Kind, a.Detail = actRuntime, map[string]string{"runtime": string(p.Runtime), "takes": string(p.Takes)}
		recordIn(*l.cfg, a)
	case *event.RunRequested:
		for _, run := range p.Runs {
			a.Kind, a.Detail = actRun, map[string]string{"cell": string(run.Cell), "run": string(run.Run)}
			recordIn(*l.cfg, a)
		}
	}
}

// auditPage is the largest number of acts in an answer.
const auditPage = 100_000

// Acts is a part of the record.
type Acts struct {
	Acts []Act `json:"acts"`
	More bool  `json:"more,omitempty" jsonschema:"whether there are later acts: request them by since"`
}

// audit answers with the acts of a query, in order.
func (s *Server) audit() endpoint {
	return endpoint{status: http.StatusOK, out: reflect.TypeFor[Acts](), gives: "application/json", serve: s.sendActs}
}

// sendActs writes [Acts] an act at a time, since a record may be large.
func (s *Server) sendActs(c *call) error {
	want, err := readActQuery(c.r)
	if err != nil {
		return err
	}
	c.w.Header().Set("Content-Type", "application/json")
	out := bufio.NewWriterSize(c.w, 64<<10)
	_, _ = out.WriteString(`{"acts":[`)
	sent, more := 0, false
	if s.cfg.Audit != nil {
		err = s.cfg.Audit.Acts(c.r.Context(), want.since, func(a Act) error {
			switch {
			case !want.takes(a):
				return nil
			case sent == want.limit:
				more = true
				return errPageFull
			}
			data, err := json.Marshal(a)
			if err != nil {
				return err
			}
			if sent++; sent > 1 {
				_ = out.WriteByte(',')
			}
			_, err = out.Write(data)
			return err
		})
	}
	if err != nil && !more {
		return s.cutOff(c, "acts", err)
	}
	_, _ = fmt.Fprintf(out, `],"more":%t}`+"\n", more)
	return out.Flush()
}

// actQuery selects acts.
type actQuery struct {
	since       time.Time
	actor, kind string // empty for any
	limit       int
}

func readActQuery(r *http.Request) (q actQuery, err error) {
	q = actQuery{actor: r.FormValue("actor"), kind: r.FormValue("kind")}
	if text := r.FormValue("since"); text != "" {
		if q.since, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return q, problem.New(protocol.CodeInvalid, "since must be a time such as 2030-01-02T15:04:05Z")
		}
	}
	if known := actKinds(); q.kind != "" && !slices.Contains(known, q.kind) {
		return q, problem.New(protocol.CodeInvalid, fmt.Sprintf("there is no kind of act %q: want one of %s", q.kind, strings.Join(known, ", ")))
	}
	q.limit, err = readLimit(r, auditPage, auditPage)
	return q, err
}

func (q actQuery) takes(a Act) bool {
	return (q.kind == "" || a.Kind == q.kind) && (q.actor == "" || string(a.Actor) == q.actor || a.Actor.Name() == q.actor)
}

// actKinds returns the kinds of acts that are recorded.
func actKinds() []string {
	kinds := []string{actRun, actRuntime, actSignIn}
	for _, kind := range acts {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// recording serves a route and records its use, also if it panics or the client has left.
func (s *Server) recording(rt route, c *call, serve func() error) (err error) {
	kind := acts[rt.method+" "+rt.path]
	if kind == "" {
		return serve()
	}
	done := false
	defer func() {
		if !done {
			err = http.ErrAbortHandler
		}
		s.record(c, kind, err)
	}()
	err = serve()
	done = true
	return err
}
