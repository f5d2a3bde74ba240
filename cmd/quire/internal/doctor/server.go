package doctor

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/host/terminal"
)

// answerTime is how long doctor waits for a server.
const answerTime = 5 * time.Second

// checkServer asks the server that commands would use, or else looks whether one
// could listen.
func (c *checker) checkServer(ctx context.Context) []Finding {
	const name = "server"
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	server, err := c.Connect()
	if err != nil {
		var none *terminal.Error
		if c.Settings.Server == "" && errors.As(err, &none) && none.Kind == terminal.Unavailable {
			return checkAddr(ctx, c.Settings.Addr)
		}
		return bad(name, "set --server or QUIRE_SERVER right", "%v", err)
	}
	version, err := server.Version(ctx)
	switch {
	case errors.Is(err, datadir.ErrNotOurs):
		return bad(name, "stop that program, or start the server with another --addr or QUIRE_ADDR",
			"another program has the port of %s, where the server of %s was; it was shown no token", server.URL(), c.Settings.Data)
	case err != nil && c.Settings.Server == "": // it left its file, and has ended
		return checkAddr(ctx, c.Settings.Addr)
	case err != nil:
		return bad(name, "start it, or set --server or QUIRE_SERVER to another", "%s does not answer: %v", server.URL(), err)
	}
	all := good(name, "%s answers", server.URL())
	if err := server.Health(ctx); err != nil {
		all = append(all, bad("saving", "put that right: the changes of users are not saved now", "%v", err)...)
	}
	if version != c.Version {
		all[0] = doubtful(name, "update the older one, and restart the server", "%s answers, with version %s while this is %s", server.URL(), version, c.Version)[0]
	}
	if !server.HasToken() {
		return append(all, doubtful("token", "set --token or QUIRE_TOKEN; `quire token` makes one", "there is none to show the server")...)
	}
	if err := server.CheckToken(ctx); err != nil {
		return append(all, bad("token", "set --token or QUIRE_TOKEN to one that is good; `quire token` makes one", "the server does not take it: %v", err)...)
	}
	return append(all, good("token", "the server takes it")...)
}

// checkAddr looks whether a server could listen at an address.
func checkAddr(ctx context.Context, addr string) []Finding {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", addr)
	if err == nil {
		err = listener.Close()
	}
	if err != nil {
		return bad("address", "stop what listens there, or choose another with --addr or QUIRE_ADDR", "a server could not listen at it: %v", err)
	}
	return good("address", "no server runs, and one could listen at %s", addr)
}
