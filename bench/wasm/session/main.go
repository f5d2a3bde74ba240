// Command session is the core of a tab that shows and edits a notebook, built to measure its size:
// a session with its replica, over a connection lent by the page.
package main

import (
	"context"

	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
)

func main() {
	dial := func(context.Context) (protocol.Conn, error) {
		return nil, &protocol.Closed{Code: protocol.CodeForbidden, Message: "there is no page here"}
	}
	s := replica.NewSession(replica.SessionConfig{Replica: replica.New("browser"), Dial: dial})
	println(s.Run(context.Background()).Error())
}
