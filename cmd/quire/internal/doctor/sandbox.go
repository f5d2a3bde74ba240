package doctor

import (
	"context"

	environment "github.com/quirehq/quire/internal/env"
)

// checkContainment checks the sandbox and the control groups of this machine. A user who
// runs only their own programs needs neither.
func (c *checker) checkContainment(ctx context.Context) []Finding {
	return append(checkSandbox(environment.CheckSandbox(ctx)), checkGroups()...)
}

func checkSandbox(err error) []Finding {
	if err != nil {
		return doubtful("sandbox", "needed for `quire serve --sandbox` only", "%v", err)
	}
	return good("sandbox", "bubblewrap works, for `quire serve --sandbox`")
}

func checkGroups() []Finding {
	const name, advice = "limits", "without them --memory and --processes hold for each program, not for all that a runtime has started"
	group, err := environment.NewGroup(environment.Bounds{})
	if err != nil {
		return doubtful(name, advice, "%v", err)
	}
	if err := group.Close(); err != nil {
		return doubtful(name, advice, "%v", err)
	}
	return good(name, "control groups can be written, for --memory and --processes")
}
