package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
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

// checkMachine checks the limits and the proxies of the system.
func (c *checker) checkMachine(context.Context) []Finding {
	return append(checkFiles(openFiles()), checkProxies(c.Environ)...)
}

func checkFiles(limit uint64, ok bool) []Finding {
	const name, advice = "open files", "raise the limit, with `ulimit -n 4096` or in the settings of the system"
	switch {
	case !ok:
		return nil
	case limit < 256:
		return bad(name, advice, "only %d may be open at once", limit)
	case limit < 4096:
		return doubtful(name, advice, "%d may be open at once, which is few for many notebooks", limit)
	}
	return good(name, "%d may be open at once", limit)
}

// checkProxies warns of proxies: they must pass sockets on, and not keep answers
// that are meant for a moment.
func checkProxies(environ []string) []Finding {
	const name = "proxies"
	var set []string
	for _, entry := range environ {
		variable, value, _ := strings.Cut(entry, "=")
		switch strings.ToUpper(variable) {
		case "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY":
			if value != "" {
				set = append(set, variable)
			}
		}
	}
	if set == nil {
		return good(name, "none is set")
	}
	return doubtful(name, "put the host of your server into NO_PROXY if it cannot be reached; servers on this machine never use one",
		"%s", fmt.Sprintf("connections to other machines go through %s", strings.Join(set, " and ")))
}
