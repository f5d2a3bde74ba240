package jupyter

import "context"

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
