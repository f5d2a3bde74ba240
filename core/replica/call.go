package replica

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/quirehq/quire/core/access"
	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
)

// maxIncoming is the most calls that wait for the runtime to take them.
const maxIncoming = 256

// Incoming is a call that this replica's runtime will answer.
type Incoming struct {
	protocol.Call
	conn uint64 // the connection that brought it: ids are per connection
}

// Call sends a call to the notebook's code runtime, and returns its id for
// [Replica.TakeAnswer]. The error is a *[protocol.CallError].
func (r *Replica) Call(method protocol.Method, params json.RawMessage) (uint64, error) {
	return r.callRuntime("", method, params)
}

// callRuntime is Call for the runtime of a kind, of code if it is empty.
func (r *Replica) callRuntime(kind event.Takes, method protocol.Method, params json.RawMessage) (uint64, error) {
	switch {
	case !r.online:
		return 0, protocol.NewCallError(protocol.CodeUnavailable, "there is no connection to the notebook now")
	case !r.role.May(access.Run):
		return 0, protocol.NewCallError(protocol.CodeForbidden, "the role %s may not call the runtime", r.role)
	case len(params) > protocol.MaxCall:
		return 0, protocol.NewCallError(protocol.CodeInvalid, "the call has %d bytes, at most %d fit", len(params), protocol.MaxCall)
	case !protocol.ValidJSON(params):
		return 0, protocol.NewCallError(protocol.CodeInvalid, "the call's params are no JSON")
	}
	r.called++
	r.calls[r.called] = nil
	r.out = append(r.out, &protocol.Call{ID: r.called, Takes: kind, Method: method, Params: params})
	return r.called, nil
}

// TakeAnswer returns the answer to a call once, and nil while there is none. When the
// connection is lost the answer is an error that says so.
func (r *Replica) TakeAnswer(id uint64) *protocol.Answer {
	a := r.calls[id]
	if a != nil {
		delete(r.calls, id)
	}
	return a
}

// DropCall forgets a call whose caller does not wait for the answer any more.
func (r *Replica) DropCall(id uint64) { delete(r.calls, id) }

// TakeCalls returns the calls to this runtime since its last call. The runtime answers each
// with [Replica.Answer], within seconds.
func (r *Replica) TakeCalls() []Incoming {
	calls := r.incoming
	r.incoming = nil
	return calls
}

// Answer answers a call, with a result if failed is nil. It does nothing when the
// connection that brought the call is lost: the room has answered the caller.
func (r *Replica) Answer(c *Incoming, result json.RawMessage, failed *protocol.CallError) {
	if c.conn == r.conn && r.online {
		r.out = append(r.out, protocol.Checked(&protocol.Answer{ID: c.ID, Result: result, Error: failed}))
	}
}

// Call sends a call to the notebook's code runtime, and waits for its answer. Params are
// encoded as JSON. The error is a *[protocol.CallError], unless ctx or the session ended
// first.
func (s *Session) Call(ctx context.Context, method protocol.Method, params any) (json.RawMessage, error) {
	return s.CallRuntime(ctx, "", method, params)
}

// CallRuntime is Call for the runtime of a kind, of code if it is empty.
func (s *Session) CallRuntime(ctx context.Context, kind event.Takes, method protocol.Method, params any) (json.RawMessage, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", method, err)
	}
	var id uint64
	err = s.With(func(r *Replica) (err error) {
		id, err = r.callRuntime(kind, method, raw)
		return err
	})
	if err != nil {
		return nil, err
	}
	var answer *protocol.Answer
	err = s.Wait(ctx, func(r *Replica) bool {
		answer = r.TakeAnswer(id)
		return answer != nil
	})
	if err != nil {
		return nil, s.With(func(r *Replica) error { r.DropCall(id); return err })
	}
	if answer.Error != nil {
		return nil, answer.Error
	}
	return answer.Result, nil
}
