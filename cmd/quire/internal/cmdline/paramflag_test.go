package cmdline

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/params"
	"github.com/quirehq/quire/host/terminal"
)

func TestTheCommandLineCountsMoreThanTheFileOfParameters(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.json")
	if err := os.WriteFile(file, []byte(`{"a": 1, "b": 2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ParamsOf(file, flagged(t, "b=3", "c=4"))
	if diff := cmp.Diff("# Parameters\na = 1\nb = 3\nc = 4", got.Source()); err != nil || diff != "" {
		t.Errorf("parameters (-want +got), %v:\n%s", err, diff)
	}
}

func TestABadFileOfParametersIsAMistakeOfUsage(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"damaged": "{", "name": `{"a b": 1}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"damaged", "name", "missing"} {
		file := filepath.Join(dir, name)
		_, err := ParamsOf(file, nil)
		var f *terminal.Error
		if !errors.As(err, &f) || f.Kind != terminal.Usage || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: got %v, want a mistake of usage that names the file", name, err)
		}
	}
}

// flagged returns the parameters of flags.
func flagged(t *testing.T, args ...string) (all params.List) {
	t.Helper()
	for _, arg := range args {
		if err := (ParamFlag{To: &all}).Set(arg); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestADamagedFileOfParametersSaysWhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.json")
	for _, c := range []struct{ in, want string }{
		{"{\"a\": 1,\n \"b\": x}", "line 2, column 7: "},
		{"[1]", "want an object"},
		{"{\"a\": 1", "line 1, column 7: it is not JSON: it ends too early"},
		{"", "line 1, column 1: it is not JSON: it ends too early"},
		{"{\"a\": [1, 2}", "line 1, column 12: "},
		{"{} {}", "line 1, column 4: "},
	} {
		if err := os.WriteFile(file, []byte(c.in), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ParamsOf(file, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.in, err, c.want)
		}
	}
}
