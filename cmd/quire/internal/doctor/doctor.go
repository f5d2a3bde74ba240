// Package doctor checks what Quire needs: the data directory, its database when no server has it open, the server or the address for
// one, Python and the packages that most notebooks use, and the machine. Each finding has an advice unless all is well. It changes
// nothing; printing the findings is up to the caller.
package doctor

import (
	"context"
	"fmt"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

// State is the state of one thing that was checked.
type State string

// The states, from good to bad.
const (
	OK      State = "ok"
	Warning State = "warning"
	Broken  State = "broken"
)

// Finding is the result of one check.
type Finding struct {
	Name   string `json:"name"`
	State  State  `json:"state"`
	Detail string `json:"detail"`
	Advice string `json:"advice,omitempty"` // how to mend it
}

// Server is the server that commands would use.
type Server interface {
	// URL returns its address.
	URL() string
	// Version asks for its version. It shows the server no token. The error wraps [datadir.ErrNotOurs] if another program has the
	// port of the server.
	Version(ctx context.Context) (string, error)
	// Health returns why the server cannot save events. It shows the server no token.
	Health(ctx context.Context) error
	// HasToken reports whether there is a token to show.
	HasToken() bool
	// CheckToken returns why the server does not accept the token.
	CheckToken(ctx context.Context) error
}

// Config has the subjects of the checks.
type Config struct {
	Settings settings.Config
	Environ  []string // of programs of notebooks
	Version  string   // of this program
	// Connect returns the server that commands would use, or a [terminal.Error] of the kind Unavailable if none runs.
	Connect func() (Server, error)
}

// Run makes all checks, until ctx ends.
func Run(ctx context.Context, cfg Config) ([]Finding, error) {
	c := &checker{cfg}
	var all []Finding
	for _, check := range []func(context.Context) []Finding{
		c.checkData, c.checkSecrets, c.checkDatabase, c.checkServer, c.checkPython, c.checkMachine, c.checkContainment,
	} {
		all = append(all, check(ctx)...)
		if ctx.Err() != nil {
			return all, ctx.Err()
		}
	}
	return all, nil
}

// checker makes the checks.
type checker struct{ Config }

// good, doubtful and bad make the one finding of a check.
func good(name, detail string, args ...any) []Finding {
	return []Finding{{name, OK, fmt.Sprintf(detail, args...), ""}}
}

func doubtful(name, advice, detail string, args ...any) []Finding {
	return []Finding{{name, Warning, fmt.Sprintf(detail, args...), advice}}
}

func bad(name, advice, detail string, args ...any) []Finding {
	return []Finding{{name, Broken, fmt.Sprintf(detail, args...), advice}}
}
