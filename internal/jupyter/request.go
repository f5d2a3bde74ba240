package jupyter

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// waiting is a request other than an execution that has no reply yet.
type waiting struct {
	id      string
	replied chan result   // of capacity one
	idle    chan struct{} // closed by the idle status of the request
	isIdle  bool
	query   bool // it fails when a run begins
}

type result struct {
	message *message
	err     error
}

func (w *waiting) fail(err error) {
	select {
	case w.replied <- result{err: err}:
	default:
	}
}

func (w *waiting) await(ctx context.Context) (*message, error) {
	select {
	case r := <-w.replied:
		return r.message, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// request sends a request and registers it for its reply.
func (e *Engine) request(l *link, ch channel, kind string, content any) (*waiting, error) {
	parts, id, err := l.signer.seal(kind, nil, content)
	if err != nil {
		return nil, err
	}
	w := &waiting{id: id, replied: make(chan result, 1), idle: make(chan struct{})}
	e.mu.Lock()
	if e.dead != nil {
		err = e.dead
	}
	e.waiting[id] = w
	e.mu.Unlock()
	if err == nil {
		_ = l.sendSealed(ch, parts) // if it fails the kernel has ended, which fails the wait
	}
	return w, err
}

func (e *Engine) forget(w *waiting) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.waiting, w.id)
}

// queryTime bounds the kernel's answer about a source.
const queryTime = 5 * time.Second

// errSlow says that the answer took longer.
var errSlow = errors.New("the kernel did not answer in time")

// query sends a request between runs and decodes the reply.
func (e *Engine) query(ctx context.Context, kind string, content, reply any) error {
	e.mu.Lock()
	err, l := e.unavailableLocked(), e.link
	e.mu.Unlock()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, queryTime, errSlow)
	defer cancel()
	w, err := e.request(l, shell, kind, content)
	if err != nil {
		return err
	}
	defer e.forget(w)
	e.mu.Lock()
	w.query = true
	if e.run != nil { // a run began meanwhile
		w.fail(lang.ErrBusy)
	}
	e.mu.Unlock()
	m, err := w.await(ctx)
	if err != nil {
		return err
	}
	var status struct {
		Status  string `json:"status"`
		Name    string `json:"ename"`
		Message string `json:"evalue"`
	}
	if m.decode(&status); status.Status == "" || status.Status == "error" || strings.HasPrefix(status.Status, "abort") {
		return errors.New("the kernel did not answer: " + (&lang.Error{Name: status.Name, Message: status.Message}).Error())
	}
	m.decode(reply)
	return nil
}
