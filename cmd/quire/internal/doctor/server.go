package doctor

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/cmd/quire/internal/network"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
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
			return c.checkAddr(ctx)
		}
		return bad(name, "set --server or QUIRE_SERVER right", "%v", err)
	}
	version, err := server.Version(ctx)
	switch {
	case errors.Is(err, datadir.ErrNotOurs):
		return bad(name, "stop that program, or start the server with another --addr or QUIRE_ADDR",
			"another program has the port of %s, where the server of %s was; it was shown no token", server.URL(), c.Settings.Data)
	case err != nil && c.Settings.Server == "": // it left its file, and has ended
		return c.checkAddr(ctx)
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

// checkAddr looks whether a server would listen at its address, and could.
func (c *checker) checkAddr(ctx context.Context) []Finding {
	var wrong settings.Errors
	network.CheckAddr(&c.Settings, &wrong)
	if err := wrong.Err(&c.Settings); err != nil {
		return bad("address", "set --addr or QUIRE_ADDR right, as `quire serve` needs it", "no server starts with it: %v", err)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", c.Settings.Addr)
	if err == nil {
		err = listener.Close()
	}
	if err != nil {
		return bad("address", "stop what listens there, or choose another with --addr or QUIRE_ADDR", "a server could not listen at it: %v", err)
	}
	return good("address", "no server runs, and one could listen at %s", c.Settings.Addr)
}
