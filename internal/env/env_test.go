//go:build unix

package env_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/env/envtest"
)

func TestMain(m *testing.M) {
	if kind := os.Getenv(starterVariable); kind != "" {
		if err := detachAndDie(kind); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// local returns a local environment with an empty workspace.
func local(t *testing.T) *env.Local {
	t.Helper()
	environment, err := env.NewLocal(env.LocalConfig{ID: "local", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return environment
}

// sandbox returns a sandbox, or skips the test where there can be none.
func sandbox(t *testing.T, config env.SandboxConfig) *env.Sandbox {
	t.Helper()
	if err := env.CheckSandbox(t.Context()); err != nil {
		t.Skipf("this test needs a sandbox: %v", err)
	}
	config.ID = "sandbox"
	if config.Dir == "" {
		config.Dir = t.TempDir()
	}
	environment, err := env.NewSandbox(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return environment
}

func TestTheMachineIsAPlace(t *testing.T) {
	envtest.Suite(t, func(t *testing.T) env.Primitive { return local(t) })
}

func TestASandboxIsAPlace(t *testing.T) {
	envtest.Suite(t, func(t *testing.T) env.Primitive { return sandbox(t, env.SandboxConfig{}) })
}

func TestASandboxWithAWorkspaceElsewhereIsAPlace(t *testing.T) {
	envtest.Suite(t, func(t *testing.T) env.Primitive { return sandbox(t, env.SandboxConfig{At: "/at/elsewhere"}) })
}

// starterVariable is set for the process that starts a detached program.
const starterVariable = "ENVTEST_STARTER"

// opened returns an environment of a kind with a workspace.
func opened(kind, dir string) (env.Primitive, error) {
	if kind == "local" {
		return env.NewLocal(env.LocalConfig{ID: "local", Dir: dir})
	}
	return env.NewSandbox(context.Background(), env.SandboxConfig{ID: "sandbox", Dir: dir, At: "/at/elsewhere"})
}

// detachAndDie starts a program in the current folder, prints its name and is killed.
func detachAndDie(kind string) error {
	environment, err := opened(kind, ".")
	if err != nil {
		return err
	}
	script := "echo begun > begun; while ! [ -e go ]; do sleep 0.01; done; echo done > done; sleep 1000; sleep 1000"
	name, err := environment.Detach(context.Background(), env.Detached{Argv: []string{"/bin/sh", "-c", script}, Dir: ".", Log: "log"})
	if err != nil {
		return err
	}
	fmt.Println(name)
	return syscall.Kill(os.Getpid(), syscall.SIGKILL)
}

func TestADetachedProgramOutlivesTheProcessThatStartedIt(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"local", "sandbox"} {
		t.Run(kind, func(t *testing.T) {
			if kind == "sandbox" {
				sandbox(t, env.SandboxConfig{})
			}
			dir := t.TempDir()
			starter := exec.CommandContext(t.Context(), program)
			starter.Dir, starter.Env = dir, append(os.Environ(), starterVariable+"="+kind)
			var said bytes.Buffer
			starter.Stderr = &said
			out, _ := starter.Output()
			name := strings.TrimSpace(string(out))
			environment, err := opened(kind, dir)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := errors.Join(environment.KillDetached(name), environment.Terminate(t.Context())); err != nil {
					t.Error(err)
				}
			}()
			if !environment.IsRunning(name) {
				t.Fatalf("%q does not run: %s", name, &said)
			}
			if _, err := environment.Write(t.Context(), "go", 0o600, strings.NewReader("go")); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for _, err := environment.Stat(ctx, "done"); err != nil; _, err = environment.Stat(ctx, "done") {
				if ctx.Err() != nil || !environment.IsRunning(name) {
					t.Fatalf("it did nothing after the end of its starter: %v", err)
				}
			}
			if err := environment.KillDetached(name); err != nil {
				t.Fatal(err)
			}
			if how, err := environment.AwaitEnd(ctx, name); how != "" || err != nil || environment.IsRunning(name) {
				t.Errorf("got %q, %v and running %t, want it killed", how, err, environment.IsRunning(name))
			}
		})
	}
}
