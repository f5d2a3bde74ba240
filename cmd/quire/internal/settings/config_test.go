package settings

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/pflag"

	"github.com/quirehq/quire/host/server"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// exported leaves out the places of values, which differ with the source.
var exported = cmpopts.IgnoreUnexported(Config{})

func home() (string, error) { return "/home/ada", nil }

// artifactDefaults is how much may be stored outside the log when nothing is said.
func artifactDefaults() ArtifactConfig { return ArtifactConfig{Size: "1G", Notebook: "10G"} }

// limitDefaults are the limits of a runtime when nothing is said.
func limitDefaults() server.LimitValues {
	return server.LimitValues{Output: "1G", NotebookOutput: "128M"}
}

func TestTheDefaultsAreThoseOfOnePersonAtOneMachine(t *testing.T) {
	want := Config{
		Data: "/home/ada/.local/share/quire", Addr: "127.0.0.1:8642", Editor: "vi",
		Grace: "8s", LogLevel: "info", LogFormat: "text", Colour: "auto", Artifacts: artifactDefaults(), Sizes: SizeConfig{Notebook: "256M"}, HistoryFor: "viewer",
		Limits: limitDefaults(),
	}
	if diff := cmp.Diff(want, Read(env(), home, File{}), exported); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestTheEnvironmentCountsMoreThanADefault(t *testing.T) {
	got := Read(env(
		"QUIRE_SERVER", "http://there:1", "QUIRE_TOKEN", "t", "QUIRE_DATA", "/data", "QUIRE_PYTHON", "python3.12",
		"QUIRE_ADDR", "127.0.0.1:0", "EDITOR", "ed", "VISUAL", "vim",
		"QUIRE_LOG", "debug", "QUIRE_IDLE", "1h", "QUIRE_GRACE", "2s", "QUIRE_MAX_RUNTIMES", "3", "TERM", "xterm", "NO_COLOR", "1",
		"QUIRE_MEMORY", "2G", "QUIRE_CPU", "1h", "QUIRE_FILE_SIZE", "1G", "QUIRE_FILES", "100", "QUIRE_PROCESSES", "50",
	), home, File{})
	want := Config{
		Server: "http://there:1", Token: "t", Data: "/data", Python: "python3.12", Addr: "127.0.0.1:0",
		Editor: "vim", LogLevel: "debug", LogFormat: "text", Colour: "auto", Artifacts: artifactDefaults(), Sizes: SizeConfig{Notebook: "256M"}, HistoryFor: "viewer", Idle: "1h", Grace: "2s", MaxRuntimes: "3",
		Limits: server.LimitValues{Memory: "2G", CPU: "1h", FileSize: "1G", Files: "100", Processes: "50", Output: "1G", NotebookOutput: "128M"},
		Term:   "xterm", NoColour: true,
	}
	if diff := cmp.Diff(want, got, exported); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestTheDataDirectoryFollowsXDGWhenThatIsAbsolute(t *testing.T) {
	noHome := func() (string, error) { return "", errors.New("no home") }
	for _, c := range []struct {
		name, xdg string
		home      func() (string, error)
		want      string
	}{
		{"absolute", "/xdg", home, "/xdg/quire"},
		{"relative", "xdg", home, "/home/ada/.local/share/quire"},
		{"no home", "", noHome, ""},
	} {
		if got := Read(env("XDG_DATA_HOME", c.xdg), c.home, File{}).Data; got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAFlagCountsMoreThanTheEnvironment(t *testing.T) {
	c := Read(env("QUIRE_SERVER", "http://env", "QUIRE_TOKEN", "secret"), home, File{})
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	c.AddFlags(flags, "quire")
	if err := flags.Parse([]string{"--server", "http://flag"}); err != nil {
		t.Fatal(err)
	}
	if c.Server != "http://flag" || c.Token != "secret" {
		t.Errorf("got server %q, token %q, want that of the flag and that of the environment", c.Server, c.Token)
	}
	if usage := flags.FlagUsages(); strings.Contains(usage, "secret") || strings.Contains(usage, "http://env") {
		t.Errorf("help shows what the environment says:\n%s", usage)
	}
}

// configured returns the configuration that the environment and a file make.
func configured(t *testing.T, file string, pairs ...string) (Config, error) {
	t.Helper()
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "quire"), 0o700), os.WriteFile(filepath.Join(dir, "quire", "config.json"), []byte(file), 0o600)); err != nil {
		t.Fatal(err)
	}
	getenv := env(append(pairs, "XDG_CONFIG_HOME", dir)...)
	read, err := ReadFile(getenv, home, os.ReadFile)
	return Read(getenv, home, read), err
}

func TestAFlagCountsMoreThanTheEnvironmentThatMoreThanTheFileAndThatMoreThanADefault(t *testing.T) {
	c, err := configured(t, `{"server": "http://file", "token": "file", "memory": "1G", "files": 100, "log": "warn"}`,
		"QUIRE_TOKEN", "env", "QUIRE_MEMORY", "2G")
	if err != nil {
		t.Fatal(err)
	}
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	c.AddFlags(flags, "serve")
	if err := flags.Parse([]string{"--memory", "3G"}); err != nil {
		t.Fatal(err)
	}
	want := Config{
		Server: "http://file", Token: "env", Data: "/home/ada/.local/share/quire", Addr: "127.0.0.1:8642", Editor: "vi",
		Grace: "8s", LogLevel: "warn", LogFormat: "text", Colour: "auto", Artifacts: artifactDefaults(), Sizes: SizeConfig{Notebook: "256M"}, HistoryFor: "viewer", Limits: server.LimitValues{Memory: "3G", Files: "100", Output: "1G", NotebookOutput: "128M"},
	}
	if diff := cmp.Diff(want, c, exported); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestAnErrorOfTheConfigurationFileSaysWhereItIs(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"{\n\"memory\": }", "config.json: line 2, column 11: "},
		{"[]", "want a JSON object"},
		{"{\n\"memroy\": \"2G\"}", `line 2: there is no setting "memroy": there are addr, `},
		{`{"memory": true}`, `line 1: "memory" must be text or a number`},
		{"{\"files\": 20,\n\n\"sandbox\": 3e400}", `line 3: "sandbox" must be true or false`},
		{`{"hosts": {"a": 1}}`, `"hosts" must be a list of texts`},
		{`{"hosts": [1]}`, `"hosts" must be a list of texts`},
	} {
		_, err := configured(t, c.file)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.file, err, c.want)
		}
	}
	if _, err := ReadFile(env("QUIRE_CONFIG", "/nothing/there.json"), home, os.ReadFile); err == nil {
		t.Error("got no error for a file that was named and is missing")
	}
	if _, err := ReadFile(env(), home, os.ReadFile); err != nil {
		t.Errorf("got %v without a file, want none", err)
	}
}

func TestAWrongValueIsBlamedOnTheFlagTheVariableOrTheLineOfTheFileThatHasSetIt(t *testing.T) {
	c, err := configured(t, "{\n\"cpu\": \"x\", \"memory\": \"x\",\n\"log\": \"loud\", \"sandbox\": \"please\",\n\"historySize\": \"1K\"}",
		"QUIRE_MEMORY", "much", "QUIRE_DISK", "1K", "QUIRE_FILES", "-1")
	if err != nil {
		t.Fatal(err)
	}
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	c.AddFlags(flags, "serve")
	if err := flags.Parse([]string{"--files", "0"}); err != nil {
		t.Fatal(err)
	}
	var wrong Errors
	c.Numbers("serve", &wrong)
	wrong.Add("log-level", "it is loud")
	wrong.Add("tls-key", "there is none")
	got := regexp.MustCompile(`\S*config.json`).ReplaceAllString(wrong.Err(&c).Error(), "FILE")
	want := `8 settings are missing or wrong:
  QUIRE_MEMORY: "much" is no size: want a number with K, M, G or T, such as 512M or 1.5G
  FILE, line 2, "cpu": "x" is no time: want one such as 90s, 30m or 24h
  QUIRE_DISK: with "1K" no program can run: want 64K or more
  --files: "0" is no number from 1
  FILE, line 3, "sandbox": want 1 or 0
  FILE, line 4, "historySize": "1K" is too little to work with: want 64K or more
  FILE, line 3, "log": it is loud
  --tls-key or QUIRE_TLS_KEY: there is none`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
