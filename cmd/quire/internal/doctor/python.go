package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/quirehq/quire/cmd/quire/internal/datadir"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/host/terminal"
	"github.com/quirehq/quire/internal/python"
)

// pythonTime is how long Python may take to start and to import all packages.
const pythonTime = 60 * time.Second

// askPython imports the packages that most notebooks use, and prints the version of
// each, null for a missing one, and an object with the error of one that cannot be imported.
const askPython = `
def versions():
    import importlib, json, site, sys
    if sys.prefix == sys.base_prefix: # what is isolated leaves the user's own packages out
        sys.path.append(site.getusersitepackages())
    found = {"executable": sys.executable}
    for name in ("IPython", "numpy", "pandas", "matplotlib"):
        try:
            found[name] = str(getattr(importlib.import_module(name), "__version__", "of some version"))
        except ModuleNotFoundError:
            found[name] = None
        except BaseException as e:
            found[name] = {"error": type(e).__name__ + ": " + str(e)}
    print(json.dumps(found))
versions()`

// checkPython runs Python as a notebook would: that of the server which runs here, unless
// another is named.
func (c *checker) checkPython(ctx context.Context) []Finding {
	const name, advice = "python", "install Python 3.9 or newer, or set --python or QUIRE_PYTHON to the path of one"
	if c.Settings.Python == "" && c.Settings.Server == "" {
		if server, err := datadir.Discover(&c.Settings); err == nil {
			c.Settings.Python = server.Python
		}
	}
	ctx, cancel := context.WithTimeout(ctx, pythonTime)
	defer cancel()
	version, found, err := c.pythonVersions(ctx)
	if err != nil {
		return bad(name, advice, "it does not run: %v", err)
	}
	all := good(name, "%s at %s", version, found["executable"])
	var missing []string
	for _, module := range []string{"IPython", "numpy", "pandas", "matplotlib"} {
		switch v := found[module].(type) {
		case string:
			all = append(all, good(module, "%s", v)...)
		case map[string]any:
			failed, _ := v["error"].(string)
			all = append(all, doubtful(module, "install it again: `"+fmtPip(found)+strings.ToLower(module)+"`", "it cannot be imported: %s", terminal.CleanLine(failed))...)
		default:
			missing = append(missing, module)
		}
	}
	if missing != nil {
		all = append(all, doubtful("packages", "if your notebooks use them: `"+fmtPip(found)+strings.ToLower(strings.Join(missing, " "))+"`",
			"python has no %s", strings.Join(missing, ", "))...)
	}
	return all
}

// fmtPip returns the command that installs packages for the Python that was found.
func fmtPip(found map[string]any) string {
	program, _ := found["executable"].(string)
	return program + " -m pip install "
}

// pythonVersions asks Python in isolation: the current folder may hold anything.
func (c *checker) pythonVersions(ctx context.Context) (version string, found map[string]any, err error) {
	engine, err := python.New(python.Config{Python: c.Settings.Python, Env: c.Environ, Isolated: true})
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	if err := engine.Load(ctx, nil); err != nil {
		return "", nil, err
	}
	var out printed
	result, err := engine.Execute(ctx, lang.Request{Run: "doctor", Cell: "doctor", Source: askPython}, &out)
	if err == nil && result.Err != nil {
		err = result.Err
	}
	if err == nil {
		err = json.Unmarshal([]byte(out.String()), &found)
	}
	return engine.Info().Version, found, err
}

// printed collects the text that a program prints to stdout.
type printed struct {
	strings.Builder
}

// Stream implements [lang.Sink].
func (p *printed) Stream(name, text string) {
	if name == lang.Stdout {
		p.WriteString(text)
	}
}

// Display implements [lang.Sink].
func (*printed) Display(lang.Bundle, string) {}

// Update implements [lang.Sink].
func (*printed) Update(string, lang.Bundle) {}

// Result implements [lang.Sink].
func (*printed) Result(lang.Bundle, string) {}

// Fail implements [lang.Sink].
func (*printed) Fail(*lang.Error) {}

// Clear implements [lang.Sink].
func (*printed) Clear(bool) {}
