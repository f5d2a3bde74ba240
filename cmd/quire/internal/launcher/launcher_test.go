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

func TestAS50AnAssistantsEnvironmentHasNoKeys(t *testing.T) {
	got := assistantEnviron([]string{"PATH=/bin", "OPENAI_API_KEY=s3cret", "ANTHROPIC_API_KEY=s3cret", "AWS_SECRET_ACCESS_KEY=s3cret", "HTTPS_PROXY=http://p", "QUIRE_TOKEN=s3cret"})
	if want := []string{"PATH=/bin", "HTTPS_PROXY=http://p"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
