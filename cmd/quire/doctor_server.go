package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
)

// answerTime is how long doctor waits for a server.
const answerTime = 5 * time.Second

// lookAtServer asks the server that commands would use, or else looks whether one
// could listen.
func (a *app) lookAtServer(ctx context.Context) []finding {
	const name = "server"
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	c, err := a.client()
	if err != nil {
		if code, _ := codeOf(err); a.config.Server == "" && code == exitUnavailable {
			return lookAtAddr(ctx, a.config.Addr)
		}
		return bad(name, "set --server or QUIRE_SERVER right", "%v", err)
	}
	var theirs struct {
		Version string `json:"version"`
	}
	unnamed := *c // who it is does not matter yet
	unnamed.server.Token = ""
	if err := unnamed.call(ctx, http.MethodGet, "/api/version", nil, &theirs); err != nil {
		if errors.Is(err, datadir.ErrNotOurs) {
			return bad(name, "stop that program, or start the server with another --addr or QUIRE_ADDR",
				"another program has the port of %s, where the server of %s was; it was shown no token", c.server.URL, a.config.Data)
		}
		if a.config.Server == "" { // it left its file, and is gone
			return lookAtAddr(ctx, a.config.Addr)
		}
		return bad(name, "start it, or set --server or QUIRE_SERVER to another", "%s does not answer: %v", c.server.URL, err)
	}
	all := good(name, "%s answers", c.server.URL)
	if err := unnamed.reachable(ctx); err != nil {
		all = append(all, bad("saving", "put that right: what people do now is not saved", "%v", err)...)
	}
	if ours := versionName(); theirs.Version != ours {
		all[0] = doubtful(name, "update the older one, and start the server anew", "%s answers, with version %s while this is %s", c.server.URL, theirs.Version, ours)[0]
	}
	if c.server.Token == "" {
		return append(all, doubtful("token", "set --token or QUIRE_TOKEN; `quire token` makes one", "there is none to show the server")...)
	}
	if err := c.call(ctx, http.MethodGet, "/api/me", nil, nil); err != nil {
		return append(all, bad("token", "set --token or QUIRE_TOKEN to one that is good; `quire token` makes one", "the server does not take it: %v", err)...)
	}
	return append(all, good("token", "the server takes it")...)
}

// lookAtAddr looks whether a server could listen at an address.
func lookAtAddr(ctx context.Context, addr string) []finding {
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

// lookAtMachine looks at what the system allows.
func (a *app) lookAtMachine(context.Context) []finding {
	return append(lookAtFiles(openFiles()), lookAtProxies(a.environ)...)
}

func lookAtFiles(limit uint64, ok bool) []finding {
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

// lookAtProxies warns of proxies: they must pass sockets on, and not keep answers
// that are meant for a moment.
func lookAtProxies(environ []string) []finding {
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
