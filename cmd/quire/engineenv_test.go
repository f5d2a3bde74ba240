package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	environment "github.com/quirehq/quire/internal/env"
)

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

func TestTheSandboxIsSetByFlagsAndByTheEnvironment(t *testing.T) {
	got := sandboxTextsOf(env("QUIRE_SANDBOX", "1", "QUIRE_SANDBOX_NETWORK", "true", "QUIRE_SANDBOX_AS_ROOT", "1", "QUIRE_SANDBOX_READ", "/a:/b", "QUIRE_SANDBOX_ENV", "KEY"))
	want := sandboxTexts{On: true, Network: true, AsRoot: true, Read: []string{"/a", "/b"}, Env: []string{"KEY"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	flags := []string{"--sandbox", "--sandbox-network", "--sandbox-as-root", "--sandbox-read", "/a", "--sandbox-read", "/b", "--sandbox-env", "KEY"}
	if diff := cmp.Diff(flags, got.args()); diff != "" {
		t.Errorf("flags for a runtime (-want +got):\n%s", diff)
	}
	var off sandboxTexts
	if args := off.args(); args != nil {
		t.Errorf("got %q without a sandbox, want nothing", args)
	}
}

func TestWhatIsWrongWithASandboxIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		texts sandboxTexts
		want  int
	}{
		"nothing":                       {sandboxTexts{On: true, AsRoot: true, Read: []string{"/a"}}, 0},
		"a variable that is no boolean": {sandboxTextsOf(env("QUIRE_SANDBOX", "please")), 1},
		"settings without it":           {sandboxTexts{Network: true}, 1},
		"a relative folder":             {sandboxTexts{On: true, AsRoot: true, Read: []string{"a"}}, 1},
	} {
		var wrong configErrors
		c.texts.check(&wrong)
		if err := wrong.error("serve"); (err != nil) != (c.want > 0) {
			t.Errorf("%s: got %v, want %d faults", name, err, c.want)
		}
	}
}

func TestASandboxGetsNoSecretOfTheEnvironment(t *testing.T) {
	texts := sandboxTexts{Env: []string{"MY_KEY"}}
	got := texts.environ([]string{"PATH=/bin", "AWS_SECRET_ACCESS_KEY=s", "OPENAI_API_KEY=s", "LC_ALL=C", "MY_KEY=k", "QUIRE_TOKEN=s", "HOME=/root", "PATHS=x"})
	if diff := cmp.Diff([]string{"PATH=/bin", "LC_ALL=C", "MY_KEY=k"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAFolderWithTheHomeInItIsNotShown(t *testing.T) {
	a := &app{config: config{Data: "/srv/quire"}, environ: []string{"HOME=/home/ada"}}
	private := slices.DeleteFunc([]string{"/", "/home", "/home/ada", "/srv", "/srv/quire", "/home/ada/.pyenv", "/usr/lib", "/srv/quire2"}, func(dir string) bool {
		return !a.isPrivate(dir)
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
	a := &app{environ: []string{"HOME=" + dir}, config: config{Notebook: "nb", Sandbox: sandboxTexts{On: true}}}
	if _, err := a.openEngineEnv(t.Context(), dir, limits{}, nil); err == nil || !strings.Contains(err.Error(), "start in a folder of its own") {
		t.Errorf("got %v, want that the home is not given away", err)
	}
}

func TestTheDataDirectoryIsHiddenInASandbox(t *testing.T) {
	data := t.TempDir()
	a := &app{config: config{Data: data, Notebook: "nb"}}
	c := a.sandboxConfig(filepath.Join(data, "files", "nb"), nil)
	if !slices.Contains(c.Hide, data) || c.Network {
		t.Errorf("got %+v, want the data directory hidden and no network", c)
	}
}
