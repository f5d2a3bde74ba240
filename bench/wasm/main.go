// Command wasm is the core as a browser would need it, for its size to be measured:
// a session with its replica, and the runtime agent, over a connection lent by the
// page.
package main

import (
	"context"

	"github.com/quirehq/quire/core/ipynb"
	"github.com/quirehq/quire/core/replica"
)

func main() {
	s := replica.NewSession(replica.SessionConfig{
		Replica: replica.New("browser"),
		Dial: func(ctx context.Context) (replica.Conn, error) {
			return nil, &replica.Closed{Code: replica.CodeUnavailable, Message: "there is no page here"}
		},
	})
	err := s.Run(context.Background())
	println(err.Error())
	_ = s.With(func(r *replica.Replica) error {
		_, err := ipynb.Export(r.View())
		return err
	})
}
