package launcher

import (
	"slices"
	"testing"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

func TestTheRuntimesOfAServerGetItsSettingsOfRuntimes(t *testing.T) {
	got := runtimeArgs(&settings.Config{Kernel: "ir", EngineFolder: settings.FolderRead, Idle: "1h"}, "/usr/bin/python3")
	want := []string{"--python", "/usr/bin/python3", "--kernel", "ir", "--engine-folder", "read", "--idle", "1h"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
