//go:build js && wasm

package main

import (
	"context"
	"errors"
	"syscall/js"
	"time"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/browser"
)

// full is the number of bytes in the buffer of a socket from which it counts as full.
const full = 4 << 20

// wire is a socket of the worker: an object with send(text), held() and close().
type wire struct{ js.Value }

func (w wire) Send(message string) { w.Call("send", message) }

func (w wire) Full() bool { return w.Call("held").Int() > full }

func (w wire) Wait(ctx context.Context) {
	select {
	case <-time.After(10 * time.Millisecond):
	case <-ctx.Done():
	}
}

func (w wire) Close() { w.Call("close") }

// dialer opens sockets with the worker's function dial. Its arguments are functions for the opening of
// the socket, for a received message and for its loss. A loss has a code, which is that of the room
// or of the HTTP answer, and a message.
func dialer(dial js.Value) func(context.Context) (protocol.Conn, error) {
	return func(ctx context.Context) (protocol.Conn, error) {
		var s *browser.Socket
		var early []func() // calls from before the socket was returned
		later := func(f func()) {
			if s == nil {
				early = append(early, f)
				return
			}
			f()
		}
		opened := js.FuncOf(func(js.Value, []js.Value) any {
			later(func() { s.Opened() })
			return nil
		})
		received := js.FuncOf(func(_ js.Value, args []js.Value) any {
			message := args[0].String()
			later(func() { s.Received(message) })
			return nil
		})
		var lost js.Func
		lost = js.FuncOf(func(_ js.Value, args []js.Value) any {
			err := loss(args[0].String(), args[1].String())
			later(func() { s.Lost(err) })
			for _, f := range []js.Func{opened, received, lost} {
				f.Release()
			}
			return nil
		})
		w := dial.Invoke(opened, received, lost)
		s = browser.NewSocket(wire{w})
		for _, f := range early {
			f()
		}
		return s.Open(ctx)
	}
}

// loss returns the reason of a loss as an error that a session understands.
func loss(code, message string) error {
	switch c := protocol.Code(code); c {
	case protocol.CodeNotFound, protocol.CodePurged, protocol.CodeForbidden, protocol.CodeVersion:
		return &protocol.Closed{Code: c, Message: message}
	}
	return errors.New(message)
}
