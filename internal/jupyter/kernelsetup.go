package jupyter

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/quirehq/quire/internal/ipython"
)

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

// isIRkernel reports whether it is R's kernel.
func (k *Kernel) isIRkernel() bool { return k.mentions("IRkernel") }

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
