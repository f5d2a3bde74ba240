//go:build unix

package env_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/quirehq/quire/internal/env"
	"github.com/quirehq/quire/internal/env/envtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
