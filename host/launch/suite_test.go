//go:build unix

package launch

import (
	"os"
	"testing"

	"github.com/quirehq/quire/host/launch/launchtest"
)

func TestMain(m *testing.M) {
	launchtest.Program()
	os.Exit(m.Run())
}

func TestProcessesAreLaunchedAsEveryLauncherDoes(t *testing.T) {
	launchtest.Suite(t, func(t *testing.T, cfg launchtest.Config) launchtest.Launcher {
		l := quick(t, cfg.Dir)
		l.Program, l.Environ, l.Grace, l.Most = cfg.Program, cfg.Environ, cfg.Grace, cfg.Most
		l.Flags = func(string) ([]string, error) { return cfg.Flags, nil }
		return l
	})
}
