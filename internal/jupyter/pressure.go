package jupyter

import "context"

// waitsPlease has Python's kernel wait when what it publishes is not taken. As it is
// made it keeps 1,000 messages and drops the rest, which a busy machine is enough for.
// Both are in the manual of ZeroMQ: ZMQ_SNDHWM and ZMQ_XPUB_NODROP in
// libzmq.readthedocs.io/en/latest/zmq_setsockopt.html. The socket is its thread's alone.
const waitsPlease = `exec("""
import zmq
from ipykernel.kernelapp import IPKernelApp
thread, option = IPKernelApp.instance().iopub_thread, zmq.XPUB_NODROP
thread.schedule(lambda: thread.socket.setsockopt(option, 1))
""", {})`

// adapt has Python's kernel wait for slow readers, and its magics fail; and R's quit. A
// kernel that cannot wait is stopped when much waits, which is nearly always in time.
func (e *Engine) adapt(ctx context.Context, l *link) error {
	switch {
	case e.config.Kernel.isIPykernel():
		waits, tells, err := e.executeSilently(ctx, l, adapted())
		l.waits.Store(waits)
		l.tells.Store(tells)
		return err
	case e.config.Kernel.isIRkernel():
		_, _, err := e.executeSilently(ctx, l, quitFails)
		return err
	}
	return nil
}

// tells is an expression of Python that is true in a kernel that says what its runs have left.
const tells = "'quire_left_request' in __import__('IPython').get_ipython().kernel.shell_handlers"

// executeSilently executes a source before the first run, and says whether it did its work,
// and whether the kernel is one that tells what goes on.
func (e *Engine) executeSilently(ctx context.Context, l *link, source string) (ok, isTelling bool, err error) {
	w, err := e.request(l, shell, "execute_request", map[string]any{
		"code": source, "silent": true, "store_history": false, "user_expressions": map[string]string{"tells": tells}, "allow_stdin": false,
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
	return said.Status == "ok", said.Expressions["tells"].Data["text/plain"] == "True", nil
}
