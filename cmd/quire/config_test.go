package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
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

func home() (string, error) { return "/home/ada", nil }

func TestTheDefaultsAreThoseOfOnePersonAtOneMachine(t *testing.T) {
	want := config{
		Data: "/home/ada/.local/share/quire", Addr: "127.0.0.1:8642", Editor: "vi",
		LogLevel: "info", LogFormat: "text",
	}
	if diff := cmp.Diff(want, defaultConfig(env(), home)); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestTheEnvironmentCountsMoreThanADefault(t *testing.T) {
	got := defaultConfig(env(
		"QUIRE_SERVER", "http://there:1", "QUIRE_TOKEN", "t", "QUIRE_DATA", "/data", "QUIRE_PYTHON", "python3.12",
		"QUIRE_ADDR", "127.0.0.1:0", "EDITOR", "ed", "VISUAL", "vim",
	), home)
	want := config{
		Server: "http://there:1", Token: "t", Data: "/data", Python: "python3.12", Addr: "127.0.0.1:0",
		Editor: "vim", LogLevel: "info", LogFormat: "text",
	}
	if diff := cmp.Diff(want, got); diff != "" {
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
		if got := defaultConfig(env("XDG_DATA_HOME", c.xdg), c.home).Data; got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestAFlagCountsMoreThanTheEnvironment(t *testing.T) {
	c := defaultConfig(env("QUIRE_SERVER", "http://env", "QUIRE_TOKEN", "secret"), home)
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	c.addGlobalFlags(flags)
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
