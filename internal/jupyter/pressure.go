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

// makeWait has the kernel wait for us, if it is known how. One that cannot is stopped
// when much waits, which is nearly always in time.
func (e *Engine) makeWait(ctx context.Context, l *link) error {
	if !e.config.Kernel.isIPykernel() {
		return nil
	}
	w, err := e.request(l, shell, "execute_request", map[string]any{
		"code": waitsPlease, "silent": true, "store_history": false, "user_expressions": struct{}{}, "allow_stdin": false,
	})
	if err != nil {
		return err
	}
	defer e.forget(w)
	reply, err := w.await(ctx)
	if err != nil {
		return err
	}
	var said struct {
		Status string `json:"status"`
	}
	reply.decode(&said)
	l.waits.Store(said.Status == "ok")
	return nil
}
