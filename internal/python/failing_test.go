//go:build unix

package python

import (
	"strings"
	"testing"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

func TestAMagicThatDoesNotDoItsWorkFailsTheCell(t *testing.T) {
	t.Parallel()
	engine := start(t, need(t, "IPython"))
	for source, want := range map[string]string{
		"%cd /no/such/dir":              "FileNotFoundError",
		"%pushd /no/such/dir":           "FileNotFoundError",
		"%popd":                         "UsageError",
		"%cd -5":                        "IndexError",
		"cd /no/such/dir":               "FileNotFoundError",
		"%run missing.py":               "Exception",
		"%load missing.py":              "",
		"%pycat missing.py":             "",
		"%env NO_SUCH_VARIABLE":         "UsageError",
		"%nosuchmagic":                  "UsageError",
		"%%script no-such-program\nx":   "FileNotFoundError",
		"%%no_such_cell_magic\nx":       "UsageError",
		"%%bash\nexit 3":                "CalledProcessError",
		"%%bash --out x\nexit 3":        "CalledProcessError",
		"%load_ext no_such_extension":   "ModuleNotFoundError",
		"%load_ext string":              "UsageError",
		"%unload_ext string":            "UsageError",
		"%colors no-such-colours":       "UsageError",
		"%xmode no-such-mode":           "UsageError",
		"%pip install --no-such-option": "InstallError",
		"%macro m 99":                   "",
		"%bookmark -d none":             "UsageError",
		"%matplotlib no-such-backend":   "",
	} {
		_, failed := run(t, engine, source)
		if failed == nil || want != "" && failed.Name != want {
			t.Errorf("%s: got %v, want %s", source, failed, want)
		}
	}
	for _, source := range []string{
		"!false", "%cd /", "%cd -", "%pushd /tmp", "%popd", "%%bash --no-raise-error\nexit 3", "%load_ext autoreload", "%load_ext autoreload",
		"try:\n  1/0\nexcept ZeroDivisionError:\n  get_ipython().run_line_magic('cd', '/')",
		"try:\n  %cd /no/such/dir\nexcept OSError as error:\n  assert error.filename == '/no/such/dir'",
	} {
		if _, failed := run(t, engine, source); failed != nil {
			t.Errorf("%s: got %v", source, failed)
		}
	}
}

func TestScriptsShowAllThatTheyPrint(t *testing.T) {
	t.Parallel()
	engine := start(t, need(t, "IPython"))
	for _, c := range []struct {
		source   string
		out, err int
	}{
		{"%%bash\nhead -c 70000 /dev/zero | tr '\\0' o; echo", 70_001, 0},
		{"%%bash\nhead -c 1000000 /dev/zero | tr '\\0' e >&2; echo >&2\nhead -c 1000000 /dev/zero | tr '\\0' o; echo", 1_000_001, 1_000_001},
		{"%%sh\nprintf abc", 3, 0},
		{"%%script cat\nabc", 4, 0},
		{"%%capture c\nget_ipython().run_cell_magic('bash', '', \"head -c 70000 /dev/zero | tr '\\\\0' o; echo x >&2\")", 0, 0},
		{"print(len(c.stdout), len(c.stderr))", len("70000 2\n"), 0},
		{"%%bash --out a --err b\nhead -c 70000 /dev/zero | tr '\\0' o\necho éé >&2", 0, 0},
		{"print(len(a), b, end='')", len("70000 éé\n"), 0},
	} {
		r := &langtest.Recorder{}
		result, err := engine.Execute(deadline(t), lang.Request{Source: c.source}, r)
		if err != nil || result.Err != nil {
			t.Errorf("%s: %v, %v", c.source, result.Err, err)
		}
		if out, err := len(r.Text("stdout")), len(r.Text("stderr")); out != c.out || err != c.err {
			t.Errorf("%s: got %d and %d bytes, want %d and %d", strings.SplitN(c.source, "\n", 2)[0], out, err, c.out, c.err)
		}
	}
}
