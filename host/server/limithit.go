package server

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
)

// LimitHit reports a limit that the programs of a runtime have hit: a run ended by it or, between
// runs, the programs were killed.
type LimitHit struct {
	Run   event.RunID `json:"run,omitempty" jsonschema:"the run that ended by it; missing if programs were killed between runs"`
	Limit string      `json:"limit" jsonschema:"the name of its flag, such as memory or run-time"`
	Value string      `json:"value" jsonschema:"for people, such as 2 GiB"`
}

// limitNames are the limits that can be hit, by the names of their flags; outputs has no flag.
var limitNames = []string{"memory", "cpu", "run-time", "disk", "file-size", "files", "processes", "output", "notebook-output", "outputs"}

// maxLimitValue bounds the bytes of the value of a limit.
const maxLimitValue = 100

// hitLimit logs the limit that the programs of a runtime have hit. The notebook says how the run
// ended; the owner of the server finds the limits of all notebooks in one place.
func (s *Server) hitLimit(c *call, in LimitHit) (none, error) {
	switch {
	case !slices.Contains(limitNames, in.Limit):
		return none{}, problem.New(protocol.CodeInvalid, "limit must be one of "+strings.Join(limitNames, ", "))
	case in.Value == "" || len(in.Value) > maxLimitValue || !utf8.ValidString(in.Value):
		return none{}, problem.New(protocol.CodeInvalid, "value must be the limit as text, of 100 bytes at most")
	}
	where := []any{"notebook", c.book.ID, "runtime", c.who.Actor.Name()}
	if in.Run != "" {
		if err := event.CheckName("run", string(in.Run)); err != nil {
			return none{}, problem.New(protocol.CodeInvalid, err.Error())
		}
		where = append(where, "run", in.Run)
	}
	what := "programs killed between runs"
	if in.Run != "" {
		what = "run ended by a limit"
	}
	s.log.Info(what, append(where, "limit", in.Limit, "value", in.Value)...)
	return none{}, nil
}
