package engines

import (
	"os"
	"testing"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

func TestTheMemoryOfAnEngineIsThatOfItsProcesses(t *testing.T) {
	f := &Factory{Config: &settings.Config{}, Environ: os.Environ()}
	leave, err := f.OpenIn(t.Context(), t.TempDir(), settings.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	f.env.started = true
	set := f.Engines("", settings.Bounds{}, Choice{Language: PythonLanguage, installed: f.Offers()})
	defer set.Close()
	engine, err := set.Get(t.Context(), PythonLanguage, nil)
	if err != nil {
		t.Skip(err)
	}
	memory := engine.Abilities().Meter.Memory
	before := memory()
	if before < 1<<20 {
		t.Errorf("got %d bytes, want those of a Python", before)
	}
	source := "import subprocess, sys\nmine = bytearray(b'x' * (64 << 20))\n" +
		"other = subprocess.Popen([sys.executable, '-c', 'x = bytearray(b\"x\" * (32 << 20)); print(1, flush=True); input()'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n" +
		"other.stdout.read(1) and None"
	if result, err := engine.Execute(t.Context(), lang.Request{Source: source}, &langtest.Recorder{}); err != nil || result.Err != nil {
		t.Fatal(err, result.Err)
	}
	if grown := memory() - before; grown < 96<<20 || grown > 160<<20 {
		t.Errorf("grown by %d bytes, want 96 MiB of a value and of one in a child process, and little more", grown)
	}
	if err := set.Close(); err != nil {
		t.Fatal(err)
	}
	if got := memory(); got != 0 {
		t.Errorf("got %d bytes after its end", got)
	}
}
