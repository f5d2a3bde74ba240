package server

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quirehq/quire/core/event"
	"github.com/quirehq/quire/core/protocol"
	"github.com/quirehq/quire/host/server/problem"
)

// LimitHit says that programs of a runtime have hit a limit, by which a run ended or, between
// runs, they were killed.
type LimitHit struct {
	Run   event.RunID `json:"run,omitempty" jsonschema:"that ended by it; missing if programs were killed between runs"`
	Limit string      `json:"limit" jsonschema:"by its flag, such as memory or run-time"`
	Value string      `json:"value" jsonschema:"for people, such as 2 GiB"`
}

// limitNames are the limits that can be hit, by their flags; outputs has none.
var limitNames = []string{"memory", "cpu", "run-time", "disk", "file-size", "files", "processes", "output", "notebook-output", "outputs"}

// maxLimitValue is how long the value of a limit is at most, in bytes.
const maxLimitValue = 100

// hitLimit has the log say which limit the programs of a runtime have hit. How a run ended is in
// the notebook; who keeps the server looks for the limit in one place.
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
