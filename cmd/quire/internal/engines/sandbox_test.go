package engines

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/cmd/quire/internal/settings"
)

func TestWhatIsWrongWithASandboxIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		texts settings.SandboxConfig
		want  int
	}{
		"nothing":             {settings.SandboxConfig{On: true, AsRoot: true, Read: []string{"/a"}}, 0},
		"settings without it": {settings.SandboxConfig{Network: true}, 1},
		"a relative folder":   {settings.SandboxConfig{On: true, AsRoot: true, Read: []string{"a"}}, 1},
	} {
		var wrong settings.Errors
		CheckSandbox(&c.texts, &wrong)
		if err := wrong.Err(new(settings.Config)); (err != nil) != (c.want > 0) {
			t.Errorf("%s: got %v, want %d faults", name, err, c.want)
		}
	}
}

func TestASandboxGetsNoSecretOfTheEnvironment(t *testing.T) {
	texts := settings.SandboxConfig{Env: []string{"MY_KEY"}}
	got := sandboxEnviron(&texts, []string{"PATH=/bin", "AWS_SECRET_ACCESS_KEY=s", "OPENAI_API_KEY=s", "LC_ALL=C", "MY_KEY=k", "QUIRE_TOKEN=s", "HOME=/root", "PATHS=x"})
	if diff := cmp.Diff([]string{"PATH=/bin", "LC_ALL=C", "MY_KEY=k"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAFolderWithTheHomeInItIsNotShown(t *testing.T) {
	h := &Factory{Config: &settings.Config{Data: "/srv/quire"}, Environ: []string{"HOME=/home/ada"}}
	private := slices.DeleteFunc([]string{"/", "/home", "/home/ada", "/srv", "/srv/quire", "/home/ada/.pyenv", "/usr/lib", "/srv/quire2"}, func(dir string) bool {
		return !h.isPrivate(dir)
	})
	if diff := cmp.Diff([]string{"/", "/home", "/home/ada", "/srv", "/srv/quire"}, private); diff != "" {
		t.Errorf("private (-want +got):\n%s", diff)
	}
}

func TestAHomeIsNotGivenToASandbox(t *testing.T) {
	t.Chdir(t.TempDir())
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	h := &Factory{Environ: []string{"HOME=" + dir}, Config: &settings.Config{Notebook: "nb", Sandbox: settings.SandboxConfig{On: true}}}
	if _, err := h.openEnvironment(t.Context(), dir, settings.Bounds{}, nil); err == nil || !strings.Contains(err.Error(), "start in a folder of its own") {
		t.Errorf("got %v, want that the home is not given away", err)
	}
}

func TestTheDataDirectoryIsHiddenInASandbox(t *testing.T) {
	data := t.TempDir()
	h := &Factory{Config: &settings.Config{Data: data, Notebook: "nb"}}
	c := h.sandboxConfig(filepath.Join(data, "files", "nb"), nil)
	if !slices.Contains(c.Hide, data) || c.Network {
		t.Errorf("got %+v, want the data directory hidden and no network", c)
	}
}
