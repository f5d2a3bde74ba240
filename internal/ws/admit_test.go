package ws_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/internal/ws"
)

func TestALargeMessageIsReadOnlyWhenItIsAdmitted(t *testing.T) {
	no := errors.New("no memory for that")
	asked, sizes, ended := 0, make(chan int, 3), make(chan error, 1)
	url := serve(t, ws.Options{}, func(ctx context.Context, c protocol.Conn) {
		c.(interface {
			Admit(func(context.Context) error)
		}).Admit(func(context.Context) error {
			if asked++; asked > 1 {
				return no
			}
			return nil
		})
		for {
			data, err := c.Receive(ctx)
			if err != nil {
				ended <- err
				return
			}
			sizes <- len(data)
		}
	})
	c := dial(t, url, ws.Options{})
	for _, size := range []int{64 << 10, 300 << 10, 2 << 10} {
		if err := c.Send(t.Context(), bytes.Repeat([]byte("x"), size)); err != nil {
			t.Fatal(err)
		}
		if got := <-sizes; got != size {
			t.Errorf("got %d bytes, want %d", got, size)
		}
	}
	_ = c.Send(t.Context(), bytes.Repeat([]byte("x"), 200<<10)) // it may be cut off
	if err := <-ended; !errors.Is(err, no) || asked != 2 {
		t.Errorf("got %v after %d questions, want the second to end it", err, asked)
	}
}
