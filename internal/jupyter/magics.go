package jupyter

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/quirehq/quire/internal/ipython"
)

//go:embed breakpoint.py
var breakpointSource string

// pythonSetup is the source that Python's kernel executes before the first run. It makes iopub block
// when its queue is full, adds the request for pending work and a breakpoint(), and has magics fail
// when they have not done their work. Each part is skipped if the versions of IPython or ipykernel
// do not support it.
func pythonSetup() string {
	const adapt = `%s
try:
    exec(%s, {})
except Exception:
    pass
`
	install := fmt.Sprintf("for source, call in ((%s, 'install(get_ipython())'), (%s, 'install()'), (%s, 'install(get_ipython())'), (%s, 'install()')):\n"+
		"    space = {'get_ipython': get_ipython}\n    exec(source, space)\n    exec(call, space)\n",
		literal(pendingWorkSource), literal(breakpointSource), literal(ipython.Failing()), literal(ipython.Lines()))
	return fmt.Sprintf(adapt, blockWhenFull, literal("from IPython import get_ipython\n"+install))
}

// irSetup is the source that R's kernel executes before the first run: quit with a status other
// than 0 is an error, as in the other languages. The kernel's own quit, which replaces base::quit
// while a cell is executed, ignores the status.
const irSetup = `local(try({
  executor <- environment(base::quit)$.self
  end <- executor$quit
  assign("quit", function(save = "default", status = 0, runLast = TRUE) {
    if (!isTRUE(status == 0)) stop(simpleError(paste("the program ended with status", format(status)), sys.call()))
    end(save, status, runLast)
  }, envir = as.environment(executor))
}, silent = TRUE))`

// literal returns a text as a literal of Python.
func literal(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return string(data)
}
