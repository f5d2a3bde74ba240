package doctor

import (
	"context"
	"fmt"
	"strings"
)

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
