package server

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/replica"
)

// Act is what somebody has done, or tried to. It has no secret and no code in it.
type Act struct {
	Time     time.Time         `json:"time"`
	Kind     string            `json:"kind" jsonschema:"what was done, such as sign-in, link, token, run, export or delete"`
	Actor    event.Actor       `json:"actor,omitempty" jsonschema:"who did it, if that is known"`
	From     string            `json:"from,omitempty" jsonschema:"the address that the request came from"`
	Notebook string            `json:"notebook,omitempty"`
	Failed   string            `json:"failed,omitempty" jsonschema:"why it was not done, or perhaps not"`
	Detail   map[string]string `json:"detail,omitempty"`
}

// Audit keeps a record of acts. It may be used from any goroutine.
type Audit interface {
	// Record notes an act. What cannot be kept must be told where the owner sees it.
	Record(a Act)
	// Acts calls yield with the acts since a time, in order, and returns the first error of it.
	Acts(ctx context.Context, since time.Time, yield func(Act) error) error
}

// acts is the table of the routes whose use is recorded, with how that is called.
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

// quietActs are those that the server's log does not have besides the record.
var quietActs = map[string]bool{"run": true, "export": true, "runtime": true}

// record notes an act of a call, whether or not who made it still waits.
func (s *Server) record(c *call, kind string, err error) {
	a := Act{Kind: kind, Actor: c.who.actor, From: addressOf(c.r), Notebook: c.r.PathValue("id"), Detail: c.detail}
	if err != nil {
		a.Failed = string(problemOf(err).Code)
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

// note adds what else is to be known of the act of a call.
func (c *call) note(name, value string) {
	if c.detail == nil {
		c.detail = map[string]string{}
	}
	c.detail[name] = value
}

// auditedLog records which runs were asked for and which runtimes have come, once that is
// in the log: nothing is run or written before.
type auditedLog struct {
	replica.Log
	cfg      Config
	notebook string
}

// Append implements [replica.Log].
func (l auditedLog) Append(ctx context.Context, b replica.Batch) error {
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
		return // the fold says so
	}
	a := Act{Actor: e.Actor, Notebook: l.notebook}
	switch p := e.Payload.(type) {
	case *event.RuntimeStarted:
		a.Kind, a.Detail = "runtime", map[string]string{"runtime": string(p.Runtime), "takes": string(p.Takes)}
		recordIn(l.cfg, a)
	case *event.RunRequested:
		for _, run := range p.Runs {
			a.Kind, a.Detail = "run", map[string]string{"cell": string(run.Cell), "run": string(run.Run)}
			recordIn(l.cfg, a)
		}
	}
}

// auditPage is how many acts an answer has at most.
const auditPage = 100_000

// Acts is a part of the record.
type Acts struct {
	Acts []Act `json:"acts"`
	More bool  `json:"more,omitempty" jsonschema:"whether there are later ones, which since can ask for"`
}

// audit answers with the acts that a query wants, in order.
func (s *Server) audit(c *call, _ none) (Acts, error) {
	if s.cfg.Audit == nil {
		return Acts{Acts: []Act{}}, nil
	}
	var since time.Time
	if text := c.r.FormValue("since"); text != "" {
		var err error
		if since, err = time.Parse(time.RFC3339Nano, text); err != nil {
			return Acts{}, problem(replica.CodeInvalid, "since must be a time such as 2030-01-02T15:04:05Z")
		}
	}
	limit := auditPage
	if text := c.r.FormValue("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > auditPage {
			return Acts{}, problem(replica.CodeInvalid, "limit must be a number from 1 to "+strconv.Itoa(auditPage))
		}
		limit = n
	}
	actor, kind := c.r.FormValue("actor"), c.r.FormValue("kind")
	out := Acts{Acts: []Act{}}
	err := s.cfg.Audit.Acts(c.r.Context(), since, func(a Act) error {
		switch {
		case kind != "" && a.Kind != kind, actor != "" && string(a.Actor) != actor && a.Actor.Name() != actor:
			return nil
		case len(out.Acts) == limit:
			out.More = true
			return errPageFull
		}
		out.Acts = append(out.Acts, a)
		return nil
	})
	if out.More {
		err = nil
	}
	return out, err
}

// recording wraps what serves a route so that its use is recorded, also when it ends with a
// panic or nobody waits for the answer.
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
