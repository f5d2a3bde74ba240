package jupyter

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/internal/ipython"
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
	e.says = said.Language
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

// blockWhenFull makes Python's kernel block when published messages are not taken. By default it
// keeps 1,000 messages and drops the rest, which happens on a busy machine. The options are in the
// manual of ZeroMQ, ZMQ_SNDHWM and ZMQ_XPUB_NODROP in
// libzmq.readthedocs.io/en/latest/zmq_setsockopt.html. Only its thread may use the socket.
const blockWhenFull = `exec("""
import zmq
from ipykernel.kernelapp import IPKernelApp
thread, option = IPKernelApp.instance().iopub_thread, zmq.XPUB_NODROP
thread.schedule(lambda: thread.socket.setsockopt(option, 1))
""", {})`

// adapt executes the setup of Python's and of R's kernel. A kernel that cannot block is paused when
// the inbox is full, which is nearly always in time.
func (e *Engine) adapt(ctx context.Context, l *link) error {
	switch {
	case e.config.Kernel.isIPykernel():
		blocks, reports, err := e.executeSilently(ctx, l, pythonSetup())
		l.blocks.Store(blocks)
		l.reportsLeft.Store(reports)
		return err
	case e.config.Kernel.isIRkernel():
		_, _, err := e.executeSilently(ctx, l, irSetup)
		return err
	}
	return nil
}

// reportsLeft is an expression of Python that is true in a kernel that answers quire_left_request.
const reportsLeft = "'quire_left_request' in __import__('IPython').get_ipython().kernel.shell_handlers"

// executeSilently executes a source before the first run. It returns whether the source succeeded,
// and whether the kernel answers quire_left_request.
func (e *Engine) executeSilently(ctx context.Context, l *link, source string) (ok, reports bool, err error) {
	w, err := e.request(l, shell, "execute_request", map[string]any{
		"code": source, "silent": true, "store_history": false, "user_expressions": map[string]string{"reports": reportsLeft}, "allow_stdin": false,
	})
	if err != nil {
		return false, false, err
	}
	defer e.forget(w)
	reply, err := w.await(ctx)
	if err != nil {
		return false, false, err
	}
	var said struct {
		Status      string `json:"status"`
		Expressions map[string]struct {
			Data map[string]any `json:"data"`
		} `json:"user_expressions"`
	}
	reply.decode(&said)
	return said.Status == "ok", said.Expressions["reports"].Data["text/plain"] == "True", nil
}

//go:embed breakpoint.py
var breakpointSource string

// pythonSetup is the source that Python's kernel executes before the first run. It makes iopub block
// when its queue is full, adds the request for pending work and a breakpoint(), and has magics fail
// when they have not done their work. Each part is skipped if the versions of IPython or ipykernel
// do not support it.
func pythonSetup() string {
	const adapt = `%s
try:
    exec(%s, {})
except Exception:
    pass
`
	install := fmt.Sprintf("for source, call in ((%s, 'install(get_ipython())'), (%s, 'install()'), (%s, 'install(get_ipython())'), (%s, 'install()')):\n"+
		"    space = {'get_ipython': get_ipython}\n    exec(source, space)\n    exec(call, space)\n",
		literal(pendingWorkSource), literal(breakpointSource), literal(ipython.Failing()), literal(ipython.Lines()))
	return fmt.Sprintf(adapt, blockWhenFull, literal("from IPython import get_ipython\n"+install))
}

// irSetup is the source that R's kernel executes before the first run: quit with a status other
// than 0 is an error, as in the other languages. The kernel's own quit, which replaces base::quit
// while a cell is executed, ignores the status.
const irSetup = `local(try({
  executor <- environment(base::quit)$.self
  end <- executor$quit
  assign("quit", function(save = "default", status = 0, runLast = TRUE) {
    if (!isTRUE(status == 0)) stop(simpleError(paste("the program ended with status", format(status)), sys.call()))
    end(save, status, runLast)
  }, envir = as.environment(executor))
}, silent = TRUE))`

// literal returns a text as a literal of Python.
func literal(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return string(data)
}
