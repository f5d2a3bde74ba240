//go:build unix

package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirehq/quire/internal/script"
)

const examples = "../../../examples/engines"

// check returns the results of the rules by their outcome.
func check(t *testing.T, config script.Config, programs Programs) map[Outcome][]string {
	t.Helper()
	results := map[Outcome][]string{}
	Check(t.Context(), config, programs, func(r Result) {
		results[r.Outcome] = append(results[r.Outcome], r.Rule+": "+strings.Join(r.Details, "; "))
	})
	return results
}

func example(t *testing.T, name string) (script.Config, Programs) {
	t.Helper()
	dir := filepath.Join(examples, name)
	described, err := script.Described(dir)
	if err != nil {
		t.Fatal(err)
	}
	config := described.Config()
	data, err := os.ReadFile(filepath.Join(dir, "..", "programs.json"))
	if err != nil {
		t.Fatal(err)
	}
	programs, err := DecodePrograms(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath(config.Command[0]); err != nil {
		t.Skipf("this example needs %s", config.Command[0])
	}
	config.Dir = t.TempDir()
	return config, programs
}

func TestTheExamplesConform(t *testing.T) {
	t.Parallel()
	for name, least := range map[string]int{
		"echo/python": 10, "echo/node": 10, "echo/go": 10,
		"calculator/python": 8, "calculator/node": 8, "calculator/go": 7,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, programs := example(t, name)
			if config.Command[0] == "go" { // built once, and not at each start
				binary := filepath.Join(t.TempDir(), "engine")
				if out, err := exec.Command("go", "build", "-o", binary, config.Command[2]).CombinedOutput(); err != nil {
					t.Fatalf("build: %v\n%s", err, out)
				}
				config.Command = []string{binary}
			}
			results := check(t, config, programs)
			if len(results[Failed]) > 0 || len(results[OK]) < least {
				t.Errorf("failed: %q; %d are ok, want %d at least: %q", results[Failed], len(results[OK]), least, results[OK])
			}
		})
	}
}

func TestExamplesAreShort(t *testing.T) {
	files, err := filepath.Glob(examples + "/*/*/*.*")
	if err != nil || len(files) < 12 {
		t.Fatalf("got %q, %v", files, err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(data), "\n"); n >= 55 {
			t.Errorf("%s has %d lines", name, n)
		}
	}
}

// TestWhatBreaksTheProtocolFails has engines that break one rule each.
func TestWhatBreaksTheProtocolFails(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("this test needs python3")
	}
	const hello = `print(json.dumps({"type": "hello", "protocol": 1, "language": "x", "version": "1", "interrupt": "none", "can": []}), flush=True)`
	const done = `print(json.dumps({"type": "done", "run": m["run"]}), flush=True)`
	const loop = "\nfor line in sys.stdin:\n  m = json.loads(line)\n  if m['type'] == 'run': " + done
	for name, c := range map[string]struct{ source, want string }{
		"another version":  {strings.ReplaceAll(hello, `"protocol": 1`, `"protocol": 2`) + loop, "says hello first, in version 1: got version 2"},
		"no interrupt":     {strings.ReplaceAll(hello, `"none"`, `"maybe"`) + loop, `says hello first, in version 1: got the interrupt "maybe"`},
		"no JSON":          {"print('ready', flush=True)", "says hello first, in version 1: the engine ended or broke the protocol: "},
		"a wrong number":   {hello + "\nfor line in sys.stdin:\n  m = json.loads(line)\n  m['run'] = 9\n  " + done, "ends an empty run: got the end of run 9, want that of 1"},
		"news that end it": {hello + "\nfor line in sys.stdin:\n  m = json.loads(line)\n  if m['type'] != 'run': sys.exit(1)\n  " + done, "ignores a message that is new to it: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := script.Config{Command: []string{"python3", "-c", "import json, sys\n" + c.source}}
			config.Info.Language = "x"
			found := false
			for _, failed := range check(t, config, Programs{})[Failed] {
				found = found || strings.HasPrefix(failed, c.want)
			}
			if !found {
				t.Errorf("no rule failed with %q", c.want)
			}
		})
	}
}
