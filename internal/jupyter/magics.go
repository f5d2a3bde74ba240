package jupyter

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/quirehq/quire/internal/ipython"
)

//go:embed breakpoint.py
var breakpointSource string

// adapted is the source that Python's kernel executes before the first run: it waits for
// those who read, can say what its runs have left, has a breakpoint(), and its magics fail
// when they have not done their work. An IPython that has no place for the last keeps its own.
func adapted() string {
	const adapt = `%s
try:
    exec(%s, {})
except Exception:
    pass
`
	install := fmt.Sprintf("for source, call in ((%s, 'install(get_ipython())'), (%s, 'install()'), (%s, 'install(get_ipython())'), (%s, 'install()')):\n"+
		"    space = {'get_ipython': get_ipython}\n    exec(source, space)\n    exec(call, space)\n",
		literal(leftSource), literal(breakpointSource), literal(ipython.Failing()), literal(ipython.Lines()))
	return fmt.Sprintf(adapt, waitsPlease, literal("from IPython import get_ipython\n"+install))
}

// quitFails is the source that R's kernel executes before the first run: quit with a status
// that is not 0 is an error, as in the other languages. The kernel's own quit, which takes
// the place of base::quit while a cell is executed, forgets the status.
const quitFails = `local(try({
  executor <- environment(base::quit)$.self
  end <- executor$quit
  assign("quit", function(save = "default", status = 0, runLast = TRUE) {
    if (!isTRUE(status == 0)) stop(simpleError(paste("the program ended with status", format(status)), sys.call()))
    end(save, status, runLast)
  }, envir = as.environment(executor))
}, silent = TRUE))`

// literal returns a text as Python writes it.
func literal(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // of a string there is none
	}
	return string(data)
}
