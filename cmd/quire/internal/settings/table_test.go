package settings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quirehq/quire/host/server"
)

func TestEachSettingHasNamesOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range table {
		for _, name := range []string{"--" + s.Name, s.Variable, s.Key, s.FormerKey} {
			if name != "" && seen[name] && !strings.HasPrefix(name, "--"+s.Key) {
				t.Errorf("%s belongs to two settings", name)
			}
			seen[name] = true
		}
		if (s.Variable == "") != (s.Key == "") {
			t.Errorf("--%s has a variable or a key alone", s.Name)
		}
		if (s.limit == nil) == (s.text == nil) {
			t.Errorf("--%s has no field, or two", s.Name)
		}
		if numeric := s.Unit == Size || s.Unit == Duration || s.Unit == Count; numeric != (s.apply != nil) {
			t.Errorf("--%s: got a number %t in %q", s.Name, s.apply != nil, s.Unit)
		}
		if _, isSwitch := s.field(new(Config)).(*bool); isSwitch != (s.Unit == "") {
			t.Errorf("--%s: got a switch %t with the unit %q", s.Name, isSwitch, s.Unit)
		}
		for _, text := range []string{s.Default, s.Least} {
			if s.apply == nil || text == "" {
				continue
			}
			if _, err := s.number(text); err != nil {
				t.Errorf("--%s: %v", s.Name, err)
			}
		}
	}
}

func TestEachLimitSetsItsOwnBound(t *testing.T) {
	got := BoundsOf(server.LimitValues{Memory: "1G", CPU: "2h", RunTime: "3m", Disk: "4G", FileSize: "5M", Files: "60", Processes: "70", Output: "8M", NotebookOutput: "9M"})
	want := Bounds{Memory: 1 << 30, CPU: 2 * 3600e9, RunTime: 3 * 60e9, Disk: 4 << 30, FileSize: 5 << 20, Files: 60, Processes: 70, Output: 8 << 20, NotebookOutput: 9 << 20}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheSandboxIsSetByFlagsAndByTheEnvironment(t *testing.T) {
	c := Read(env("QUIRE_SANDBOX", "1", "QUIRE_SANDBOX_NETWORK", "true", "QUIRE_SANDBOX_AS_ROOT", "1", "QUIRE_SANDBOX_READ", "/a:/b", "QUIRE_SANDBOX_ENV", "KEY"), home, File{})
	want := SandboxConfig{On: true, Network: true, AsRoot: true, Read: []string{"/a", "/b"}, Env: []string{"KEY"}}
	if diff := cmp.Diff(want, c.Sandbox); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	flags := []string{"--sandbox", "--sandbox-network", "--sandbox-as-root", "--sandbox-read", "/a", "--sandbox-read", "/b", "--sandbox-env", "KEY"}
	if diff := cmp.Diff(flags, c.Args(Sandbox)); diff != "" {
		t.Errorf("flags for a runtime (-want +got):\n%s", diff)
	}
}

func TestTheSizesOfArtifactsAreRead(t *testing.T) {
	var wrong Errors
	c := Read(env(), home, File{})
	n := c.Numbers("serve", &wrong)
	if n.Artifact != 1<<30 || n.NotebookArtifacts != 10<<30 || len(wrong) > 0 {
		t.Errorf("got %+v and %v, want the defaults", n, wrong)
	}
	c = Read(env("QUIRE_ARTIFACT_SIZE", "5M", "QUIRE_NOTEBOOK_ARTIFACTS", "1.5G"), home, File{})
	n = c.Numbers("serve", &wrong)
	if n.Artifact != 5<<20 || n.NotebookArtifacts != 3<<29 || len(wrong) > 0 {
		t.Errorf("got %+v and %v, want the values of the environment", n, wrong)
	}
}

func TestASwitchThatIsNeitherOnNorOffIsAnErrorOfTheCommandsThatHaveIt(t *testing.T) {
	for _, c := range []struct{ variable, command, want string }{
		{"QUIRE_PROXY_PROTOCOL", "serve", "QUIRE_PROXY_PROTOCOL: want 1 or 0"},
		{"QUIRE_SANDBOX", "run", "QUIRE_SANDBOX: want 1 or 0"},
		{"QUIRE_SANDBOX", "doctor", ""},
		{"QUIRE_REQUIRE_LIMITS", "serve", ""}, // it counts as on
	} {
		var wrong Errors
		config := Read(env(c.variable, "please"), home, File{})
		config.Numbers(c.command, &wrong)
		got := ""
		if err := wrong.Err(&config); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s of %s: got %q, want %q", c.variable, c.command, got, c.want)
		}
		if c.variable == "QUIRE_REQUIRE_LIMITS" && !config.RequireLimits {
			t.Errorf("got %s off, want it on", c.variable)
		}
	}
}

func TestTheFileSetsSwitchesListsTextsAndNumbers(t *testing.T) {
	set, err := parseFile([]byte(`{"kernel": "ir", "logFormat": "json", "sandbox": true, "sandboxRead": ["/a", "/b"], "maxRuntimes": 1000000, "publicURL": "https://q.example",
		"hosts": ["a", "b:1"], "trustedProxies": ["::1", "10.0.0.0/8"], "proxyProtocol": true, "tlsCert": "c", "tlsKey": "k", "exposeToNetwork": true}`))
	if err != nil {
		t.Fatal(err)
	}
	got := Read(env(), home, File{set: set})
	want := Read(env(), home, File{})
	want.Kernel, want.LogFormat, want.MaxRuntimes = "ir", "json", "1000000"
	want.Sandbox = SandboxConfig{On: true, Read: []string{"/a", "/b"}}
	want.Network = NetworkConfig{
		Public: "https://q.example", Hosts: []string{"a", "b:1"}, Proxies: []string{"::1", "10.0.0.0/8"}, ProxyProtocol: true, Cert: "c", Key: "k", Exposed: true,
	}
	if diff := cmp.Diff(want, got, exported); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
