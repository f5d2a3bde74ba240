package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/quirehq/quire/cmd/quire/internal/engines"
	"github.com/quirehq/quire/cmd/quire/internal/settings"
	environment "github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/jupyter"
	"github.com/quirehq/quire/internal/listen/listentest"
)

// TestMain lets the test binary be quire itself, in scripts and wherever one of
// those starts it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"quire": main})
}

// TestScripts runs the scripts of e2e, each with a data directory of its own. They
// are here since only this package can be the program.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:   filepath.Join("..", "..", "e2e"),
		Setup: setupScript,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve":  scriptServe,
			"signal": scriptSignal,
			"exits":  scriptExits,
			"save":   scriptSave,

			"certificate": scriptCertificate,
			"signals":     scriptSignals,
			"until":       scriptUntil,
			"squat":       scriptSquat,
			"plant":       scriptPlant,
		},
		Condition: scriptCondition,
	})
}

// scriptKey is where a script keeps its server.
type scriptKey struct{}

func setupScript(env *testscript.Env) error {
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	if err != nil {
		return err
	}
	env.Vars = append(env.Vars, "EXAMPLES="+examples,
		"QUIRE_DATA="+filepath.Join(env.WorkDir, "data"), "TZ=UTC", "HOME="+env.WorkDir, "PYENV_ROOT="+os.Getenv("PYENV_ROOT"),
		"GORACE=atexit_sleep_ms=0") // else the race detector adds a second to each command
	if os.Geteuid() == 0 {
		env.Vars = append(env.Vars, "QUIRE_SANDBOX_AS_ROOT=1") // as in a container that tests run in
	}
	env.Values[scriptKey{}] = new(scriptServer)
	return nil
}

// scriptServer is a server that a script has started.
type scriptServer struct {
	cmd *exec.Cmd // nil if none runs
	out *bufio.Reader
}

// scriptServe starts a server with the flags and returns once it serves: "serve".
// When the script ends, so do the runtimes and the server.
func scriptServe(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(scriptKey{}).(*scriptServer)
	if neg || s.cmd != nil {
		ts.Fatalf("usage: serve [flags], while no server runs")
	}
	cmd := exec.Command(filepath.Join(binDir(ts), "quire"), append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), scriptEnv(ts)
	log, err := os.OpenFile(ts.MkAbs("server.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Check(log.Close())
	s.cmd, s.out = cmd, bufio.NewReader(out)
	ts.Defer(func() { s.end(ts) })
	if _, err := s.out.ReadString('\n'); err != nil {
		text, _ := os.ReadFile(ts.MkAbs("server.log"))
		ts.Fatalf("the server did not start: %v\n%s", err, text)
	}
}

// end ends the runtimes of the server and the server itself, however it is.
func (s *scriptServer) end(ts *testscript.TestScript) {
	if s.cmd == nil {
		return
	}
	quire := filepath.Join(binDir(ts), "quire")
	script := fmt.Sprintf("for id in $(%[1]s ls | cut -c1-20); do %[1]s stop $id; done 2>/dev/null", quire)
	stop := exec.Command("sh", "-c", script)
	stop.Env = scriptEnv(ts)
	_ = stop.Run() // a notebook without a runtime is no fault
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_, _ = s.wait()
}

// wait waits for the end of the server and returns its exit code, -1 for a signal.
func (s *scriptServer) wait() (int, error) {
	_, _ = io.Copy(io.Discard, s.out)
	err := s.cmd.Wait()
	s.cmd = nil
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// stopping is what a server may take to stop, on a machine that has much else to do. One that waits
// for a client takes longer.
const stopping = time.Minute

// scriptSignal sends the server a signal, waits for its end and wants an exit
// code: "signal TERM 0", "signal KILL -1".
func scriptSignal(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(scriptKey{}).(*scriptServer)
	signals := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "KILL": syscall.SIGKILL}
	if neg || len(args) != 2 || signals[args[0]] == 0 || s.cmd == nil {
		ts.Fatalf("usage: signal TERM|INT|KILL CODE, while a server runs")
	}
	sent := time.Now()
	ts.Check(s.cmd.Process.Signal(signals[args[0]]))
	code, err := s.wait()
	ts.Check(err)
	if want, err := strconv.Atoi(args[1]); err != nil || code != want {
		ts.Fatalf("the server exited with %d, want %s", code, args[1])
	}
	if took := time.Since(sent); took > stopping {
		ts.Fatalf("the server took %v to stop, want less than %v", took, stopping)
	}
}

// scriptExits runs a command and wants an exit code: "exits 4 quire show nope".
func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE command [args]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("got exit code %d, want %d", got, want)
	}
}

// scriptSave puts what the last command wrote to stdout into a variable, without
// its line end: "save id".
func scriptSave(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: save VARIABLE")
	}
	ts.Setenv(args[0], strings.TrimSuffix(ts.ReadFile("stdout"), "\n"))
}

// scriptCertificate writes cert.pem and key.pem with a serial number: "certificate 1".
func scriptCertificate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: certificate NUMBER")
	}
	serial, err := strconv.ParseInt(args[0], 10, 64)
	ts.Check(err)
	ts.Check(listentest.Write(ts.MkAbs("."), serial, time.Hour))
}

// scriptSignals sends the server a signal that it goes on after: "signals HUP".
func scriptSignals(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(scriptKey{}).(*scriptServer)
	if neg || len(args) != 1 || args[0] != "HUP" || s.cmd == nil {
		ts.Fatalf("usage: signals HUP, while a server runs")
	}
	ts.Check(s.cmd.Process.Signal(syscall.SIGHUP))
}

// scriptUntil runs a command again until it succeeds: "until grep done server.log".
func scriptUntil(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: until command [args]")
	}
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		err := ts.Exec(args[0], args[1:]...)
		if err == nil {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("%s: %v", args[0], err)
		}
	}
}

// binDir returns where the scripts find quire.
func binDir(ts *testscript.TestScript) string {
	dir, _, _ := strings.Cut(ts.Getenv("PATH"), string(filepath.ListSeparator))
	return dir
}

// scriptEnv returns the environment of a script for a process that it starts.
func scriptEnv(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "TZ", "PYENV_ROOT", "GORACE", "GOMEMLIMIT", "QUIRE_DATA", "QUIRE_PYTHON", "QUIRE_SANDBOX_AS_ROOT", "JUPYTER_PATH", "BASH_ENV", "ENV"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

// scriptCondition is what scripts ask for besides what every one knows: that this is root,
// or that there can be a sandbox, or control groups, on this machine.
func scriptCondition(condition string) (bool, error) {
	switch condition {
	case "root":
		return os.Geteuid() == 0, nil
	case "sandbox":
		return environment.CheckSandbox(context.Background()) == nil, nil
	case "groups":
		g, err := environment.NewGroup(environment.Bounds{})
		if err != nil {
			return false, nil
		}
		return true, g.Close()
	case "ipython":
		return exec.Command("python3", "-c", "import IPython").Run() == nil, nil
	}
	return hasKernel(condition)
}

// hasKernel is the condition of a script that a kernel is installed and can start, "[kernel:ir]", or that an engine can be
// used, "[engine:node]".
func hasKernel(condition string) (bool, error) {
	if name, ok := strings.CutPrefix(condition, "engine:"); ok {
		offers := (&engines.Factory{Config: &settings.Config{}, Environ: os.Environ()}).Offers()
		return offers.Check(name) == nil, nil
	}
	name, ok := strings.CutPrefix(condition, "kernel:")
	if !ok {
		return false, fmt.Errorf("there is no condition %q", condition)
	}
	for _, k := range (jupyter.Search{Env: os.Environ()}).List() {
		if k.Name == name && k.Fault == nil {
			_, err := exec.LookPath(k.Argv[0])
			return err == nil, nil
		}
	}
	return false, nil
}
