package launch

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/quirehq/quire/host/launch/launchtest"
	environment "github.com/quirehq/quire/internal/env"
)

// A sandbox has a workspace, users, processes and a home of its own, so that a launcher that passes here does not rely on
// sharing any with its runtimes.
func TestRuntimesInASandboxAreLaunchedAsEveryLauncherDoes(t *testing.T) {
	if err := environment.CheckSandbox(t.Context()); err != nil {
		t.Skipf("this test needs a sandbox: %v", err)
	}
	launchtest.Suite(t, func(t *testing.T, cfg launchtest.Config) launchtest.Launcher {
		workspace := filepath.Join(cfg.Dir, "sandbox")
		if err := os.MkdirAll(workspace, 0o700); err != nil {
			t.Fatal(err)
		}
		sandbox, err := environment.NewSandbox(context.Background(), environment.SandboxConfig{
			ID: "runtimes", Dir: workspace, At: "/quire", Network: true, Read: []string{filepath.Dir(cfg.Program)},
		})
		if err != nil {
			t.Fatal(err)
		}
		l := quick(t, cfg.Dir)
		l.Environment, l.Reach = place{sandbox}, []string{"--server", "http://127.0.0.1:1"}
		l.Program, l.Environ, l.Grace, l.Most = cfg.Program, cfg.Environ, cfg.Grace, cfg.Most
		l.Flags = func(string) ([]string, error) { return cfg.Flags, nil }
		return l
	})
}
