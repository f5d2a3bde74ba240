// Command runtime is the core of a tab that also executes cells, built to measure its size: a
// session with its replica, and a runtime, over connections lent by the page.
package main

import (
	"context"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/core/replica"
	"github.com/quirehq/quire/core/runtime"
)

func main() {
	dial := func(context.Context) (protocol.Conn, error) {
		return nil, &protocol.Closed{Code: protocol.CodeForbidden, Message: "there is no page here"}
	}
	s := replica.NewSession(replica.SessionConfig{Replica: replica.New("browser"), Dial: dial})
	println(s.Run(context.Background()).Error())
	a, err := runtime.New(runtime.Config{Dial: dial, Engines: lang.NewSet(nil)})
	if err == nil {
		err = a.Run(context.Background())
	}
	println(err.Error())
}
