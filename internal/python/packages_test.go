//go:build unix

package python

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/core/lang"
	"github.com/quirehq/quire/core/lang/langtest"
)

// wheel writes a package that can be installed without a network or a build.
func wheel(t *testing.T, dir, name, source string) string {
	t.Helper()
	path := filepath.Join(dir, name+"-1.0-py3-none-any.whl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	archive := zip.NewWriter(file)
	var record strings.Builder
	info := name + "-1.0.dist-info/"
	for _, part := range [][2]string{
		{name + ".py", source},
		{info + "METADATA", "Metadata-Version: 2.1\nName: " + name + "\nVersion: 1.0\n"},
		{info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{info + "RECORD", ""},
	} {
		content := part[1]
		if content == "" {
			content = record.String() + part[0] + ",,\n"
		}
		sum := sha256.Sum256([]byte(content))
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", part[0], base64.RawURLEncoding.EncodeToString(sum[:]), len(content))
		w, err := archive.Create(part[0])
		if err == nil {
			_, err = w.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// secluded is an environment in which pip finds only the wheels of a folder, and installs into
// another that is in Python's path.
func secluded(wheels, site string) []string {
	return append(os.Environ(), "PIP_CONFIG_FILE="+os.DevNull, "PIP_NO_INDEX=1", "PIP_FIND_LINKS="+wheels, "PIP_TARGET="+site,
		"PYTHONPATH="+site, "PIP_BREAK_SYSTEM_PACKAGES=1", "PIP_NO_CACHE_DIR=1")
}

// installing returns an engine that can install the package `saddle`.
func installing(t *testing.T) *Engine {
	t.Helper()
	wheels := t.TempDir()
	wheel(t, wheels, "saddle", "worn = True\n")
	engine := open(t, Config{Python: need(t, "pip"), Dir: t.TempDir(), Env: secluded(wheels, t.TempDir()), Grace: grace})
	if err := engine.Load(deadline(t), nil); err != nil {
		t.Fatal(err)
	}
	return engine
}

func TestPythonKeepsTheContractOfInstallers(t *testing.T) {
	langtest.Suite(t, func(t *testing.T) lang.Engine { return installing(t) }, langtest.Programs{
		Hello:     `print("hello")`,
		Packages:  []string{"saddle==1.0"},
		Installed: "import saddle\nprint('installed')",
		Missing:   "bridle",
	})
}

func TestAFileInTheDirectoryDoesNotDisturbPip(t *testing.T) {
	engine := installing(t)
	wheel(t, engine.config.Dir, "bit", "")
	for _, name := range []string{"json.py", "pip.py", "runpy.py"} {
		if err := os.WriteFile(filepath.Join(engine.config.Dir, name), []byte("1 / 0"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sink := &langtest.Recorder{}
	if err := engine.Install(deadline(t), []string{"./bit-1.0-py3-none-any.whl"}, sink); err != nil {
		t.Fatal(err)
	}
	if got := sink.Text(lang.Stdout); !strings.Contains(got, "Successfully installed bit-1.0") {
		t.Errorf("got %q, want what pip prints", got)
	}
}

func TestOptionsAreNoPackages(t *testing.T) {
	engine := load(t)
	for _, name := range []string{"--index-url=https://example.com", "-r", "", " "} {
		if err := engine.Install(deadline(t), []string{"a", name}, &langtest.Recorder{}); err == nil {
			t.Errorf("%q: got no error", name)
		}
	}
	if err := engine.Install(deadline(t), nil, &langtest.Recorder{}); err != nil {
		t.Errorf("nothing: %v", err)
	}
}

// fakeUV puts a program called uv in front of the path of an engine without pip.
func fakeUV(t *testing.T, source string) *Engine {
	t.Helper()
	bin := t.TempDir()
	if source != "" {
		script(t, filepath.Join(bin, "uv"), source)
	}
	engine := load(t)
	expect(t, engine, "import os, sys\nsys.modules['pip'] = None\nos.environ['PATH'] = '"+bin+":/bin:/usr/bin'")
	return engine
}

func TestUVInstallsWherePipIsMissing(t *testing.T) {
	engine := fakeUV(t, `echo "$1 $2 $3 $5"`)
	sink := &langtest.Recorder{}
	if err := engine.Install(deadline(t), []string{"saddle"}, sink); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"stdout: pip install --python saddle\n"}, sink.Lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	err := fakeUV(t, "echo one >&2\necho two >&2\nexit 3").Install(deadline(t), []string{"saddle"}, &langtest.Recorder{})
	if err == nil || !strings.Contains(err.Error(), "uv pip install saddle ended with status 3: one\ntwo") {
		t.Errorf("got %v, want the status and the end of the output", err)
	}
}

func TestWithoutAnInstallerTheErrorSaysWhatToDo(t *testing.T) {
	err := fakeUV(t, "").Install(deadline(t), []string{"saddle"}, &langtest.Recorder{})
	if err == nil || !strings.Contains(err.Error(), "-m ensurepip") {
		t.Errorf("got %v, want to be told of ensurepip", err)
	}
}

func TestAnInstallationIsStopped(t *testing.T) {
	const patient = "echo started\nexec sleep 1000" // exec, since an interrupt could miss a second process
	t.Run("by an interrupt", func(t *testing.T) {
		engine := fakeUV(t, patient)
		err := engine.Install(deadline(t), []string{"saddle"}, sinkFunc(func(string) { _ = engine.Interrupt() }))
		var failed *lang.Error
		if !errors.As(err, &failed) || failed.Name != interruptName {
			t.Errorf("got %v, want %s", err, interruptName)
		}
		expect(t, engine, "1", "result: 1")
	})
	t.Run("by its context", func(t *testing.T) {
		engine := fakeUV(t, patient)
		reason := errors.New("not wanted any more")
		ctx, cancel := context.WithCancelCause(deadline(t))
		err := engine.Install(ctx, []string{"saddle"}, sinkFunc(func(string) { cancel(reason) }))
		if !errors.Is(err, reason) {
			t.Errorf("got %v, want the cause", err)
		}
		expect(t, engine, "1", "result: 1")
	})
}
