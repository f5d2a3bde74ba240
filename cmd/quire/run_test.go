package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quirehq/quire/cmd/quire/internal/formats"
	"github.com/quirehq/quire/cmd/quire/internal/namedfile"
)

func TestRunWritesWhatItsProgramsPrintUpToTheirEnds(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "x.py"), filepath.Join(dir, "x.ipynb")
	source := "import atexit, threading, time\natexit.register(lambda: print('at exit'))\nstep = threading.Event()\n" +
		"def say():\n    step.wait()\n    time.sleep(0.1)\n    print('of a thread')\nthreading.Thread(target=say).start()\n# %%\nstep.set()\n"
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	a, stdout, stderr := offline()
	if code := a.execute(t.Context(), []string{"run", "-v", file, "-o", out, "--python", systemPython}); code != exitOK {
		t.Fatalf("got exit code %d:\n%s", code, stderr)
	}
	const want = "of a thread\nat exit\n"
	if stdout.String() != want {
		t.Errorf("printed %q", stdout)
	}
	data, err := namedfile.Read(a.stdin, out)
	if err != nil {
		t.Fatal(err)
	}
	payloads, err := formats.Import(out, data)
	if err != nil {
		t.Fatal(err)
	}
	n, err := formats.Fold(payloads)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{want, ""} {
		var got strings.Builder
		for _, id := range n.Cell(n.Cells()[i]).Outputs {
			got.WriteString(n.Output(id).Value().Text)
		}
		if got.String() != want {
			t.Errorf("cell %d: got %q", i+1, got.String())
		}
	}
}
