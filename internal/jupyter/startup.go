package jupyter

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// startTime bounds the start of a kernel. Some compile first.
const startTime = 2 * time.Minute

// errSlowStart says that the start took longer.
var errSlowStart = fmt.Errorf("it was not ready within %v", startTime)

// Load implements lang.Engine: it starts the kernel and waits until it answers.
func (e *Engine) Load(ctx context.Context, progress func(lang.Progress)) error {
	e.mu.Lock()
	loaded, closed := e.link != nil, e.closed
	e.mu.Unlock()
	if closed {
		return lang.ErrClosed
	}
	if loaded {
		return nil
	}
	if progress != nil {
		progress(lang.Progress{Text: "starting the kernel " + e.config.Kernel.Name})
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTime, errSlowStart)
	defer cancel()
	l, err := e.start(ctx)
	if err == nil {
		err = e.handshake(ctx, l)
	}
	if err != nil {
		return fmt.Errorf("start the kernel %s: %w", e.config.Kernel.Name, err)
	}
	return nil
}

// start starts the kernel and connects to it. A kernel that ends at once, because another program
// took one of its ports, is started again.
func (e *Engine) start(ctx context.Context) (*link, error) {
	for tries := 1; ; tries++ {
		l, err := startLink(&e.config)
		if err != nil {
			return nil, err
		}
		if err = e.adopt(l); err == nil {
			if err = l.connect(ctx); err == nil {
				return l, nil
			}
		}
		err = e.abandon(l, err)
		if tries > 1 || l.place.transport != "tcp" || !errors.Is(err, errEnded) {
			return nil, err
		}
	}
}

// adopt sets the engine's kernel, unless the engine was closed meanwhile.
func (e *Engine) adopt(l *link) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return lang.ErrClosed
	}
	e.link = l
	return nil
}

// abandon kills a kernel that could not be connected to, and returns the error with the output of
// the kernel itself.
func (e *Engine) abandon(l *link, err error) error {
	l.process.kill()
	reason := l.process.reason()
	_ = l.close() // a folder that stays does no harm
	l.inbox.end()
	var last words
	for i, ok := l.inbox.next(); ok; i, ok = l.inbox.next() {
		last.add(lang.Stderr, i.text)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.link = nil
	if e.closed {
		return lang.ErrClosed
	}
	if errors.Is(err, errEnded) {
		err = fmt.Errorf("%w: %w", err, reason)
	}
	if last := last.String(); last != "" {
		err = fmt.Errorf("%w: %s", err, last)
	}
	return err
}

// idleDelay bounds the time from the first reply to the idle status, which does not come if the
// subscription was later than the request.
const idleDelay = 50 * time.Millisecond

// handshake sends kernel_info_request until an answer has come on both channels.
func (e *Engine) handshake(ctx context.Context, l *link) error {
	l.listen(func(err error) { e.connectionLost(l, err) })
	l.readers.Go(func() { e.watchHeartbeat(l) })
	l.readers.Go(func() { e.sendComms(l) })
	go e.handle(l)
	stop := context.AfterFunc(ctx, func() { e.kill(context.Cause(ctx).Error()) })
	defer stop()
	for {
		reply, idle, err := e.askReady(ctx, l)
		if err != nil {
			if n := l.refused.Load(); n > 0 {
				err = fmt.Errorf("%w (%d messages were dropped: not signed with our key, or damaged)", err, n)
			}
			return err
		}
		if idle {
			e.setInfo(reply)
			break
		}
	}
	if err := e.adapt(ctx, l); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ready = true
	if e.closed {
		l.process.kill()
		return lang.ErrClosed
	}
	return nil
}

// askReady sends one request, and reports whether the idle status came, too.
func (e *Engine) askReady(ctx context.Context, l *link) (reply *message, idle bool, err error) {
	w, err := e.request(l, shell, "kernel_info_request", struct{}{})
	if err != nil {
		return nil, false, err
	}
	defer e.forget(w)
	reply, err = w.await(ctx)
	if err != nil {
		return nil, false, err
	}
	timer := time.NewTimer(idleDelay)
	defer timer.Stop()
	select {
	case <-w.idle:
		return reply, true, nil
	case <-timer.C:
		return reply, false, nil
	}
}

// setInfo stores the kernel's description of itself.
func (e *Engine) setInfo(reply *message) {
	var info struct {
		Language struct {
			Name      string `json:"name"`
			Version   string `json:"version"`
			MIME      string `json:"mimetype"`
			Extension string `json:"file_extension"`
		} `json:"language_info"`
	}
	reply.decode(&info)
	var said struct {
		Language json.RawMessage `json:"language_info"`
	}
	reply.decode(&said)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.info.Described = said.Language
	e.info.Version = cmp.Or(info.Language.Version, "unknown")
	e.info.MIME = cmp.Or(info.Language.MIME, "text/plain")
	e.info.Extension = cmp.Or(info.Language.Extension, ".txt")
	if e.info.Extension[0] != '.' {
		e.info.Extension = "." + e.info.Extension
	}
}

// connectionLost kills a kernel whose connection broke, unless it has ended.
func (e *Engine) connectionLost(l *link, err error) {
	patience := time.NewTimer(e.patience)
	defer patience.Stop()
	select {
	case <-l.process.exited:
	case <-patience.C:
		e.kill("it closed " + err.Error())
	}
}
